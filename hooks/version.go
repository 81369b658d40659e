package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

type versionCmd struct{}

// Run prints the version and the revision that the binary was built from.
func (versionCmd) Run(s streams) error {
	fmt.Fprintf(s.out, "hooks %s %s/%s %s\n", version(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	return nil
}

// version is the module's version where it was installed by one, else the revision of the checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}
