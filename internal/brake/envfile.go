package brake

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"hooks/internal/safefile"
	"hooks/internal/seal"
)

// maxEnvFile is the maximum size, in bytes, of a shell file that the client evaluates.
const maxEnvFile = 1 << 20

// Arm appends Line to CLAUDE_ENV_FILE if it is not yet there. The client evaluates that file before
// the session's Bash commands, and passes its name only to a SessionStart hook. Arm does nothing on
// Windows, which has no links.
func Arm(env func(string) string, session string) error {
	path, line := env("CLAUDE_ENV_FILE"), Line(seal.Home(env), session)
	if path == "" || line == "" || session == "" || runtime.GOOS == "windows" {
		return nil
	}
	before, _ := safefile.Read(path, maxEnvFile)
	if holds(before, line) {
		return nil
	}
	text := line + "\n"
	if before != "" && !strings.HasSuffix(before, "\n") {
		text = "\n" + text
	}
	if err := safefile.Append(path, text); err != nil {
		return fmt.Errorf("write the session's environment: %w", err)
	}
	return nil
}

// Armed reports whether Line is in one of the shell files that the client evaluates for the
// session. It returns false if their directory cannot be read.
func Armed(env func(string) string, session string) bool {
	line := Line(seal.Home(env), session)
	if line == "" || session == "" || session != filepath.Base(session) || session == ".." {
		return false
	}
	folder := cmp.Or(env("CLAUDE_CONFIG_DIR"), filepath.Join(env("HOME"), ".claude"))
	folder = filepath.Join(folder, "session-env", session)
	entries, err := os.ReadDir(folder)
	holding := func(e os.DirEntry) bool {
		text, _ := safefile.Read(filepath.Join(folder, e.Name()), maxEnvFile)
		return holds(text, line)
	}
	return err == nil && filepath.IsAbs(folder) && slices.ContainsFunc(entries, holding)
}

func holds(text, line string) bool { return slices.Contains(strings.Split(text, "\n"), line) }
