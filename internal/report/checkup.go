package report

import (
	"fmt"
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

// CheckupText prints a checkup by group; paint colours a status, or returns it as it is.
func CheckupText(c Checkup, paint func(Health, string) string) string {
	var b strings.Builder
	count, group := map[Health]int{}, ""
	for _, k := range c.Checks {
		if count[k.Status]++; k.Group != group {
			group = k.Group
			fmt.Fprintf(&b, "%s\n", group)
		}
		b.WriteString(checkText(k, paint))
	}
	fmt.Fprintf(&b, "\n%s in %s: %d ok, %d warn, %d fail, %d skip", clean(c.Version), clean(c.Project),
		count[Fine], count[Doubt], count[Broken], count[Skipped])
	return b.String()
}

func checkText(k Check, paint func(Health, string) string) string {
	var b strings.Builder
	head := strings.TrimRight(fmt.Sprintf("%-21s %s", k.Name, clean(first(k.Found))), " ")
	fmt.Fprintf(&b, "  %s %s\n", paint(k.Status, fmt.Sprintf("%-4s", k.Status)), head)
	for _, f := range k.Found[min(1, len(k.Found)):] {
		fmt.Fprintf(&b, "  %-26s %s\n", "", clean(f))
	}
	for _, f := range k.Fixed {
		fmt.Fprintf(&b, "       fixed: %s\n", clean(f))
	}
	for _, p := range k.Problems {
		word := "warning"
		if p.Status == Broken {
			word = "error"
		}
		fmt.Fprintf(&b, "       %s: %s\n       hint: %s\n", word, clean(p.Text), clean(p.Way))
	}
	return b.String()
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
