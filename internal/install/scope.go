package install

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"hooks/internal/hint"
)

// Scopes lists the scopes whose settings files people edit. Later scopes override earlier ones.
var Scopes = []string{"user", "project", "local"}

// Path returns the path of a scope's settings file. The user's file is in CLAUDE_CONFIG_DIR or
// ~/.claude, the others are in the project.
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
	return filepath.Abs(filepath.Join(dir, "settings.json"))
}

// ClientDir returns the folder with the person's client files, CLAUDE_CONFIG_DIR or ~/.claude. It
// returns "" and an error if the folder is unknown.
func ClientDir(env func(string) string) (string, error) {
	if dir := env("CLAUDE_CONFIG_DIR"); dir != "" {
		return dir, nil
	}
	home, err := Home(env)
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".claude"), nil
}

// ManagedDir returns the folder with the client settings that the machine's administrator manages.
func ManagedDir() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode"
	case "windows":
		return `C:\Program Files\ClaudeCode`
	}
	return "/etc/claude-code"
}

// Home returns the person's home directory.
func Home(env func(string) string) (string, error) {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	if home := env(name); home != "" {
		return home, nil
	}
	return "", fmt.Errorf("find home: $%s is not defined", name)
}

// Program returns the absolute path of the running binary with links resolved, because the client
// may start it from any folder with any PATH. It returns an error if the binary is temporary or its
// name would not be recognized later.
func Program() (string, error) {
	path, err := os.Executable()
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	return path, checkLasting(path)
}

func checkLasting(path string) error {
	dirs := strings.ReplaceAll(path, `\`, "/")
	if strings.Contains(dirs, "/go-build") && strings.Contains(dirs, "/exe/") {
		return hint.New("run `go build -o bin/hooks ./hooks && bin/hooks install`",
			"`go run` built this program and deletes it when it exits")
	}
	if !named(path) {
		return hint.New("rename it to hooks, then run `hooks install`",
			"this program is named %q, so its entries would not be recognized",
			filepath.Base(path))
	}
	return nil
}

// Clash returns an error if a registration would make every event count twice, because a plugin
// also starts this program or another scope registers a different binary. If two scopes have equal
// entries, the client runs them only once. Clash ignores managed settings.
func Clash(scope, program, project string, env func(string) string) error {
	own, err := Path(scope, project, env)
	if err != nil {
		return err
	}
	for _, h := range ReadSettings(project, "", program, env).Ours {
		name, isPlugin := strings.CutPrefix(h.File.Scope, "plugin ")
		way := "first run `hooks uninstall --scope " + h.File.Scope + "`"
		if isPlugin {
			way = "first run `claude plugin disable " + name +
				"`, or keep the plugin, which needs no `hooks install`"
		} else if h.File.Path == own || h.Program == program || h.File.Scope == "managed" {
			continue
		}
		return hint.New(way, "%s is already registered in %s, so every event would count twice",
			h.Program, h.File.Path)
	}
	return nil
}
