package backlog

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Scope selects the part of the backlog that a skill works on. The zero value selects all of it. An
// issue is in scope if it matches every non-empty field: all Labels, and any one value of the other
// fields.
type Scope struct {
	Issues     []int    `json:"issues,omitempty"`
	Labels     []string `json:"labels,omitempty"`
	Milestones []string `json:"milestones,omitempty"`
	Specs      []string `json:"specs,omitempty"` // for example "SPEC-0020"
	// Unclear holds words that may narrow the scope in an unknown way. They make a Result partial.
	Unclear []string `json:"unclear,omitempty"`
}

// maxScope is the maximum number of issues in a range such as 12-15.
const maxScope = 1000

// ParseScope parses a skill's arguments without the loop flags (loop.Flags.Rest): `12 #13,14
// 15-18`, `SPEC-0020`, `label:NAME` or `--label NAME`, `milestone:NAME` or `--milestone NAME`. It
// skips other flags, which belong to the skill, together with their values.
func ParseScope(words []string) Scope {
	var s Scope
	for i := 0; i < len(words); i++ {
		m := scopeWord.re().FindStringSubmatch(words[i])
		key, value := strings.ToLower(m[2]), m[4]
		flag, list := m[1] != "", s.list(key)
		if !flag && (list == nil || m[3] != ":") {
			s.word(words[i])
			continue
		}
		next := ""
		if flag && m[3] == "" && i+1 < len(words) {
			next = words[i+1]
		}
		switch {
		case list != nil:
			*list = append(*list, split(cmp.Or(value, next))...)
			i += min(1, len(next))
		case takesValue.re().MatchString(key) && next != "" && next[0] != '-':
			i++
		}
	}
	return s
}

func (s *Scope) list(key string) *[]string {
	switch strings.TrimSuffix(key, "s") {
	case "label":
		return &s.Labels
	case "milestone":
		return &s.Milestones
	}
	return nil
}

func split(value string) (out []string) {
	for v := range strings.SplitSeq(value, ",") {
		if v = strings.TrimSpace(v); v != "" {
			out = append(out, v)
		}
	}
	return out
}

var (
	// scopeWord splits any word into the hyphens of a flag, a name, ":" or "=", and a value.
	scopeWord = pattern{text: `(?s)^(-*)([^:=]*)([:=]?)(.*)$`}
	// takesValue matches the names of the skill's own flags that take a value.
	takesValue = pattern{text: `^(?:max-.*|module|base|branch|repo|model)$`}
	// issueRange matches 12, #12, 12-15 and #12..#15.
	issueRange = pattern{text: `^#?(\d{1,9})(?:(?:-|\.\.)#?(\d{1,9}))?$`}
	specName   = pattern{text: `(?i)^spec-\d{1,9}$`}
)

// word adds the issues, ranges and SPECs in a word that is not a flag. Any other part is unclear.
func (s *Scope) word(word string) {
	for _, part := range split(word) {
		if specName.re().MatchString(part) {
			s.Specs = append(s.Specs, strings.ToUpper(part))
			continue
		}
		from, to := 0, 0
		if m := issueRange.re().FindStringSubmatch(part); m != nil {
			from, _ = strconv.Atoi(m[1])
			to, _ = strconv.Atoi(cmp.Or(m[2], m[1]))
		}
		if from < 1 || from > to || to-from >= maxScope {
			s.Unclear = append(s.Unclear, part)
			continue
		}
		for n := from; n <= to; n++ {
			s.Issues = append(s.Issues, n)
		}
	}
}

// Holds reports whether an issue is in scope.
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
	return len(s.Specs) == 0 || slices.ContainsFunc(s.Specs, i.mentions)
}

func containsFold(list []string, value string) bool {
	return slices.ContainsFunc(list, func(v string) bool { return strings.EqualFold(v, value) })
}

// mentions reports whether the title, milestone, body or a label contains a SPEC's name.
func (i *Issue) mentions(spec string) bool {
	name := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(spec) + `\b`)
	texts := append([]string{i.Title, i.Milestone, i.Body}, i.Labels...)
	return slices.ContainsFunc(texts, name.MatchString)
}
