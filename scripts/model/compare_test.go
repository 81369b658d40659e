package model

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

// After each event the files of both skills are compared, as flat lists of words.

func (w *world) check() {
	for _, s := range w.sides {
		if diff := cmp.Diff(w.modelled(s), w.onDisk(s)); diff != "" {
			w.Fatalf("files of %s differ (-model +program):\n%s\n%s", s.skill, diff, w.story())
		}
	}
}

// minutes are not compared on the real clock: a slow machine takes some of its own.
func (w *world) minutes(n int) int {
	if _, real := w.prog.(outside); real {
		return 0
	}
	return n
}

func (w *world) modelled(s *side) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if r := s.run; r != nil {
		say("run session=%s status=%s cause=%s gate=%s/%d", r.session, r.status, r.cause, r.gate,
			r.gateIn)
		say("run ceilings=%v used=%d prs=%v comments=%d merges=%d agents=%d", r.ceilings, r.used,
			r.prs, r.comments, r.merges, r.agents)
		say("run minutes=%d cents=%d outside=%d qmd=%d single=%d left=%v", w.minutes(r.minutes),
			r.cents, r.outside, r.qmd, r.single, r.left)
		say("run pending=%v deferred=%v scheduled=%v", gateWords(r.pending), r.deferred,
			r.scheduled)
		say("run failed=%v paused=%q", r.failed, r.why)
	}
	if t := s.tick; t != nil {
		say("tick session=%s iteration=%d body=%v draining=%v interrupted=%v failed=%v", t.session,
			t.iteration, t.body, t.draining, t.interrupted, t.failed)
		say("tick fired=%v pending=%v answers=%v carry=%v", t.fired, gateWords(t.pending),
			t.answers, t.carry)
		say("tick prs=%v agents=%d comments=%d merges=%d workers=%v prompts=%v", t.prs, t.agents,
			t.comments, t.merges, t.workers, t.prompts)
	}
	if l := s.lock; l != nil {
		say("lock session=%s iteration=%d pid=%d", l.session, l.iteration, l.owner.pid())
	}
	for _, l := range s.lines {
		say("line session=%s iteration=%d outcome=%s fired=%v gates=%v prs=%v agents=%d "+
			"comments=%d merges=%d cents=%d used=%d minutes=%d",
			l.session, l.iteration, l.outcome, l.fired, l.gates, l.prs, l.agents, l.comments,
			l.merges, l.cents, l.used, w.minutes(l.minutes))
		say("line plan=%v qmd=%q", l.plan, l.qmd)
	}
	return out
}

func gateWords(list []gate) []string {
	var out []string
	for _, g := range list {
		out = append(out, g.key()+"="+g.given)
	}
	return out
}

func (w *world) onDisk(s *side) []string {
	skill, budget := s.skill, w.file(s.skill+".budget.json")
	if s.file != "" {
		budget = filepath.Join(w.project(), s.file)
	}
	if filepath.IsAbs(s.file) {
		budget = s.file
	}
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if b, ok := w.read(budget); ok {
		say("run session=%s status=%s cause=%s gate=%s/%d", b.Get("session_id"), b.Get("status"),
			b.Get("stop_cause"), b.Get("stop_detail.gate"), b.Get("stop_detail.iteration").Int())
		c := ceilings{int(b.Get("max_iterations").Int()), int(b.Get("max_prs").Int()),
			int(b.Get("max_minutes").Int()), cents(b.Get("max_dollars"))}
		say("run ceilings=%v used=%d prs=%v comments=%d merges=%d agents=%d", c,
			b.Get("iterations_used").Int(), texts(b.Get("prs_touched")),
			b.Get("comments_pushed").Int(), b.Get("merges_attempted").Int(),
			b.Get("agents_dispatched").Int())
		say("run minutes=%d cents=%d outside=%d qmd=%d single=%d left=%v",
			w.minutes(int(b.Get("minutes_elapsed").Int())), cents(b.Get("dollars_estimate")),
			cents(b.Get("dollars_outside")),
			b.Get("qmd_failures_consecutive").Int(), b.Get("single_pr").Int(),
			b.Get("owner_left").Bool())
		say("run pending=%v deferred=%v scheduled=%v", diskGates(b.Get("pending_gates")),
			texts(b.Get("deferred_targets")), texts(b.Get("scheduled")))
		why := ""
		if b.Get("status").Str == "paused" {
			why = b.Get("stop_text").Str
		}
		say("run failed=%v paused=%q", texts(b.Get("failed_issues")), why)
	}
	if t, ok := w.read(w.file(skill + ".tick.json")); ok {
		say("tick session=%s iteration=%d body=%v draining=%v interrupted=%v failed=%v",
			t.Get("session_id"), t.Get("iteration").Int(), t.Get("body").Bool(),
			t.Get("draining").Bool(), t.Get("interrupted").Str != "", t.Get("failed").Str != "")
		say("tick fired=%v pending=%v answers=%v carry=%v", texts(t.Get("fired.#.cause")),
			diskGates(t.Get("pending")), diskAnswers(t.Get("answered")),
			diskAnswers(t.Get("carry")))
		say("tick prs=%v agents=%d comments=%d merges=%d workers=%v prompts=%v",
			texts(t.Get("prs_touched")), t.Get("agents_dispatched").Int(),
			t.Get("comments_pushed").Int(), t.Get("merges_attempted").Int(),
			texts(t.Get("workers")), texts(t.Get("prompts")))
	}
	if l, ok := w.read(w.file(skill + ".lock")); ok {
		say("lock session=%s iteration=%d pid=%d", l.Get("session_id"), l.Get("iteration").Int(),
			l.Get("pid").Int())
	}
	history, _ := os.ReadFile(w.file(skill + ".history.jsonl"))
	for text := range strings.Lines(string(history)) {
		l := gjson.Parse(text)
		say("line session=%s iteration=%d outcome=%s fired=%v gates=%v prs=%v agents=%d "+
			"comments=%d merges=%d cents=%d used=%d minutes=%d",
			l.Get("session_id"), l.Get("iteration").Int(), l.Get("outcome"),
			texts(l.Get("stop_conditions_fired")), diskAnswers(l.Get("gates")),
			texts(l.Get("prs_touched_this_iter")), l.Get("agents_dispatched_this_iter").Int(),
			l.Get("comments_pushed_this_iter").Int(),
			l.Get("merges_attempted_this_iter").Int(), cents(l.Get("dollars_this_iter")),
			l.Get("budget_snapshot.iterations_used").Int(),
			w.minutes(int(l.Get("budget_snapshot.minutes_elapsed").Int())))
		say("line plan=%v qmd=%q", texts(l.Get("plan")), l.Get("qmd_error").Str)
	}
	return out
}

func (w *world) file(name string) string { return filepath.Join(w.project(), ".sdd", "loop", name) }

func (w *world) read(path string) (gjson.Result, bool) {
	text, err := os.ReadFile(path)
	if err == nil && !gjson.ValidBytes(text) {
		w.Fatalf("%s is no JSON: %s", path, text)
	}
	return gjson.ParseBytes(text), err == nil
}

func cents(v gjson.Result) int { return int(v.Num*100 + 0.5) }

func texts(v gjson.Result) []string {
	var out []string
	for _, x := range v.Array() {
		out = append(out, x.String())
	}
	return out
}

func diskGates(v gjson.Result) []string {
	var out []string
	for _, g := range v.Array() {
		out = append(out, fmt.Sprintf("%s:%s=%s", g.Get("name"), g.Get("target"), g.Get("answer")))
	}
	return out
}

func diskAnswers(v gjson.Result) []answered {
	var out []answered
	for _, g := range v.Array() {
		out = append(out, answered{g.Get("name").Str, g.Get("target").Str, g.Get("answer").Str})
	}
	return out
}
