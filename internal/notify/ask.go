package notify

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/config"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/safefile"
)

// AskWord, as the first argument, makes this program send a paused run's questions to the person's
// Ask command.
const AskWord = "ask-person"

// variable returns the value of an environment variable. It returns "" if the project's client
// settings set the variable or cannot be read, because the project may come from a stranger.
func (p *Person) variable(name string) string {
	for _, dir := range loop.AppendNew(nil, p.Project, p.Env("CLAUDE_PROJECT_DIR")) {
		for _, file := range []string{"settings.json", "settings.local.json"} {
			path := filepath.Join(dir, ".claude", file)
			text, ok := safefile.Read(path, config.MaxFile)
			_, missing := os.Lstat(path)
			if !ok && missing == nil || gjson.Get(text, "env."+name).Exists() {
				return ""
			}
		}
	}
	return strings.TrimSpace(p.Env(name))
}

// AskCommand holds the person's Ask command and its settings.
type AskCommand struct {
	Argv, Env []string
	// Print is a hash of the command, Merges, the files that the command names by absolute path,
	// and the variables in the person's settings. It is "" if no usable command exists. The run
	// records Print when a person starts it, so that a command replaced later cannot answer.
	Print  string
	After  time.Duration // how long a dialog waits for the person before the command runs
	Merges bool          // whether the command may decide merges
}

// Ask reads the person's Ask command. It ignores the project's configuration and any variable that
// the project's settings set.
func (p *Person) Ask() (c AskCommand) {
	own := config.User(p.clientDir()).Ask
	c.After, c.Merges = cmp.Or(own.After, config.DefaultAskAfter), own.Merges
	way := cmp.Or(p.variable("HOOKS_ASK"), own.Command)
	if way == "" {
		return c
	}
	words := command(way)
	if words == nil {
		return c
	}
	print := fmt.Sprintf("%q %v", words, c.Merges)
	for _, word := range words {
		if !filepath.IsAbs(word) && !strings.Contains(word, "://") &&
			strings.ContainsAny(word, `/\~`) {
			return c // the path may name a file in the project
		}
		if text, ok := safefile.Read(word, config.MaxFile); ok && filepath.IsAbs(word) {
			print += "\x00" + text
		}
	}
	set := p.ownVariables()
	if len(set) > 0 {
		print += fmt.Sprintf("\x00%q", set)
	}
	env := append(p.fewVariables(), set...) // if a name repeats, the last value counts
	for _, v := range env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			c.Argv = append([]string{onPath(path, words[0])}, words[1:]...)
		}
	}
	if c.Env = env; c.Argv[0] != "" {
		c.Print = Digest(print)
	}
	return c
}

// fewVariables returns a minimal environment with a fixed PATH for the Ask command. Otherwise a
// project's settings could redirect the command through PATH or variables such as LD_PRELOAD.
func (p *Person) fewVariables() (env []string) {
	path := "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/opt/homebrew/bin"
	names := []string{"HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR",
		"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"}
	if runtime.GOOS == "windows" {
		path = `C:\Windows\System32;C:\Windows;C:\Windows\System32\WindowsPowerShell\v1.0`
		names = []string{"SystemRoot", "SystemDrive", "ComSpec", "PATHEXT", "USERPROFILE",
			"USERNAME", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP"}
	}
	for _, name := range names {
		if value := p.variable(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return append(env, "PATH="+path)
}

// ownVariables returns the environment variables set in the person's client settings.
func (p *Person) ownVariables() (env []string) {
	dir := p.clientDir()
	if dir == "" {
		return nil
	}
	text, _ := safefile.Read(filepath.Join(dir, "settings.json"), config.MaxFile)
	gjson.Get(text, "env").ForEach(func(name, value gjson.Result) bool {
		env = append(env, name.Str+"="+value.String())
		return true
	})
	return env
}

// onPath returns name if it contains a slash. Otherwise it looks name up in the folders of path and
// returns "" if there is no such program.
func onPath(path, name string) string {
	if strings.ContainsAny(name, `/\`) {
		return name
	}
	for _, dir := range filepath.SplitList(path) {
		if file, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return file
		}
	}
	return ""
}

// Digest returns a hash of text that must not itself be stored.
func Digest(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:16])
}

// StartAsking starts this program to send the run's questions to the Ask command. The secret on its
// stdin proves that this program started it.
func (p *Person) StartAsking(kind loop.Skill, secret string) error {
	return p.start("ask", AskWord, secret, "HOOKS_LOOP="+string(kind))
}

// Recorded starts the person's Notify command to report that the Ask command's answer was recorded
// and how to resume the run. It does nothing if no Notify command is configured.
func (p *Person) Recorded(way, resume string) error {
	p.way = strings.ToLower(way)
	if command, _ := p.notifyWay(); command == "" {
		return nil
	}
	return p.start("notify", DeliverWord, "", "HOOKS_TITLE=hooks: your answer was recorded",
		"HOOKS_TEXT=continue with "+report.Short(resume))
}
