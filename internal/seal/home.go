// Package seal records, outside any project, what the program last wrote about a session's loops.
// The records decide whether a loop governs its session and what it may still spend; the project's
// own files are compared with them.
package seal

import (
	"path/filepath"
	"runtime"
	"strings"
)

// Home returns the user's state directory for this program: $HOOKS_STATE_HOME, else
// $XDG_STATE_HOME/hooks, else the system's standard location. It returns "" if the environment
// variable that determines the location is not set. Relative paths are ignored.
func Home(env func(string) string) string {
	if dir := env("HOOKS_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	if dir := env("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "hooks")
	}
	below := func(variable string, parts ...string) string {
		dir := env(variable)
		if !filepath.IsAbs(dir) {
			return ""
		}
		return filepath.Join(append([]string{dir}, parts...)...)
	}
	switch runtime.GOOS {
	case "darwin":
		return below("HOME", "Library", "Application Support", "hooks")
	case "windows":
		return below("LOCALAPPDATA", "hooks", "state")
	}
	return below("HOME", ".local", "state", "hooks")
}

// SwitchPath returns the path of a session's record while a loop governs the session. The brake is
// in effect while the file exists.
func SwitchPath(home, session string) string { return filepath.Join(home, "on", FileName(session)) }

// LinksPath returns the folder that holds a session's brake links.
func LinksPath(home, session string) string {
	return filepath.Join(home, "brake", FileName(session))
}

// FileName returns a safe file name for a session id or another untrusted string.
func FileName(session string) string {
	name := strings.Map(func(r rune) rune {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if letter || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, session[:min(len(session), 100)])
	if name == "" {
		return "unnamed"
	}
	return name
}
