package house

import (
	"regexp"
	"testing"
)

// The version stands in plugin.json alone: the program prints that one, the release's tag is
// checked against it, and the client takes it for the plugin of the marketplace.
func TestOneVersion(t *testing.T) {
	manifest, market := read(t, ".claude-plugin/plugin.json"),
		read(t, ".claude-plugin/marketplace.json")
	if v := manifest.Get("version").String(); !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(
		v) {
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
