package replay

import (
	"slices"
	"time"

	"hooks/internal/loop"
	"hooks/internal/report"
)

// Result ends the session where its script ends, which has a step at least, and tells what became
// of it.
func (s *Session) Result(script *Script) report.Replay {
	at, before := script.end(), loop.Sum(script.Before).Dollars
	for _, t := range s.threads {
		if t.Tick != nil {
			s.close(t, at)
		}
	}
	s.settleRow(at)
	r := report.Replay{
		SessionID: s.id, ByPrompt: s.byPrompt, Ceilings: s.runs,
		Iterations: append([]report.Replayed{}, s.rows...), Stop: s.stop,
		ByModel: s.total, Notes: []string{},
		Outside: before + s.outside + loop.Sum(s.Spent().ByModel).Dollars, Curve: curve(script, at),
	}
	var sum loop.USD
	for i := range r.Iterations {
		sum += r.Iterations[i].Dollars
		r.Iterations[i].Sum, r.Iterations[i].Agents = sum, s.seen[i].Agents
		r.Iterations[i].PRs = append(r.Iterations[i].PRs, s.seen[i].PRs...)
	}
	r.Total = loop.Sum(s.total)
	r.Total.Dollars += before
	r.After = aftermath(r)
	return r
}

// aftermath is what happened behind the first stop: in the ticks after it, or in the one that would
// not have begun.
func aftermath(r report.Replay) (a report.Aftermath) {
	if r.Stop == nil {
		return a
	}
	prs := []string{}
	for _, i := range r.Iterations {
		atEntry := i.Stop != nil && i.Stop.At == "entry"
		if i.StartedAt.Before(r.Stop.When) || i.StartedAt.Equal(r.Stop.When) && !atEntry {
			continue
		}
		a.Iterations++
		a.Dollars += i.Dollars
		a.Agents += i.Agents
		for _, pr := range i.PRs {
			if !slices.Contains(prs, pr) {
				prs = append(prs, pr)
			}
		}
	}
	a.PRs = len(prs)
	return a
}

// points is how many points a spend curve has.
const points = 48

// curve adds up what a session spent in equal steps of its time, from what each step of the script
// spent.
func curve(script *Script, end time.Time) (list []report.CurvePoint) {
	begin := script.Steps[0].At
	step := end.Sub(begin) / points
	sum, next := loop.Sum(script.Before).Dollars, 0
	for n := range points {
		to := begin.Add(step * time.Duration(n+1))
		for ; next < len(script.Steps) &&
			(n == points-1 || !script.Steps[next].At.After(to)); next++ {
			sum += loop.Sum(script.Steps[next].Spent).Dollars
		}
		list = append(list, report.CurvePoint{At: to, Dollars: sum})
	}
	return list
}
