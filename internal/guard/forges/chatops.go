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

// mergeOrder is the line of a comment by which a bot merges, "" none. It must begin its line: a comment that talks
// about the order is no order.
func mergeOrder(body string) string {
	for _, line := range strings.Split(body, "\n") {
		words := strings.Fields(strings.ToLower(line))
		if len(words) > 0 && (slashOrder(words) || botOrder(words)) {
			return word.Clip(strings.TrimSpace(line), 80)
		}
	}
	return ""
}

// slashOrder is /merge, !merge, /lgtm, /approve, with at most one more word of argument.
func slashOrder(words []string) bool {
	first := strings.TrimRight(words[0], ".!")
	if first == "" || first[0] != '/' && first[0] != '!' || !orderArgs(words[1:]) {
		return false
	}
	return word.Has(`merge automerge auto-merge land ship shipit ship-it queue enqueue submit-merge squash squash-merge rebase-merge
fast-forward lgtm approve merge-when-ready merge-queue r+ it merge-pr mergepr`, first[1:])
}

// orderArgs tells arguments of an order from the rest of a sentence.
func orderArgs(args []string) bool {
	for i, a := range args {
		if strings.HasPrefix(a, "-") || strings.Contains(a, "=") || strings.HasPrefix(a, "#") {
			continue
		}
		if !word.Has(`squash rebase merge now queue fast-forward ff pr this it please default main master when-ready when green
passing ci ready no-issue force branch ready`, strings.TrimRight(a, ".!")) || i > 2 {
			return false
		}
	}
	return true
}

// botOrder is an order to a bot by name: "bors r+", "@dependabot merge", "@mergifyio queue".
func botOrder(words []string) bool {
	bot := strings.TrimRight(strings.TrimPrefix(words[0], "@"), ":,")
	bot = strings.TrimSuffix(bot, "[bot]")
	mentioned := strings.HasPrefix(words[0], "@")
	if len(words) < 2 || !mentioned && !word.Has("bors homu mergify tingley graphite", bot) {
		return false
	}
	order, rest := strings.TrimRight(words[1], ".!"), words[2:]
	switch {
	case strings.HasPrefix(order, "r+") || strings.HasPrefix(order, "r=") || order == "merge" || order == "automerge" || order == "queue" || order == "requeue" || order == "land" || order == "enqueue":
		return orderArgs(rest)
	case (order == "squash" || order == "rebase") && len(rest) > 1 && rest[0] == "and" && strings.HasPrefix(rest[1], "merge"):
		return true
	case order == "approve" || order == "merge-when-ready":
		return len(rest) == 0 && bot != ""
	}
	return false
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
		if key == "labels" || key == "add_labels" || key == "label" || key == "" || strings.HasPrefix(key, "labels") {
			labelWords(f, []word.Word{word.Lit(fd.Value)}, a, argv)
		}
	}
}

// mergeLabel tells a label that makes a bot merge from one that only talks about merging.
func mergeLabel(name string) bool {
	squeezed := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
	if strings.HasPrefix(squeezed, "dont") || strings.HasPrefix(squeezed, "donot") || strings.HasPrefix(squeezed, "no") {
		return false
	}
	for _, mark := range []string{"automerge", "readytomerge", "mergeready", "mergequeue", "mergewhen", "mergeit", "mergenow",
		"mergeme", "shipit", "queuemerge", "mergeonpass", "mergepr", "readytoland", "autosquash", "autoland", "addtoqueue",
		"mergeongreen", "queuedformerge"} {
		if strings.Contains(squeezed, mark) {
			return true
		}
	}
	return word.Has("merge queue land lgtm approved ship squash squashmerge rebasemerge statusmerge botmerge okaytomerge oktomerge", squeezed)
}
