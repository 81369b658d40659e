package forges

import (
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/word"
)

// Gerrit tells a review command over ssh that submits or approves a change.
func Gerrit(rest []word.Word) bool {
	return len(rest) > 2 && rest[0].Text == "gerrit" && rest[1].Text == "review" && GerritKind(rest) != ""
}

// GerritKind is what such a command does, "" nothing.
func GerritKind(rest []word.Word) act.Kind {
	fl := word.ParseFlags(rest[2:], "--code-review --project --message -m -p -l --label")
	switch {
	case fl.On("--submit", "-s"):
		return act.MergePR
	case strings.HasPrefix(fl.Val("--code-review"), "+2"):
		return act.ApprovePR
	}
	return ""
}
