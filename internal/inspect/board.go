package inspect

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"hooks/internal/config"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/tracker/backlog"
	"hooks/internal/tracker/forge"
)

// peopleWait limits one tracker call made for a person's command. An iteration waits less.
const peopleWait = 30 * time.Second

// Backlog asks the tracker for the open issues in a scope, and evaluates the conditions and gates
// that they would trigger. scope has the form of a skill's arguments. If the tracker fails, Backlog
// returns both an error and the known facts.
func (d *Inspector) Backlog(scope []string) (report.Board, error) {
	v, run, _ := d.asker(func(k loop.Kind) bool { return k.Backlog })
	q := v.question()
	q.Backlog, q.Scope = true, backlog.ParseScope(scope)
	answer := forge.Ask(context.Background(), q)
	b := report.Board{Tracker: cmp.Or(answer.Place.String(), "none"),
		Scope: strings.Join(scope, " "), Whole: answer.Backlog != nil, Issues: answer.Issues,
		Edges: answer.Edges, Notes: answer.Notes}
	if b.Whole {
		b.Workable = run.Workable(answer.Backlog)
	}
	facts := loop.Look(run, &loop.Tick{Report: answer.Report()}, nil, v.now)
	b.Fired = evaluate(facts, "backlog-empty", "dependency-cycle")
	for _, g := range loop.Due(facts, loop.Reported) {
		if g.Name == loop.AmbiguousCriteria {
			b.Gates = append(b.Gates, g.Question)
		}
	}
	return b, answer.Err
}

// PR asks the tracker for one PR, and evaluates the conditions and gates that it would trigger.
func (d *Inspector) PR(number int) (report.PR, error) {
	v, run, last := d.asker(func(k loop.Kind) bool { return k.Reviews })
	q := v.question()
	q.PR = number
	answer := forge.Ask(context.Background(), q)
	if len(answer.PRs) == 0 {
		return report.PR{}, answer.Err
	}
	pr := answer.PRs[0]
	p := report.PR{Tracker: cmp.Or(answer.Place.String(), "none"), PR: pr,
		HumanFeedback: pr.HumanFeedback(), Reviewed: pr.Reviewed(last.HeadAtEnd(number)),
		Notes: answer.Notes}
	run.SinglePR = number
	facts := loop.Look(run, &loop.Tick{Report: answer.Report()}, nil, v.now)
	p.Fired = evaluate(facts, "pr-terminal")
	if (p.HumanFeedback == nil || *p.HumanFeedback) && !p.Reviewed {
		facts.Merging = number
		for _, g := range loop.Due(facts, loop.Merging) {
			p.Gate = g.Question
		}
	}
	return p, answer.Err
}

// asker prepares a question for the tracker. It also returns the project's run of the first kind
// that accepts selects, with the run's last iteration, or an empty run if there is none. It ignores
// damaged state, because other commands report it.
func (d *Inspector) asker(accepts func(loop.Kind) bool) (
	v *question, run *loop.Budget, last *loop.Iteration,
) {
	skill := loop.Kinds[slices.IndexFunc(loop.Kinds, accepts)].Name
	v, err := d.walk().in(d.Project())
	run = &loop.Budget{Skill: skill}
	if err != nil || v.files == nil {
		return v, run, nil
	}
	defer v.files.Close()
	if s, err := v.files.LoadRun(skill); err == nil && s.Budget != nil {
		run = s.Budget
		last, _ = v.files.Last(skill, run.Worked)
	}
	return v, run, last
}

func (v *question) question() forge.Question {
	return forge.Question{Project: v.project, Env: v.Env, Config: config.Load(v.project),
		Wait: peopleWait}
}

// evaluate returns the named conditions that hold, regardless of when a loop checks them.
func evaluate(f *loop.Facts, names ...string) (fired []loop.Fired) {
	for _, c := range loop.Conditions {
		if slices.Contains(names, c.Name) {
			if text := c.Holds(f); text != "" {
				fired = append(fired, loop.Fired{Condition: c.Name, Cause: c.Cause, Text: text})
			}
		}
	}
	return fired
}
