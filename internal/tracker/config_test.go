package tracker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseConfig(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []setting
		partial    bool
	}{
		{"a header and a setting on one line", "[alias] Co = checkout # x",
			[]setting{{"alias.co", "checkout"}}, false},
		{"a subsection keeps its case", "[Branch \"A\\\"b\\\\\"]\nMerge=refs/heads/X",
			[]setting{{`branch.A"b\.merge`, "refs/heads/X"}}, false},
		{"the old subsection", "[Remote.Up]\nURL=u", []setting{{"remote.up.url", "u"}}, false},
		{"quotes, escapes and comments", "[a]\nb = \" x;\"y \"#\" \\t\\\\ ; z",
			[]setting{{"a.b", " x;y # \t\\"}}, false},
		{"joined lines", "[a]\nb = c\\\n  d\\\n", []setting{{"a.b", "c  d"}}, false},
		{"a name alone", "[a]\nb\n[c]d", []setting{{"a.b", "true"}, {"c.d", "true"}}, false},
		{"byte order mark, line ends of Windows", "\xef\xbb\xbf[a]\r\nb = c\r\n",
			[]setting{{"a.b", "c"}}, false},
		{"what is before a bad line counts", "[a]\nb=1\n!\nc=2", []setting{{"a.b", "1"}}, true},
		{"an open quote", "[a]\nb=\"1", nil, true},
		{"a bad escape", "[a]\nb=\\x", nil, true},
		{"an include", "[include]\npath=x\n[a]\nb=1",
			[]setting{{"include.path", "x"}, {"a.b", "1"}}, true},
		{"a condition", "[includeIf \"gitdir:x\"]\npath=x",
			[]setting{{"includeif.gitdir:x.path", "x"}}, true},
	} {
		got := parseConfig(c.text)
		if diff := cmp.Diff(c.want, got.list, cmp.AllowUnexported(setting{})); diff != "" ||
			got.partial != c.partial {
			t.Errorf("%s: partial %v: %s", c.name, got.partial, diff)
		}
	}
}

// git itself is the oracle: what it accepts is read the same way, what it refuses is told as
// partial.
func TestParseConfigAgreesWithGit(t *testing.T) {
	dir := sandbox(t)
	file := filepath.Join(dir, "config")
	piece := rapid.SampledFrom([]string{
		"[a]", "[alias]", "[b \"C.d\"]", "[b.C]", "[x \"", "[", "]", "\"", "\\", "\\n", "\\\"",
		"\\\n", "\n", "\n\n", "\r\n", "\r",
		" ", "\t", "=", " = ", "#", ";", "co", "K-1", "9", "value", "é", "\xef\xbb\xbf", "!x", ".",
		"\x01",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"", "[a]\n", "[b \"S\"]\nk = "}).Draw(t, "head") +
			strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := plainGit(dir, "config", "--list", "-z", "--no-includes", "-f", file).Output()
		got := parseConfig(text)
		if got.partial != (err != nil) {
			t.Fatalf("%q: partial %v, git says %v", text, got.partial, err)
		}
		if err != nil {
			return
		}
		if diff := cmp.Diff(squeeze(listed(string(out))), squeeze(got.list),
			cmp.AllowUnexported(setting{})); diff != "" {
			t.Fatalf("%q: %s", text, diff)
		}
	})
}

// listed reads the output of `git config --list -z`.
func listed(out string) []setting {
	var list []setting
	for entry := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		if entry == "" {
			continue
		}
		key, value, ok := strings.Cut(entry, "\n")
		if !ok {
			value = "true"
		}
		list = append(list, setting{key, value})
	}
	return list
}

// squeeze evens out white space inside values: git before 2.45 turns each character of it into a
// space.
func squeeze(list []setting) []setting {
	var even []setting
	for _, s := range list {
		even = append(even, setting{s.key, strings.Map(func(c rune) rune {
			if c == '\t' || c == '\r' {
				return ' '
			}
			return c
		}, s.value)})
	}
	return even
}

func FuzzParseConfig(f *testing.F) {
	f.Add("[a \"b\"]\nc = \"d\\\n e\" # f\n[g]h")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range parseConfig(text).list {
			if s.key == "" {
				t.Error("a setting without a key")
			}
		}
	})
}
