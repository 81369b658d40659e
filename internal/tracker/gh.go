package tracker

import (
	"cmp"
	"path/filepath"
)

// ConfigFiles returns the paths where gh, glab or tea may keep the configuration file called name
// on Linux, macOS and Windows. It skips relative directories, which would be in the project.
func ConfigFiles(getenv func(string) string, client, name string) (files []string) {
	folder, own := client, ""
	switch client {
	case "gh":
		own = getenv("GH_CONFIG_DIR")
	case "glab":
		folder, own = "glab-cli", getenv("GLAB_CONFIG_DIR")
	}
	if own != "" {
		return []string{filepath.Join(own, name)}
	}
	home := getenv("HOME")
	for _, dir := range []string{
		filepath.Join(cmp.Or(getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")), folder),
		filepath.Join(home, "Library", "Application Support", folder),
		filepath.Join(getenv("LOCALAPPDATA"), folder),
		filepath.Join(getenv("APPDATA"), "GitHub CLI"), // gh on Windows
	} {
		if filepath.IsAbs(dir) {
			files = append(files, filepath.Join(dir, name))
		}
	}
	return files
}
