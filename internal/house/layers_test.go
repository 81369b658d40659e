package house

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layer is one row of the table in AGENTS.md.
type layer struct {
	dir, words string
	may        []string // last elements of our packages' paths, parts of others'
}

// layers reads the table from the first row on. "all above but x, y" allows the rows above and
// everything that they allow.
func layers(t *testing.T) (list []layer) {
	text, err := os.ReadFile(filepath.Join(root, "AGENTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		l := layer{dir: strings.Trim(cells[1], " `"), words: strings.TrimSpace(cells[3])}
		if rest, all := strings.CutPrefix(l.words, "all above"); all {
			rest, isBut := strings.CutPrefix(rest, " but ")
			words := strings.Split(strings.TrimPrefix(rest, ", "), ", ")
			for _, below := range list {
				if base := path.Base(below.dir); !isBut || !slices.Contains(words, base) {
					l.may = append(append(l.may, base), below.may...)
				}
			}
			if !isBut {
				l.may = append(l.may, words...)
			}
		} else if l.words != "nothing" {
			l.may = strings.Split(l.words, ", ")
		}
		list = append(list, l)
	}
	return list
}

// allows returns the word of the row that allows an import.
func (l layer) allows(imported string) (word string, ok bool) {
	i := slices.IndexFunc(l.may, func(word string) bool {
		switch {
		case imported == "hooks":
			return word == "plugin"
		case strings.HasPrefix(imported, "hooks/"):
			return word == path.Base(imported)
		}
		return strings.Contains(imported+"/", "/"+word+"/") || strings.HasPrefix(imported, word)
	})
	if i < 0 {
		return "", false
	}
	return l.may[i], true
}

// The table of layers matches the code. A package imports only what its row allows and only rows
// above it, every word of a row is used, and every package has a row.
func TestLayers(t *testing.T) {
	above, used := map[string]bool{}, map[string]bool{}
	files := sources(t)
	for _, l := range layers(t) {
		for _, s := range files {
			if s.dir != l.dir || s.test {
				continue
			}
			for _, imported := range imports(s.file) {
				if standard(imported) {
					continue
				}
				word, ok := l.allows(imported)
				if !ok {
					t.Errorf("%s imports %s, but its row allows: %s", s.path, imported, l.words)
				}
				if dir, internal := strings.CutPrefix(imported, "hooks/internal/"); internal &&
					!above["internal/"+dir] {
					t.Errorf("%s imports %s, whose row is not above its own", s.path, imported)
				}
				used[l.dir+" "+word] = true
			}
		}
		for _, word := range l.may {
			if !strings.HasPrefix(l.words, "all above") && !used[l.dir+" "+word] {
				t.Errorf("the row of %s allows %s, which it does not import", l.dir, word)
			}
		}
		above[l.dir] = true
	}
	for _, s := range files {
		if strings.HasPrefix(s.dir, "internal/") && s.dir != "internal/house" && !above[s.dir] {
			t.Errorf("%s has no row in the table of layers", s.dir)
			above[s.dir] = true
		}
	}
}

// A kind of loop is a room of its own: only package kind, which registers all of them, imports it.
func TestKindsAreRooms(t *testing.T) {
	const rooms = "internal/kind"
	for _, s := range sources(t) {
		for _, imported := range imports(s.file) {
			if !s.test && strings.HasPrefix(imported, "hooks/"+rooms+"/") && s.dir != rooms {
				t.Errorf("%s imports the kind %s", s.path, imported)
			}
		}
	}
}
