//go:build !windows

package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const picturePath = "../../docs/demo.svg"

// The picture in the README has the words of today's demo.
func TestPictureIsNotStale(t *testing.T) {
	old, err := os.ReadFile(picturePath)
	if err != nil {
		t.Fatal(err)
	}
	if len(old) > 100<<10 {
		t.Errorf("%s has %d bytes, want 100 KiB or less", picturePath, len(old))
	}
	var today bytes.Buffer
	if err := run(&today); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(words(t, today.Bytes()), words(t, old)); d != "" {
		t.Errorf("docs/demo.svg is stale, draw it with: go run ./scripts/recording > docs/demo.svg"+
			"\n(-demo +picture):\n%s", d)
	}
}

// varying is what differs from one demo to the next.
var varying = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:]+Z|pid \d+`)

// words are the sentences of a picture, one for each title, reader and reply. A longer process
// number may break a line elsewhere.
func words(t *testing.T, svg []byte) []string {
	t.Helper()
	var list []string
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "text" {
			continue
		}
		var text struct {
			Own   string   `xml:",chardata"`
			Parts []string `xml:"tspan"`
		}
		if err := d.DecodeElement(&text, &start); err != nil {
			t.Fatal(err)
		}
		line := varying.ReplaceAllString(text.Own+strings.Join(text.Parts, ""), "…")
		if further := strings.HasPrefix(line, "  "); further && len(list) > 0 {
			list[len(list)-1] += " " + strings.Join(strings.Fields(line), " ")
		} else {
			list = append(list, line)
		}
	}
	return list
}

func TestParse(t *testing.T) {
	got, err := parse("a\x1b[31mb\x1b[0m\r\n\r\n\x1b[1mc\x1b[0md")
	want := []line{{{"", "a"}, {"31", "b"}}, nil, {{"1", "c"}, {"", "d"}}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(piece{})); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
	for _, text := range []string{"\x1b[2J", "\x1b[31", "a\x07", "\x1b]0;t\x07"} {
		if _, err := parse(text); err == nil {
			t.Errorf("%q is parsed, want an error", text)
		}
	}
}
