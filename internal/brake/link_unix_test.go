//go:build unix

package brake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hooks/internal/guard/effect"
	"hooks/internal/seal"
	"hooks/internal/store"
	"hooks/scripts/driver"
)

// TestMain lets the test binary be started as a link. BRAKE_PASS is the PR that has a pass, and the
// file that it is.
func TestMain(m *testing.M) {
	pass := func(_, _ string, kind effect.Kind, pr int, _ string) (ok bool, why, at string) {
		file := os.Getenv("BRAKE_PASS")
		held := kind == effect.MergePR && filepath.Base(file) == fmt.Sprint(pr)
		if !held || os.Remove(file) != nil {
			return noPass("", "", kind, pr, "")
		}
		return true, "", ""
	}
	if code, isLink := Run(os.Args, os.Stderr, pass); isLink {
		os.Exit(code)
	}
	driver.InMemory()
	os.Exit(m.Run())
}

// world is a machine with a loop: real programs that note how they were started, and links before
// them.
type world struct {
	t                                *testing.T
	home, project, links, real, seen string
}

const session = "0d9b1c2e-0000-4000-8000-000000000001"

// recorder notes its arguments, environment and input, says something and ends with a code of its
// own. As git, it has the real one answer the brake's questions.
const recorder = `#!/bin/sh
case "$*" in
*" config --list --show-scope "*) exec /usr/bin/git "$@" ;;
*"--no-pager rev-parse "* | *"--no-pager symbolic-ref "*) exec /usr/bin/git "$@" ;;
esac
for a in "$0" "$@"; do printf '%s\0' "$a"; done >>"$SEEN/argv"
env -0 >"$SEEN/env"
if [ -n "$READ" ]; then cat >"$SEEN/stdin"; fi
echo out; echo err >&2
exit ${CODE:-0}
`

func newWorld(t *testing.T) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		t: t, home: filepath.Join(root, "state home's"), project: project(t),
		real: filepath.Join(root, "real"), seen: filepath.Join(root, "seen"),
	}
	w.links = seal.LinksPath(w.home, session)
	for _, name := range []string{"gh", "git", "curl"} {
		write(t, filepath.Join(w.real, name), recorder, 0o755)
	}
	if err := os.MkdirAll(w.seen, 0o755); err != nil {
		t.Fatal(err)
	}
	w.dress(w.home, session)
	w.on(session)
	return w
}

func (w *world) dress(home, session string) {
	w.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := Dress(home, session, exe); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) on(session string) {
	w.t.Helper()
	record := &seal.Record{Session: session, Project: w.project,
		Loops: []seal.Loop{{Skill: "review", RunID: "r1", On: true}}}
	if err := seal.At(w.home).Save(record); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) off() {
	w.t.Helper()
	if err := os.Remove(seal.SwitchPath(w.home, session)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) path() string { return w.links + ":" + w.real + ":/usr/bin:/bin" }

func (w *world) env() []string {
	return []string{"PATH=" + w.path(), "SEEN=" + w.seen, "HOME=" + w.project, "CODE=0"}
}

type result struct {
	out, err string
	code     int
}

// run starts a program in the project, found on the world's PATH.
func (w *world) run(env []string, stdin, program string, args ...string) result {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if !strings.Contains(program, "/") {
		for _, dir := range filepath.SplitList(w.path()) {
			file := filepath.Join(dir, program)
			if info, err := os.Stat(file); err == nil && info.Mode()&0o111 != 0 {
				program = file
				break
			}
		}
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = w.project, env, strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		w.t.Fatal(err)
	}
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

func (w *world) shell(line string) result {
	w.t.Helper()
	return w.run(w.env(), "", "/bin/bash", "-c", line)
}

// argv are the arguments that the real programs were started with since the last call.
func (w *world) argv() []string {
	w.t.Helper()
	text, _ := os.ReadFile(filepath.Join(w.seen, "argv"))
	_ = os.Remove(filepath.Join(w.seen, "argv"))
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}

func TestRealProgramGetsEverythingAsItIs(t *testing.T) {
	w := newWorld(t)
	args := []string{
		"pr", "view", "", "two\nlines\n", "\xff\xfe invalid", "ünï ' \" $HOME `x` \\", "--flag=",
		"*", "\ue000",
	}
	env := append(w.env(), "READ=1", "CODE=41", "ODD=a\nb\xff", "EMPTY=")
	for _, on := range []bool{true, false} {
		if !on {
			w.off()
		}
		stdin := "in\x00put\xff" + strings.Repeat("x", 200_000)
		r := w.run(env, stdin, "gh", args...)
		if (r != result{"out\n", "err\n", 41}) {
			t.Errorf("on %v: %+v", on, r)
		}
		if got := w.argv(); len(got) == 0 || !slices.Equal(got[1:], args) {
			t.Errorf("on %v: arguments %q", on, got)
		}
		if got, _ := os.ReadFile(filepath.Join(w.seen, "stdin")); string(got) != stdin {
			t.Errorf("on %v: %d bytes of input", on, len(got))
		}
		plain := w.envOf(filepath.Join(w.real, "gh"), env)
		if got := w.envOf("gh", env); !slices.Equal(got, plain) {
			t.Errorf("on %v: environment %q, want %q", on, got, plain)
		}
	}
}

// envOf is the environment that a program sees, but for what the shell of the recorder sets.
func (w *world) envOf(program string, env []string) []string {
	w.t.Helper()
	w.run(env, "", program)
	text, err := os.ReadFile(filepath.Join(w.seen, "env"))
	if err != nil {
		w.t.Fatal(err)
	}
	list := strings.Split(string(text), "\x00")
	slices.Sort(list)
	w.argv()
	return slices.DeleteFunc(list, func(s string) bool { return strings.HasPrefix(s, "_=") })
}

func TestNameOfTheProgramIsItsOwn(t *testing.T) {
	w := newWorld(t)
	for line, want := range map[string]string{
		// a script is named by the kernel
		"exec -a gh '" + w.links + "/gh' pr list": w.real + "/gh",
		"\"$(command -v gh)\" pr list":            w.real + "/gh",
		"bash -c 'exec gh pr list'":               w.real + "/gh",
	} {
		line = strings.ReplaceAll(line, "home's", `home'\''s`)
		if r := w.shell(line); r.code != 0 {
			t.Errorf("%s: %+v", line, r)
		}
		if got := w.argv(); !slices.Equal(got, []string{want, "pr", "list"}) {
			t.Errorf("%s: %q", line, got)
		}
	}
}

func TestSignalsReachTheRealProgram(t *testing.T) {
	w := newWorld(t)
	for _, sig := range []syscall.Signal{
		syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE, syscall.SIGUSR1,
	} {
		if signal.Ignored(sig) { // as SIGHUP under nohup: no shell can trap it
			continue
		}
		script := fmt.Sprintf("#!/bin/bash\ntrap 'echo got; exit 7' %d\n"+
			"echo ready\nwhile :; do sleep 0.01; done\n", sig)
		write(t, filepath.Join(w.real, "gh"), script, 0o755)
		cmd := exec.Command(filepath.Join(w.links, "gh"), "pr", "view")
		cmd.Env, cmd.Dir = w.env(), w.project
		out, err := cmd.StdoutPipe()
		if err != nil || cmd.Start() != nil {
			t.Fatal("start", err)
		}
		var got [64]byte
		if _, err := out.Read(got[:]); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		n, _ := out.Read(got[:])
		_ = cmd.Wait()
		if string(got[:n]) != "got\n" || cmd.ProcessState.ExitCode() != 7 {
			t.Errorf("%v: %q, %v", sig, got[:n], cmd.ProcessState)
		}
	}
}

func TestMergeIsRefusedHoweverItIsStarted(t *testing.T) {
	w := newWorld(t)
	write(t, filepath.Join(w.project, "list"), "142\n", 0o644)
	write(t, filepath.Join(w.project, "Makefile"), "land:\n\t@gh pr merge 142\n", 0o644)
	write(t, filepath.Join(w.project, "land.py"), "import subprocess, sys\n"+
		"sys.exit(subprocess.run(['g'+'h','pr','mer'+'ge','142']).returncode)\n", 0o644)
	write(t, filepath.Join(w.project, "land.js"),
		"const { spawnSync } = require('child_process');\n"+
			"const told = {stdio:'inherit'};\n"+
			"process.exit(spawnSync('g'+'h', ['pr','merge','142'], told).status);\n", 0o644)
	lines := []string{
		"gh pr merge 142", `x=mer; gh pr "${x}ge" 142`, `env -i PATH="$PATH" gh pr merge 142`,
		"env HOME=/nowhere HOOKS_STATE_HOME=/nowhere gh pr merge 142",
		"CLAUDE_CODE_SESSION_ID=other XDG_STATE_HOME=/nowhere gh pr merge 142",
		"xargs gh pr merge <list", "find list -exec gh pr merge 142 {} ';'",
		"make -s land", "bash -c 'gh pr merge 142'", "sh -c 'gh pr merge 142'",
		"echo Z2ggcHIgbWVyZ2UgMTQy | base64 -d | sh",
		"(exec -a gh \"$(command -v gh)\" pr merge 142)",
		"\"$(command -v gh)\" pr merge 142", "env -i \"$(command -v gh)\" pr merge 142",
		"(exec -a /x/gh \"$(command -v gh)\" pr merge 142)", "PATH=$PATH:/tmp gh pr merge 142",
		"nohup gh pr merge 142", "timeout 20 gh pr merge 142",
		"cd / && curl -X PUT https://api.github.com/repos/o/r/pulls/142/merge",
		"git push origin HEAD:main",
	}
	for program, args := range map[string]string{
		"python3": " land.py", "node": " land.js", "zsh": " -fc 'gh pr merge 142'",
	} {
		path, err := exec.LookPath(program)
		if err != nil {
			t.Logf("%s is not installed", program)
			continue
		}
		lines = append(lines, path+args)
	}
	for _, line := range lines {
		r := w.shell(line)
		told := strings.Contains(r.err, "error: not run: ") && strings.Contains(r.err, "\nhint: ")
		real, _ := find("gh", "gh", defaultPath)
		if strings.HasPrefix(line, `env -i "$(`) && real == "" {
			told = r.err == "gh: command not found\n" // without a PATH only the system's folders
		}
		if r.code == 0 && !strings.HasPrefix(line, "find") || r.out != "" || !told {
			t.Errorf("%s: %+v", line, r)
		}
		if got := w.argv(); got != nil {
			t.Errorf("%s: the real program ran: %q", line, got)
		}
	}
	w.off()
	for _, line := range lines {
		if strings.HasPrefix(line, "env -i") { // nothing tells the recorder where to write
			continue
		}
		if r := w.shell(line); strings.Contains(r.err, "not run") || w.argv() == nil {
			t.Errorf("without a loop %s: %+v", line, r)
		}
	}
}

func TestLoginShellLeavesTheLinks(t *testing.T) { // a known limit, told in docs/security.md
	w := newWorld(t)
	write(t, filepath.Join(w.project, ".bash_profile"), "PATH='"+w.real+":/usr/bin:/bin'\n", 0o644)
	for _, line := range []string{
		"bash -lc 'gh pr merge 142'", w.real + "/gh pr merge 142",
		"PATH='" + w.real + "' gh pr merge 142",
	} {
		if r := w.shell(line); r.code != 0 || w.argv() == nil {
			t.Errorf("%s: %+v", line, r)
		}
	}
}

func TestPassOfAMergeIsUsedOnce(t *testing.T) {
	w := newWorld(t)
	pass := filepath.Join(t.TempDir(), "142")
	write(t, pass, "", 0o600)
	env := append(w.env(), "BRAKE_PASS="+pass)
	for i, want := range []int{0, 1} {
		if r := w.run(env, "", "gh", "pr", "merge", "142", "--squash"); r.code != want {
			t.Errorf("merge %d: %+v", i, r)
		}
	}
	if got := w.argv(); !slices.Equal(got[1:], []string{"pr", "merge", "142", "--squash"}) {
		t.Errorf("ran %q", got)
	}
}

func TestManyFoldersOfLinks(t *testing.T) {
	w := newWorld(t)
	w.dress(w.home, "nested")
	nested := seal.LinksPath(w.home, "nested")
	decoy := filepath.Join(t.TempDir(), "state")
	w.dress(decoy, "free")
	behind := func(dirs ...string) []string {
		return append(w.env(), "PATH="+strings.Join(append(dirs, w.real, "/usr/bin", "/bin"), ":"))
	}
	moved := filepath.Join(t.TempDir(), "moved")
	err := errors.Join(os.Symlink(w.links, moved), os.Symlink(w.home, moved+"-home"))
	if err != nil {
		t.Fatal(err)
	}
	for name, env := range map[string][]string{
		"a nested client's, which has no loop": behind(nested, w.links),
		"twice":                                behind(w.links, w.links),
		"with a slash":                         behind(w.links + "/"),
		"one of the model's own making":        behind(seal.LinksPath(decoy, "free"), w.links),
		"through a link to the folder":         behind(moved),
		"through a link to the home":           behind(moved + "-home/brake/" + session),
		"behind the program":                   behind(nested, w.real, w.links),
	} {
		first, _, _ := strings.Cut(strings.TrimPrefix(env[len(env)-1], "PATH="), ":")
		gh := filepath.Join(first, "gh")
		if r := w.run(env, "", gh, "pr", "merge", "142"); r.code != 1 || w.argv() != nil {
			t.Errorf("%s: merge %+v", name, r)
		}
		if r := w.run(env, "", gh, "pr", "view"); r.code != 0 || len(w.argv()) != 3 {
			t.Errorf("%s: view %+v", name, r)
		}
	}
	w.on("nested")
	w.off()
	r := w.run(behind(nested, w.links), "", filepath.Join(nested, "gh"), "pr", "merge", "142")
	if r.code != 1 {
		t.Errorf("the nested client's own loop: %+v", r)
	}
}

func TestMissingProgramStaysMissing(t *testing.T) {
	w := newWorld(t)
	for _, on := range []bool{true, false} {
		if !on {
			w.off()
		}
		missing := result{"", "tea-cli: command not found\n", 127}
		if r := w.shell("tea-cli pr merge 5"); r != missing {
			t.Errorf("on %v: %+v", on, r)
		}
	}
	write(t, filepath.Join(w.real, "tea-cli"), "no program\n", 0o644)
	if r := w.shell("tea-cli pr list"); r.code != 127 {
		t.Errorf("a file that cannot be run: %+v", r)
	}
}

// A copy of this program under the name of a link is not taken for the real program, and does not
// start itself for ever.
func TestNeverItself(t *testing.T) {
	w := newWorld(t)
	exe, _ := os.Executable()
	data, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "gh")
	if err := os.WriteFile(copied, data, 0o755); err != nil {
		t.Fatal(err)
	}
	env := append(w.env(), "PATH="+filepath.Dir(copied)+":"+w.path())
	if r := w.run(env, "", copied, "pr", "view"); r.code != 0 || len(w.argv()) != 3 {
		t.Errorf("view: %+v", r)
	}
	if r := w.run(env, "", copied, "pr", "merge", "142"); r.code != 1 || w.argv() != nil {
		t.Errorf("merge: %+v", r)
	}
	if r := w.run([]string{"PATH=" + w.links}, "", "gh", "pr", "view"); r.code != 127 {
		t.Errorf("only links: %+v", r)
	}
}

func TestDenialIsNoted(t *testing.T) {
	w := newWorld(t)
	notes := filepath.Join(w.project, store.NotesPath)
	if w.shell("gh pr merge 142"); len(mustRead(t, notes)) != 0 {
		t.Error("a folder was made for the notes")
	}
	if err := os.MkdirAll(filepath.Dir(notes), 0o700); err != nil {
		t.Fatal(err)
	}
	w.shell("gh pr merge 142 --body 'a\"b token=abcdef'; git push origin HEAD:main; gh pr view")
	lines := strings.FieldsFunc(mustRead(t, notes), func(r rune) bool { return r == '\n' })
	const first = `"denied":{"tool":"gh","rule":"merge-pr","what":"gh pr merge 142 --body `
	if len(lines) != 2 || !strings.Contains(lines[0], first) ||
		strings.Contains(lines[0], "abcdef") ||
		!strings.Contains(lines[1], `"rule":"push-protected"`) {
		t.Errorf("notes:\n%s", strings.Join(lines, "\n"))
	}
	if info, _ := os.Stat(notes); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if err := os.Truncate(notes, 256<<10+1); err != nil {
		t.Fatal(err)
	}
	if r := w.shell("gh pr merge 142"); r.code != 1 || len(mustRead(t, notes)) != 256<<10+1 {
		t.Errorf("the bound: %+v", r)
	}
	outside := filepath.Join(t.TempDir(), "outside")
	write(t, outside, "", 0o600)
	for _, make := range []func() error{
		func() error { return os.Symlink(outside, notes) },
		func() error { return syscall.Mkfifo(notes, 0o600) },
		func() error { return os.Mkdir(notes, 0o700) },
	} {
		if err := errors.Join(os.RemoveAll(notes), make()); err != nil {
			t.Fatal(err)
		}
		if r := w.shell("gh pr merge 142"); r.code != 1 || mustRead(t, outside) != "" {
			t.Errorf("%+v", r)
		}
	}
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

// A seal that cannot be read may be an audit loop's, so nothing is published either. An empty one
// is what a power cut leaves.
func TestBrokenSealRefusesMergesAndPushes(t *testing.T) {
	w := newWorld(t)
	for _, text := range []string{"", "{", `{"project":1}`, `{"project":"relative"}`} {
		write(t, seal.SwitchPath(w.home, session), text, 0o600)
		if r := w.shell("gh pr merge 142"); r.code != 1 || !strings.Contains(r.err, "sealed") {
			t.Errorf("%q: %+v", text, r)
		}
		if r := w.shell("gh pr view 142"); r.code != 0 {
			t.Errorf("%q: %+v", text, r)
		}
		for _, line := range []string{"git push", "gh pr create --fill"} {
			r := w.shell(line)
			if r.code == 0 != (text == "") || r.code != 0 && !strings.Contains(r.err, "sealed") {
				t.Errorf("%q: %s: %+v", text, line, r)
			}
		}
	}
}

// A person's own hook of git runs with the real git, and what it starts meets the links.
func TestHooksOfGitRun(t *testing.T) {
	w := newWorld(t)
	if err := os.Remove(filepath.Join(w.real, "git")); err != nil {
		t.Fatal(err)
	}
	env := append(w.env(), "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=d", "GIT_AUTHOR_EMAIL=d@e",
		"GIT_COMMITTER_NAME=d", "GIT_COMMITTER_EMAIL=d@e")
	remote := filepath.Join(t.TempDir(), "r.git")
	hook := filepath.Join(w.project, ".git", "hooks", "pre-push")
	write(t, hook, "#!/bin/sh\ncat >>\"$SEEN/push\"\ngh pr merge 142\n"+
		"echo code $? >>\"$SEEN/push\"\n", 0o755)
	for _, line := range []string{
		"init --quiet --bare " + remote, "remote set-url origin " + remote,
		"commit --quiet --allow-empty -m start", "push --quiet origin feature",
		"push --quiet origin HEAD:other", "branch main",
		"ls-remote --exit-code origin refs/heads/feature refs/heads/other",
	} {
		if r := w.run(env, "", "git", strings.Fields(line)...); r.code != 0 {
			t.Fatalf("git %s: %+v", line, r)
		}
	}
	seen := mustRead(t, filepath.Join(w.seen, "push"))
	if strings.Count(seen, "code 1\n") != 2 || w.argv() != nil {
		t.Errorf("the hook saw %q", seen)
	}
	write(t, hook, "#!/bin/sh\ngit push --no-verify origin HEAD:main\n", 0o755)
	if r := w.run(env, "", "git", "push", "origin", "feature:third"); r.code != 1 {
		t.Errorf("a hook of git that pushes to main: %+v", r)
	}
	own := filepath.Join(t.TempDir(), "bin")
	write(t, filepath.Join(own, "git-ship"), "#!/bin/sh\ngit push origin HEAD:main\n", 0o755)
	ahead := append(env, "PATH="+own+":"+w.path())
	if r := w.run(ahead, "", filepath.Join(w.links, "git"), "ship"); r.code != 1 {
		t.Errorf("a command of git that pushes to main: %+v", r)
	}
	r := w.run(env, "", "git", "ls-remote", "--exit-code", "origin", "refs/heads/main")
	if r.code != 2 {
		t.Errorf("main was pushed: %+v", r)
	}
}
