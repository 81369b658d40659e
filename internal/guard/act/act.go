// Package act says what a tool call is and what a reading of it tells: acts, and parts that cannot be resolved.
package act

import "strings"

// Kind is what an Act does.
type Kind string

// The kinds. Merges tells which of them land code or open the way for it.
const (
	MergePR            Kind = "merge-pr"             // merges a PR now
	PushProtected      Kind = "push-protected"       // moves a protected branch outside a PR
	ArmAutoMerge       Kind = "arm-auto-merge"       // a merge that happens later: auto-merge, queue, label, chat-ops
	ApprovePR          Kind = "approve-pr"           // approves a PR
	DismissReview      Kind = "dismiss-review"       // takes a review away
	RelaxProtection    Kind = "relax-protection"     // edits branch protection, rulesets, the auto-merge setting
	RunMergingWorkflow Kind = "run-merging-workflow" // starts a workflow that merges
	PlantMerge         Kind = "plant-merge"          // leaves a merge behind under another name (alias, config, extension)

	OpenPR  Kind = "open-pr" // opens a PR (R30)
	Comment Kind = "comment" // writes a comment or a review that is no approval

	SetLabel  Kind = "set-label"  // puts a label on an issue or a PR; Ref is the label, PR the number (R44)
	DropLabel Kind = "drop-label" // takes one off

	WriteState       Kind = "write-state"       // writes under .sdd/loop or the client's transcripts
	AnswerGate       Kind = "answer-gate"       // answers a gate, resets the loop or forges an event in a person's name
	DropRegistration Kind = "drop-registration" // takes the hooks out of the client, or ends their processes
	OtherSession     Kind = "other-session"     // starts a client of its own, which no loop governs

	// WriteSettings is a file tool that edits a settings or plugin file. What it leaves can be
	// looked at.
	WriteSettings Kind = "write-settings"
	// WriteConfig writes a CLAUDE.md or AGENTS.md, in which a project configures its loops.
	WriteConfig Kind = "write-config"
)

// Merges reports whether the kind lands code on a protected branch, now or later, or opens the way
// for it.
func (k Kind) Merges() bool {
	switch k {
	case MergePR, PushProtected, ArmAutoMerge, ApprovePR, DismissReview, RelaxProtection, RunMergingWorkflow, PlantMerge:
		return true
	}
	return false
}

// Tampers reports whether the kind touches the loop's own files, gates or registration.
func (k Kind) Tampers() bool {
	return k == WriteState || k == AnswerGate || k == DropRegistration || k == OtherSession
}

// Act is one thing the call would do.
type Act struct {
	Kind    Kind
	PR      int    // 0 unknown
	Ref     string // URL, branch, path, or the variable text as written when PR is unknown
	Repo    string // owner/name when named, else ""
	SHA     string // the head commit the command insists on, "" none
	Auto    bool   // auto-merge was asked for
	Admin   bool   // protections are bypassed
	Review  bool   // a comment that is a whole review of the PR, and no approval
	Command string // the resolved command, words joined, as in "gh pr merge 142 --squash"
	Cwd     string // where it is done, "" unknown
	Path    string // the file that is written, seen from Cwd; "" if none is, or it is not known
	Via     []string
}

// Opaque is a part that cannot be resolved statically and could reach a forge or the state.
type Opaque struct {
	Text   string   // the part as written, at most 200 bytes
	Reason string   // why it cannot be read, as in "the command name is only known when it runs"
	Via    []string // wrappers it was found through, outermost first
}

// Reading is what a call does, as far as its text tells.
type Reading struct {
	Acts   []Act    // in the order found; empty: nothing the loop cares about
	Opaque []Opaque // what could not be resolved
	// Unparsable says why the text could not be read to its end (too long, syntax, nesting, work); empty: it was.
	// What was read before that point stands in Acts.
	Unparsable string
	// Bound names the bound that ended the reading where what was not read could land something:
	// no open loop lets the call pass. "" where no bound was hit, or where nothing in the text
	// names a way to land anything.
	Bound string
}

// ReachesForge reports whether a part that cannot be resolved names a forge's program or a push, or
// is text that a shell reads from a pipe.
func (r Reading) ReachesForge() bool {
	for _, o := range r.Opaque {
		if strings.HasPrefix(o.Text, "… | ") {
			return true
		}
		words := strings.FieldsFunc(o.Text+" "+strings.Join(o.Via, " "), func(c rune) bool {
			return strings.ContainsRune(" \t\n'\"`$(){}[];|&,=", c)
		})
		for _, w := range words {
			switch w[strings.LastIndexByte(w, '/')+1:] {
			case "gh", "glab", "tea", "tea-cli", "hub", "push":
				return true
			}
		}
	}
	return false
}

func (r Reading) pick(want func(Kind) bool) []Act {
	var acts []Act
	for _, a := range r.Acts {
		if want(a.Kind) {
			acts = append(acts, a)
		}
	}
	return acts
}

// Merges returns the acts that land code or open the way for it.
func (r Reading) Merges() []Act { return r.pick(Kind.Merges) }

// Tampers returns the acts on the loop's own files, gates or registration.
func (r Reading) Tampers() []Act { return r.pick(Kind.Tampers) }
