package guard

import "strings"

// removes tells commands that take away what they are given.
func removes(name string) bool {
	return has("rm rmdir unlink shred mv truncate trash gtruncate srm tee touch chmod chown", name)
}

// findTouches tells whether a find that starts here reaches the loop's files and its tests let one of them through.
func (f *frame) findTouches(starts, tests []word) bool {
	if len(starts) == 0 {
		starts = []word{lit(".")}
	}
	for _, s := range starts {
		in := f.kindAt(s) == stateKind
		if (in || f.covers(s)) && f.testsPass(s.text, in, tests) {
			return true
		}
	}
	return false
}

const stateNames = ".sdd loop work.lock review.lock work.budget.json review.budget.json work.history.jsonl review.history.jsonl work.tick.json review.tick.json work.claim.json .gitignore archive"

func (f *frame) testsPass(start string, in bool, tests []word) bool {
	asked, passed := false, false
	for i := 0; i+1 < len(tests); i++ {
		pat := tests[i+1].text
		negated := i > 0 && (tests[i-1].text == "!" || tests[i-1].text == "-not") || i+3 < len(tests) && tests[i+2].text == "-prune" && has("-o -or", tests[i+3].text)
		matches := false
		switch tests[i].text {
		case "-name", "-iname":
			for _, n := range strings.Fields(stateNames) {
				matches = matches || globMatch(pat, n)
			}
		case "-path", "-wholename", "-ipath":
			sample := strings.TrimSuffix(start, "/") + "/.sdd/loop/work.lock"
			if in {
				sample = strings.TrimSuffix(start, "/") + "/work.lock"
			}
			matches = globMatch(pat, sample) || globMatch(pat+"/*", sample)
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
	if len(tests) > 0 && tests[len(tests)-1].text == "-empty" {
		return false
	}
	return !asked || passed
}
