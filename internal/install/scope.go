package install

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/hint"
)

// Scopes are the settings files that a person edits, each overruling the ones before it.
var Scopes = []string{"user", "project", "local"}

// Path is the settings file of a scope: the user's own under CLAUDE_CONFIG_DIR or ~/.claude, the others in the project.
func Path(scope, project string, env func(string) string) (string, error) {
	switch scope {
	case "project":
		return filepath.Join(project, ".claude", "settings.json"), nil
	case "local":
		return filepath.Join(project, ".claude", "settings.local.json"), nil
	}
	dir, err := ClientDir(env)
	if err != nil {
		return "", err
	}
	abs, err := filepath.Abs(filepath.Join(dir, "settings.json"))
	if err != nil {
		return "", fmt.Errorf("find settings: %w", err)
	}
	return abs, nil
}

// ClientDir is where the client keeps what is the person's own: CLAUDE_CONFIG_DIR, else ~/.claude.
func ClientDir(env func(string) string) (string, error) {
	if dir := env("CLAUDE_CONFIG_DIR"); dir != "" {
		return dir, nil
	}
	home, err := Home(env)
	return filepath.Join(home, ".claude"), err
}

// ManagedDir is where a machine's administrator keeps settings for the client.
func ManagedDir() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode"
	case "windows":
		return `C:\Program Files\ClaudeCode`
	}
	return "/etc/claude-code"
}

// Home is the person's own folder.
func Home(env func(string) string) (string, error) {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	if home := env(name); home != "" {
		return home, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find home: %w", err)
	}
	return home, nil
}

// Program is the absolute path of the running binary, links resolved: the client starts it from any folder and with
// any PATH. A binary that will be gone, or that would not be known again by its name, is refused.
func Program() (string, error) {
	path, err := os.Executable()
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	return path, lasting(path)
}

func lasting(path string) error {
	if regexp.MustCompile(`[/\\]go-build\d+[/\\]b\d+[/\\]exe[/\\]`).MatchString(path) {
		return hint.New("build it to stay: go build -o bin/hooks ./hooks && bin/hooks install", "this program was built by `go run` and is gone when it ends")
	}
	if base := filepath.Base(path); base != "hooks" && !strings.EqualFold(base, "hooks.exe") {
		return hint.New("rename it to hooks, then run hooks install", "this program is named %q, by which its entries would not be found again", base)
	}
	return nil
}

// Clash refuses a registration that would make every event count twice: the plugin is enabled, or another scope starts
// another binary. Equal entries of two scopes are started once by the client.
func Clash(scope, program, project string, env func(string) string) error {
	var plugin error
	for _, s := range Scopes {
		path, err := Path(s, project, env)
		if err != nil {
			return err
		}
		text := legible(path)
		for name, on := range gjson.Get(text, "enabledPlugins").Map() {
			if strings.HasPrefix(name, "hooks@") {
				plugin = nil
				if on.Bool() {
					plugin = hint.New("disable it first, as in `claude plugin disable "+name+"`, or keep the plugin and install nothing", "the plugin %s is enabled in %s: every event would count twice", name, path)
				}
			}
		}
		if s == scope {
			continue
		}
		if other := otherProgram(text, program); other != "" && !isFile(path, scope, project, env) {
			return hint.New("take it out first: hooks uninstall --scope "+s, "%s is registered in %s: every event would count twice", other, path)
		}
	}
	return plugin
}

// legible is the text of a settings file as far as the client could read it, "" if not.
func legible(path string) string {
	body, err := os.ReadFile(path)
	if _, text := cutBOM(string(body)); err == nil && Check(text) == nil {
		return text
	}
	return ""
}

// otherProgram is the first program of ours in a text that is not this binary, "" if there is none.
func otherProgram(text, program string) string {
	for _, path := range handlers(text) {
		last := path[len(path)-1]
		if other := programOf(last.in.kids[last.i].value); other != program {
			return other
		}
	}
	return ""
}

// isFile tells whether a path is the file of the scope too, as when the project is the home folder.
func isFile(path, scope, project string, env func(string) string) bool {
	own, err := Path(scope, project, env)
	return err == nil && own == path
}
