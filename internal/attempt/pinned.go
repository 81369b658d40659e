package attempt

import (
	"path"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Pinned returns the changed files that may affect the result of a check command. scripts are the
// files that the command runs, directly or indirectly (scripts, makefiles, recipes, package
// scripts), and files whose test runner settings changed. named are other files that these scripts
// mention. Paths are relative to the folder where the command runs. before and after read the files
// as they were when the run began and as they are now.
func Pinned(
	command string, changed []string, before, after Files,
) (scripts, named []string) {
	p := pinner{before: before, files: map[string]bool{}}
	p.shell(command, ".")
	for _, file := range changed {
		starts, found := p.files[file]
		switch {
		case starts, isSettings(file):
			scripts = append(scripts, file)
		case mixed(file):
			if part(file, before.Read(file)) != part(file, after.Read(file)) {
				scripts = append(scripts, file)
			}
		case found:
			named = append(named, file)
		}
	}
	return scripts, named
}

// Files gives access to the files in a commit. Read returns "" if the file does not exist.
type Files struct {
	Has  func(file string) bool
	Read func(file string) string
}

// isSettings reports whether a file contains only test runner settings.
func isSettings(file string) bool {
	base := path.Base(file)
	starts := func(with string) bool { return strings.HasPrefix(base, with) }
	return slices.ContainsFunc([]string{"jest.", "vitest.", "vite.config.", "playwright.config.",
		"cypress.config.", ".mocharc.", "ava.config.", "karma.conf.", "phpunit.xml"}, starts) ||
		among(base, "pytest.ini tox.ini conftest.py noxfile.py .rspec .npmrc .yarnrc.yml "+
			"bunfig.toml") ||
		strings.HasSuffix("/"+file, "/.cargo/config.toml")
}

// mixed reports whether a file may contain both test runner settings and dependencies.
func mixed(file string) bool {
	return among(path.Base(file), "package.json composer.json deno.json deno.jsonc pyproject.toml "+
		"setup.cfg Cargo.toml")
}

// The members and sections to pin in files that also hold other settings.
const (
	members  = "scripts tasks test jest vitest mocha ava tap nyc c8"
	sections = "package lib test bin profile.test tool.pytest tool:pytest tool.tox tool.coverage " +
		"tool.nox tool.poe tool.taskipy tool.pdm.scripts tool.hatch.envs"
)

// part returns the pinned members of a JSON file, or the pinned sections of a TOML or INI file.
func part(file, text string) string {
	var parts []string
	if strings.HasPrefix(path.Ext(file), ".json") {
		gjson.Parse(text).ForEach(func(key, value gjson.Result) bool {
			if among(key.Str, members) {
				parts = append(parts, key.Raw+":"+value.Raw)
			}
			return true
		})
		return strings.Join(parts, ",")
	}
	in := false
	for line := range strings.Lines(text) {
		if name := strings.TrimSpace(line); strings.HasPrefix(name, "[") {
			name = strings.Trim(name, "[] ") + "."
			in = slices.ContainsFunc(strings.Fields(sections), func(of string) bool {
				return strings.HasPrefix(name, of+".")
			})
		}
		if in {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, "")
}

// maxEntries is the maximum number of scripts to follow.
const maxEntries = 100

// pinner collects the files that a command starts or names, as of the start of the run.
type pinner struct {
	before  Files
	files   map[string]bool // true if the command runs the file, false if it only names it
	entries int
}

// Programs that run recipes, and the files they read recipes from.
const (
	runners = "make gmake bmake just task rake"
	recipes = "GNUmakefile makefile Makefile justfile Justfile .justfile Taskfile.yml " +
		"Taskfile.yaml taskfile.yml taskfile.yaml Rakefile rakefile"
)

// shell follows the commands in a shell script that runs in dir.
func (p *pinner) shell(text, dir string) {
	text = strings.NewReplacer("\\\n", " ", "--config=", "--config ", "--rcfile=", "--rcfile ").
		Replace(text)
	for _, command := range split(text, "\n;&|(){}`") {
		dir = p.command(split(command, " \t\r'\""), dir)
	}
}

// split splits text at the characters in at. It omits empty parts.
func split(text, at string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(at, r) })
}

// command follows one command and returns the folder where the next command runs.
func (p *pinner) command(list []string, dir string) string {
	interpreted := false
	for i, word := range list {
		word = strings.TrimLeft(word, "@") // "@" in a recipe
		name, args := path.Base(word), list[i+1:]
		switch {
		case word == "" || word[0] == '-' || strings.Contains(word, "=") || wraps(word):
			continue
		case among(name, interpreters):
			interpreted = true
			continue
		case word[0] == '#':
			return dir
		case name == "cd" && len(args) > 0:
			return path.Join(dir, args[0])
		case interpreted, name != word, strings.HasSuffix(word, ".sh"):
			p.entry(word, dir)
		}
		p.arguments(name, args, dir)
		return dir
	}
	return dir
}

// arguments pins the scripts, recipes and settings files that a program reads.
func (p *pinner) arguments(program string, args []string, dir string) {
	if at := slices.Index(args, "-C"); at >= 0 && at+1 < len(args) {
		dir = path.Join(dir, args[at+1])
	}
	runs := among(program, runners)
	if runs {
		for _, file := range strings.Fields(recipes) {
			p.entry(file, dir)
		}
	}
	for i, word := range args {
		switch {
		case word[0] == '#':
			return
		case strings.HasSuffix(word, ".sh"), i > 0 && among(args[i-1], "--config --rcfile"),
			runs && i > 0 && args[i-1] == "-f":
			p.entry(word, dir)
		case among(program, "npm pnpm yarn bun"): // these run package.json scripts
			p.script(word, dir)
		}
	}
}

// script follows a script in package.json, and the scripts that run before and after it.
func (p *pinner) script(name, dir string) {
	scripts := gjson.Get(p.before.Read(path.Join(dir, "package.json")), "scripts").Map()
	if name == "t" {
		name = "test"
	}
	for _, name := range []string{"pre" + name, name, "post" + name} {
		if p.entries++; scripts[name].Str != "" && p.entries <= maxEntries {
			p.shell(scripts[name].Str, dir)
			p.names(scripts[name].Str, dir, dir)
		}
	}
}

// wraps reports whether a word only starts the program named after it.
func wraps(word string) bool {
	return strings.Trim(word, "0123456789.smh") == "" || among(word, "env time nice exec command "+
		"timeout xargs sudo npx bunx uv poetry pipenv bundle run ! if then else while do")
}

// interpreters lists the programs that run the script named by their first argument.
const interpreters = "sh bash dash zsh ksh source . python python3 node ruby perl php tsx"

// among reports whether word is in words, a list separated by single spaces.
func among(word, words string) bool {
	return word != "" && strings.Contains(" "+words+" ", " "+word+" ")
}

// entry pins a file that is run, even if it did not exist when the run began, and follows the
// commands and file names in it.
func (p *pinner) entry(word, dir string) {
	file := path.Join(dir, word)
	exists := p.before.Has(file)
	foreign := path.IsAbs(word) && !exists || strings.HasPrefix(file, "..")
	if foreign || p.files[file] {
		return
	}
	p.files[file] = true
	if p.entries++; !exists || p.entries > maxEntries {
		return
	}
	text := p.before.Read(file)
	if ext := path.Ext(file); ext == "" || ext == ".sh" || ext == ".bash" || ext == ".yml" {
		p.shell(text, dir)
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			p.names(line, dir, path.Dir(file))
		}
	}
}

// names pins the files named in a line of a script, relative to dir, where the script runs, or to
// own, the script's folder. It skips non-test sources, because the check tests them.
func (p *pinner) names(line, dir, own string) {
	for _, word := range split(line, " \t\r\n'\"`;&|<>(){}[]=,:$") {
		word = strings.TrimLeft(word, "/") // the rest of "$dir/file"
		for _, file := range []string{path.Join(dir, word), path.Join(own, word)} {
			if among(path.Ext(file), sources) && !isTest(file) {
				continue
			}
			if _, known := p.files[file]; !known && p.before.Has(file) {
				p.files[file] = false
			}
		}
	}
}

// sources lists the extensions of source files.
const sources = ".c .cc .cpp .h .hpp .m .rs .go .java .kt .scala .groovy .cs .swift .ts .tsx " +
	".mts .cts .js .jsx .mjs .cjs .py .rb .php .ex .exs .hs .ml .zig .dart .vue .css .html .bats"
