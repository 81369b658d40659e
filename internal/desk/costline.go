package desk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/store"
	"hooks/internal/usage"
)

// iterationSpent is one line of a run's history as its cost is told.
type iterationSpent struct {
	iteration int
	outcome   loop.LineOutcome
	loop.Tokens
}

// costLine is what cost needs of a line.
type costLine struct {
	runID   string
	started string
	usage   gjson.Result
	flat    loop.Tokens // of a line of the SPEC's own fields alone, which do not tell the kinds of input
	iterationSpent
}

func (c *costLine) field(name string, v gjson.Result) {
	switch name {
	case "run_id":
		c.runID = v.Str
	case "started_at":
		c.started = v.Str
	case "iteration":
		c.iteration = int(v.Int())
	case "outcome":
		c.outcome = loop.LineOutcome(v.Str)
	case "tokens_in_this_iter":
		c.flat.Input = v.Int()
	case "tokens_out_this_iter":
		c.flat.Output = v.Int()
	case "dollars_this_iter":
		_ = c.flat.Dollars.UnmarshalJSON([]byte(v.Raw))
	case "usage_by_model":
		c.usage = v
	}
}

// ran gives the run's lines of iterations that were not skipped, oldest first. Each that is damaged makes a note, the first
// ones in full. behind are the fields behind the snapshot that are asked for.
func (l *ledger) ran(files *store.Store, each func(c *costLine, snapshot []byte), behind ...string) {
	var bad damages
	l.notes = nil // what kept the last line from being found is among the damage here
	for raw, err := range files.RawLines(l.run.Skill) {
		var c costLine
		var snapshot []byte
		if err == nil {
			snapshot, err = raw.Skim(c.field, behind...)
		}
		switch {
		case err != nil:
			bad.add(err)
		case c.outcome != loop.SkippedLock && (c.runID == l.run.RunID || c.runID == ""):
			each(&c, snapshot)
		}
	}
	for _, err := range bad.list {
		l.notes = append(l.notes, fmt.Sprintf("%v: what it spent stands in no iteration", err))
	}
	if bad.more > 0 {
		l.notes = append(l.notes, fmt.Sprintf("and %d more damaged lines", bad.more))
	}
}

// readSpent gathers what each of the last most iterations spent, and what those before them did together.
func (l *ledger) readSpent(files *store.Store, most int) {
	l.ran(files, func(c *costLine, _ []byte) {
		c.Tokens = c.flat
		if c.usage.Exists() {
			c.Tokens = tokensOf(c.usage)
		}
		c.outcome = loop.LineOutcome(strings.Clone(string(c.outcome))) // else it keeps its line in memory
		if l.spent = append(l.spent, c.iterationSpent); len(l.spent) > most {
			l.older.Tokens = l.older.Add(l.spent[0].Tokens)
			l.older.iteration++
			l.spent = l.spent[1:]
		}
	}, "usage_by_model")
}

// tokensOf sums a usage_by_model up.
func tokensOf(byModel gjson.Result) (sum loop.Tokens) {
	byModel.ForEach(func(_, model gjson.Result) bool {
		var t loop.Tokens
		model.ForEach(func(key, v gjson.Result) bool {
			switch key.Str {
			case "input":
				t.Input = v.Int()
			case "output":
				t.Output = v.Int()
			case "cache_read":
				t.CacheRead = v.Int()
			case "cache_write_5m":
				t.CacheWrite5m = v.Int()
			case "cache_write_1h":
				t.CacheWrite1h = v.Int()
			case "web_searches":
				t.WebSearches = v.Int()
			case "dollars":
				_ = t.Dollars.UnmarshalJSON([]byte(v.Raw))
			}
			return true
		})
		sum = sum.Add(t)
		return true
	})
	return sum
}

// readParts gathers the parts of sessions that the run was counted from: a part lasts as long as the lines name the same
// main transcript, whose cursor is the first, and ends at the cursors of its last line.
func (l *ledger) readParts(files *store.Store) {
	var last []byte // snapshot of the part's last line
	var main []byte // transcript of the part, as JSON spells it
	end := func() {
		if n := len(l.parts); n > 0 {
			_ = json.Unmarshal([]byte(gjson.GetBytes(last, "cursors").Raw), &l.parts[n-1].UpTo)
		}
	}
	l.ran(files, func(c *costLine, snapshot []byte) {
		if main == nil || !counted(snapshot, main) {
			path := gjson.GetBytes(snapshot, "cursors.0.path")
			if path.Str == "" {
				return
			}
			if string(main) != path.Raw {
				end()
				began, _ := time.Parse(time.RFC3339, c.started)
				l.parts = append(l.parts, usage.Stretch{Transcript: path.Str, Since: began, Prompt: gjson.GetBytes(snapshot, "last_prompts.0").String()})
			}
			main = []byte(path.Raw)
		}
		last = append(last[:0], snapshot...)
	})
	end()
}

// counted finds the main transcript in a snapshot that this program wrote, which is cheaper than reading it.
func counted(snapshot, main []byte) bool {
	_, first, ok := bytes.Cut(snapshot, []byte(`,"cursors":[{"path":`))
	return ok && bytes.HasPrefix(first, main)
}
