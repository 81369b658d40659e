package child

import (
	"strings"
	"testing"
)

func TestBoundedOutput(t *testing.T) {
	b := bounded{most: 5}
	for _, s := range []string{"abc", "def", "ghi"} {
		if n, err := b.Write([]byte(s)); n != 3 || err != nil {
			t.Fatal(n, err)
		}
	}
	if b.String() != "abcde" || !b.over {
		t.Errorf("kept %q, over %v", b.String(), b.over)
	}
}

// What a program says ends up in notes that are kept.
func TestRedact(t *testing.T) {
	for in, want := range map[string]string{
		"fatal: unable to access 'https://u:tok@en@h.org/x': no":                                       "fatal: unable to access 'https://h.org/x': no",
		"https://h.org/a@b and ssh://git@h/x":                                                          "https://h.org/a@b and ssh://h/x",
		"HTTP 401 with ghp_16C7e42F292c6912E7710c838347Ae178B4a":                                       "HTTP 401 with <redacted>",
		"?private_token=0123456789abcdef0123456789abcdef01234567":                                      "?private_token=<redacted>",
		"Could not resolve to a Repository with the name 'o/a-rather-long-name-of-a-repository-it-is'": "Could not resolve to a Repository with the name 'o/a-rather-long-name-of-a-repository-it-is'",
		"glpat-abcdefghij!": "<redacted>!",
		"bad object 0123456789abcdef0123456789abcdef01234567": "bad object 0123456789abcdef0123456789abcdef01234567",
		"nothing": "nothing",
	} {
		if got := Redact(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"": "",
		"\n \x1b[2J\n\x1b[31mfatal\x07: no\tway\u202e\nmore": "[2J",
		"\n\r\nsecond\u2028":     "second",
		strings.Repeat("é", 300): strings.Repeat("é", mostLine-1) + "…",
	} {
		if got := Line(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}
