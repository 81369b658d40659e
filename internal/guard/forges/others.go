package forges

import (
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

const (
	glabValued = `-R --repo -m --message --squash-message --sha -l --label -u --unlabel -b
--target-branch -t --title -d --description -a --assignee --reviewer --milestone --source-branch`
	glabMergeValued = "-R --repo -m --message --squash-message --sha" // whose -d is a switch
)

// Glab reads a command line of GitLab's client.
func Glab(f *plain.Frame, argv []shellword.Word) {
	group, rest, ok := shellword.Subcommand(argv[1:], "-R --repo -g --group --host")
	sub, args, known := shellword.Subcommand(rest, "-R --repo")
	if !ok || group.Text == "mr" && !known {
		f.OpaqueForge(shellword.Join(argv), "the glab command is only known when it runs")
		return
	}
	valued := glabValued
	if group.Text == "mr" && shellword.Has("merge accept", sub.Text) {
		valued = glabMergeValued
	}
	if shellword.AsksHelp(argv) {
		return
	}
	fl := shellword.ParseFlags(args, valued)
	switch group.Text {
	case "mr":
		if !prCommand(f, argv, sub.Text, fl) {
			talk(f, argv, sub.Text, fl)
		}
	case "issue":
		talk(f, argv, sub.Text, fl)
	case "api":
		ghAPI(f, argv, rest)
	case "repo", "project":
		if sub.Text == "clone" {
			run := gitRun{argv: argv, dir: place(f), config: map[string]string{}}
			gitClone(f, run, shellword.ParseFlags(args, "-g --group").Pos)
		}
		if fl.On("--defaultBranch") {
			f.Act(effect.Act{Kind: effect.RelaxProtection}, argv)
		}
	default:
		const own = `alias attestation auth changelog check-update ci pipe pipeline cluster
completion config container-registry deploy-key duo gpg-key help incident iteration job label mcp
milestone opentofu release runner schedule search securefile snippet ssh-key stack todo token user
variable version work-items`
		if group.Text != "" && !shellword.Has(own, group.Text) {
			f.OpaqueForge(shellword.Join(argv), "a glab alias that is not known here")
		}
	}
}

// prCommand reads a command on a PR by its verb, as gh, glab and tea have them, and reports whether
// it is one that it knows.
func prCommand(f *plain.Frame, argv []shellword.Word, verb string, fl shellword.Flags) bool {
	a := prTarget(f, fl)
	switch verb {
	case "merge", "accept", "m":
		a.Kind, a.SHA = effect.MergePR, fl.Val("--sha")
		a.Auto = fl.On("--auto-merge", "--when-pipeline-succeeds")
	case "approve", "lgtm", "a":
		a.Kind = effect.ApprovePR
	case "reject":
		a.Kind, a.Review = effect.Comment, true
	case "create", "new", "for", "c":
		if fl.On("--dry-run") {
			return true
		}
		f.Act(effect.Act{Kind: effect.OpenPR, Repo: repoFlag(fl)}, argv)
		labelWords(f, effect.SetLabel, fl.All("-l", "--label"), effect.Act{}, argv)
		if !fl.On("--auto-merge") {
			return true
		}
		a = effect.Act{Kind: effect.ArmAutoMerge, Auto: true}
	case "checkout", "co":
		prCheckout(f, argv, a)
		return true
	case "close", "reopen", "ready", "update-branch", "rebase", "edit", "update", "lock", "unlock":
		usePR(f, argv, a)
		return false
	default:
		return false
	}
	f.Act(a, argv)
	return true
}

// Hub is git with more commands. It hands the others on to git.
func Hub(f *plain.Frame, argv []shellword.Word) {
	sub, rest, _ := shellword.Subcommand(argv[1:], "-C -c")
	switch sub.Text {
	case "api":
		ghAPI(f, argv, rest)
	case "merge":
		fl := shellword.ParseFlags(rest, "-m -s -X")
		if pr, repo, ref := PullURL(fl.Arg(0), ""); pr > 0 {
			f.Act(effect.Act{Kind: effect.MergePR, PR: pr, Repo: repo, Ref: ref}, argv)
		}
	case "pr":
		sub, rest, _ := shellword.Subcommand(rest, ghPRValued)
		prCommand(f, argv, sub.Text, shellword.ParseFlags(rest, ghPRValued))
	case "pull-request":
		f.Act(effect.Act{Kind: effect.OpenPR}, argv)
	default:
		Git(f, append(shellword.Lits("git"), argv[1:]...))
	}
}

const (
	teaValued    = "-r --repo -l --login -R --remote -o --output"
	teaPRValued  = teaValued + " -s --style -t --title -m --message -L --labels -d --description"
	teaAPIValued = teaValued + " -X --method -f --field -F --Field -H --header -d --data"
)

// teaFlags spells the flags of tea with one dash for a letter and two for a name: tea takes any
// of them with either.
func teaFlags(argv []shellword.Word) []shellword.Word {
	out := append([]shellword.Word(nil), argv...)
	for i, w := range out {
		bare := strings.TrimLeft(w.Text, "-")
		name, _, _ := strings.Cut(bare, "=")
		switch {
		case bare == "" || len(w.Text) == len(bare):
		case len(name) == 1:
			out[i].Text = "-" + bare
		default:
			out[i].Text = "--" + bare
		}
	}
	return out
}

// Tea is Gitea's client, which Debian names tea-cli.
func Tea(f *plain.Frame, argv []shellword.Word) {
	argv = teaFlags(argv)
	group, rest, _ := shellword.Subcommand(argv[1:], teaAPIValued)
	if shellword.AsksHelp(argv) {
		return
	}
	switch group.Text {
	case "pulls", "pull", "pr", "prs":
		sub, rest, _ := shellword.Subcommand(rest, teaPRValued)
		prCommand(f, argv, sub.Text, shellword.ParseFlags(rest, teaPRValued))
	case "comment", "c":
		fl := shellword.ParseFlags(rest, teaValued)
		Comment(f, shellword.JoinText(fl.Pos[min(1, len(fl.Pos)):]), prTarget(f, fl), argv)
	case "api":
		fl := shellword.ParseFlags(rest, teaAPIValued)
		api(f, argv, fl, dataText(f, fl.Val("-d", "--data")))
	case "branches", "branch", "b":
		if sub := shellword.ParseFlags(rest, teaValued).Arg(0).Text; shellword.Has("unprotect u",
			sub) {
			f.Act(effect.Act{Kind: effect.RelaxProtection}, argv)
		}
	}
}
