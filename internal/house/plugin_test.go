package house

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Only plugin.json has the version: the program prints it, the release's tag is checked against it,
// and the client uses it for the plugin of the marketplace.
func TestOneVersion(t *testing.T) {
	manifest := read(t, ".claude-plugin/plugin.json")
	market := read(t, ".claude-plugin/marketplace.json")
	three := regexp.MustCompile(`^\d+\.\d+\.\d+$`)
	if v := manifest.Get("version").String(); !three.MatchString(v) {
		t.Errorf("plugin.json has the version %q", v)
	}
	listed := market.Get("plugins").Array()
	if len(listed) != 1 || listed[0].Get("source").String() != "./" ||
		listed[0].Get("version").Exists() {
		t.Fatalf("the marketplace lists %v, want this folder, without a version of its own", listed)
	}
	for _, key := range []string{"name", "description", "license", "keywords"} {
		if got, want := listed[0].Get(key).Raw, manifest.Get(key).Raw; got != want {
			t.Errorf("%s: the marketplace says %s, the plugin %s", key, got, want)
		}
	}
}

// A release is a plugin, so its archives have every file of one.
func TestReleaseHasThePlugin(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	listed := regexp.MustCompile(`src: "\{(.*)\}"`).FindSubmatch(text)
	if listed == nil {
		t.Fatal("no list of files")
	}
	for _, part := range []string{"hooks.json", ".claude-plugin", "skills", "agents", "launch"} {
		err := fs.WalkDir(os.DirFS(root), part, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			for _, pattern := range strings.Split(string(listed[1]), ",") {
				if ok, _ := path.Match(pattern, name); ok {
					return nil
				}
			}
			t.Errorf("%s is in no archive", name)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
