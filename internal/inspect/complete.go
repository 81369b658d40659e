package inspect

import (
	"slices"
	"strings"

	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
)

// Words returns the words that a shell may complete in the current project: the "run" ids and
// "session" ids of its runs, the newest first, or for "gate" the names of the waiting gates and,
// after a name, that gate's options. A word with a character that means something to a shell is
// left out, because the files may have been written by anybody.
func (d *Inspector) Words(kind string, before []string) (words []string) {
	_ = d.ask(func(v *question) error {
		if kind == "gate" {
			words = v.gateWords(before)
			return nil
		}
		return v.everyRun(func(_ *store.Store, l *loopState, _ bool) error {
			id := l.Budget.RunID
			if kind == "session" {
				id = l.Budget.SessionID
			}
			words = loop.AppendNew(words, id)
			return nil
		})
	})
	return slices.DeleteFunc(words, func(w string) bool { return !plain(w) })
}

// plain reports whether a word means itself in every shell and is not taken for a flag.
func plain(word string) bool {
	special := strings.ContainsFunc(word, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') &&
			!strings.ContainsRune("-_.:", r)
	})
	return word != "" && word[0] != '-' && !special
}

func (v *question) gateWords(before []string) (words []string) {
	var waiting []report.Waiting
	_ = v.each(loop.Skills(), func(l *loopState) error {
		for _, w := range openGates(l) {
			if w.Paused {
				waiting = append(waiting, w)
			}
		}
		return nil
	})
	if len(before) > 0 {
		parts := strings.Split(strings.Trim(before[0], `'"`), ":")
		for _, w := range waiting {
			if len(before) == 1 && slices.Contains(parts, w.Gate.Name) {
				for _, o := range w.Gate.Options {
					words = loop.AppendNew(words, o.Label)
				}
			}
		}
		return words
	}
	times := map[string]int{}
	for _, w := range waiting {
		for _, name := range names(w) {
			times[name]++
		}
	}
	for _, w := range waiting {
		list := names(w)
		for len(list) > 1 && times[list[0]] > 1 {
			list = list[1:]
		}
		words = loop.AppendNew(words, list[0])
	}
	return words
}

// names are the ways to name a gate on a command line, the shortest first.
func names(w report.Waiting) []string {
	short, full := w.Gate.Name, w.Gate.Name
	if w.Gate.Target != "" {
		full += ":" + report.TargetNumber(w.Gate)
	}
	return loop.AppendNew([]string{short}, full, string(w.Skill)+":"+full)
}
