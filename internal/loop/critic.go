package loop

import "strings"

// maxCritiques is how often a thread may send the same critic in one iteration (L17).
const maxCritiques = 3

// critic is the type of a worker that only criticizes, in small letters and without a plugin's
// prefix; "" for any other. A cycle of critique and revision is seen by nothing else.
func (t *Task) critic() string {
	name := strings.ToLower(t.Type)
	name = name[strings.LastIndexByte(name, ':')+1:]
	if name == "archimedes" || strings.Contains(name, "critic") ||
		strings.Contains(name, "critique") {
		return name
	}
	return ""
}

// critique refuses the fourth cycle of a thread with the same critic. What one thread does is not
// counted for another, and an iteration begins with none (L18).
func (e Call) critique(s State) *Deny {
	critic := e.Sends.critic()
	if critic == "" || !e.open(s) || s.Tick.wasCounted("PreToolUse", e.ID, e.Input) {
		return nil
	}
	sent := 0
	for _, c := range s.Tick.Critics {
		if c == e.Agent+"/"+critic {
			sent++
		}
	}
	if sent < maxCritiques {
		return nil
	}
	return notSent(Plural(sent, "cycle")+" with "+critic+" are the most in one iteration",
		"accept the present state, or escalate it: report what a person has to decide")
}
