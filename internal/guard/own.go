package guard

import (
	"strings"

	"hooks/internal/guard/word"
)

// reads reports whether a command line is known to read files only. Git's index is no file that
// anybody runs.
func reads(argv []string) bool {
	name, args := argv[0], argv[1:]
	switch {
	case word.Has(`less more bat batcat xxd shasum md5 zcat zgrep nm objdump readelf delta
difft`, name):
		return true
	case name == "prettier":
		return !anyArg(args, "--write -w")
	case name == "git" && len(args) > 0 && word.Has("add commit", args[0]):
		return true
	case strings.HasPrefix(name, "-"):
		return false
	}
	return looksArgv(argv)
}
