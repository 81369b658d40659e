package seal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func record() *Record {
	return &Record{
		Session: "5f0c-1", Project: "/home/dev/app \"x\"", Boot: "b1",
		Loops: []Loop{{
			Skill: "work", RunID: "r1", Budget: ".sdd/loop/work.budget.json",
			On: true, Told: true, Unlocked: true, HeldFor: "accept", HeldBudget: `{"b":1}`,
			State: Files{
				Budget: "{\n  \"a\": [1, \"<&>\"]\n}", Tick: `{"t":1}`, Marker: "else/where.json",
				History: 12, Line: `{"l":"é"}`,
			},
			Next: &Files{Budget: `{"a":2}`, History: 20},
		}, {Skill: "review", RunID: "r2", Budget: "b.json"}},
	}
}

// recorded is record() as it is in its file.
const recorded = `{"version":1,"session_id":"5f0c-1","project":"/home/dev/app \"x\"","boot":"b1","loops":[{"on":true,"skill":"work","run_id":"r1","budget_file":".sdd/loop/work.budget.json","told":true,"unlocked":true,"held_for":"accept","held_budget":{"b":1},"state":{"history":12,"marker":"else/where.json","budget":{
  "a": [1, "<&>"]
},"tick":{"t":1},"line":{"l":"é"}},"next":{"history":20,"budget":{"a":2}}},{"skill":"review","run_id":"r2","budget_file":"b.json","state":{}}]}
`

func encoded(r *Record) []byte {
	text, err := r.encode()
	if err != nil {
		panic(err)
	}
	return text
}

func TestARecordIsReadAsItWasWritten(t *testing.T) {
	want := record()
	text, err := want.encode()
	if string(text) != recorded || err != nil {
		t.Errorf("written as %s, %v", text, err)
	}
	got, err := decode([]byte(recorded))
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
}

// A record lies in on/ while a loop of it is on, in off/ afterwards, and nowhere once it has no
// loop.
func TestARecordLiesWhereItsSwitchBelongs(t *testing.T) {
	d, r := At(filepath.Join(t.TempDir(), "state")), record()
	where := func() (places string) {
		for _, dir := range []string{"on", "off"} {
			entries, _ := os.ReadDir(filepath.Join(d.path, dir))
			for _, e := range entries {
				places += dir + "/" + e.Name() + " "
			}
		}
		return strings.TrimSpace(places)
	}
	for _, step := range []struct {
		change func()
		want   string
		active bool
	}{
		{func() {}, "on/5f0c-1", true},
		{func() { r.Loops[0].On = false }, "off/5f0c-1", false},
		{func() { r.Loops[1].On = true }, "on/5f0c-1", true},
		{func() { r.Loops[1].On = false }, "off/5f0c-1", false},
		{func() { r.Loops = nil }, "", false},
	} {
		step.change()
		if err := d.Save(r); err != nil {
			t.Fatal(err)
		}
		active, err := d.Active(r.Session)
		if got := where(); got != step.want || (active != nil) != step.active || err != nil {
			t.Errorf("%q, active %v, %v; want %q, %v",
				got, active != nil, err, step.want, step.active)
		}
		if found, err := d.Find(r.Session); (found != nil) != (step.want != "") || err != nil {
			t.Errorf("%q: found %v, %v", step.want, found, err)
		}
	}
}

// Of gives the records of one project, the newer one where a crash left two, and says which cannot
// be read.
func TestRecordsOfAProject(t *testing.T) {
	d, r := At(t.TempDir()), record()
	other := &Record{Session: "s2", Project: "/elsewhere", Loops: r.Loops}
	for _, one := range []*Record{r, other} {
		if err := d.Save(one); err != nil {
			t.Fatal(err)
		}
	}
	old := *r
	old.Boot = "older"
	if err := replaceIn(d.off(r.Session), encoded(&old)); err != nil {
		t.Fatal(err)
	}
	list, err := d.Of(r.Project)
	if err != nil || len(list) != 1 || list[0].Boot != "b1" {
		t.Errorf("%d records, %v", len(list), err)
	}
	if err := replaceIn(d.on("s3"), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if list, err = d.Of(r.Project); !errors.Is(err, errDamaged) || len(list) != 1 {
		t.Errorf("%d records, %v", len(list), err)
	}
	if _, err := d.Active("s3"); !errors.Is(err, errDamaged) {
		t.Errorf("a damaged record is read: %v", err)
	}
}

func replaceIn(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

func TestAStateDirectoryThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, d := range []Dir{{}, At(file), At(filepath.Join(file, "below"))} {
		if err := d.Save(record()); !errors.Is(err, ErrUnwritable) {
			t.Errorf("save in %q: %v", d.path, err)
		}
		if err := d.Probe(); !errors.Is(err, ErrUnwritable) {
			t.Errorf("probe %q: %v", d.path, err)
		}
		if r, err := d.Find("5f0c-1"); r != nil || err != nil {
			t.Errorf("found in %q: %v, %v", d.path, r, err)
		}
	}
}

func TestHome(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"HOOKS_STATE_HOME": "/s/", "XDG_STATE_HOME": "/x"}, "/s"},
		{map[string]string{"HOOKS_STATE_HOME": "s", "XDG_STATE_HOME": "/x"}, "/x/hooks"},
		{map[string]string{}, ""},
	} {
		got := Home(func(name string) string { return c.env[name] })
		if filepath.ToSlash(got) != c.want {
			t.Errorf("%v: %q, want %q", c.env, got, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encoded(record()))
	f.Add([]byte(`{"session_id":"s","project":"/p","loops":[{}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := decode(text)
		if err != nil || !utf8.Valid(text) { // only what is UTF-8 is written
			return
		}
		again, err := decode(encoded(r))
		if d := cmp.Diff(r, again, cmpopts.EquateEmpty()); d != "" || err != nil {
			t.Errorf("%v\n%s", err, d)
		}
	})
}
