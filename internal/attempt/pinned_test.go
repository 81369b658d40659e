package attempt

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a check starts and names is pinned, and a test runner's own settings; what is checked is not
// (issue 29).
func TestPinned(t *testing.T) {
	start := map[string]string{
		"check.sh": "#!/bin/sh\n. \"$(dirname \"$0\")/ci/lib.sh\"\n" +
			"cc src/main.c\ndiff out expected.txt\n",
		"ci/lib.sh":    "sh ci/deep.sh\n",
		"ci/deep.sh":   "true\n",
		"expected.txt": "1\n",
		"src/main.c":   "int main() {}\n",
		"README.md":    "old\n",
		"Makefile":     "test: app\n\t@sh ci/make.sh\n",
		"ci/make.sh":   "true\n",
		"package.json": `{"scripts":{"test":"node ci/run.js"},"dependencies":{"a":"1"}}`,
		"ci/run.js":    "1",
	}
	for _, c := range []struct{ command, changes, want string }{
		{"./check.sh", "check.sh src/main.c README.md", "check.sh"},
		{"sh -e check.sh", "ci/lib.sh ci/deep.sh expected.txt",
			"ci/deep.sh ci/lib.sh ?expected.txt"},
		{"bash -c 'cd ci && sh deep.sh'", "ci/deep.sh", "ci/deep.sh"},
		{"cd ci; timeout 60 sh ./deep.sh | cat", "ci/deep.sh check.sh", "ci/deep.sh"},
		{"make test", "GNUmakefile ci/make.sh src/main.c", "GNUmakefile ci/make.sh"},
		{"npm test", "package.json ci/run.js", "ci/run.js package.json"},
		{"npm t", "ci/run.js", "ci/run.js"},
		{"npm run lint", "ci/run.js", ""},
		{"go test ./...", "check.sh main_test.go", ""},
		{"test -f README.md && grep -q new README.md", "README.md", ""},
		{"pytest", "conftest.py pytest.ini pkg/jest.config.ts",
			"conftest.py pytest.ini pkg/jest.config.ts"},
		{"sh new.sh", "new.sh", "new.sh"}, // the worker wrote it
		{"python3 ci/check.py", "ci/check.py", "ci/check.py"},
	} {
		now := maps.Clone(start)
		changed := strings.Fields(c.changes)
		slices.Sort(changed)
		for _, file := range changed {
			now[file] = strings.ReplaceAll(start[file], "ci/run.js", "true") + "\n"
		}
		var want []string
		if want = strings.Fields(c.want); len(want) == 0 {
			want = nil
		}
		slices.Sort(want)
		got, named := Pinned(c.command, changed, filesOf(start), filesOf(now))
		for _, file := range named {
			got = append(got, "?"+file)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.command, diff)
		}
	}
}

func filesOf(all map[string]string) Files {
	return Files{
		Has:  func(file string) bool { _, ok := all[file]; return ok },
		Read: func(file string) string { return all[file] },
	}
}

// A new dependency leaves the check as it is; a script or a setting does not.
func TestPinnedParts(t *testing.T) {
	for _, c := range []struct {
		file, was, is string
		pinned        bool
	}{
		{"package.json", `{"scripts":{"test":"jest"},"dependencies":{}}`,
			`{"scripts":{"test":"jest"},"dependencies":{"a":"1"}}`, false},
		{"web/package.json", `{"scripts":{"test":"jest"},"dependencies":{}}`,
			`{"scripts":{"test":"true"},"dependencies":{"a":"1"}}`, true},
		{"deno.jsonc", `{"tasks":{"test":"a"}}`, `{"tasks":{"test":"b"}}`, true},
		{"pyproject.toml", "[project]\nx = 1\n[tool.pytest.ini_options]\na = 1\n",
			"[project]\nx = 2\n[tool.pytest.ini_options]\na = 1\n", false},
		{"pyproject.toml", "[project]\nx = 1\n[tool.pytest.ini_options]\na = 1\n",
			"[project]\nx = 2\n[tool.pytest.ini_options]\na = 2\n[tool.other]\ny = 1\n", true},
	} {
		was := filesOf(map[string]string{c.file: c.was})
		is := filesOf(map[string]string{c.file: c.is})
		if pinned, _ := Pinned("x", []string{c.file}, was, is); len(pinned) > 0 != c.pinned {
			t.Errorf("%s: pinned is %q", c.is, pinned)
		}
	}
}
