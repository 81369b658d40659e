package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"hooks/internal/child"
	"hooks/internal/codec"
	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/kind"
	"hooks/internal/loop"
	"hooks/internal/notify"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/tracker/forge"
)

// AnswerGate records a person's answer for a paused run. The answer takes effect when the run is
// resumed. AnswerGate fails inside the agent.
func (a *App) AnswerGate(name string, words []string) (said string, err error) {
	if a.InAgent() {
		way := "answer in the session's dialog, or in a terminal of your own"
		return "", hint.New(way, "an agent cannot answer a gate")
	}
	answer := strings.TrimSpace(strings.Join(words, " "))
	if answer == "" || answer == report.AnswerWord {
		return "", hint.New("give one of the gate's options, or your own words",
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
	session string // session whose open iteration or claim asks it; "" for a paused run
	// command is the Ask command that may answer the gate. It is zero if no command may.
	command notify.AskCommand
}

// matches reports whether written, in the form LOOP:NAME:TARGET, names the gate. Only NAME is
// required.
func (g waitingGate) matches(written string) bool {
	name, target, _ := strings.Cut(strings.TrimPrefix(written, string(g.state.Skill)+":"), ":")
	return name == g.gate.Name &&
		(target == "" || target == g.gate.Target || target == report.TargetNumber(g.gate))
}

// named returns the gate's name as written on a command line.
func (g waitingGate) named() string {
	return strings.TrimSuffix(g.gate.Name+":"+g.gate.Target, ":")
}

// findGate returns the paused run's gate that a person named. It returns an error if no gate or
// more than one matches.
func (h *handler) findGate(written string) (found waitingGate, err error) {
	all, err := h.waitingGates()
	asking := "" // session that is asking a matching gate
	var paused []waitingGate
	var names []string
	for _, g := range all {
		switch {
		case !g.matches(written):
		case g.session != "":
			asking = g.session
		default:
			paused = append(paused, g)
			names = append(names, string(g.state.Skill)+":"+g.named())
		}
	}
	switch {
	case len(paused) > 1:
		return found, hint.New("name one of them: "+strings.Join(names, ", "),
			"several gates are named %q", written)
	case len(paused) == 1:
		return paused[0], nil
	case err != nil:
		return found, err
	case asking != "":
		return found, hint.New("answer it in the dialog of session "+asking, "gate %q is being "+
			"asked in a running session and can only be answered there", written)
	}
	return found, hint.New("run `hooks gate list --all` to see the waiting gates",
		"gate %q is not waiting", written)
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

// understands returns an error if the gate does not understand the answer, for example a mistyped
// option.
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
	return hint.New(way, "%q is not an option of gate %s", answer, w.named())
}

// answerGate records an answer with its origin and returns the confirmation.
func (h *handler) answerGate(w waitingGate, answer, origin string) (string, error) {
	if err := w.understands(answer); err != nil {
		return "", err
	}
	s := w.state
	g := &s.Budget.Pending[w.at]
	g.Answer, g.At, g.Origin = answer, &h.now, origin
	said := fmt.Sprintf("recorded: %s — %q, which acts as %s when you resume the run with %s",
		g.Question, g.Answer, g.Act(g.Answer), report.Resume(s.Budget, s.Elsewhere()))
	_, err := h.tx.Commit(&s, loop.Save{Run: s.Budget})
	return said, err
}

const (
	askTime = 24 * time.Hour // bounds one run of the Ask command
	askPoll = time.Second    // interval between checks for an answer
	maxAsks = 3              // how often a question is asked if no answer is understood
)

// StartAsking starts a process that sends the questions of the project's paused run to the person's
// Ask command, and reports whether such a process is now running. A secret on stdin proves to the
// process that this program started it, not an agent's tool. The run stores the secret's digest.
func (a *App) StartAsking(skill loop.Skill) (bool, error) {
	h, err := a.openForPerson()
	if err != nil {
		return false, err
	}
	return h.startAsking(skill)
}

func (h *handler) startAsking(skill loop.Skill) (started bool, err error) {
	secret, asked := rand.Text(), false
	err = h.withStateLock(func() error {
		s, err := h.load(skill)
		b := s.Budget
		if err != nil || b == nil || b.Ask == "" || len(h.questions(s)) == 0 {
			return err
		}
		if asked = b.Asking != "" && h.isAsking(skill); asked {
			return nil
		}
		b.Asking, started = notify.Digest(secret), true
		_, err = h.tx.Commit(&s, loop.Save{Run: b})
		return err
	})
	if err != nil || !started {
		return asked, err
	}
	return true, h.theirs().StartAsking(skill, secret)
}

// AwaitAnswer waits until every question of the paused run has an answer from any source. It
// returns false if an error occurs or if no process has asked for several seconds.
func (a *App) AwaitAnswer(skill loop.Skill) bool {
	h, err := a.openForPerson()
	for alone := 0; err == nil && alone < 10; time.Sleep(askPoll) {
		waits := false
		err = h.withStateLock(func() error {
			s, err := h.load(skill)
			waits = err == nil && s.Budget != nil && s.Budget.Status == loop.Paused &&
				unanswered(s.Budget)
			return err
		})
		if err == nil && !waits {
			return true
		}
		if alone++; h.isAsking(skill) {
			alone = 0
		}
	}
	return false
}

// unanswered reports whether the paused run has a question without an answer.
func unanswered(b *loop.Budget) bool {
	return slices.ContainsFunc(b.Pending, func(g loop.Gate) bool { return g.Answer == "" })
}

// isAsking reports whether a process is sending the run's questions to the Ask command.
func (h *handler) isAsking(skill loop.Skill) bool {
	soon, cancel := context.WithTimeout(context.Background(), askPoll/100)
	defer cancel()
	release, free := h.files.Asker(soon, skill)
	if free {
		_ = release()
	}
	return !free
}

// questions returns the gates of a paused run that the Ask command may answer.
func (h *handler) questions(s store.State) (list []waitingGate) {
	b := s.Budget
	if b == nil || b.Status != loop.Paused {
		return nil
	}
	command := h.theirs().Ask()
	if b.Ask != command.Print {
		return nil
	}
	for i, g := range b.Pending {
		if mayAsk(g, command) {
			list = append(list, waitingGate{state: s, at: i, gate: g, command: command})
		}
	}
	return list
}

// inDialog sends the questions in an open dialog to the person's Ask command after a delay, and
// answers the dialog with the command's output. If the person answers first, the client kills this
// process, or inDialog finds the questions answered.
func (h *handler) inDialog() (event.Reply, error) {
	gates, err := h.dialogGates()
	if len(gates) == 0 || err != nil {
		return event.Reply{}, err
	}
	after := gates[0].command.After
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	answers := map[string]string{}
	waiting := func() (list []waitingGate) {
		h.runs.list = nil
		now, _ := h.dialogGates()
		return slices.DeleteFunc(now, func(w waitingGate) bool {
			return answers[w.gate.Question] != ""
		})
	}
	h.carry(ctx, after, gates, waiting, func(w waitingGate, answer string) error {
		err := w.understands(answer)
		if err == nil {
			answers[w.gate.Question] = answer
		}
		return err
	})
	if len(answers) < len(gates) || ctx.Err() != nil {
		return event.Reply{}, nil
	}
	h.runs.list, h.now = nil, h.Now()
	at := gates[0].state
	_, err = h.stepOne(&at, loop.DialogBrought{Turn: h.turn(), Answers: answers})
	recorded := func(d loop.Dialog) bool { return maps.Equal(d.Brought, answers) }
	if err != nil || !slices.ContainsFunc(h.runs.list, func(t *store.State) bool {
		return t.Skill == at.Skill && t.Tick != nil && slices.ContainsFunc(t.Tick.Dialogs, recorded)
	}) {
		return event.Reply{}, err // without a record, the answer would count as the person's own
	}
	var list []loop.Gate
	for _, w := range gates {
		list = append(list, w.gate)
	}
	return event.AnswerDialog(h.questionsOf(&at, list), answers), nil
}

// dialogGates returns the gates whose questions the event's dialog shows. If the Ask command may
// not answer all of them, it returns nil.
func (h *handler) dialogGates() (gates []waitingGate, err error) {
	runs, err := h.sessionRuns()
	shown := h.ev.Input.Get("questions").Array()
	if h.ev.InSubagent() || len(shown) == 0 { // a worker's dialog shows no gate
		return nil, err
	}
	for _, t := range runs {
		if !h.open(t) || t.Budget.Ask == "" {
			continue
		}
		command := h.theirs().Ask()
		if gates = nil; t.Budget.Ask != command.Print {
			continue
		}
		for _, q := range shown {
			i := slices.IndexFunc(t.Tick.Pending, func(g loop.Gate) bool {
				return g.Question == q.Get("question").Str && mayAsk(g, command)
			})
			if i >= 0 {
				gates = append(gates, waitingGate{state: *t, gate: t.Tick.Pending[i],
					session: h.ev.SessionID, command: command})
			}
		}
		if len(gates) == len(shown) {
			return gates, err
		}
	}
	return nil, err
}

// mayAsk reports whether the Ask command may answer a gate. The command may decide a merge only if
// the person set Ask-Merges.
func mayAsk(g loop.Gate, command notify.AskCommand) bool {
	return g.Answer == "" && !g.Kept && (g.Name != loop.PostFeedbackMerge || command.Merges)
}

// AskPerson sends each question of a paused run to the person's Ask command. It returns once each
// question has been answered from any source or its command has given up.
func (a *App) AskPerson(stdin io.Reader) {
	secret, _ := io.ReadAll(io.LimitReader(stdin, 128))
	h, err := a.openIn(a.Env("HOOKS_PROJECT"))
	if err != nil {
		return
	}
	skill, token := loop.Skill(a.Env("HOOKS_LOOP")), notify.Digest(string(secret))
	wait, cancel := context.WithTimeout(context.Background(), 10*askPoll)
	defer cancel()
	release, first := h.files.Asker(wait, skill)
	if !first {
		return
	}
	defer func() { _ = release() }()
	waiting := func() []waitingGate { return h.waitingFor(skill, token) }
	h.carry(context.Background(), 0, waiting(), waiting, func(w waitingGate, answer string) error {
		return h.heard(token, w, answer)
	})
}

// carry runs the person's command, after a delay, for each question in list that is still
// unanswered. It ends a command if its question is answered elsewhere. heard receives the command's
// output. If heard returns an error, carry asks the question again with the error as the reason.
func (h *handler) carry(
	ctx context.Context, after time.Duration, list []waitingGate, waiting func() []waitingGate,
	heard func(w waitingGate, answer string) error,
) {
	var using sync.Mutex // the handler is used by one goroutine at a time
	var commands sync.WaitGroup
	for _, w := range list {
		redact := h.config(&w.state).Redact
		q := h.asking(w, redact)
		own, end := context.WithCancel(ctx)
		commands.Go(func() {
			defer end()
			select {
			case <-own.Done():
				return
			case <-time.After(after):
			}
			w.ask(own, q, redact, func(answer string) error {
				using.Lock()
				defer using.Unlock()
				return heard(w, answer)
			})
		})
		commands.Go(func() {
			defer end()
			for waits := true; waits && own.Err() == nil; {
				select {
				case <-own.Done():
				case <-time.After(askPoll):
				}
				using.Lock()
				waits = slices.ContainsFunc(waiting(), func(o waitingGate) bool {
					return o.key() == w.key()
				})
				using.Unlock()
			}
		})
	}
	commands.Wait() // a command ends when its question is answered, if not earlier
}

// key identifies a question across all runs.
func (g waitingGate) key() string {
	return g.state.Budget.RunID + " " + g.gate.Name + " " + g.gate.Target + " " + g.gate.HeadSHA
}

// waitingFor returns the questions that the process with this token may ask.
func (h *handler) waitingFor(skill loop.Skill, token string) (list []waitingGate) {
	_ = h.withStateLock(func() error {
		s, err := h.load(skill)
		if err == nil && s.Budget != nil && s.Budget.Asking == token {
			list = h.questions(s)
		}
		return err
	})
	return list
}

// askInput is a question in the form that the Ask command reads from stdin.
type askInput struct {
	Project  string        `json:"project"`
	Run      string        `json:"run"`
	Gate     string        `json:"gate"`
	Question string        `json:"question"`
	Options  []loop.Option `json:"options"`
	PR       int           `json:"pr"`
	URL      string        `json:"url"`
	Deadline time.Time     `json:"deadline"`
	Refused  string        `json:"refused,omitempty"` // why the last answer was not accepted
}

// asking returns a gate's question for the person's Ask command.
func (h *handler) asking(w waitingGate, redact func(string) string) askInput {
	b := w.state.Budget
	q := askInput{Project: h.project, Run: b.RunID, Gate: w.gate.Name,
		Question: redact(w.gate.Question), Options: slices.Clone(w.gate.Options)}
	for i := range q.Options {
		q.Options[i].Description = redact(q.Options[i].Description)
	}
	if _, err := fmt.Sscanf(w.gate.Target, "PR #%d", &q.PR); err == nil {
		if links := forge.Pages(b.Tracker); links.PR != "" {
			q.URL = links.PR + report.TargetNumber(w.gate)
		}
	}
	return q
}

// ask runs the command until heard accepts its output. It gives up after maxAsks runs, or if the
// command fails or prints nothing.
func (w waitingGate) ask(ctx context.Context, q askInput, redact func(string) string,
	heard func(answer string) error) {
	for range maxAsks {
		q.Deadline = time.Now().UTC().Add(askTime).Truncate(time.Second)
		text, _ := codec.Encode(q) // encoding strings and numbers cannot fail
		r, err := child.Run(ctx, child.Command{Dir: q.Project, Wait: askTime, Most: 64 << 10,
			Args: w.command.Argv, Env: w.command.Env, In: string(text) + "\n"})
		answer := strings.TrimSpace(string(r.Out))
		if err != nil || answer == "" || ctx.Err() != nil {
			return
		}
		if err = heard(answer); err == nil {
			return
		}
		q.Refused = redact(hint.Text(err))
	}
}

// heard records a command's output as the answer, like `hooks gate answer`. If no question is left
// and no driver is waiting to resume the run, it notifies the person how to resume it.
func (h *handler) heard(token string, asked waitingGate, answer string) error {
	h.now = h.Now()
	skill := asked.state.Skill
	var done *store.State
	err := h.withStateLock(func() error {
		s, err := h.load(skill)
		if err != nil || s.Budget == nil || s.Budget.Asking != token {
			return err
		}
		for _, w := range h.questions(s) {
			if w.key() != asked.key() {
				continue
			}
			_, err = h.answerGate(w, answer, loop.OriginAsk)
			if err == nil && !unanswered(w.state.Budget) {
				done = &w.state
			}
		}
		return err
	})
	if err != nil || done == nil {
		return err
	}
	if done.Budget.Drive() == loop.DriveProcess {
		release, _ := h.files.Drive(skill)
		if release == nil {
			return nil
		}
		_ = release()
	}
	resume := report.Resume(done.Budget, done.Elsewhere())
	_ = h.theirs().Recorded(h.config(done).Notify, resume)
	return nil
}
