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
	if key == "include.path" {
		f.OpaqueForge("git -c "+setting, "a file of settings that is not read")
	}
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
