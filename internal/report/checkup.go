package report

import (
	"fmt"
	"slices"
	"strings"
)

// Health is how a check or one of its problems stands.
type Health string

// The states of a check, the best first. A skipped check had nothing to look at.
const (
	Skipped Health = "skip"
	Fine    Health = "ok"
	Doubt   Health = "warn"
	Broken  Health = "fail"
)

// Checkup is what the doctor found.
type Checkup struct {
	Version string  `json:"version"`
	Program string  `json:"program"` // path of this binary
	Project string  `json:"project"`
	OK      bool    `json:"ok"` // no check fails
	Checks  []Check `json:"checks"`
}

// Check is one thing that was looked at.
type Check struct {
	Group    string    `json:"group"`
	Name     string    `json:"name"`
	Status   Health    `json:"status"`
	Found    []string  `json:"found"`
	Problems []Problem `json:"problems"`
	Fixed    []string  `json:"fixed"` // what --fix did
	Millis   int64     `json:"millis"`
}

// Problem is one thing that is wrong, and the way out.
type Problem struct {
	Status Health `json:"status"` // warn or fail
	Text   string `json:"text"`
	Way    string `json:"way"`
}

// CheckupText prints the problems of a checkup by group, or with all every check, and at its end,
// where a person looks first, how many there are of each kind.
func CheckupText(s Screen, c Checkup, all bool) string {
	p, count, names, group := newPage(s), map[Health]int{}, map[Health][]string{}, ""
	var skipped []string
	shown := slices.DeleteFunc(slices.Clone(c.Checks), func(k Check) bool {
		count[k.Status]++
		names[k.Status] = append(names[k.Status], k.Name)
		asked := k.Name == "live" && k.Status != Skipped
		return !all && !asked && len(k.Problems)+len(k.Fixed) == 0
	})
	for i, k := range shown {
		if k.Group != group {
			group = k.Group
			p.line(plain, "%s", group)
		}
		if skipped = append(skipped, k.Name); i+1 < len(shown) && k.skippedWith(shown[i+1]) {
			continue // told together with the next one
		}
		if len(skipped) > 1 {
			p.lead(faint, "  skip ", len("  skip "), plain, strings.Join(skipped, ", ")+": "+first(k.Found))
		} else {
			p.check(k)
		}
		skipped = nil
	}
	if len(shown) > 0 {
		p.blank()
	}
	p.line(plain, "%s in %s: %d ok, %d warn, %d fail, %d skip", c.Version, c.Project, count[Fine], count[Doubt], count[Broken], count[Skipped])
	for _, h := range []Health{Broken, Doubt} {
		if len(names[h]) > 0 {
			p.lead(healthStyle(h), string(h)+": ", len("fail: "), plain, strings.Join(names[h], ", "))
		}
	}
	return p.String()
}

// skippedWith says that the next check has nothing to look at for the same reason.
func (k Check) skippedWith(next Check) bool {
	return k.Status == Skipped && next.Status == Skipped && k.Group == next.Group && slices.Equal(k.Found, next.Found)
}

// checkRoom is the column that a check's name takes, behind its status.
const checkRoom = 22

func (p *page) check(k Check) {
	lead, indent := fmt.Sprintf("  %-4s %s", k.Status, pad(k.Name, checkRoom, false)), len("  fail ")+checkRoom
	if p.Width < 2*indent {
		lead, indent = fmt.Sprintf("  %-4s %s ", k.Status, k.Name), len("  fail ")
	}
	p.lead(healthStyle(k.Status), lead, indent, plain, first(k.Found))
	for _, f := range k.Found[min(1, len(k.Found)):] {
		p.put(strings.Repeat(" ", indent), indent, plain, f)
	}
	note := func(style, format string, args ...any) {
		p.put(strings.Repeat(" ", len("  fail ")), len("  fail "), style, fmt.Sprintf(format, args...))
	}
	for _, f := range k.Fixed {
		note(plain, "fixed: %s", f)
	}
	for _, o := range k.Problems {
		word := "warning"
		if o.Status == Broken {
			word = "error"
		}
		note(healthStyle(o.Status), "%s: %s", word, o.Text)
		note(plain, "hint: %s", o.Way)
	}
}

func healthStyle(h Health) string {
	return map[Health]string{Fine: good, Doubt: warn, Broken: bad, Skipped: faint}[h]
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
