package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/tidwall/gjson"

	plugin "hooks"
)

type versionCmd struct{}

// Run prints the version, and the commit that the binary was built from with its date.
func (versionCmd) Run(c caller) error {
	_, err := fmt.Fprintln(c.out, versionLine())
	return err
}

func versionLine() string {
	var settings []debug.BuildSetting
	if info, ok := debug.ReadBuildInfo(); ok {
		settings = info.Settings
	}
	return fmt.Sprintf("hooks %s (%s) %s/%s %s", version(), origin(settings), runtime.GOOS,
		runtime.GOARCH, runtime.Version())
}

// version is the plugin's, which a release's tag must agree with.
func version() string { return gjson.Get(plugin.Manifest, "version").String() }

// origin is what the toolchain noted of the checkout: nothing where it was no repository.
func origin(settings []debug.BuildSetting) string {
	vcs := map[string]string{}
	for _, s := range settings {
		vcs[s.Key] = s.Value
	}
	commit := vcs["vcs.revision"]
	if commit == "" {
		return "commit unknown"
	}
	parts := []string{"commit " + commit[:min(12, len(commit))]}
	if at := vcs["vcs.time"]; at != "" {
		parts = append(parts, at)
	}
	if vcs["vcs.modified"] == "true" {
		parts = append(parts, "modified")
	}
	return strings.Join(parts, ", ")
}
