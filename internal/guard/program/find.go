package program

import (
	"strings"

	"hooks/internal/guard/place"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// removes tells commands that take away what they are given.
func removes(name string) bool {
	return word.Has("rm rmdir unlink shred mv truncate trash srm tee touch chmod chown", name)
}

// findTouches tells whether a find that starts here reaches the loop's files and its tests let one of them through.
func findTouches(f *shell.Frame, starts, tests []word.Word) bool {
	if len(starts) == 0 {
		starts = []word.Word{word.Lit(".")}
	}
	for _, s := range starts {
		in := f.KindAt(s) == place.State
		if (in || f.Covers(s)) && testsPass(f, s.Text, in, tests) {
			return true
		}
	}
	return false
}

// shallow tells tests that let only files near the start through: the loop's stand three levels
// down.
func shallow(tests []word.Word) bool {
	near, files := false, false
	for i := 0; i+1 < len(tests); i++ {
		n, ok := word.Atoi(tests[i+1].Text)
		near = near || tests[i].Text == "-maxdepth" && ok && n < 3
		files = files || tests[i].Text == "-type" && tests[i+1].Text == "f"
	}
	return near && files && !word.HasWord(tests, "-o") && !word.HasWord(tests, "-or")
}

const fdValued = `-e --extension -t --type -E --exclude -d --max-depth --min-depth --exact-depth --search-path --base-directory -j
--threads -S --size -c --color -o --owner --changed-within --changed-before --max-results --ignore-file --format`

// fdHead are the words of fd before the command that it runs.
func fdHead(args []word.Word) word.Flags {
	for i, w := range args {
		if word.Has("-x -X --exec --exec-batch", w.Text) {
			args = args[:i]
			break
		}
	}
	return word.ParseFlags(args, fdValued)
}

// fdPaths are where an fd starts: what stands behind its pattern.
func fdPaths(args []word.Word) []word.Word {
	fl := fdHead(args)
	return append(fl.Pos[min(1, len(fl.Pos)):], fl.All("--search-path", "--base-directory")...)
}

// fdTouches tells whether an fd reaches the loop's files: it goes into no hidden folder unless it
// is told to.
func fdTouches(f *shell.Frame, starts, args []word.Word) bool {
	for _, s := range starts {
		if f.KindAt(s) == place.State || place.Matches(word.ProgramName(f.Resolve(s.Text)), ".sdd") {
			return true
		}
	}
	return fdHead(args).On("-H", "--hidden", "-u", "--unrestricted") && findTouches(f, starts, nil)
}

const stateNames = ".sdd loop work.lock review.lock work.budget.json review.budget.json work.history.jsonl review.history.jsonl work.tick.json review.tick.json work.claim.json .gitignore archive"

func testsPass(f *shell.Frame, start string, in bool, tests []word.Word) bool {
	asked, passed := false, false
	if !in && shallow(tests) {
		return false
	}
	for i := 0; i+1 < len(tests); i++ {
		pat := tests[i+1].Text
		negated := i > 0 && (tests[i-1].Text == "!" || tests[i-1].Text == "-not") || i+3 < len(tests) && tests[i+2].Text == "-prune" && word.Has("-o -or", tests[i+3].Text)
		matches := false
		switch tests[i].Text {
		case "-name", "-iname":
			for _, n := range strings.Fields(stateNames) {
				matches = matches || word.GlobMatch(pat, n)
			}
		case "-path", "-wholename", "-ipath":
			sample := strings.TrimSuffix(start, "/") + "/.sdd/loop/work.lock"
			if in {
				sample = strings.TrimSuffix(start, "/") + "/work.lock"
			}
			matches = word.GlobMatch(pat, sample) || word.GlobMatch(pat+"/*", sample)
		case "-empty":
			return false
		default:
			continue
		}
		if negated {
			if matches && pat != "*" {
				return false
			}
			continue
		}
		asked, passed = true, passed || matches
	}
	if len(tests) > 0 && tests[len(tests)-1].Text == "-empty" {
		return false
	}
	return !asked || passed
}
