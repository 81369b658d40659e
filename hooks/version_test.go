package main

import (
	"runtime/debug"
	"testing"
)

func TestOrigin(t *testing.T) {
	for _, c := range []struct {
		want     string
		settings []debug.BuildSetting
	}{
		{"commit unknown", nil},
		{"commit 0123456789ab, 2026-11-20T10:00:00Z",
			[]debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"},
				{Key: "vcs.time", Value: "2026-11-20T10:00:00Z"},
				{Key: "vcs.modified", Value: "false"}}},
		{"commit 0123, modified",
			[]debug.BuildSetting{{Key: "vcs.revision", Value: "0123"},
				{Key: "vcs.modified", Value: "true"}}},
	} {
		if got := origin(c.settings); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
