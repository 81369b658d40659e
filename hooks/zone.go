package main

import (
	"os"
	"path/filepath"
	"strings"
)

// dropOddZone unsets a TZ that leads to something other than a file: the library would open it, and
// a pipe there would hold a hook until the client ends it and lets the call pass.
func dropOddZone() {
	zone := strings.TrimPrefix(os.Getenv("TZ"), ":")
	if !strings.HasPrefix(zone, "/") && !strings.Contains(zone, "..") {
		return
	}
	path := zone
	if zone[0] != '/' {
		path = filepath.Join("/usr/share/zoneinfo", zone)
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		_ = os.Unsetenv("TZ") // it fails for an empty name only
	}
}
