package guard

import "strings"

// gerrit tells a review command over ssh that submits or approves a change.
func gerrit(rest []word) bool {
	return len(rest) > 2 && rest[0].text == "gerrit" && rest[1].text == "review" && gerritKind(rest) != ""
}

func gerritKind(rest []word) Kind {
	fl := parseFlags(rest[2:], "--code-review --project --message -m -p -l --label")
	switch {
	case fl.on("--submit", "-s"):
		return MergePR
	case strings.HasPrefix(fl.val("--code-review"), "+2"):
		return ApprovePR
	}
	return ""
}
