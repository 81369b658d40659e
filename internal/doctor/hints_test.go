package doctor

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unfollowed are commands of hints that are not followed here, with the reason.
var unfollowed = map[string]string{
	"hooks uninstall && hooks init --plugin": "it installs with the real client",
	"tea-cli api":                            "what the tool to install must have",
}

// commands are the commands of a hint that end its finding. Those after the word "see" only show
// something, a looping command is typed in a session,
// and a list item is a line of a file.
func commands(hint string) (list []string) {
	for _, m := range regexp.MustCompile("(see )?`([^`]+)`").FindAllStringSubmatch(hint, -1) {
		typed := !strings.HasPrefix(m[2], "/") && !strings.HasPrefix(m[2], "- ")
		if m[1] == "" && typed && unfollowed[m[2]] == "" {
			list = append(list, m[2])
		}
	}
	return list
}

// problems are the texts of everything that is wrong with the machine, but for numbers: a finding
// may count or time what it found.
func (w *world) problems() (list []string) {
	w.Helper()
	d := w.doctor()
	d.Live = false
	m := d.machine()
	m.self = w.machine().self
	for _, n := range m.walk(table()) {
		for _, p := range n.Problems {
			list = append(list, n.Name+": "+regexp.MustCompile(`\d+`).ReplaceAllString(p.Text, "N"))
		}
	}
	return list
}

// Whatever a hint tells a person to type ends the finding that it belongs to, and brings no other
// one: no hint leads back to the doctor.
func TestAHintThatIsFollowedEndsItsFinding(t *testing.T) {
	followed := 0
	for _, c := range broken {
		var found []string
		var root string
		t.Run(c.name, func(t *testing.T) {
			w := healthy(t)
			c.do(w)
			root = w.path("")
			for _, p := range w.look(c.check, false).Problems {
				found = append(found, commands(p.Way)...)
			}
		})
		slices.Sort(found)
		for _, command := range slices.Compact(found) {
			followed++
			t.Run(c.name+": "+command, func(t *testing.T) {
				w := healthy(t)
				c.do(w)
				w.follow(c.check, strings.ReplaceAll(command, root, w.path("")))
			})
		}
	}
	if followed < 30 {
		t.Errorf("%d commands were followed; the hints have more", followed)
	}
}

// follow types the command of a hint, in which hooks is the program that printed it.
func (w *world) follow(check, command string) {
	w.Helper()
	before := w.problems()
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Dir = w.project
	cmd.Env = os.Environ()
	for k, v := range w.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	cmd.Env = append(cmd.Env, "PATH="+filepath.Dir(built)+":"+w.bin+":/usr/bin:/bin")
	out, _ := cmd.CombinedOutput() // the doctor fails while anything else is wrong
	for _, after := range w.problems() {
		if name, _, _ := strings.Cut(after, ":"); name == check {
			w.Errorf("after `%s` there still is\n%s\nit printed\n%s", command, after, out)
		} else if !slices.Contains(before, after) {
			w.Errorf("`%s` brings\n%s\nit printed\n%s", command, after, out)
		}
	}
}

// A command that ends a finding is marked as one, so that a person sees it and the test follows it.
func TestCommandsInHintsAreMarked(t *testing.T) {
	for _, c := range broken {
		t.Run(c.name, func(t *testing.T) {
			w := healthy(t)
			c.do(w)
			for _, p := range w.look(c.check, false).Problems {
				words := regexp.MustCompile("`[^`]*`").ReplaceAllString(p.Way, "")
				bare := regexp.MustCompile(`(^|, |: |or |and )(git|hooks|chmod|gh|rm) [a-z-]+`)
				if bare.MatchString(words) {
					t.Errorf("a command without backticks in the hint %q", p.Way)
				}
			}
		})
	}
}
