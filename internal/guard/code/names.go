package code

import (
	"path"
	"strings"

	"hooks/internal/guard/word"
)

// runner reports whether a call starts a process.
func runner(lang, name string) bool {
	if strings.HasPrefix(name, "re.") || strings.HasPrefix(name, "console.") || name == "print" {
		return false
	}
	last := last(name)
	if word.Has(`system popen Popen check_call check_output getoutput getstatusoutput execSync
execFile execFileSync spawn spawnSync execvp execv execve execvpe
execl execlp execle execlpe spawnlp spawnvp spawnl spawnv posix_spawn
posix_spawnp startfile create_subprocess_shell create_subprocess_exec popen2 popen3 popen2e execa
execaSync execaCommand execaCommandSync fork spawnlpe runcmd exec_command doShellScript
do_shell_script ProcessBuilder communicate sendline send_command`, last) {
		return true
	}
	switch last {
	case "run", "call":
		return word.Has(`subprocess.run subprocess.call sp.run sp.call pexpect.run run call
invoke.run c.run Bun.run s.run s.call`, name)
	case "exec":
		return lang != "python" && (word.Has("exec .exec", name) ||
			word.HasPart(name, "child_process cp. shell Runtime"))
	case "Command", "CommandContext":
		return name == "exec.Command" || name == "exec.CommandContext" ||
			strings.HasSuffix(name, "Deno.Command")
	case "write":
		return strings.Contains(name, "stdin")
	case "Bash", "PowerShell", "Monitor":
		return true
	}
	return false
}

// says reports whether a call shows, searches, compares or stores its literals and never runs them.
func says(name string) bool {
	l := last(name)
	return word.Has(`print println printf eprint echo puts p pp say warn die fail raise log info
debug error warning critical exception trace write writelines
write_text writeFile writeFileSync appendFile appendFileSync WriteFile
dump dumps stringify assert assertEqual assertIn assertTrue expect it
test describe includes startsWith startswith endsWith endswith indexOf
find search match fullmatch findall sub subn replace replaceAll
compile add_argument add_parser ArgumentParser has count index Error
Exception exit SystemExit`, l) && !strings.Contains(name, "stdin") ||
		strings.HasSuffix(l, "Error") || strings.HasSuffix(l, "Exception") ||
		strings.HasPrefix(name, "re.") ||
		strings.HasPrefix(name, "console.") || strings.HasPrefix(name, "log.") ||
		strings.HasPrefix(name, "logger.") ||
		strings.HasPrefix(name, "logging.")
}

// client reports whether a program talks to a forge or to the loop.
func client(name string) bool {
	return word.Has("gh git glab hub tea tea-cli az hooks", name)
}

// Program reports whether a text names a program, which makes a list of literals a command line.
func Program(text string) bool {
	name := word.ProgramName(text)
	return client(name) || word.IsShell(name) || word.Has(`curl wget http https xh sudo env timeout
nohup nice xargs cd claude npx python python3 node bb bkt fj aws ssh
docker doas command exec pwsh powershell eval`, name)
}

// modules are the files of the project that a program loads, seen from its folder.
func modules(lang string, toks []token, dir string) []string {
	at := func(i int) token {
		if i < 0 || i >= len(toks) {
			return token{kind: markTok}
		}
		return toks[i]
	}
	var out []string
	add := func(names ...string) {
		for _, n := range names {
			if dir != "" && dir != "." && !strings.HasPrefix(n, "/") {
				n = path.Join(dir, n)
			}
			out = append(out, n)
		}
	}
	for i, t := range toks {
		switch {
		case lang == "python" && t.kind == nameTok && (t.text == "import" || t.text == "from"):
			for _, name := range imported(t.text, toks[i+1:]) {
				file := strings.ReplaceAll(strings.TrimLeft(name, "."), ".", "/")
				add(file+".py", file+"/__init__.py")
			}
		case t.kind == strTok && loads(at(i-1), at(i-2), at(i-3)):
			add(t.text)
			if !strings.Contains(path.Base(t.text), ".") {
				add(t.text+".js", t.text+".ts", t.text+"/index.js", t.text+".rb", t.text+".mjs")
			}
		}
	}
	return out
}

// loads reports, by the tokens before a literal, whether it names a file of code: require('./x'),
// from './x', exec(open('x')).
func loads(before, second, third token) bool {
	const words = `require import from require_relative load include include_once require_once
dofile do source use runpy.run_path run_path runpy.run_module`
	if before.kind == nameTok {
		return word.Has(words, before.text)
	}
	return before.text == "(" && (word.Has(words, second.text) || second.text == "open" &&
		third.text == "(")
}

// imported are the modules of an import statement, those of the standard library and of well-known
// packages left out.
func imported(statement string, toks []token) []string {
	var out []string
	from := ""
	for i := 0; i < len(toks) && toks[i].text != "\n" && toks[i].text != ";"; i++ {
		name := strings.TrimLeft(toks[i].text, ".")
		if toks[i].kind != nameTok || word.Has("import as", name) {
			continue
		}
		head, _, _ := strings.Cut(from+name, ".")
		if !word.Has(wellKnown, head) {
			out = append(out, from+name)
		}
		if statement == "from" && from == "" {
			from = name + "."
		}
	}
	return out
}

const wellKnown = `os sys subprocess json re pathlib shutil typing time datetime argparse
collections itertools functools logging math random string io glob
tempfile textwrap urllib http base64 hashlib asyncio dataclasses enum
csv copy uuid requests numpy pandas pytest unittest yaml pexpect pty
sh git github gitlab shlex codecs traceback contextlib threading
socket signal platform getpass inspect types abc ast struct warnings
operator queue sqlite3 xml html email zipfile tarfile gzip concurrent
multiprocessing importlib runpy statistics decimal fractions secrets
select stat timeit __future__ ctypes pprint bisect heapq difflib
fnmatch configparser tomllib toml httpx aiohttp`
