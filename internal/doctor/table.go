package doctor

import (
	"fmt"

	"hooks/internal/report"
)

// check is a row of the table.
type check struct {
	group, name string
	registered  bool // the check is skipped unless the program is registered
	look        func(*machine, *notes)
}

// table returns all checks by group, in output order.
func table() []check {
	return []check{
		{"registration", "settings-files", false, settingsFiles},
		{"registration", "hooks-registered", false, hooksRegistered},
		{"registration", "registered-once", true, registeredOnce},
		{"registration", "command-form", true, commandForm},
		{"registration", "hook-binary", true, hookBinary},
		{"registration", "switches", false, switches},
		{"registration", "governed-skills", true, governedSkills},

		{"client", "client-version", false, clientVersion},

		{"fired", "receipts", false, receipts},
		{"fired", "live", false, live},

		{"guard", "self-test", true, selfTest},

		{"state", "state-files", false, stateFiles},
		{"state", "record", false, seals},

		{"project", "repository", false, repository},
		{"project", "audit-worktrees", false, linkedWorktrees},
		{"project", "configuration", false, configuration},

		{"tools", "path", false, onPath},
		{"tools", "forge-client", false, forgeClient},
	}
}

// notes collects a check's results. The status is that of the worst problem.
type notes struct {
	report.Check
	fix bool
}

// note adds a finding that is not a problem.
func (n *notes) note(format string, args ...any) {
	n.Found = append(n.Found, fmt.Sprintf(format, args...))
}

// skip marks the check as skipped and records the reason.
func (n *notes) skip(format string, args ...any) {
	n.Status = report.Skipped
	n.note(format, args...)
}

// warn adds a problem that a person should know about or decide on.
func (n *notes) warn(hint, format string, args ...any) {
	n.add(report.Doubt, hint, fmt.Sprintf(format, args...))
}

// fail adds a problem that prevents the program from working.
func (n *notes) fail(hint, format string, args ...any) {
	n.add(report.Broken, hint, fmt.Sprintf(format, args...))
}

func (n *notes) add(status report.Health, hint, text string) {
	n.Problems = append(n.Problems, report.Problem{Status: status, Text: text, Way: hint})
	if n.Status != report.Broken {
		n.Status = status
	}
}

// repaired calls do if a person asked for repairs, and reports whether that solved the problem. If
// so, fixed is printed.
func (n *notes) repaired(fixed string, do func() error) bool {
	if !n.fix {
		return false
	}
	err := do()
	if err != nil {
		n.fail("repair it by hand", "--fix failed: %v", err)
	} else {
		n.Fixed = append(n.Fixed, fixed)
	}
	return err == nil
}
