package loop

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitWords(t *testing.T) {
	for in, want := range map[string][]string{
		"": nil, "  ": nil, "a": {"a"}, " a  b\tc ": {"a", "b", "c"}, `sh -c 'notify-send "$HOOKS_TITLE"'`: {"sh", "-c", `notify-send "$HOOKS_TITLE"`},
		`a "" ''`: {"a", "", ""}, `x"y z"w`: {"xy zw"}, `C:\bin\say.exe "a b"`: {`C:\bin\say.exe`, "a b"}, `a "open b`: {"a", "open b"}, "a;b $(c) `d`": {"a;b", "$(c)", "`d`"},
	} {
		if d := cmp.Diff(want, SplitWords(in)); d != "" {
			t.Errorf("%q: %s", in, d)
		}
	}
}
