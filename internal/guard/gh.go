package guard

import (
	"slices"
	"strconv"
	"strings"
)

const ghValued = "-R --repo --hostname --config-dir"

// gh reads a command line of GitHub's client.
func (f *frame) gh(argv []word) {
	group, rest, ok := subcommand(argv[1:], ghValued)
	if !ok {
		f.ghUnknown(argv, group)
		return
	}
	if asksHelp(argv) {
		return
	}
	switch group.text {
	case "pr":
		f.ghPR(argv, rest)
	case "api":
		f.ghAPI(argv, rest)
	case "issue":
		f.ghIssue(argv, rest)
	case "alias":
		f.ghAlias(argv, rest)
	case "config":
		f.ghConfig(argv, rest)
	case "extension", "extensions", "ext":
		f.ghExtension(argv, rest)
	case "workflow":
		f.ghWorkflow(argv, rest)
	case "repo":
		f.ghRepo(argv, rest)
	case "ruleset", "rs", "rulesets":
		if sub, _, _ := subcommand(rest, ghValued); has("create edit delete update import", sub.text) {
			f.act(Act{Kind: RelaxProtection}, argv)
		}
	case "codespace", "cs":
		f.ghCodespace(rest)
	case "release", "run", "auth", "attestation", "browse", "cache", "co", "completion", "gist", "gpg-key", "help", "label", "org", "project", "search",
		"secret", "ssh-key", "status", "variable", "version", "preview", "copilot", "agent-task", "accessibility", "actions", "environment", "reference", "skill", "licenses":
		if group.text == "co" {
			f.prCheckout()
		}
	default:
		f.ghOther(argv, group, rest)
	}
}

// ghUnknown is gh with a command that is only known when it runs.
func (f *frame) ghUnknown(argv []word, group word) {
	if before := len(f.m.read.Acts); has("pr", group.text) {
		f.genericForge(argv)
		if len(f.m.read.Acts) > before {
			return
		}
	}
	f.opaqueForge(joinWords(argv), "the gh command is only known when it runs")
}

// ghOther is a command that gh itself does not have: an alias, or an extension that cannot be read.
func (f *frame) ghOther(argv []word, group word, rest []word) {
	if group.text == "" {
		return
	}
	text, ok := f.m.ghAliases[group.text]
	if !ok {
		text, ok = f.m.repo.Aliases[group.text]
	}
	if ok {
		f.ghExpand(group.text, text, rest)
		return
	}
	f.ghExtended(argv, group.text)
}

// ghExpand runs an alias: "!…" in a shell, anything else as gh's arguments; $1 is replaced, other words follow.
func (f *frame) ghExpand(name, text string, rest []word) {
	defer f.through("gh alias " + name)()
	if line, ok := strings.CutPrefix(text, "!"); ok {
		g := f.child()
		g.args, g.name = texts(rest), "sh"
		g.run(line)
		return
	}
	used := false
	for i, w := range rest {
		mark := "$" + strconv.Itoa(i+1)
		if strings.Contains(text, mark) {
			text = swap(text, mark, quoted([]word{w}))
			used = true
		}
	}
	if !used {
		text += " " + quoted(rest)
	}
	f.child().run("gh " + text)
}

func (f *frame) ghExtended(argv []word, name string) {
	switch {
	case harmlessExtension(name):
	case mergeWord(name) || strings.Contains(name, "merge") && !strings.Contains(name, "conflict"):
		f.act(Act{Kind: MergePR, PR: firstNumber(argv[1:])}, argv)
	default:
		f.opaqueForge(joinWords(argv), "a gh alias or extension that is not known here")
	}
}

// harmlessExtension tells common extensions that only show or tidy the local clone.
func harmlessExtension(name string) bool {
	return has(`dash poi notify eco markdown-preview screensaver user-status contribs branch s i f f1 graph tidy stars changelog
models milestone sub-issue actions-cache classroom`, name)
}

func firstNumber(args []word) int {
	for _, w := range args {
		if n := number(w.text); n > 0 {
			return n
		}
	}
	return 0
}

func (f *frame) ghAlias(argv, rest []word) {
	sub, rest, _ := subcommand(rest, ghValued)
	switch sub.text {
	case "set":
		fl := parseFlags(rest, "")
		name, text := fl.arg(0), fl.arg(1)
		if text.text == "-" && f.stdin != nil {
			text = lit(strings.TrimSpace(f.stdin.text))
		}
		if fl.on("-s", "--shell") && !strings.HasPrefix(text.text, "!") {
			text.text = "!" + text.text
		}
		f.setAlias(argv, name.text, text.text)
	case "import":
		fl := parseFlags(rest, "")
		text := hole
		if file := fl.arg(0).text; file != "" {
			text = f.fileText(file)
		} else if f.stdin != nil {
			text = f.stdin.text
		}
		f.importAliases(argv, text)
	}
}

func (f *frame) importAliases(argv []word, text string) {
	if blank(text) {
		f.opaqueForge(joinWords(argv), "the aliases it brings in are not known here")
		return
	}
	for _, line := range strings.Split(text, "\n") {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if ok && !strings.HasPrefix(name, "#") {
			f.setAlias(argv, name, strings.Trim(strings.TrimSpace(value), `'"`))
		}
	}
}

// setAlias notes an alias; one that merges is an act of its own, for a later call could use it.
func (f *frame) setAlias(argv []word, name, text string) {
	f.m.ghAliases[name] = text
	if blank(text) {
		f.opaqueForge(joinWords(argv), "what the alias stands for is only known when it runs")
		return
	}
	f.plant(argv, func(g *frame) { g.ghExpand(name, text, []word{lit(hole)}) })
}

// plant reads what an alias or a setting would run later on; if that merges, setting it is an act.
func (f *frame) plant(argv []word, run func(g *frame)) {
	if merges := f.would(run); merges {
		f.act(Act{Kind: PlantMerge}, argv)
	}
}

func (f *frame) ghConfig(argv, rest []word) {
	sub, rest, _ := subcommand(rest, "-h --host")
	if sub.text != "set" {
		return
	}
	fl := parseFlags(rest, "-h --host")
	key, val := fl.arg(0).text, fl.arg(1).text
	if name, ok := strings.CutPrefix(strings.Replace(key, "aliases.", "alias.", 1), "alias."); ok {
		f.setAlias(argv, name, val)
		return
	}
	if has("editor pager browser", key) {
		f.look("gh "+key, val)
	}
}

func (f *frame) ghExtension(argv, rest []word) {
	sub, rest, _ := subcommand(rest, "--pin")
	fl := parseFlags(rest, "--pin")
	switch name := strings.TrimPrefix(programName(fl.arg(0).text), "gh-"); sub.text {
	case "exec":
		if text, ok := f.m.ghAliases[name]; ok {
			f.ghExpand(name, text, fl.pos[1:])
			return
		}
		f.ghExtended(argv, name)
	case "install":
		switch {
		case harmlessExtension(name):
		case strings.Contains(name, "merge"):
			f.act(Act{Kind: PlantMerge}, argv)
		default:
			f.opaqueForge(joinWords(argv), "a gh extension that is not known here")
		}
	}
}

func (f *frame) ghCodespace(rest []word) {
	for i, w := range rest {
		if w.text == "--" {
			f.within("gh codespace ssh", func() { f.child().shellText(joinText(rest[i+1:]), "gh codespace") })
			return
		}
	}
}

func (f *frame) ghWorkflow(argv, rest []word) {
	sub, rest, _ := subcommand(rest, ghValued)
	if sub.text == "run" {
		fl := parseFlags(rest, "-f -F -r --raw-field --field --ref -R --repo")
		f.workflow(fl.arg(0).text, argv)
	}
}

// workflow judges a started workflow: by its file where that can be read, else by its name.
func (f *frame) workflow(name string, argv []word) {
	if name == "" {
		return
	}
	if blank(name) {
		f.opaqueForge(joinWords(argv), "the workflow it starts is only known when it runs")
		return
	}
	a := Act{Kind: RunMergingWorkflow, Ref: name, PR: inputNumber(argv)}
	if strings.HasSuffix(name, ".yml") || strings.HasSuffix(name, ".yaml") {
		if text, from := f.open(f.projectPath(".github/workflows/" + programName(name))); from != nowhere {
			if mergingWorkflow(text) {
				f.act(a, argv)
			}
			return
		}
	}
	parts := nameWords(strings.TrimSuffix(strings.TrimSuffix(name, ".yml"), ".yaml"))
	switch {
	case slices.Contains(parts, "merge") || slices.Contains(parts, "automerge") || slices.Contains(parts, "land") || slices.Contains(parts, "bors") || slices.Contains(parts, "ship"):
		if !slices.Contains(parts, "conflict") && !slices.Contains(parts, "conflicts") && !slices.Contains(parts, "check") {
			f.act(a, argv)
		}
	case number(name) > 0:
		f.opaqueForge(joinWords(argv), "a workflow that is only known by its number")
	}
}

// projectPath is a file of the project as seen from where the call started.
func (f *frame) projectPath(p string) string {
	if f.m.call.Cwd == "" {
		return p
	}
	return strings.TrimSuffix(f.m.call.Cwd, "/") + "/" + p
}

// mergingWorkflow looks for a merge in a workflow's text.
func mergingWorkflow(text string) bool {
	t := strings.ToLower(text)
	for _, mark := range []string{"gh pr merge", "pulls.merge", "/merge", "automerge", "auto-merge", "auto_merge",
		"mergepullrequest", "enqueuepullrequest", "mergemethod", "merge-action", "git merge "} {
		if strings.Contains(t, mark) {
			return true
		}
	}
	return strings.Contains(t, "git push") && (strings.Contains(t, ":main") || strings.Contains(t, "origin main") || strings.Contains(t, "origin master"))
}

// inputNumber is the PR number among a workflow's inputs: -f pr=5.
func inputNumber(argv []word) int {
	for _, w := range argv {
		name, val, ok := strings.Cut(w.text, "=")
		if ok && (strings.Contains(strings.ToLower(name), "pr") || strings.Contains(strings.ToLower(name), "pull") || name == "number") {
			if n := number(val); n > 0 {
				return n
			}
		}
	}
	return 0
}

func (f *frame) ghRepo(argv, rest []word) {
	sub, rest, _ := subcommand(rest, ghValued)
	switch sub.text {
	case "edit":
		fl := parseFlags(rest, "-d --description -h --homepage --default-branch --visibility --add-topic --remove-topic")
		if _, ok := fl.get("--default-branch"); ok || fl.on("--enable-auto-merge") {
			f.act(Act{Kind: RelaxProtection, Repo: repoName(fl.arg(0).text)}, argv)
		}
	case "sync":
		fl := parseFlags(rest, "-b --branch -s --source")
		branch, ok := fl.get("-b", "--branch")
		if !ok {
			branch = lit(f.defaultBranch())
		}
		if len(fl.pos) > 0 && f.protected(branch.text) != no {
			f.act(Act{Kind: PushProtected, Ref: branch.text, Repo: repoName(fl.arg(0).text)}, argv)
		}
	}
}

// repoName is owner/name of what gh takes for a repository, "" when it is none.
func repoName(s string) string {
	s = strings.TrimSuffix(s, ".git")
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = afterHost(rest)
	}
	parts := strings.Split(s, "/")
	if len(parts) == 3 && strings.Contains(parts[0], ".") {
		parts = parts[1:]
	}
	if len(parts) < 2 || unknown(s) || parts[0] == "" {
		return ""
	}
	return parts[0] + "/" + parts[1]
}
