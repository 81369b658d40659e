package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/tidwall/gjson"

	plugin "hooks"
	"hooks/schemas"
)

type schemaCmd struct {
	Name string `arg:"" enum:"${schemas}" help:"One of ${schemas}."`
}

// Run prints the embedded schema.
func (s schemaCmd) Run(c caller) error {
	text, _ := schemas.Get(s.Name)
	_, err := c.out.Write(text)
	return err
}

type versionCmd struct{}

// Run prints the version, with the commit and its date.
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

// version returns the version of the plugin, which must be equal to a release's tag.
func version() string { return gjson.Get(plugin.Manifest, "version").String() }

// origin describes the commit of the build, as far as the toolchain recorded it.
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
