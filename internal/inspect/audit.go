package inspect

import (
	"crypto/sha256"
	"encoding/hex"

	"hooks/internal/audits"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/report"
)

// Audit is the audit loop of the project, or of the first linked worktree that has one, with its
// findings (A30). It fails where there is none.
func (d *Inspector) Audit() (report.Audited, error) {
	found := report.Audited{Findings: []loop.Finding{}}
	err := d.askTrees(func(v *question) error {
		if found.Run != nil {
			return nil
		}
		return v.each([]loop.Skill{loop.Audit}, func(l *loopState) error {
			if l.Budget.Audit == nil {
				return nil
			}
			err := v.files.Findings(l.Budget)
			found.Run, found.Project = l.Budget, v.project
			found.Findings = append(found.Findings, l.Budget.Audit.Findings...)
			return err
		})
	})
	if err == nil && found.Run == nil {
		err = hint.New("start one with /hooks:audit PLAN in a linked worktree",
			"no audit loop here")
	}
	return found, err
}

// Section is the text of a section of the plan as it was when the loop began, from 1; 0 is the one
// under way (A43).
func (d *Inspector) Section(number int) (text string, err error) {
	found, err := d.Audit()
	if err != nil {
		return "", err
	}
	r := found.Run.Audit
	if number == 0 {
		number = r.Section + 1
	}
	err = d.askIn(found.Project, func(v *question) error {
		plan := v.files.Plan()
		sum := sha256.Sum256(plan)
		_, list, err := audits.Split(string(plan), loop.MaxSections)
		switch {
		case err != nil || hex.EncodeToString(sum[:8]) != r.PlanSum:
			return hint.New("read it in "+r.Plan, "the copy of the plan is gone or was changed")
		case number < 1 || number > len(list):
			return hint.New("name one from 1 on", "section %d of %d", number, len(list))
		}
		text = list[number-1].Text
		return nil
	})
	return text, err
}
