package forges

import (
	"cmp"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

const (
	pushValued = "-o --push-option --repo --receive-pack --exec --recurse-submodules -P --prefix"
	// pushSwitches lists git push flags that take no value and can be abbreviated.
	pushSwitches = ` --all --branches --mirror --delete --tags --follow-tags --dry-run --no-dry-run
--help --no-all --no-branches --no-mirror --no-delete --no-tags --no-follow-tags --force-with-lease
--force`
)

// gitPush judges a push by the branches that it moves.
func gitPush(f *plain.Frame, g gitRun, args []shellword.Word) {
	fl := shellword.ParseFlags(shellword.Unabbreviated(args, pushValued+pushSwitches), pushValued)
	if dry(fl) || fl.On("-h", "--help") {
		return
	}
	f.Pushes(g.argv)
	opts := fl.All("-o", "--push-option")
	if len(opts) == 0 {
		opts = shellword.Lits(settings(f, g, "push.pushoption")...)
	}
	pushOptions(f, g, opts)
	remote, specs := fl.Arg(0), fl.Pos[min(1, len(fl.Pos)):]
	if remote.Text == "" {
		remote, _ = fl.Get("--repo")
	}
	switch {
	case fl.On("--mirror", "--all", "--branches"):
		pushAct(f, g, "every branch")
	case fl.On("--stdin"), remote.Split && len(specs) == 0:
		Moves(f, effect.Act{}, shellword.Unknown, g.argv)
	default:
		pushRefspecs(f, g, fl, remote, specs)
	}
}

func pushRefspecs(f *plain.Frame, g gitRun, fl shellword.Flags, remote shellword.Word,
	specs []shellword.Word) {
	if len(specs) == 0 && !fl.On("-d", "--delete") && (!fl.On("--tags") || fl.On("--follow-tags")) {
		pushPlain(f, g, remote.Text)
	}
	for i := 0; i < len(specs); i++ {
		if specs[i].Text == "tag" && i+1 < len(specs) {
			i++
		} else {
			pushOne(f, g, remote.Text, specs[i].Text)
		}
	}
}

// pushOne judges one refspec.
func pushOne(f *plain.Frame, g gitRun, remote, spec string) {
	from, to := SplitRefspec(spec)
	if from == to && to != "HEAD" && to != "@" { // it may be a symbolic ref
		to = cmp.Or(asked(f, "rev-parse", "--symbolic-full-name", to), to)
	}
	switch {
	case remote == ".": // only moves a local branch
	case to == "" && spec != "" && strings.Trim(spec, "+") == ":":
		pushAct(f, g, "matching branches")
	case to == "HEAD" || to == "@":
		pushCurrent(f, g, false)
	case strings.HasPrefix(to, "@{-"):
		Moves(f, effect.Act{}, shellword.Unknown, g.argv)
	case to != "":
		Moves(f, effect.Act{}, to, g.argv)
	}
}

// dry reports whether --dry-run is in effect.
func dry(fl shellword.Flags) bool { return fl.On("-n", "--dry-run") && !fl.On("--no-dry-run") }

// SplitRefspec returns a refspec's source and target. They are equal if spec has no colon.
func SplitRefspec(spec string) (from, to string) {
	spec = strings.TrimPrefix(spec, "+")
	from, to, ok := strings.Cut(spec, ":")
	if !ok {
		to = spec
	}
	return from, to
}

// pushPlain judges a push without a refspec. Git's settings decide its target.
func pushPlain(f *plain.Frame, g gitRun, remote string) {
	branch := "branch." + g.branch(f)
	remote = cmp.Or(remote, setting(f, g, branch+".pushremote"),
		setting(f, g, "remote.pushdefault"), setting(f, g, branch+".remote"), "origin")
	specs := strings.Fields(strings.Join(settings(f, g, "remote."+remote+".push"), " "))
	for _, s := range specs {
		pushOne(f, g, remote, s)
	}
	mirror := setting(f, g, "remote."+remote+".mirror")
	switch by := strings.ToLower(setting(f, g, "push.default")); {
	case len(specs) > 0 || by == "nothing":
	case !shellword.Has("false no off 0", strings.ToLower(mirror)) && mirror != "":
		pushAct(f, g, "every branch")
	case by == "matching":
		pushAct(f, g, "matching branches")
	default:
		pushCurrent(f, g, by == "upstream" || by == "tracking")
	}
}

// pushCurrent judges a push of the checked-out branch to the same name, or to its upstream branch.
func pushCurrent(f *plain.Frame, g gitRun, upstream bool) {
	to := g.branch(f)
	if upstream {
		to = cmp.Or(setting(f, g, "branch."+to+".merge"), to)
	}
	if to != "" {
		Moves(f, effect.Act{}, to, g.argv)
	}
}

func pushAct(f *plain.Frame, g gitRun, ref string) {
	f.Act(effect.Act{Kind: effect.PushProtected, Ref: ref}, g.argv)
}

// pushOptions judges GitLab's push options, which open a merge request, label it, or merge it when
// its pipeline passes.
func pushOptions(f *plain.Frame, g gitRun, opts []shellword.Word) {
	for _, w := range opts {
		option, _ := strings.CutPrefix(w.Text, "merge_request.")
		label, labels := strings.CutPrefix(option, "label=")
		switch {
		case option == w.Text:
		case strings.HasPrefix(option, "merge_when_pipeline_succeeds"),
			strings.HasPrefix(option, "auto_merge"):
			f.Act(effect.Act{Kind: effect.ArmAutoMerge, Auto: true, Ref: w.Text}, g.argv)
		case labels:
			labelWords(f, effect.SetLabel, shellword.Lits(label), effect.Act{}, g.argv)
		case option == "create":
			f.Act(effect.Act{Kind: effect.OpenPR}, g.argv)
		}
	}
}
