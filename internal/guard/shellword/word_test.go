package shellword

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A list holds its words and nothing that is only a part of one, at its end for instance.
func TestHas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.StringMatching(`[ab]{1,4}([ \n][ab]{1,4}){0,5}`).Draw(t, "list")
		name := rapid.StringMatching(`[ab]{0,4}`).Draw(t, "name")
		if got, want := Has(list, name), slices.Contains(strings.Fields(list), name); got != want {
			t.Fatalf("Has(%q, %q) = %v, want %v", list, name, got, want)
		}
	})
}
