package replay

import (
	"slices"
	"time"

	"hooks/internal/loop"
	"hooks/internal/report"
)

// Result ends the session at a time and tells what became of it.
func (s *Session) Result(at time.Time) report.Replay {
	for _, t := range s.threads {
		if t.Tick != nil {
			s.close(t, at)
		}
	}
	s.settleRow(at)
	r := report.Replay{
		SessionID: s.id, Ceilings: s.runs, Iterations: append([]report.Replayed{}, s.rows...), Stop: s.stop,
		ByModel: s.total, Notes: []string{}, Outside: s.outside + dollars(s.Spent().ByModel),
	}
	var sum loop.USD
	for i := range r.Iterations {
		sum += r.Iterations[i].Dollars
		r.Iterations[i].Sum, r.Iterations[i].Agents = sum, s.seen[i].Agents
		r.Iterations[i].PRs = append(r.Iterations[i].PRs, s.seen[i].PRs...)
	}
	for _, t := range s.total {
		r.Total = r.Total.Add(t)
	}
	r.After = aftermath(r)
	return r
}

// aftermath is what happened behind the first stop: in the ticks after it, or in the one that would not have begun.
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

// Curve adds up what a session spent in equal steps of its time, from what each step of the script spent.
func Curve(script *Script, end time.Time) []report.CurvePoint {
	if len(script.Steps) == 0 {
		return []report.CurvePoint{}
	}
	begin := script.Steps[0].At
	step := end.Sub(begin) / points
	curve := make([]report.CurvePoint, 0, points)
	sum, next := dollars(script.Before), 0
	for n := range points {
		to := begin.Add(step * time.Duration(n+1))
		for ; next < len(script.Steps) && (n == points-1 || !script.Steps[next].At.After(to)); next++ {
			sum += dollars(script.Steps[next].Spent)
		}
		curve = append(curve, report.CurvePoint{At: to, Dollars: sum})
	}
	return curve
}
