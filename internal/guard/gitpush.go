package guard

import "strings"

const pushValued = "-o --push-option --repo --receive-pack --exec --recurse-submodules --signed"

// gitPush judges a push by where its refs would land.
func (f *frame) gitPush(g gitRun, args []word) {
	fl := parseFlags(args, pushValued)
	if fl.on("-n", "--dry-run") {
		return
	}
	f.pushOptions(g, fl)
	for _, w := range fl.all("--receive-pack", "--exec") {
		f.look("git push --receive-pack", w.text)
	}
	remote, specs := fl.arg(0), fl.pos[min(1, len(fl.pos)):]
	if w, ok := fl.get("--repo"); ok && remote.text == "" {
		remote = w
	}
	if fl.on("--mirror", "--all", "--branches") || fl.on("--prune") && len(specs) == 0 {
		f.pushAct(g, "every branch")
		return
	}
	if remote.split && len(specs) == 0 {
		f.opaqueForge(joinWords(g.argv), "the branch it pushes to is only known when it runs")
		return
	}
	f.pushRefspecs(g, fl, remote, specs)
}

func (f *frame) pushRefspecs(g gitRun, fl flags, remote word, specs []word) {
	if len(specs) == 0 {
		if fl.on("--tags") && !fl.on("--follow-tags") || fl.on("-d", "--delete") {
			return
		}
		f.pushPlain(g, remote.text)
		return
	}
	for i := 0; i < len(specs); i++ {
		w := specs[i]
		if w.text == "tag" && i+1 < len(specs) {
			i++
			continue
		}
		f.pushOne(g, remote.text, w)
	}
}

// pushOne judges one refspec.
func (f *frame) pushOne(g gitRun, remote string, w word) {
	if remote == "." {
		return // moves a branch of this very clone
	}
	_, to := splitRefspec(w.text)
	switch {
	case to == "" && w.text != "" && strings.Trim(w.text, "+") == ":":
		f.pushAct(g, "matching branches")
		return
	case to == "HEAD" || to == "@":
		f.pushCurrent(g, remote, false)
		return
	}
	switch f.movesProtected(to) {
	case yes:
		f.pushAct(g, strings.TrimPrefix(to, "refs/heads/"))
	case maybe:
		f.opaqueForge(joinWords(g.argv), "the branch it pushes to is only known when it runs")
	}
}

// splitRefspec is a refspec's source and target.
func splitRefspec(spec string) (from, to string) {
	spec = strings.TrimPrefix(spec, "+")
	from, to, ok := strings.Cut(spec, ":")
	if !ok {
		return from, from
	}
	return from, to
}

// movesProtected tells whether a push's target is a protected branch. Targets with * cover what they match.
func (f *frame) movesProtected(to string) truth {
	switch {
	case strings.HasPrefix(to, "refs/tags/"), strings.HasPrefix(to, "refs/notes/"), strings.HasPrefix(to, "refs/pull/"), strings.HasPrefix(to, "tags/"):
		return no
	case strings.HasPrefix(to, "refs/for/"):
		return truthOf(strings.Contains(to, "%") && strings.Contains(to, "submit"))
	case to == "refs/*", to == "*":
		return yes
	}
	to = strings.TrimPrefix(to, "refs/heads/")
	to = strings.TrimPrefix(to, "heads/")
	if to == "" {
		return no
	}
	if strings.Contains(to, "*") {
		return truthOf(f.anyProtected(func(p string) bool { return globMatch(to, p) }))
	}
	return f.protected(to)
}

// pushPlain is a push without a refspec: git's settings say where it goes.
func (f *frame) pushPlain(g gitRun, remote string) {
	if remote == "" {
		remote = f.pushRemote(g)
	}
	if spec := f.setting(g, "remote."+remote+".push"); spec != "" {
		for _, s := range strings.Fields(spec) {
			f.pushOne(g, remote, lit(s))
		}
		return
	}
	if f.setting(g, "remote."+remote+".mirror") == "true" {
		f.pushAct(g, "every branch")
		return
	}
	switch strings.ToLower(f.setting(g, "push.default")) {
	case "matching":
		f.pushAct(g, "matching branches")
	case "upstream", "tracking":
		f.pushCurrent(g, remote, true)
	case "nothing":
	default:
		f.pushCurrent(g, remote, false)
	}
}

func (f *frame) pushRemote(g gitRun) string {
	if names, _ := f.branches(g.dir); len(names) == 1 {
		if r := f.setting(g, "branch."+names[0]+".remote"); r != "" {
			return r
		}
	}
	if r := f.setting(g, "remote.pushdefault"); r != "" {
		return r
	}
	return "origin"
}

// pushCurrent pushes the branch that is checked out, to its own name or to its upstream's.
func (f *frame) pushCurrent(g gitRun, remote string, upstream bool) {
	names, none := f.branches(g.dir)
	if none {
		return
	}
	if len(names) == 0 {
		f.opaqueForge(joinWords(g.argv), "the checked-out branch that it pushes is not known")
		return
	}
	for _, name := range names {
		to := name
		if upstream {
			if merge := f.setting(g, "branch."+name+".merge"); merge != "" {
				to = merge
			}
		}
		switch {
		case to == "":
		case f.movesProtected(to) == yes:
			f.pushAct(g, strings.TrimPrefix(to, "refs/heads/"))
		case f.movesProtected(to) == maybe:
			f.opaqueForge(joinWords(g.argv), "the checked-out branch that it pushes is only known when it runs")
		}
	}
}

func (f *frame) pushAct(g gitRun, ref string) {
	f.act(Act{Kind: PushProtected, Ref: ref, Command: clip(joinWords(g.argv), 300)}, g.argv)
}

// pushOptions reads GitLab's options of a push: open a merge request, merge it when its pipeline passes.
func (f *frame) pushOptions(g gitRun, fl flags) {
	for _, w := range fl.all("-o", "--push-option") {
		switch {
		case strings.HasPrefix(w.text, "merge_request.merge_when_pipeline_succeeds"), strings.HasPrefix(w.text, "merge_request.auto_merge"):
			f.act(Act{Kind: ArmAutoMerge, Auto: true, Ref: w.text}, g.argv)
		case strings.HasPrefix(w.text, "merge_request.label="):
			f.labelWords([]word{lit(w.text[len("merge_request.label="):])}, Act{}, g.argv)
		case w.text == "merge_request.create":
			f.act(Act{Kind: OpenPR}, g.argv)
		}
	}
}
