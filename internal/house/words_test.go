package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// retired are phrases that no page and no program has any more, in lower case.
var retired = []string{
	"behind your back", "nothing makes it", "it is the last one", "that very commit",
	"where people spoke", "where nobody is there", "take one registration",
	"wins that block whole", "the way out", "mended safely", "a setting of others",
	"read by nobody", "who needs a wall", "for nothing. call", "go round what",
	"let it go on to its end", "go on when you want", "keeps nothing from the other",
	"told again", "where nothing tells", "and is told, whatever", "it is said to be",
	"points at nothing is", "its schedule must go",
}

// retiredWords are single words and short forms that have a plainer one. The names of stories, in
// italics on a page, keep them.
var retiredWords = regexp.MustCompile(`\b(anew|nobody|at hand|way out|is none of|` +
	`(go|goes|going|went) on|stands (in|on|there|at|before|behind|alone|twice|between|among|` +
	`beside|below|under|here|as))\b`)

// specified are words of the specification about merges.
var specified = strings.NewReplacer("nobody commented", "", "it is unknown who commented", "")

var comment = regexp.MustCompile(`(?m)^# .*`)

var italics = regexp.MustCompile(`\*[a-z][^*]+\*`)

func TestRetiredPhrases(t *testing.T) {
	all := files(t)
	stories, _ := filepath.Glob(filepath.Join(root, "hooks/testdata/script/*.txtar"))
	for _, path := range stories {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(path)] = strings.Join(comment.FindAllString(string(text), -1), "\n")
	}
	for _, dir := range []string{".", "docs", "skills", "agents"} {
		err := fs.WalkDir(os.DirFS(filepath.Join(root, dir)), ".",
			func(name string, d fs.DirEntry, err error) error {
				switch {
				case err != nil:
					return err
				case d.IsDir() && dir == "." && name != ".":
					return fs.SkipDir // its pages are those of the other folders
				case filepath.Ext(name) != ".md":
					return nil
				}
				text, err := os.ReadFile(filepath.Join(root, dir, name))
				all[dir+"/"+name] = string(text)
				return err
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range all {
		if name == "internal/house/words_test.go" {
			continue
		}
		words := strings.Join(strings.Fields(strings.ReplaceAll(strings.ToLower(text), "//", " ")),
			" ")
		words = specified.Replace(words)
		for _, phrase := range retired {
			if strings.Contains(words, phrase) {
				t.Errorf("%s says %q", name, phrase)
			}
		}
		if filepath.Ext(name) == ".md" {
			words = italics.ReplaceAllString(words, "")
		}
		for _, word := range retiredWords.FindAllString(words, -1) {
			t.Errorf("%s says %q", name, word)
		}
	}
}
