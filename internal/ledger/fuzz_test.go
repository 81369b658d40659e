package ledger

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

func seeds(f *testing.F) (list []string) {
	for _, kind := range []string{"clean", "broken"} {
		archive, err := txtar.ParseFile(filepath.Join("testdata", kind+".txtar"))
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			list = append(list, string(file.Data))
		}
	}
	return list
}

// Whatever the text, turns are in order, and each line of them is at its own line number.
func FuzzParse(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := split(text)
		line := 0
		turns := Parse(text)
		for _, turn := range turns {
			if turn.Line <= line || turn.Line > len(lines) {
				t.Fatalf("turn at line %d behind line %d of %d", turn.Line, line, len(lines))
			}
			line = turn.Line
			if turn.Section > 0 {
				if turn.Section < line ||
					!strings.Contains(strings.ToLower(lines[turn.Section-1]), "user feedback") {
					t.Fatalf("line %d is no section: %q", turn.Section, lines[turn.Section-1])
				}
				line = turn.Section
			}
			if turn.Separator > 0 {
				if turn.Separator <= line || !separates(lines[turn.Separator-1]) {
					t.Fatalf("line %d is no separator: %q", turn.Separator, lines[turn.Separator-1])
				}
				line = turn.Separator
			}
			if strings.Contains(turn.Feedback, placeholder) {
				t.Fatalf("the placeholder is feedback: %q", turn.Feedback)
			}
		}
		Lint(turns)
		if found := Rewritten(turns, turns, "HEAD"); found != nil {
			t.Fatalf("a ledger rewrites itself: %v", found)
		}
		Feedback(text)
	})
}

// L22, L27: a turn that is taken adds one closed turn without feedback and changes no other, in any
// ledger that is closed.
func FuzzAppend(f *testing.F) {
	list := seeds(f)
	for i, s := range list {
		f.Add(s, list[len(list)-1-i])
		f.Add("# Tasks Loop\n", s)
	}
	f.Fuzz(func(t *testing.T, old, turn string) {
		before := Parse(old)
		whole := len(before) == 0 || before[len(before)-1].Separator > 0
		closes := closed(old, true)
		hides := strings.ContainsAny(old, "<`~")
		if whole && !closes && !hides {
			t.Fatalf("closed %v", closes)
		}
		if !closes || !whole { // an older turn is broken
			return
		}
		added, err := extend(old, turn)
		if err != nil {
			if added != "" {
				t.Fatalf("refused, and added %q", added)
			}
			return
		}
		after := Parse(old + added)
		if len(after) != len(before)+1 {
			t.Fatalf("%d turns became %d by %q", len(before), len(after), added)
		}
		last := after[len(after)-1]
		if last.Section == 0 || last.Separator == 0 || last.Feedback != "" {
			t.Fatalf("added %+v", last)
		}
		if found := Rewritten(before, after, "HEAD"); found != nil {
			t.Fatalf("added %q: %v", added, found)
		}
		if feedback := Feedback(old + added); feedback != "" {
			t.Fatalf("the turn brought the feedback %q", feedback)
		}
		if !closed(old+added, true) {
			t.Fatal("the next turn has no place")
		}
	})
}

// pieces are lines of which ledgers are made, for a comparison with a whole parser of Markdown.
var pieces = []string{
	"Did it.", "", "", "", "# Tasks", "## Turn", "### Deeper", heading, heading,
	heading + " ##", "## user feedback", "### User Feedback", separator, separator, "***", "----",
	"===", "```", "```go", "````", "~~~", "  ```", "> quoted", "> " + heading, "- item",
	"- [ ] task", "  more", "    code", "| a | b |", "|---|---|", "<!-- c -->", "<!--", "-->",
	"`code`", placeholder, "**bold**", "[a]: b", "- ```",
}

// odd are lines that put a code block where this package does not look for one.
var odd = []string{"1. item", "- - -", "   ```", "10) item", "  - deep", "> ```", ">", "\t```"}

// sections lists the lines of the feedback headings outside of quotes, lists and code, as goldmark
// sees them.
func sections(p parser.Parser, source string) (lines []int) {
	root := p.Parse(text.NewReader([]byte(source)))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok || h.Level != 2 || h.Lines().Len() != 1 {
			continue
		}
		at := h.Lines().At(0)
		start := strings.LastIndexByte(source[:at.Start], '\n') + 1
		if strings.EqualFold(string(at.Value([]byte(source))), title) &&
			strings.HasPrefix(source[start:], "#") {
			lines = append(lines, strings.Count(source[:start], "\n")+1)
		}
	}
	return lines
}

// L25: on ledgers made of common lines, the feedback sections are those of goldmark. With odd ones,
// they are those and perhaps more: then a turn is refused that need not be, and none passes that
// brings a section.
func TestSectionsAreMarkdowns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	differ := 0
	p := goldmark.DefaultParser()
	all := slices.Concat(pieces, odd)
	for n := range 10000 {
		from, isOdd := pieces, n%2 == 1
		if isOdd {
			from = all
		}
		var b strings.Builder
		b.WriteString("Begun.\n\n")
		for range 1 + r.IntN(12) {
			b.WriteString(from[r.IntN(len(from))] + "\n")
		}
		got, want := []int(nil), sections(p, b.String())
		for _, turn := range Parse(b.String()) {
			if turn.Section > 0 && (!isOdd || slices.Contains(want, turn.Section)) {
				got = append(got, turn.Section)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v:\n%s", got, want, b.String())
			if differ++; differ > 5 {
				return
			}
		}
	}
}
