package forges

import (
	"strconv"
	"strings"

	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// gitEnv takes over the settings given by GIT_CONFIG_COUNT and the place given by GIT_DIR.
func gitEnv(f *plain.Frame, g *gitRun) {
	if n, ok := shellword.Atoi(f.Env("GIT_CONFIG_COUNT")); ok {
		for i := 0; i < n && f.M.Burn(2); i++ {
			is := strconv.Itoa(i)
			gitSetting(f, g, f.Env("GIT_CONFIG_KEY_"+is)+"="+f.Env("GIT_CONFIG_VALUE_"+is))
		}
	}
	for _, w := range f.WordsOf(f.Env("GIT_CONFIG_PARAMETERS")) {
		gitSetting(f, g, w.Text)
	}
	if dir := f.Env("GIT_DIR"); dir != "" {
		g.dir = f.Resolve(strings.TrimSuffix(strings.TrimSuffix(dir, ".git"), "/"))
	}
}

// gitSetting takes over one key=value, and reads the text that git would run because of it.
func gitSetting(f *plain.Frame, g *gitRun, setting string) {
	key, val, ok := strings.Cut(setting, "=")
	if !ok {
		val = "true"
	}
	key = strings.ToLower(key)
	g.config[key] = val
	gitRuns(f, key, val)
}

// gitRuns looks at settings whose value git hands to a shell.
func gitRuns(f *plain.Frame, key, val string) {
	last := key[strings.LastIndexByte(key, '.')+1:]
	if shellword.Has(`
		core.pager core.editor core.sshcommand core.fsmonitor core.askpass sequence.editor
diff.external core.gitproxy web.browser gpg.program interactive.difffilter`, key) ||
		shellword.Has("command textconv clean smudge cmd helper driver process", last) ||
		strings.HasPrefix(key, "pager.") ||
		strings.HasPrefix(key, "remote.") && shellword.Has("uploadpack receivepack", last) {
		f.Look("git "+key, strings.TrimPrefix(val, "!"))
	}
}

// setting is a git setting as this command sees it.
func setting(f *plain.Frame, g gitRun, key string) string {
	key = strings.ToLower(key)
	if v, ok := g.config[key]; ok {
		return v
	}
	if v, ok := f.M.Config[key]; ok {
		return v
	}
	return f.M.Repo().Config[key]
}

// configFiles takes over the settings of files that this call includes or names. The caller knows
// the settings that were there before.
func configFiles(f *plain.Frame, g *gitRun) {
	included := setting(f, *g, "include.path")
	if included != "" {
		included = at(f, at(f, g.dir, ".git"), included)
	}
	for _, p := range []string{included, f.Env("GIT_CONFIG_GLOBAL"), f.Env("GIT_CONFIG_SYSTEM")} {
		if text, ok := f.Open(p); ok {
			configText(f, g, text)
		}
	}
}

// configText reads git's config format, one setting a line. Settings given by -c win.
func configText(f *plain.Frame, g *gitRun, text string) {
	section := ""
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if head, rest, ok := strings.Cut(line, "]"); ok && strings.HasPrefix(head, "[") {
			name, sub, _ := strings.Cut(head[1:], " ")
			section = strings.TrimSuffix(name+"."+strings.Trim(sub, `" `), ".")
			line = strings.TrimSpace(rest)
		}
		key, val, _ := strings.Cut(line, "=")
		key = strings.ToLower(section + "." + strings.TrimSpace(key))
		if _, told := g.config[key]; !told && line != "" && !strings.ContainsAny(line[:1], "#;") {
			gitSetting(f, g, key+"="+strings.Trim(strings.TrimSpace(val), `"`))
		}
	}
}

// gitConfig notes a setting for the rest of the call.
func gitConfig(f *plain.Frame, args []shellword.Word) {
	fl := shellword.ParseFlags(args, "-f --file --blob --type --default --value --comment")
	if fl.On("--get", "--get-all", "--get-regexp", "--list", "-l", "--unset", "--unset-all",
		"--remove-section") {
		return
	}
	pos := fl.Pos
	if len(pos) > 0 && shellword.Has("set add", pos[0].Text) {
		pos = pos[1:]
	}
	if len(pos) < 2 || shellword.Has("get unset list remove-section rename-section", pos[0].Text) {
		return
	}
	key, val := strings.ToLower(pos[0].Text), pos[1].Text
	f.M.Config[key] = val
	gitRuns(f, key, val)
}
