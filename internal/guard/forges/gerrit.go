package forges

import (
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"
)

// GerritKind is what a command over ssh does as a review of Gerrit: submit or approve a change. It
// is "" for any other command.
func GerritKind(rest []shellword.Word) effect.Kind {
	const valued = "--code-review --project --message -m -p -l --label"
	fl := shellword.ParseFlags(rest, valued)
	switch {
	case fl.Arg(0).Text != "gerrit" || fl.Arg(1).Text != "review":
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
