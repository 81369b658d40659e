package doctor

import (
	"path/filepath"
	"regexp"
	"strings"
)

// contradictions are orders that a model may follow against a gate, each with what it is against. A word before them
// that forbids is no order.
var contradictions = [...]struct{ pattern, against string }{
	{`\balways\s+(squash[- ]?|rebase[- ]?|auto[- ]?)?merge\b`, "merges wait for a person after human feedback"},
	{`\bauto(matically)?[- ]?merge\b|--auto\b.*\bmerge\b|\bmerge\b.*--auto\b`, "an armed merge lands what nobody has read"},
	{`\bmerge\b[^.]*\bwithout\s+(asking|approval|review|confirmation|waiting)`, "merges wait for a person after human feedback"},
	{`\b(never|don'?t|do not)\s+(ask|wait for|stop for|request)\b[^.]*\b(me|user|human|question|confirm|approv|permission|input)|\bnever\s+ask\b|\bwithout\s+asking\b`, "gates are questions that a person answers"},
	{`\b(skip|ignore|bypass)\b[^.]*\b(gates?|hooks?|the loop|approvals?|branch protection)\b`, "gates and hooks are not to be passed by"},
	{`\bpush\s+(directly|straight)\s+to\s+(main|master|trunk)\b`, "protected branches move through PRs only"},
	{`--no-verify\b|--admin\b`, "protections are not to be passed by"},
}

// forbids is a word in front of an order that turns it round.
const forbids = `\b(never|no|not|don'?t|avoid|without|forbidden|must not|cannot)\b[^.]{0,40}$`

// orders looks for instructions that contradict the gates, in the files that every session reads.
func orders(m *machine, n *notes) {
	var compiled []*regexp.Regexp
	for _, c := range contradictions {
		compiled = append(compiled, regexp.MustCompile(`(?i)`+c.pattern))
	}
	forbidden := regexp.MustCompile(`(?i)` + forbids)
	looked := 0
	for _, path := range []string{
		filepath.Join(m.project, "CLAUDE.md"), filepath.Join(m.project, "CLAUDE.local.md"), filepath.Join(m.project, "AGENTS.md"),
		filepath.Join(m.project, ".claude", "CLAUDE.md"), filepath.Join(m.configDir(), "CLAUDE.md"),
	} {
		body, err := read(path)
		if err != nil {
			continue
		}
		looked++
		number := 0
		for line := range strings.Lines(body) {
			number++
			for i, re := range compiled {
				at := re.FindStringIndex(line)
				if at == nil || forbidden.MatchString(line[:at[0]]) {
					continue
				}
				n.warn("take the order away or turn it round: "+contradictions[i].against, "%s:%d orders %q", m.shown(path), number, brief(strings.TrimSpace(line)))
				break
			}
		}
	}
	n.say("%s of instructions read", count(looked, "file"))
}
