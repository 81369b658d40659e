package term

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

var hostile = []struct{ name, in, line string }{
	{"colour", "a\x1b[31mb\x1b[0m", "a[31mb[0m"},
	{"window title", "\x1b]0;pwned\x07x", "]0;pwnedx"},
	{"link", "\x1b]8;;http://x\x1b\\here\x1b]8;;\x1b\\", `]8;;http://x\here]8;;\`},
	{"clipboard", "\x1b]52;c;cm0gLXJm\x07", "]52;c;cm0gLXJm"},
	{"C1 CSI", "a\u009b31mb", "a31mb"},
	{"C1 OSC", "\u009d52;c;eA==\u009c", "52;c;eA=="},
	{"a C1 byte alone", "a\x9b31m", "a\uFFFD31m"},
	{"backspaces", "safe\b\b\b\bevil", "safeevil"},
	{"carriage return", "safe\revil", "safeevil"},
	{"DEL and NUL", "a\x7fb\x00c", "abc"},
	{"bidi override", "a\u202egpj.exe\u202c", "agpj.exe"},
	{"bidi isolate", "\u2066a\u2069\u200e\u200f\u061c", "a"},
	{"line separators", "a\u2028b\u2029c\u0085d", "abcd"},
	{"tags", "a\U000E0041\U000E007F", "a"},
	{"lines", "a\n\tb", "a  b"},
	{"words of the world", "naïve 日本語 👩‍👩‍👧 שלום", "naïve 日本語 👩‍👩‍👧 שלום"},
}

func TestLine(t *testing.T) {
	for _, c := range hostile {
		if got := Line(c.in); got != c.line {
			t.Errorf("%s: %q, want %q", c.name, got, c.line)
		}
	}
}

// Whatever goes in, nothing that a terminal acts on comes out, and a second pass changes nothing.
func TestTextIsHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.String().Draw(t, "text") + rapid.SampledFrom(hostile).Draw(t, "hostile").in
		out := Text(in)
		for _, r := range out {
			if unicode.IsControl(r) && r != '\n' && r != '\t' ||
				unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("%q holds %q", out, r)
			}
		}
		if again := Text(out); again != out {
			t.Fatalf("%q becomes %q", out, again)
		}
	})
}

// JSON that is shown in a terminal is harmless there and means the same.
func TestJSONMeansTheSame(t *testing.T) {
	for _, c := range hostile {
		in, err := json.MarshalIndent(map[string]string{"v": c.in}, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		out := string(JSON(bytes.ReplaceAll(in, []byte("\t"), []byte("  "))))
		var want, got map[string]string
		if err := json.Unmarshal(in, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || got["v"] != want["v"] {
			t.Errorf("%s: %s means %q, want %q (%v)", c.name, out, got["v"], want["v"], err)
		}
		if Text(out) != out {
			t.Errorf("%s: %q", c.name, out)
		}
	}
}

// Text in which nothing is escaped is found however long it is, and wherever the odd character is.
func TestJSONOfAnyLength(t *testing.T) {
	for in, want := range map[string]string{
		"\"plain é 漢\"": "\"plain é 漢\"", "\"\u009b2J\"": `"\u009b2J"`,
		"\"a\u202eb\"":  `"a\u202eb"`,
		"{\t\"a\":\r1}": `{ "a": 1}`,
		"\"\x7f\"":      `"\u007f"`, "\"1234567\x7f\"": `"1234567\u007f"`, "\"\xc2\"": "\"\ufffd\"",
	} {
		if got := string(JSON([]byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
