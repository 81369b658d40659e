package proc

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The build id is the linker's own, as the toolchain reads it.
func TestSelfCarriesTheBuildID(t *testing.T) {
	p := Self()
	out, err := exec.Command("go", "tool", "buildid", p.Path).Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimSpace(string(out)); p.Build != want || want == "" {
		t.Errorf("build id %q, the toolchain says %q", p.Build, want)
	}
	if info, err := os.Stat(p.Path); err != nil || info.Size() != p.Size {
		t.Errorf("%+v: %v", p, err)
	}
}

func TestBuildIDOfOtherFiles(t *testing.T) {
	for name, c := range map[string]struct{ head, want string }{
		"a program":      {"MZ\x00\x00\xff Go build ID: \"abc/def\"\n \xff\x00", "abc/def"},
		"cut off":        {"MZ\x00\x00\xff Go build ID: \"abc", ""},
		"an ELF without": {"\x7fELF\x02\x01\x01\x00Go\x00\x00Go\x00\x00\x00", ""},
		"a script":       {"#!/bin/sh\n", ""},
		"nothing":        {"", ""},
	} {
		if got := buildID([]byte(c.head)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
