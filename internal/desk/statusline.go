package desk

import (
	"cmp"
	"io"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

// mostLine bounds what is read of the client's status line object.
const mostLine = 1 << 20

// StatusLine is the one line that the client shows under its prompt: the loops that run in this project, those that
// wait for a person, and those that ended in this session. It is empty when there is none, and whenever anything is
// wrong: a status line complains to nobody. Nothing is written.
func (d *Desk) StatusLine(stdin io.Reader, s report.Screen) string {
	raw, err := io.ReadAll(io.LimitReader(stdin, mostLine))
	if err != nil {
		return ""
	}
	if !gjson.ValidBytes(raw) {
		raw = nil
	}
	told := gjson.GetManyBytes(raw, "session_id", "workspace.project_dir", "cwd")
	env := func(name string) string { return cmp.Or(d.Env(name), told[1].Str) }
	project := tracker.Project(env, cmp.Or(told[2].Str, cwd()))
	if !store.Exists(project) {
		return ""
	}
	v, err := d.visitAt(project)
	if err != nil || v.files == nil {
		return ""
	}
	var shown []report.Stand
	for _, skill := range loop.Skills() {
		if st, ok := v.lineStand(skill, told[0].Str); ok {
			shown = append(shown, st)
		}
	}
	return report.Line(s, shown, told[0].Str)
}

// lineStand is a loop as far as a status line tells of it: three small files are read, no transcript and no history.
func (v *visit) lineStand(skill loop.Skill, session string) (report.Stand, bool) {
	st, _ := v.files.LoadRun(skill)
	b := st.Budget
	if b == nil || b.Status == loop.Halted && b.SessionID != session {
		return report.Stand{}, false
	}
	going := alive(b)
	if b.Status == loop.Active && !going && b.SessionID != session {
		return report.Stand{}, false
	}
	minutes := b.MinutesElapsed
	if b.Status == loop.Active {
		minutes = b.Minutes(v.now)
	}
	t := &thread{skill, st}
	return report.Stand{Run: b, Tick: st.Tick, Minutes: minutes, OwnerAlive: going, Gates: openGates(t), Budgets: report.Axes(b, st.Tick, minutes, 0, going, v.now)}, true
}
