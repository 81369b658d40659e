//go:build linux || darwin

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/scripts/driver"
)

// note is a check command that notes when it runs.
const note = "date +%s%N >../checked"

// claim measures a worker's claim in a small repository and in one of 2,000 files: the time from
// the start of the program to that of the check command, which the command itself notes. Its own
// start is in the times, and the last column has it alone.
func (b *bench) claim() {
	fmt.Println("\n| files | min ms | median ms | p95 ms to its start | a check alone |")
	fmt.Println("|--:|--:|--:|--:|--:|")
	for _, files := range []int{10, 2000} {
		w := b.world(fmt.Sprint("claim", files))
		w.Env = append(w.Env, "PATH="+os.Getenv("PATH"))
		end := b.reachClaim(w, files)
		kept := filepath.Join(w.Dir, "kept")
		state := filepath.Join(w.Dir, "home", ".local", "state")
		swap := func(args ...string) { b.Check(exec.Command("cp", args...).Run()) }
		swap("-a", w.State(), kept)
		swap("-a", state, kept+"-seal")
		var times, alone []time.Duration
		for range b.n {
			sh := exec.Command("sh", "-c", note)
			sh.Dir = w.Project()
			began := time.Now()
			b.Check(sh.Run())
			alone = append(alone, b.noted(w).Sub(began))
			b.Check(os.RemoveAll(w.State()))
			b.Check(os.RemoveAll(state))
			swap("-a", kept, w.State())
			swap("-a", kept+"-seal", state)
			began = time.Now()
			r := w.Send(end)
			if checked := b.noted(w); checked.After(began) {
				times = append(times, checked.Sub(began))
			} else {
				b.Errorf("no check ran: %+v", r)
				return
			}
		}
		b.Errors = append(b.Errors, w.Errors...)
		fmt.Printf("| %d | %.2f | %.2f | %.2f | %.2f |\n", files, at(times, 0), at(times, 50),
			at(times, 95), at(alone, 50))
	}
}

// noted is when the check command ran last.
func (b *bench) noted(w *driver.World) time.Time {
	text, err := os.ReadFile(filepath.Join(w.Dir, "checked"))
	b.Check(err)
	nanoseconds, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	b.Check(err)
	return time.Unix(0, nanoseconds)
}

// reachClaim opens an attempt whose worker has made its commit, and returns the claim.
func (b *bench) reachClaim(w *driver.World, files int) driver.Event {
	list := []string{"spec.md", "# Goal\n\n## Tasks\n\n- [ ] Write the first\n"}
	for i := range files {
		list = append(list, fmt.Sprintf("file%d.txt", i), strings.Repeat("text\n", 100))
	}
	w.Repository("task", list...)
	w.Env = append(w.Env, "CLAUDE_ENV_FILE="+filepath.Join(w.Dir, "env"))
	play(w, w.Hook("session-start", "SessionStart", "source", "startup"))
	w.Env = w.Env[:len(w.Env)-1]
	w.NewPrompt()
	args := `spec.md --check "` + note + `"`
	w.Prompted(w.Command(args))
	play(w, w.Enter(args), w.Ask(w.Call()))
	tick, err := os.ReadFile(filepath.Join(w.State(), "task.tick.json"))
	b.Check(err)
	var questions, words []string
	for _, g := range gjson.GetBytes(tick, "pending").Array() {
		questions, words = append(questions, g.Get("question").String()), append(words, "approve")
	}
	dialogs := gjson.GetBytes(tick, "dialogs.#.id").Array()
	play(w, w.Answered(dialogs[len(dialogs)-1].String(), questions, words...),
		w.Agent("toolu_agent"))
	w.Commit()
	return w.WorkerEnds("Done.\nTASK_COMPLETE TOKEN")
}
