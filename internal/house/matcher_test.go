package house

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// matches is the client's rule for a matcher: a list of names, or, with any other character in it, a regular
// expression that is not anchored.
func matches(matcher, tool string) bool {
	if matcher == "" || matcher == "*" {
		return true
	}
	if strings.Trim(matcher, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- ,|") == "" {
		names := strings.FieldsFunc(matcher, func(c rune) bool { return c == '|' || c == ',' || c == ' ' })
		return slices.Contains(names, tool)
	}
	return regexp.MustCompile(matcher).MatchString(tool)
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		matcher, tool string
		want          bool
	}{
		{"", "X", true}, {"*", "X", true}, {"Bash|Edit", "Edit", true}, {"Bash", "BashOutput", false},
		{"Bash|mcp__.*", "BashOutput", true}, {"mcp__.*", "mcp__a__b", true}, {"mcp__.*", "Bash", false},
	} {
		if got := matches(c.matcher, c.tool); got != c.want {
			t.Errorf("%q on %s: %v", c.matcher, c.tool, got)
		}
	}
}
