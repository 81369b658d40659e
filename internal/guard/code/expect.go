package code

import (
	"strings"

	"hooks/internal/guard/shell"
)

// Spawned reads expect's spawn, system and send lines.
func Spawned(f *shell.Frame, text string) {
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		line = strings.TrimSpace(line)
		for _, verb := range []string{"spawn ", "exec ", "system ", "send "} {
			if rest, ok := strings.CutPrefix(line, verb); ok {
				rest = strings.TrimPrefix(rest, "-- ")
				f.Run(strings.NewReplacer(`\r"`, "", `\n"`, "", `"`, "", "{", "", "}", "").Replace(rest))
			}
		}
	}
}
