package backlog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Scope is the part of the backlog that a skill was told to work on. The zero value is all of it. Of one kind any
// value fits, of labels every one; different kinds all have to fit.
type Scope struct {
	Issues     []int    `json:"issues,omitempty"`
	Labels     []string `json:"labels,omitempty"`
	Milestones []string `json:"milestones,omitempty"`
	Specs      []string `json:"specs,omitempty"` // as in "SPEC-0020"
	// Unclear are words that may narrow the scope in a way that is not known here. Then the true scope may be smaller,
	// so that nothing follows from what is in this one.
	Unclear []string `json:"unclear,omitempty"`
}

// mostRange bounds a range of issues such as 12-15.
const mostRange = 1000

// ParseScope reads the words that are left of a skill's arguments after the loop flags (loop.Flags.Rest):
// `12 #13,14 15-18`, `SPEC-0020`, `label:NAME` or `--label NAME`, `milestone:NAME` or `--milestone NAME`. Other flags
// belong to the skill; those whose name says that a value follows take it along.
func ParseScope(words []string) Scope {
	var s Scope
	for i := 0; i < len(words); i++ {
		name, value, has := strings.Cut(words[i], "=")
		if !strings.HasPrefix(name, "-") {
			name, value, has = strings.Cut(words[i], ":")
		}
		key := strings.TrimLeft(strings.ToLower(name), "-")
		to := s.list(key)
		switch {
		case to != nil && has:
			*to = append(*to, split(value)...)
		case to != nil && strings.HasPrefix(name, "-") && i+1 < len(words):
			i++
			*to = append(*to, split(words[i])...)
		case strings.HasPrefix(words[i], "-"):
			if !has && takesValue(key) && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
				i++
			}
		default:
			s.word(words[i])
		}
	}
	return s
}

func (s *Scope) list(key string) *[]string {
	switch key {
	case "label", "labels":
		return &s.Labels
	case "milestone", "milestones":
		return &s.Milestones
	}
	return nil
}

func split(value string) []string {
	var out []string
	for v := range strings.SplitSeq(value, ",") {
		if v = strings.TrimSpace(v); v != "" {
			out = append(out, v)
		}
	}
	return out
}

// takesValue: the skill's own flags that are followed by a value.
func takesValue(key string) bool {
	return strings.HasPrefix(key, "max-") || key == "module" || key == "base" || key == "branch" || key == "repo" || key == "model"
}

// word takes one word that is no flag; one that is no issue, range or SPEC is unclear.
func (s *Scope) word(word string) {
	for _, part := range split(word) {
		from, to, ok := numbers(part)
		switch {
		case ok:
			for n := from; n <= to; n++ {
				s.Issues = append(s.Issues, n)
			}
		case isSpec(part):
			s.Specs = append(s.Specs, strings.ToUpper(part))
		default:
			s.Unclear = append(s.Unclear, part)
		}
	}
}

// numbers reads 12, #12, 12-15, #12..#15.
func numbers(part string) (from, to int, ok bool) {
	first, last, isRange := strings.Cut(part, "..")
	if !isRange {
		first, last, isRange = strings.Cut(part, "-")
	}
	if !isRange {
		last = first
	}
	from, err := strconv.Atoi(strings.TrimPrefix(first, "#"))
	to, err2 := strconv.Atoi(strings.TrimPrefix(last, "#"))
	return from, to, err == nil && err2 == nil && from > 0 && from <= to && to-from < mostRange && to <= mostNumber
}

// isSpec: a word such as SPEC-0020 or spec-20.
func isSpec(word string) bool {
	prefix, digits, ok := strings.Cut(word, "-")
	return ok && strings.EqualFold(prefix, "spec") && digits != "" && len(digits) <= 9 && strings.Trim(digits, "0123456789") == ""
}

// Holds says whether an issue is in scope.
func (s *Scope) Holds(i *Issue) bool {
	if len(s.Issues) > 0 && !slices.Contains(s.Issues, i.Number) {
		return false
	}
	if len(s.Milestones) > 0 && !containsFold(s.Milestones, i.Milestone) {
		return false
	}
	for _, l := range s.Labels {
		if !containsFold(i.Labels, l) {
			return false
		}
	}
	return len(s.Specs) == 0 || slices.ContainsFunc(s.Specs, i.names)
}

func containsFold(list []string, value string) bool {
	return slices.ContainsFunc(list, func(v string) bool { return strings.EqualFold(v, value) })
}

// names: the issue speaks of a SPEC in its title, body, labels or milestone.
func (i *Issue) names(spec string) bool {
	for _, text := range append([]string{i.Title, i.Milestone, i.Body}, i.Labels...) {
		if len(text) >= len(spec) && wordIn(strings.ToUpper(text), spec) {
			return true
		}
	}
	return false
}

// String is the scope in words, "" for all.
func (s Scope) String() string {
	var parts []string
	for i, n := range s.Issues {
		if i == 10 {
			parts = append(parts, fmt.Sprintf("… %d issues", len(s.Issues)))
			break
		}
		parts = append(parts, fmt.Sprintf("#%d", n))
	}
	for _, list := range []struct {
		name   string
		values []string
	}{{"label ", s.Labels}, {"milestone ", s.Milestones}, {"", s.Specs}} {
		for _, v := range list.values {
			parts = append(parts, list.name+v)
		}
	}
	return strings.Join(parts, ", ")
}
