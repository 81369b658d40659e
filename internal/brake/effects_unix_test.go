//go:build unix

package brake

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"hooks/internal/guard"
	"hooks/internal/guard/effect"
	"hooks/internal/seal"
)

// effects is a folder in which commands of the guard's tables run under bash with the links before
// programs that record how they were started. Its git is the real one, with a bare remote.
type effects struct {
	t               *testing.T
	dir, real, home string
	links, tools    string
	template        string
}

const recording = `#!/bin/bash
{ printf '%s' "${0##*/}"; for a in "$@"; do printf '\037%s' "$a"; done; printf '\036'; } >>"$CALLS"
`

// tools are the programs that a command may start beside the recorded ones.
var tools = strings.Fields(`bash sh dash zsh cat tr rev sed seq xargs env timeout nohup nice
stdbuf setsid tee chmod cp mv ln mkdir touch head tail grep sort uniq cut wc printf echo which
find basename dirname sleep base64 awk gawk perl ruby python3 node make just npm npx tar ls pwd
date test true false expr mktemp diff cmp go rm php lua ed paste fold jq rg xxd od parallel
script expect vim busybox command realpath readlink stat yes column comm strings sha256sum gzip`)

func newEffects(t *testing.T) *effects {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e := &effects{
		t: t, dir: root, real: filepath.Join(root, "real"), home: filepath.Join(root, "state"),
		tools: filepath.Join(root, "tools"),
	}
	e.links = seal.LinksPath(e.home, session)
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	for _, name := range strings.Fields("gh glab tea hub curl wget http xh docker") {
		write(t, filepath.Join(e.real, name), recording, 0o755)
	}
	real := "exec " + git + " \"$@\"\n"
	asked := "case \"$*\" in *' config --list --show-scope '*) " + real + ";;\n" +
		"*'--no-pager rev-parse '* | *'--no-pager symbolic-ref '*) " + real + ";; esac\n"
	script := strings.Replace(recording, "\n", "\n"+asked, 1) + real
	write(t, filepath.Join(e.real, "git"), script, 0o755)
	if err := os.MkdirAll(e.tools, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range tools {
		if path, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(path, filepath.Join(e.tools, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	e.template = filepath.Join(root, "template")
	project := filepath.Join(e.template, "app")
	for name, text := range effectFiles(t) {
		if name, ok := strings.CutPrefix(name, "/home/dev/app/"); ok &&
			!strings.HasPrefix(name, ".git/") {
			write(t, filepath.Join(project, name), text, 0o755)
		}
	}
	setup := exec.Command("/bin/bash", "-c", "git init -q -b main --template= . && "+
		"mkdir .git/hooks && git init -q --bare --template= ../remote.git && "+
		"git remote add origin ../remote.git && git config gc.auto 0 && git add -A && "+
		"git -c user.name=d -c user.email=d@e commit -qm a && git push -q origin main && "+
		"git checkout -q -b feature/44-login && "+
		"git -c user.name=d -c user.email=d@e commit -q --allow-empty -m b && "+
		"git repack -adq && git -C ../remote.git repack -adq") // fewer files to copy
	setup.Dir = project
	if out, err := setup.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	exe, _ := os.Executable()
	if err := Dress(e.home, session, exe); err != nil {
		t.Fatal(err)
	}
	return e
}

// ran is what a command did.
type ran struct {
	code    int
	calls   [][]string
	refused bool
	landed  string
}

// place is the folder of a slot's project and its remote.
func (e *effects) place(n int, linked bool) string {
	return filepath.Join(e.dir, fmt.Sprintf("w%d-%v", n, linked))
}

// run runs one command in a project of its own.
func (e *effects) run(n int, text, branch string, linked bool) (r ran) {
	t := e.t
	place := e.place(n, linked)
	project, remote := filepath.Join(place, "app"), filepath.Join(place, "remote.git")
	calls := filepath.Join(place, "calls")
	path := e.real + ":" + e.tools
	if linked {
		path = e.links + ":" + path
	}
	env := []string{
		"PATH=" + path, "HOME=" + place, "CALLS=" + calls, "TMPDIR=" + place,
		"GIT_AUTHOR_NAME=d", "GIT_AUTHOR_EMAIL=d@e", "GIT_COMMITTER_NAME=d",
		"GIT_COMMITTER_EMAIL=d@e", "GIT_TERMINAL_PROMPT=0",
		"http_proxy=http://127.0.0.1:9", "https_proxy=http://127.0.0.1:9", "GOPROXY=off",
		"GOFLAGS=-mod=mod", "TERM=dumb",
		"npm_config_offline=true", "npm_config_audit=false", "npm_config_update_notifier=false",
	}
	shell := func(line string, env []string) (string, int) {
		ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, "/bin/bash", "-c", line)
		cmd.Dir, cmd.Env, cmd.WaitDelay = project, env, time.Second
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what it started ends with it
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
		var errs strings.Builder
		cmd.Stderr = &errs
		_ = cmd.Run()
		return errs.String(), cmd.ProcessState.ExitCode()
	}
	if _, err := os.Stat(place); err != nil {
		copied := exec.Command("cp", "-a", e.template, place)
		if out, err := copied.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
			return r
		}
	}
	defer func() {
		if changes(text) || r.landed != "" || r.code < 0 { // what is cut off leaves locks
			_ = os.RemoveAll(place)
		}
		_ = os.Remove(calls)
	}()
	if before, _ := os.ReadFile(filepath.Join(project, ".git", "HEAD")); !strings.Contains(
		string(before), "/"+branch+"\n") {
		head := filepath.Join(project, ".git", "HEAD")
		_ = os.WriteFile(head, []byte("ref: refs/heads/"+branch+"\n"), 0o644)
	}
	if linked {
		record := &seal.Record{Session: session, Project: project,
			Loops: []seal.Loop{{Skill: "work", RunID: "r1", On: true}}}
		if err := seal.At(e.home).Save(record); err != nil {
			t.Fatal(err)
		}
	}
	heads := func() (all string) {
		for _, name := range []string{"main", "master", "trunk"} {
			text, _ := os.ReadFile(filepath.Join(remote, "refs", "heads", name))
			all += string(text)
		}
		return all
	}
	before := heads()
	text = strings.NewReplacer("/usr/bin/gh", e.real+"/gh", "/usr/local/bin/gh", e.real+"/gh",
		"/usr/bin/git", e.real+"/git", "/tmp/", place+"/").Replace(text)
	errs, code := shell(text, env)
	r.code, r.refused = code, strings.Contains(errs, "error: not run: ")
	data, _ := os.ReadFile(calls)
	for line := range strings.SplitSeq(strings.TrimSuffix(string(data), "\036"), "\036") {
		if line != "" {
			r.calls = append(r.calls, strings.Split(line, "\037"))
		}
	}
	for _, argv := range r.calls {
		if argv[0] == "git" || argv[0] == "docker" {
			continue
		}
		call := effect.Call{Tool: "Bash", Cwd: project}
		repo := effect.Repo{Branch: "feature/44-login", Default: "main"}
		acts := guard.ReadArgv(argv, nil, call, repo.Known(), Start{Cwd: project}.readFile)
		if len(acts.Merges()) > 0 {
			r.landed = strings.Join(argv, " ")
		}
	}
	if after := heads(); after != before {
		r.landed = "push"
	}
	return r
}

// changes reports whether a command may leave files that the next one would see.
func changes(text string) bool {
	for _, mark := range []string{
		">", "git ", "tee", "mv ", "cp ", "ln ", "mkdir", "touch", "sed -i", "dd ", "open(",
		"write",
	} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// effectRow is a Bash command of a table.
type effectRow struct{ at, verdict, text, branch string }

func effectRows(t *testing.T, name string) (list []effectRow) {
	t.Helper()
	data, err := os.ReadFile("../guard/testdata/" + name)
	if err != nil {
		return nil
	}
	for i, line := range strings.Split(string(data), "\n") {
		verdict, text, ok := strings.Cut(line, " | ")
		if line == "" || line[0] == '#' {
			continue
		}
		if !ok || strings.HasPrefix(text, "@") && strings.Contains(text, " {") {
			continue
		}
		row := effectRow{at: fmt.Sprintf("%s:%d", name, i+1), verdict: verdict,
			branch: "feature/44-login"}
		rest, named := strings.CutPrefix(text, "[")
		if named && strings.Contains(rest, "] ") && !strings.HasPrefix(text, "[ ") &&
			!strings.HasPrefix(text, "[[") {
			row.branch, text, _ = strings.Cut(rest, "] ")
		}
		if row.branch == "" || strings.ContainsAny(row.branch, " '") {
			row.branch = "feature/44-login"
		}
		row.text = strings.NewReplacer("⏎", "\n", "␍", "\r").Replace(text)
		list = append(list, row)
	}
	return list
}

// dangerous are words of rows that run nowhere: what they start leaves the folder.
func dangerous(text string) bool {
	for _, mark := range []string{
		"/dev/tcp", "crontab", "systemctl", "kill", "rm -rf /", "rm -rf ~", "shutdown", "reboot",
		"mkfs", "dd if", "sudo", "ssh ", "yes |", "tail -f", "watch ", "while true",
		"while :", "/home/", "/etc/", "$HOME/", "nc ", "read -p", "sleep 1", "sleep 3", "sleep 6",
	} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// asked reports whether an open loop does not let a command start.
func asked(row effectRow, linked bool) bool {
	repo := effect.Repo{Branch: row.branch, Default: "main"}
	call := effect.Call{Tool: "Bash", Command: row.text, Cwd: "/home/dev/app"}
	r := guard.Read(call, repo.Known(), effectFiles(nil).ReadFile)
	around := guard.LeavesLinks(call.Command)
	reaches := r.ReachesForge() || around && r.Piped()
	return len(r.Merges())+len(r.Tampers()) > 0 || r.Bound != "" ||
		reaches && (!linked || r.Unparsable != "" || around)
}

// each does something for every row, in four places at once.
func (e *effects) each(rows []effectRow, do func(slot int, row effectRow)) {
	var wg sync.WaitGroup
	slots := make(chan int, 4)
	for i := range 4 {
		slots <- i
	}
	for _, row := range rows {
		wg.Go(func() {
			slot := <-slots
			defer func() { slots <- slot }()
			do(slot, row)
		})
	}
	wg.Wait()
}

// verdicts runs the rows that the guard lets pass and returns what became of each.
func (e *effects) verdicts(rows []effectRow, linked bool) map[string]string {
	out := map[string]string{}
	var mu sync.Mutex
	e.each(rows, func(slot int, row effectRow) {
		verdict := "asked"
		switch {
		case asked(row, linked):
		case dangerous(row.text):
			verdict = "passes, not run here"
		default:
			switch ran := e.run(slot, row.text, row.branch, linked); {
			case ran.landed != "":
				verdict = "LANDED " + ran.landed
			case ran.refused:
				verdict = "refused as it starts"
			default:
				verdict = "nothing landed"
			}
		}
		mu.Lock()
		defer mu.Unlock()
		out[row.at] = verdict
	})
	return out
}

type txtarFiles map[string]string

func (p txtarFiles) ReadFile(name string) (string, bool) {
	text, ok := p[name]
	return text, ok
}

var effectFiles = sync.OnceValue(func() func(t *testing.T) txtarFiles {
	files := txtarFiles{}
	for _, archive := range []string{"project.txtar", "recipes.txtar"} {
		if ar, err := txtar.ParseFile("../guard/testdata/" + archive); err == nil {
			for _, f := range ar.Files {
				files["/home/dev/app/"+f.Name] = string(f.Data)
			}
		}
	}
	return func(*testing.T) txtarFiles { return files }
})()

// sampled returns every eighth row, and all of them with HOOKS_WHOLE set.
func sampled(rows []effectRow) (list []effectRow) {
	for i, row := range rows {
		if i%8 == 0 || os.Getenv("HOOKS_WHOLE") != "" {
			list = append(list, row)
		}
	}
	return list
}

// TestNothingLandsUnderTheLinks runs the commands that are not plain, and those of the guard's
// other tables that it lets pass. EFFECTS names a file for what became of each; with UNLINKED set
// there are no links, and nothing is demanded.
func TestNothingLandsUnderTheLinks(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it runs hundreds of commands")
	}
	e := newEffects(t)
	linked := os.Getenv("UNLINKED") == ""
	var list strings.Builder
	for _, table := range []string{"brake.txt", "merges.txt", "gaps.txt"} {
		rows := sampled(slices.DeleteFunc(effectRows(t, table), func(row effectRow) bool {
			return strings.HasSuffix(row.verdict, " missed")
		}))
		got := e.verdicts(rows, linked)
		for _, row := range rows {
			if linked && strings.HasPrefix(got[row.at], "LANDED") {
				t.Errorf("%s: %s: %s", row.at, got[row.at], row.text)
			}
			fmt.Fprintf(&list, "%s\t%s\t%s\n", row.at, got[row.at],
				strings.ReplaceAll(row.text, "\n", "⏎"))
		}
	}
	if to := os.Getenv("EFFECTS"); to != "" {
		if err := os.WriteFile(to, []byte(list.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLinksDisturbNothing runs everyday commands with the links and without: the guard asks about
// no part of them, and they call the same programs with the same words and end with the same code.
func TestLinksDisturbNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it runs hundreds of commands")
	}
	e, n := newEffects(t), 0
	var rows []effectRow
	for i, row := range effectRows(t, "harmless.txt") {
		plain := row.verdict == "none" && row.branch == "feature/44-login"
		if i%5 == 0 && plain && !dangerous(row.text) {
			rows = append(rows, row)
		}
	}
	rows = sampled(rows)
	place := regexp.MustCompile(`w\d-(true|false)|tmp\.\w+`)
	var mu sync.Mutex
	e.each(rows, func(slot int, row effectRow) {
		if asked(row, true) {
			t.Errorf("%s: asked: %s", row.at, row.text)
		}
		shown := func(r ran) string {
			return place.ReplaceAllString(fmt.Sprintf("code %d, calls %q", r.code, r.calls), "w")
		}
		for try := range 2 { // a difference counts if it is there again in projects of their own
			with := e.run(slot, row.text, row.branch, true)
			without := e.run(slot, row.text, row.branch, false)
			if with.code < 0 || without.code < 0 { // cut off, on a busy machine
				return
			}
			a, b := shown(with), shown(without)
			if a == b && !with.refused {
				break
			}
			if try > 0 {
				t.Errorf("%s: %s\n  with the links %s\n  without %s", row.at, row.text, a, b)
			}
			for _, linked := range []bool{true, false} {
				_ = os.RemoveAll(e.place(slot, linked))
			}
		}
		mu.Lock()
		defer mu.Unlock()
		n++
	})
	if n < 250 && len(rows) > 300 || n < 30 {
		t.Errorf("only %d commands of %d were run", n, len(rows))
	}
}
