package forges

import (
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// Comment judges the text of a comment: a line that a bot takes for an order to merge arms a merge.
func Comment(f *shell.Frame, body string, a act.Act, argv []word.Word) {
	a.Kind = act.Comment
	if order := mergeOrder(body); order != "" {
		a.Kind, a.Auto = act.ArmAutoMerge, true
		if a.PR == 0 && a.Ref == "" {
			a.Ref = order
		}
	}
	f.Act(a, argv)
}

// order is how people tell a bot to merge, by the words that its line begins with. A word that ends
// in * stands for what begins so.
type order struct {
	who  string // who is spoken to, "" a slash command
	says string // the orders, alternatives parted by commas
	of   string // where it is in use
}

var orders = []order{
	{"", "/merge, /merge-when-ready, /merge-queue, /merge-pr, /mergepr, /submit-merge",
		"GitLab quick actions, workflows"},
	{"", "/approve, /lgtm, /hold cancel, /unhold, /remove-hold, /merge-method*", "Prow and Tide"},
	{"", "/automerge, /auto-merge, /queue, /enqueue, /land, /it", "workflows on a comment"},
	{"", "/ship, /shipit, /ship-it, /r+", "workflows on a comment"},
	{"", "/squash, /squash-merge, /rebase-merge, /fast-forward", "workflows that merge in one way"},
	{"", "/trunk merge, /aviator merge, /aviator stack merge, /bot merge, /pr merge",
		"Trunk, Aviator"},
	{"bors bors-* homu tingley", "r+, r=*, merge, merge=*, retry r+", "bors-ng and homu"},
	{"mergify mergifyio", "queue, requeue, merge", "Mergify, with a queue's name"},
	{"dependabot dependabot-preview", "merge, squash and merge", "Dependabot"},
	{"swift-ci", "smoke test and merge, please smoke test and merge, test and merge, " +
		"please test and merge", "Swift"},
	{"pytorchbot pytorchmergebot", "merge", "PyTorch, with flags and a reason"},
	{"*bot *bot-* *-ci *merge* *queue* kodiakhq graphite* renovate* zuul trunk* aviator* " +
		"gitstream*",
		"merge, automerge, queue, requeue, land, enqueue, approve, merge-when-ready, ship, r+, " +
			"squash and merge, " +
			"rebase and merge", "any bot by its name"},
}

// mergeOrder is the line of a comment by which a bot merges, "" none. It must begin its line and
// say nothing else: a comment that talks about the order is no order.
func mergeOrder(body string) string {
	for _, line := range strings.Split(body, "\n") {
		words := strings.Fields(strings.ToLower(line))
		if len(words) > 0 && ordersMerge(words) {
			return word.Clip(strings.TrimSpace(line), 80)
		}
	}
	return ""
}

func ordersMerge(words []string) bool {
	who := strings.TrimRight(strings.TrimPrefix(words[0], "@"), ":,")
	who = strings.TrimSuffix(who, "[bot]")
	for _, o := range orders {
		said := words
		if o.who != "" {
			if !strings.HasPrefix(words[0], "@") && !word.Has("bors homu mergify tingley", who) ||
				!anyGlob(o.who, who) {
				continue
			}
			said = words[1:]
		} else if words[0][0] == '!' {
			said = append([]string{"/" + words[0][1:]}, words[1:]...)
		}
		for _, says := range strings.Split(o.says, ", ") {
			if rest, ok := begins(said, strings.Fields(says)); ok && orderArgs(rest, o.who) {
				return true
			}
		}
	}
	return false
}

func anyGlob(list, name string) bool {
	for _, pat := range strings.Fields(list) {
		if word.GlobMatch(pat, name) {
			return true
		}
	}
	return false
}

// begins takes an order's words off the beginning of a line.
func begins(line, says []string) (rest []string, ok bool) {
	if len(line) < len(says) {
		return nil, false
	}
	for i, w := range says {
		said := strings.TrimRight(line[i], ".!,")
		if head, open := strings.CutSuffix(w, "*"); said != w && !(open &&
			strings.HasPrefix(said, head)) {
			return nil, false
		}
	}
	return line[len(says):], true
}

// orderArgs reports whether words are arguments of an order, not the rest of a sentence.
func orderArgs(args []string, who string) bool {
	for i, a := range args {
		switch {
		case strings.HasPrefix(a, "-") && len(a) > 1:
			return !word.Has("-c --cancel --dry-run", a) // flags, with a reason behind them
		case strings.Contains(a, "=") || strings.HasPrefix(a, "#"):
		case strings.HasPrefix(who, "mergify") && len(args) == 1: // the queue's name
		case i > 2 || !word.Has(`squash rebase merge now queue fast-forward ff pr this it please
default main master when-ready when green passing ci ready no-issue
force branch rollup retry thanks`, strings.TrimRight(a, ".!")):
			return false
		}
	}
	return true
}

// labelWords judges labels given to a PR: one by which a bot merges arms a merge. Others are noted.
func labelWords(f *shell.Frame, words []word.Word, a act.Act, argv []word.Word) {
	for _, w := range words {
		for _, name := range strings.Split(w.Text, ",") {
			if mergeLabel(name) {
				a.Kind, a.Auto = act.ArmAutoMerge, true
				if a.PR == 0 && a.Ref == "" {
					a.Ref = name
				}
				f.Act(a, argv)
				return
			}
		}
	}
	labelled(f, act.SetLabel, words, a, argv)
}

// labelled notes labels that are put on or taken off a numbered issue or PR.
func labelled(f *shell.Frame, kind act.Kind, words []word.Word, a act.Act, argv []word.Word) {
	if a.PR == 0 {
		return
	}
	for _, w := range words {
		for _, name := range strings.Split(w.Text, ",") {
			if name = strings.TrimSpace(name); name != "" {
				f.Act(act.Act{Kind: kind, PR: a.PR, Ref: name}, argv)
			}
		}
	}
}

// Labels judges the labels among a request's leaves.
func Labels(f *shell.Frame, leaves []act.Field, a act.Act, argv []word.Word) {
	for _, fd := range leaves {
		key := strings.TrimSuffix(fd.Path, "[]")
		key = key[strings.LastIndexByte(key, '.')+1:]
		if key == "labels" || key == "add_labels" || key == "label" || key == "" ||
			strings.HasPrefix(key, "labels") {
			labelWords(f, []word.Word{word.Lit(fd.Value)}, a, argv)
		}
	}
}

// Labels by which a bot merges, their letters and digits only: those that may have more around
// them, and whole names.
const (
	// Kodiak, Mergify, pascalgn/automerge-action, Bulldozer, Graphite, GitHub's own queue,
	// spinnaker, docs repositories
	labelParts = `automerge readytomerge readyformerge mergeready mergequeue mergewhen mergeit
mergenow mergeme mergepr mergeonpass mergeongreen mergeafterci shipit
queuemerge readytoland autosquash autorebase autoland addtoqueue
queuedformerge kodiakmerge readyforland`
	// Prow and Tide, Flutter's autosubmit, Node's commit-queue, bots of single projects
	labelNames = `merge queue land lgtm approved ship squash squashmerge rebasemerge statusmerge
botmerge okaytomerge oktomerge autosubmit readytosubmit commitqueue
waitingfortreetogogreen mergetrain sendtomerge landit landwhenready
approvedforlanding prowapproved cq`
)

// mergeLabel tells a label that makes a bot merge from one that only talks about merging.
func mergeLabel(name string) bool {
	squeezed := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
	if word.AnyOf(word.NameWords(name), `no not dont don never skip disable disabled off blocked
failed conflict conflicts without exclude false hold stop`) ||
		strings.HasPrefix(squeezed, "dont") || strings.HasPrefix(squeezed, "no") {
		return false
	}
	return word.HasPart(squeezed, labelParts) || word.Has(labelNames, squeezed)
}
