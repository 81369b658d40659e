package tracker

import (
	"cmp"
	"path/filepath"
	"runtime"
	"strings"

	"hooks/internal/safefile"
)

// maxConfig bounds what ReadConfig reads, in bytes.
const maxConfig = 256 << 10

// ReadConfig returns the first 256 KiB of a client's configuration file, or an empty string if it
// cannot be read.
func ReadConfig(path string) string {
	text, _ := safefile.ReadHead(path, maxConfig)
	return text
}

// GhAliases returns the names of a person's own commands of the gh client.
func GhAliases(getenv func(string) string) (names []string) {
	_, text, _ := strings.Cut(ReadConfig(GhConfig(getenv, "config.yml")), "aliases:")
	text = strings.NewReplacer(`"`, "", "'", "", " :", ":", "{", " ", ",", " ").Replace(text)
	for word := range strings.FieldsSeq(text) {
		if name, key := strings.CutSuffix(word, ":"); key {
			names = append(names, name)
		}
	}
	return names
}

// GhConfig returns the path of a file in gh's configuration folder.
func GhConfig(getenv func(string) string, name string) string {
	dir := filepath.Join(ConfigHome(getenv), "gh")
	data := getenv("APPDATA")
	if runtime.GOOS == "windows" && data != "" && getenv("XDG_CONFIG_HOME") == "" {
		dir = filepath.Join(data, "GitHub CLI")
	}
	return filepath.Join(cmp.Or(getenv("GH_CONFIG_DIR"), dir), name)
}

// ConfigHome returns the folder in which programs keep their configuration on Linux, and some of
// them on any system.
func ConfigHome(getenv func(string) string) string {
	return cmp.Or(getenv("XDG_CONFIG_HOME"), filepath.Join(getenv("HOME"), ".config"))
}
