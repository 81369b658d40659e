package replay

import (
	"slices"
	"time"

	"hooks/internal/loop"
	"hooks/internal/report"
)

func (s *session) addRow(r report.Replayed) {
	r.EndedAt, r.PRs = r.StartedAt, []string{}
	s.rows, s.seen = append(s.rows, r), append(s.seen, &loop.Tick{})
}

// settleRow adds the spend to the newest tick if that would not have begun.
func (s *session) settleRow(at time.Time) {
	n := len(s.rows) - 1
	if n < 0 || len(s.open()) > 0 || s.rows[n].Verdict == "ran" &&
		(s.rows[n].Stop == nil || s.rows[n].Stop.At != "entry") {
		return
	}
	s.rows[n].Dollars += loop.Sum(s.spent().ByModel).Dollars
	s.rows[n].EndedAt = at
	clear(s.older)
	clear(s.pot)
}

// result ends the session at the end of its script and returns the result. The script must have a
// step.
func (s *session) result(script *Script) report.Replay {
	at, before := script.end(), loop.Sum(script.before).Dollars
	for _, t := range s.open() {
		s.abandon(t, at)
	}
	s.settleRow(at)
	r := report.Replay{
		SessionID: s.id, ByPrompt: s.byPrompt, Ceilings: s.runs,
		Iterations: append([]report.Replayed{}, s.rows...), Stop: s.stop,
		ByModel: s.total, Notes: []string{}, Total: loop.Sum(s.total),
		Outside: before + s.outside + loop.Sum(s.spent().ByModel).Dollars, Curve: curve(script, at),
	}
	r.Total.Dollars += before
	var sum loop.USD
	for n := range r.Iterations {
		i := &r.Iterations[n]
		sum += i.Dollars
		i.Sum, i.Agents = sum, s.seen[n].Agents
		i.PRs = append(i.PRs, s.seen[n].PRs...)
	}
	if r.Stop != nil {
		r.After = aftermath(r.Iterations, r.Stop.When)
	}
	return r
}

// aftermath sums up the ticks after a stop, including the one that would not have begun.
func aftermath(rows []report.Replayed, stop time.Time) (a report.Aftermath) {
	var prs []string
	for _, i := range rows {
		atEntry := i.Stop != nil && i.Stop.At == "entry"
		if i.StartedAt.Before(stop) || i.StartedAt.Equal(stop) && !atEntry {
			continue
		}
		a.Iterations++
		a.Dollars += i.Dollars
		a.Agents += i.Agents
		prs = append(prs, i.PRs...)
	}
	slices.Sort(prs)
	a.PRs = len(slices.Compact(prs))
	return a
}

// points is the number of points in a spend curve.
const points = 48

// curve returns the running total of the session's spend at equal intervals.
func curve(script *Script, end time.Time) (list []report.CurvePoint) {
	begin := script.Steps[0].At
	every := end.Sub(begin) / points
	sum, next := loop.Sum(script.before).Dollars, 0
	for n := range points {
		to := begin.Add(every * time.Duration(n+1))
		for ; next < len(script.Steps) &&
			(n == points-1 || !script.Steps[next].At.After(to)); next++ {
			sum += loop.Sum(script.Steps[next].spent).Dollars
		}
		list = append(list, report.CurvePoint{At: to, Dollars: sum})
	}
	return list
}
