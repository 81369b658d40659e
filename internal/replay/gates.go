package replay

import (
	"strings"
	"time"

	"hooks/internal/loop"
	"hooks/internal/report"
)

// Answered gives a person's answer to the gate that asked just this question, as the session has
// it.
func (s *Session) Answered(question, answer string, at time.Time) {
	for _, t := range s.threads {
		for i := 0; t.Tick != nil && i < len(t.Tick.Pending); i++ {
			if asks(t.Tick.Pending[i], question) {
				s.answer(t, i, answer, at, false)
				break
			}
		}
	}
}

// asks reports whether a session put a gate's question. That about a merge may have named the
// commit.
func asks(g loop.Gate, question string) bool {
	return g.Question == question || g.Name == loop.PostFeedbackMerge &&
		strings.HasPrefix(question, g.Target+" at ") &&
		strings.HasSuffix(question, ". Merge now, or hold for review?")
}

// Settle takes every waiting question as answered with its safest option.
func (s *Session) Settle(t *Thread, at time.Time) {
	for t.Tick != nil && len(t.Tick.Pending) > 0 {
		k, _ := loop.GateOf(t.Tick.Pending[0].Name)
		s.answer(t, 0, k.Safest, at, true)
	}
}

func (s *Session) answer(t *Thread, i int, answer string, at time.Time, assumed bool) {
	g := t.Tick.Pending[i]
	row := &s.rows[t.row]
	row.Asked = append(row.Asked,
		report.Question{Gate: g.Name, Question: g.Question, Answer: answer, Assumed: assumed})
	loop.Answer(t.Run, t.Tick, i,
		loop.GateAnswer{Name: g.Name, Question: g.Question, Answer: answer, At: at,
			Target: g.Target})
	loop.StartBody(t.Run, t.Tick)
}

// maxDenied bounds the refusals that are told of one tick; the rest is counted.
const maxDenied = 20

// Deny notes a call that would have been refused, in the newest tick.
func (s *Session) Deny(d report.Denial) {
	n := len(s.rows) - 1
	d.Call, d.Reason = head(d.Call), head(d.Reason)
	switch {
	case n < 0:
	case len(s.rows[n].Denied) == maxDenied:
		s.rows[n].MoreDenied++
	default:
		s.rows[n].Denied = append(s.rows[n].Denied, d)
	}
}

// Seen is where the newest tick's doings are counted as they were in fact, nil before the first.
func (s *Session) Seen() *loop.Tick {
	if len(s.seen) == 0 {
		return nil
	}
	return s.seen[len(s.seen)-1]
}

// maxWords bounds a call or a reason as it is told, in bytes.
const maxWords = 400

func head(s string) string {
	if len(s) > maxWords {
		return strings.ToValidUTF8(s[:maxWords], "") + "…"
	}
	return s
}
