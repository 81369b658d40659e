package forges

import (
	"strconv"
	"strings"

	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// gitEnv takes over the settings of GIT_CONFIG_COUNT and the place of GIT_DIR, and looks at the
// variables whose text git runs.
func gitEnv(f *plain.Frame, g *gitRun) {
	if n, err := strconv.Atoi(f.Env("GIT_CONFIG_COUNT")); err == nil {
		for i := 0; i < n && f.M.Burn(2); i++ {
			is := strconv.Itoa(i)
			gitSetting(f, g, f.Env("GIT_CONFIG_KEY_"+is)+"="+f.Env("GIT_CONFIG_VALUE_"+is))
		}
	}
	for _, w := range f.WordsOf(f.Env("GIT_CONFIG_PARAMETERS")) {
		gitSetting(f, g, w.Text)
	}
	const runs = `GIT_SSH_COMMAND GIT_EDITOR GIT_SEQUENCE_EDITOR EDITOR VISUAL PAGER GIT_PAGER
MANPAGER BROWSER GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS GIT_PROXY_COMMAND LESSOPEN`
	for name := range strings.FieldsSeq(runs) {
		if text := f.Env(name); text != "" {
			h := f.Child()
			h.Let(name, "") // for the git in it
			h.Look("$"+name, text)
		}
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

// setting is a git setting as this command sees it, with those of a file that the repository's own
// include by their last names.
func setting(f *plain.Frame, g gitRun, key string) string {
	key = strings.ToLower(key)
	config := f.M.Repo().Config
	if v, ok := g.config[key]; ok {
		return v
	}
	included := config["include.path"]
	if v, ok := config[key]; ok || included == "" {
		return v
	}
	text, _ := f.Open(at(f, at(f, g.dir, ".git"), included))
	last := key[strings.LastIndexByte(key, '.')+1:]
	for line := range strings.SplitSeq(text, "\n") {
		name, value, ok := strings.Cut(line, "=")
		if ok && strings.EqualFold(strings.TrimSpace(name), last) {
			return strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return ""
}
