package forges

import (
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// Comment records a comment, or an armed merge if a line of the comment orders a bot to merge.
func Comment(f *plain.Frame, body string, a effect.Act, argv []shellword.Word) {
	a.Kind = effect.Comment
	if slices.ContainsFunc(strings.Split(body, "\n"), ordersMerge) {
		a.Kind, a.Auto = effect.ArmAutoMerge, true
	}
	f.Act(a, argv)
}

// These words in a comment make a bot merge. They come from GitLab's quick actions, Prow and Tide,
// comment-triggered workflows, bors and homu, Mergify, Dependabot, Kodiak, Graphite, Trunk and
// Aviator. A slash order follows "/" or "!", and a bot order follows a bot's name.
const (
	slashOrders = `merge merge-when-ready merge-queue merge-pr mergepr submit-merge approve lgtm
unhold remove-hold automerge auto-merge queue enqueue land it ship shipit ship-it r+ squash
squash-merge rebase-merge fast-forward`
	botOrders = "merge automerge queue requeue land enqueue approve merge-when-ready ship r+ r"
	bots      = `*bot *bot-* *-ci *merge* *queue* kodiakhq graphite* renovate* zuul trunk* aviator*
gitstream* bors* homu tingley mergify* dependabot-preview`
)

// ordersMerge reports whether a line of a comment makes a bot merge. The line must begin with the
// order or the bot's name, and at most three words, or a flag with a reason, may follow the order.
// Therefore a sentence that only mentions an order does not count.
func ordersMerge(line string) bool {
	words := strings.Fields(strings.ToLower(line))
	if len(words) == 0 {
		return false
	}
	who, said := strings.TrimRight(words[0], ".!,:"), words[1:]
	name := strings.TrimLeft(strings.TrimSuffix(who, "[bot]"), "/!@")
	ofBot := func(pattern string) bool { return shellword.GlobMatch(pattern, name) }
	switch slash := strings.TrimLeft(who, "/!") != who; {
	case name == "":
		return false
	case slash && (shellword.Has(slashOrders, name) || strings.HasPrefix(name, "merge-method")):
	case slash && name == "hold" && len(said) > 0 && said[0] == "cancel":
		said = said[1:]
	case slash && shellword.Has("trunk aviator bot pr", name),
		who[0] == '@' && slices.ContainsFunc(strings.Fields(bots), ofBot),
		shellword.Has("bors homu mergify tingley", who):
		at := slices.IndexFunc(said, func(w string) bool {
			return !shellword.Has("please smoke test and squash rebase retry stack", w)
		})
		if at < 0 {
			return false
		}
		order, _, _ := strings.Cut(strings.TrimRight(said[at], ".!,:"), "=")
		if said = said[at+1:]; !shellword.Has(botOrders, order) {
			return false
		}
	default:
		return false
	}
	return len(said) == 0 || (len(said) <= 3 || said[0][0] == '-') &&
		!shellword.Has("cancel of is conflicts -c --cancel --dry-run", said[0])
}

// labelWords records the labels that a command sets on or removes from an issue or PR with a known
// number. Setting a label that makes a bot merge arms a merge, even if the number is unknown.
func labelWords(f *plain.Frame, kind effect.Kind, words []shellword.Word, a effect.Act,
	argv []shellword.Word) {
	for _, w := range words {
		for name := range strings.SplitSeq(w.Text, ",") {
			name = strings.TrimSpace(name)
			arm := a
			arm.Kind, arm.Auto = effect.ArmAutoMerge, true
			switch {
			case kind == effect.SetLabel && mergeLabel(name):
				f.Act(arm, argv)
			case a.PR > 0 && name != "":
				f.Act(effect.Act{Kind: kind, PR: a.PR, Ref: name}, argv)
			}
		}
	}
}

// Labels records the labels that a request's fields set.
func Labels(f *plain.Frame, leaves []effect.Field, a effect.Act, argv []shellword.Word) {
	for _, fd := range leaves {
		key := strings.TrimRight(fd.Path, "[].0123456789") // labels[], labels.0
		key = key[strings.LastIndexByte(key, '.')+1:]
		if key == "labels" || key == "add_labels" || key == "label" || key == "" ||
			strings.HasPrefix(key, "labels") {
			labelWords(f, effect.SetLabel, []shellword.Word{shellword.Lit(fd.Value)}, a, argv)
		}
	}
}

// Labels that make a bot merge, reduced to letters and digits. A label matches if it contains one
// of labelParts or equals one of labelNames.
const (
	// labelParts comes from Kodiak, Mergify, pascalgn/automerge-action, Bulldozer, Graphite,
	// GitHub's merge queue, Spinnaker and documentation repositories.
	labelParts = `automerge readytomerge readyformerge mergeready mergequeue mergewhen mergeit
mergenow mergeme mergepr mergeonpass mergeongreen mergeafterci shipit queuemerge readytoland
autosquash autorebase autoland addtoqueue queuedformerge kodiakmerge readyforland`
	// labelNames comes from Prow and Tide, Flutter's autosubmit and Node's commit-queue.
	labelNames = `merge queue land lgtm approved ship squash squashmerge rebasemerge statusmerge
waitingfortreetogogreen botmerge autosubmit readytosubmit commitqueue mergetrain sendtomerge landit
landwhenready`
)

// mergeLabel reports whether a label makes a bot merge. A negated label does not.
func mergeLabel(name string) bool {
	squeezed := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
	if shellword.AnyOf(shellword.NameWords(name), `
		no not dont don never skip disable disabled off blocked
failed conflict conflicts without exclude false hold stop`) ||
		strings.HasPrefix(squeezed, "dont") || strings.HasPrefix(squeezed, "no") {
		return false
	}
	return shellword.HasPart(squeezed, labelParts) || shellword.Has(labelNames, squeezed)
}
