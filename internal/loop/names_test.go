package loop

import (
	"reflect"
)

// The kinds of loop that the tests of this package use.
const (
	Work   Skill = "work"
	Review Skill = "review"
)

func skillNames() (list []Skill) {
	for _, k := range Kinds {
		list = append(list, k.Name)
	}
	return list
}

// payload returns the state that a kind adds to a fresh run, with nothing in it.
func payload(kind Skill) Payload {
	of := reflect.TypeOf(KindOf(kind).Run.Of).Elem()
	return reflect.New(of).Interface().(Payload)
}

// The tests outside of this package, which know the kinds, use these parts of it.
var (
	Noon                           = noon
	Admit, Resume, OpenTick        = admit, resumeRun, openTick
	NoProgress, TellIdle           = noProgress, tellIdle
	BeginAttempt, CloseTick        = (*Budget).begin, closeTick
	FoldIdle                       = (*Budget).foldIdle
	IdleBound                      = (*Budget).maxIdle
	Between, Conduct               = Call.between, Call.conduct
	Critique, RefuseWorker, Critic = Call.critique, Call.refuseWorker, (*Task).critic
	Judge, CloneState              = State.judged, State.clone
)

const MaxHolds = maxHolds

// OfKind returns what the rule of the call's kind decides.
func OfKind(e Call, s State, k *Known) (out Outcome) {
	defer k.needed(&out)
	return e.ofKind(s, k)
}
