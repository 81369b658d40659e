package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"hooks/internal/codec"
	"hooks/internal/loop"
)

// recorded is a file of testdata/recorded: what an earlier version of the program wrote.
func recorded(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "recorded", name))
	ok(t, err)
	return string(text)
}

// Fixed values give the recorded bytes. Most of their lists are nil.
func TestFilesAreWrittenAsRecorded(t *testing.T) {
	s := newStore(t)
	ok(t, s.saveBudget("", budget()))
	ok(t, s.saveTick(tick(1)))
	claim := &loop.Claim{Skill: "work", SessionID: "s", PromptID: "p", Since: noon}
	claim.Gate = &loop.Gate{Name: "g", Question: "q?", Header: "h"}
	ok(t, s.saveClaim(claim))
	must(s.Acquire("work", *lock(1)))
	must(s.appendHistory(line(1)))
	for _, name := range files(t, s) {
		same(t, name, content(t, s, name), recorded(t, "plain."+name))
	}
}

// Recorded files with every field of their types, read and written again, keep every byte. They
// have what each kind of loop adds, of which one run has only its own.
func TestRecordedFilesKeepEveryByte(t *testing.T) {
	for _, others := range [][]string{
		{"audit", "budget_snapshot.audit"}, {"tasks", "task", "budget_snapshot.tasks"},
	} {
		keepsEveryByte(t, func(name string) []byte {
			text := []byte(recorded(t, "full."+name))
			for _, field := range others {
				text = must(sjson.DeleteBytes(text, field))
			}
			return text
		})
	}
}

func keepsEveryByte(t *testing.T, read func(name string) []byte) {
	s := newStore(t)
	ok(t, s.saveBudget("", must(decodeBudget("", "work", read("work.budget.json")))))
	ok(t, s.saveTick(must(parse[loop.Tick]("", read("work.tick.json")))))
	ok(t, s.saveClaim(must(parse[loop.Claim]("", read("work.claim.json")))))
	must(s.Acquire("work", *must(parse[loop.Lock]("", read("work.lock")))))
	must(s.appendHistory(must(parseLine("", read(historyName.of("work"))))))
	for _, name := range files(t, s) {
		same(t, name, content(t, s, name), string(read(name)))
	}
}

// The recorded files have every field, and it is written where it is recorded, whichever struct has
// it.
func TestRecordedFilesHaveEveryField(t *testing.T) {
	line := recorded(t, "full."+historyName.of("work"))
	for _, c := range []struct {
		text string
		format
	}{
		{recorded(t, "full.work.budget.json"), budgetFormat},
		{gjson.Get(line, snapshotField).Raw, budgetFormat},
		{recorded(t, "full.work.tick.json"), tickFormat},
		{recorded(t, "full.work.claim.json"), claimFormat},
		{recorded(t, "full.work.lock"), lockFormat},
		{line, lineFormat},
	} {
		var fields, names []string
		for _, f := range codec.Fields(c.of) {
			fields = append(fields, f.Name)
		}
		gjson.Parse(c.text).ForEach(func(key, _ gjson.Result) bool {
			names = append(names, key.String())
			return true
		})
		same(t, c.of.Name(), fields, names)
	}
}
