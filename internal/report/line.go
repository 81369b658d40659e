package report

import (
	"fmt"
	"strings"

	"hooks/internal/loop"
)

// Line is the loops in one line of the client's screen, cut to its width; empty without any. session is the one that
// shows it, empty in a terminal.
func Line(s Screen, loops []Stand, session string) string {
	var parts []string
	for _, st := range loops {
		parts = append(parts, lineOf(st, session))
	}
	return s.cut(strings.Join(parts, " | "), max(s.Width, leastWidth))
}

func lineOf(st Stand, session string) string {
	b := st.Run
	parts := []string{string(b.Skill)}
	switch {
	case b.Status == loop.Halted:
		parts[0] += " stopped: " + b.StopCause
	case len(st.Gates) > 0 && !st.Gates[0].answered():
		parts[0] += " waits for you: " + st.Gates[0].Gate.Name
	case b.Status == loop.Paused:
		parts[0] += " paused, --resume goes on"
	case !st.OwnerAlive:
		parts[0] += " left, --resume goes on"
	case st.ending():
		parts[0] += " ends with this iteration"
	case session != "" && b.SessionID != session:
		parts[0] += " (another session)"
	}
	for _, a := range st.Budgets {
		unit := map[string]string{"iterations": " it", "PRs": " PRs", "minutes": " min"}[a.Name]
		parts = append(parts, a.standing()+unit)
	}
	if st.Tick != nil {
		if n := loop.Refusals(st.Tick.Denied); n > 0 {
			parts = append(parts, fmt.Sprintf("%d refused", n))
		}
	}
	return strings.Join(parts, " · ")
}
