package app

import (
	"errors"
	"fmt"
	"strings"

	"hooks/internal/hint"
	"hooks/internal/kind"
	"hooks/internal/loop"
	"hooks/internal/notify"
	"hooks/internal/report"
	"hooks/internal/store"
)

// AnswerGate records a person's answer for a paused run. The answer takes effect when the run is
// resumed. AnswerGate fails inside the agent.
func (a *App) AnswerGate(name string, words []string) (said string, err error) {
	if a.InAgent() {
		way := "the dialog of the session asks the person; or answer in a terminal of your own"
		return "", hint.New(way, "a gate is not answered from inside the agent")
	}
	answer := strings.TrimSpace(strings.Join(words, " "))
	if answer == "" || answer == report.AnswerWord {
		return "", hint.New("give one of its options, or your own words",
			"%q is not an answer", answer)
	}
	h, err := a.openForPerson()
	if err != nil {
		return "", err
	}
	err = h.withStateLock(func() error {
		g, err := h.findGate(name)
		if err == nil {
			said, err = h.answerGate(g, answer, loop.OriginTerminal)
		}
		return err
	})
	return said, err
}

// waitingGate is a gate without an answer.
type waitingGate struct {
	state   store.State
	at      int // index in the paused run's list
	gate    loop.Gate
	session string // session of the open iteration or claim that asks it; "" in a paused run
	// command may put the question to the person, if it is set.
	command notify.AskCommand
}

// matches reports whether a person means the gate by LOOP:NAME:TARGET, where only NAME is
// required.
func (g waitingGate) matches(written string) bool {
	name, target, _ := strings.Cut(strings.TrimPrefix(written, string(g.state.Skill)+":"), ":")
	return name == g.gate.Name &&
		(target == "" || target == g.gate.Target || target == report.TargetNumber(g.gate))
}

// named returns the gate's name for a command line.
func (g waitingGate) named(withLoop bool) string {
	name := strings.TrimSuffix(g.gate.Name+":"+g.gate.Target, ":")
	if withLoop {
		return string(g.state.Skill) + ":" + name
	}
	return name
}

// findGate returns the paused run's gate that a person named. It returns an error if no gate or
// more than one matches.
func (h *handler) findGate(written string) (found waitingGate, err error) {
	all, err := h.waitingGates()
	var paused []waitingGate
	asking, loops := "", false // the session that asks it, which may wait in two loops
	for _, g := range all {
		switch {
		case !g.matches(written):
		case g.session != "":
			asking = g.session
		default:
			paused = append(paused, g)
			loops = loops || g.state.Skill != paused[0].state.Skill
		}
	}
	names := func(list []waitingGate) string {
		var names []string
		for _, g := range list {
			names = loop.AppendNew(names, g.named(loops))
		}
		return strings.Join(names, ", ")
	}
	switch {
	case len(paused) > 1:
		return found, hint.New("name one of them: "+names(paused),
			"several gates are named %q", written)
	case len(paused) == 1:
		return paused[0], nil
	case err != nil:
		return found, err
	case asking != "":
		way := fmt.Sprintf("answer it in the dialog of session %s; "+
			"only a paused run takes answers from a terminal", asking)
		return found, hint.New(way, "gate %q is asked in a running session, "+
			"whose client accepts no answer from elsewhere", written)
	case len(all) > 0:
		return found, hint.New("waiting: "+names(all), "gate %q does not wait", written)
	}
	return found, hint.New("no gate waits here; `hooks status --all` shows every project",
		"gate %q does not wait", written)
}

// waitingGates returns the gates of paused runs, open iterations and claims. An error in one loop
// does not hide the others; errors are joined.
func (h *handler) waitingGates() (list []waitingGate, err error) {
	var errs []error
	for _, skill := range kind.Skills() {
		s, err := h.load(skill)
		errs = append(errs, err)
		if err != nil {
			continue
		}
		if s.Budget != nil {
			for i, g := range s.Budget.Pending {
				list = append(list, waitingGate{state: s, at: i, gate: g})
			}
		}
		if s.Tick != nil {
			for _, g := range s.Tick.Pending {
				list = append(list, waitingGate{state: s, gate: g, session: s.Tick.SessionID})
			}
		}
		if s.Claim != nil && s.Claim.Gate != nil {
			gate, session := *s.Claim.Gate, s.Claim.SessionID
			list = append(list, waitingGate{state: s, gate: gate, session: session})
		}
	}
	return list, errors.Join(errs...)
}

// understands returns an error for a single word that is not an option, which is probably a typo.
func (w waitingGate) understands(answer string) error {
	if w.gate.Understands(answer) {
		return nil
	}
	var options []string
	for _, o := range w.gate.Options {
		options = append(options, o.Label)
	}
	way := "answer " + strings.Join(options, ", ") +
		", or a sentence of your own, which acts as " + w.gate.Act(answer)
	return hint.New(way, "%q is not an option of gate %s", answer, w.named(false))
}

// answerGate records an answer with its origin and returns the confirmation.
func (h *handler) answerGate(w waitingGate, answer, origin string) (string, error) {
	if err := w.understands(answer); err != nil {
		return "", err
	}
	s := w.state
	g := &s.Budget.Pending[w.at]
	g.Answer, g.At, g.Origin = answer, &h.now, origin
	said := fmt.Sprintf("recorded: %s — %q, which acts as %s when the run is resumed: %s",
		g.Question, g.Answer, g.Act(g.Answer), report.Resume(s.Budget, s.Elsewhere()))
	_, err := h.tx.Commit(&s, loop.Save{Run: s.Budget})
	return said, err
}
