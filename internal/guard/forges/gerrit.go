package forges

import (
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"
)

// Gerrit reports whether a command over ssh is a review that submits or approves a change.
func Gerrit(rest []shellword.Word) bool {
	return len(rest) > 2 && rest[0].Text == "gerrit" && rest[1].Text == "review" &&
		GerritKind(rest) != ""
}

// GerritKind is the kind of such a review, "" for one that only comments.
func GerritKind(rest []shellword.Word) effect.Kind {
	fl := shellword.ParseFlags(rest[2:], "--code-review --project --message -m -p -l --label")
	switch {
	case fl.On("--submit", "-s"):
		return effect.MergePR
	case strings.HasPrefix(fl.Val("--code-review"), "+2"):
		return effect.ApprovePR
	}
	return ""
}

// gerritPush reads the options of a push for review, behind the ref's % or as push options: submit
// it, vote for it.
func gerritPush(f *shell.Frame, g gitRun, opts, specs []shellword.Word) {
	for _, w := range specs {
		_, to := SplitRefspec(w.Text)
		if !strings.HasPrefix(to, "refs/for/") {
			continue
		}
		_, said, _ := strings.Cut(to, "%")
		for _, opt := range strings.Split(strings.Join(append(shellword.Texts(opts), said), ","),
			",") {
			switch {
			case opt == "submit":
				pushAct(f, g, to)
			case strings.HasSuffix(opt, "Code-Review+2"):
				f.Act(effect.Act{Kind: effect.ApprovePR, Ref: to}, g.argv)
			}
		}
	}
}
