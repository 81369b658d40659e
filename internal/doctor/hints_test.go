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

// problem is the text of a finding but for numbers, as it may count or time what it found, and for
// the folder of the machine.
func (w *world) problem(name, text string) string {
	text = strings.ReplaceAll(text, w.path(""), "")
	return name + ": " + regexp.MustCompile(`\d+`).ReplaceAllString(text, "N")
}

// problems is everything that is wrong with the machine.
func (w *world) problems() (list []string) {
	w.Helper()
	w.live = false
	for _, n := range w.machine().walk(table()) {
		for _, p := range n.Problems {
			list = append(list, w.problem(n.Name, p.Text))
		}
	}
	return list
}

// Whatever a hint tells a person to type ends the finding that it belongs to, and brings no other
// one: no hint leads back to the doctor. Without HOOKS_WHOLE every third machine is played.
func TestAHintThatIsFollowedEndsItsFinding(t *testing.T) {
	followed, whole := 0, os.Getenv("HOOKS_WHOLE") != ""
	for i, c := range broken {
		if i%3 != 0 && !whole {
			continue
		}
		found := map[string]string{} // the finding of each command
		var before []string
		var root string
		t.Run(c.name, func(t *testing.T) {
			w := healthy(t)
			c.do(w)
			root = w.path("")
			for _, p := range w.look(c.check, false).Problems {
				for _, command := range commands(p.Way) {
					found[command] = w.problem(c.check, p.Text)
				}
			}
			if len(found) > 0 {
				before = w.problems()
			}
		})
		for command, finding := range found {
			followed++
			t.Run(c.name+": "+command, func(t *testing.T) {
				w := healthy(t)
				c.do(w)
				w.follow(strings.ReplaceAll(command, root, w.path("")), finding, before)
			})
		}
	}
	if followed < 30 && whole || followed < 8 {
		t.Errorf("%d commands were followed; the hints have more", followed)
	}
}

// follow types the command of a hint, in which hooks is the program that printed it.
func (w *world) follow(command, finding string, before []string) {
	w.Helper()
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Dir = w.project
	cmd.Env = os.Environ()
	for k, v := range w.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	cmd.Env = append(cmd.Env, "PATH="+filepath.Dir(built)+":"+w.bin+":/usr/bin:/bin")
	out, _ := cmd.CombinedOutput() // the doctor fails while anything else is wrong
	for _, after := range w.problems() {
		if after == finding {
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
