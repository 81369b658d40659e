package seal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func record() *Record {
	return &Record{
		Session: "5f0c-1", Project: "/home/dev/app \"x\"", Boot: "b1",
		Loops: []Loop{{
			Skill: "work", RunID: "r1", Budget: ".sdd/loop/work.budget.json",
			On: true, Unlocked: true, HeldFor: "reset",
			State: Files{
				Budget: "{\n  \"a\": [1, \"<&>\"]\n}", Tick: `{"t":1}`, Marker: "else/where.json",
				History: 12, Line: `{"l":"é"}`,
			},
			Next: &Files{Budget: `{"a":2}`, History: 20},
		}, {Skill: "review", RunID: "r2", Budget: "b.json"}},
	}
}

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
	form := strings.NewReplacer("\x1f", "|", "\n", "").Replace(string(text))
	if form != `{"version":2,"session_id":"5f0c-1","project":"/home/dev/app \"x\"",`+
		`"boot":"b1","loops":[{"on":true,"skill":"work","run_id":"r1",`+
		`"budget_file":".sdd/loop/work.budget.json",`+
		`"unlocked":true,"held_for":"reset",`+
		`"state":{"history":12,"marker":"else/where.json"},"next":{"history":20}},`+
		`{"skill":"review","run_id":"r2","budget_file":"b.json","state":{}}]}`+
		`|{  "a": [1, "<&>"]}|{"t":1}|{"l":"é"}|{"a":2}||||||` || err != nil {
		t.Errorf("written as %s, %v", form, err)
	}
	got, whole, err := decode(string(text))
	if d := cmp.Diff(want, got); d != "" || !whole || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
	if d := cmp.Diff(record(), want); d != "" {
		t.Errorf("changed by being written:\n%s", d)
	}
	want.Loops[1].State.Tick = "\x1f"
	if _, err := want.encode(); err == nil {
		t.Error("a text that is no JSON is written")
	}
	for n := range text {
		if r, _, err := decode(string(text[:n])); err == nil {
			t.Errorf("cut off after %d bytes it is %+v", n, r)
		}
	}
}

// A change of a run's files is noted in the record's own file. Wherever a kill cuts a note off, the
// record is as it was before that note, and the next change can be saved.
func TestChangesAreNoted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root, err := os.MkdirTemp("", "")
		must(t, err)
		defer os.RemoveAll(root)
		d, r := At(root), record()
		r.Loops[1].On = true
		must(t, d.Save(r))
		for n := range rapid.IntRange(1, 30).Draw(t, "changes") {
			before, l := r.clone(), &r.Loops[rapid.IntRange(0, 1).Draw(t, "loop")]
			budget := fmt.Sprintf("{\n  \"n\": %d, \"rest\": %q\n}", n,
				strings.Repeat("x", rapid.SampledFrom([]int{0, 10, 5000}).Draw(t, "size")))
			do := rapid.SampledFrom([]string{"begin", "end", "save"}).Draw(t, "do")
			switch next := l.State; do {
			case "begin":
				next.Budget = budget
				l.Next = &next
				must(t, d.Save(r))
			case "end":
				if l.Next == nil {
					continue
				}
				l.State, l.Next = *l.Next, nil
				must(t, d.Save(r))
			case "save":
				l.State.Budget = budget
				must(t, d.Save(r))
			}
			path := SwitchPath(d.path, r.Session)
			text, err := os.ReadFile(path)
			must(t, err)
			if at := bytes.LastIndex(text, []byte(beforeNote)); at > 0 {
				cut := rapid.IntRange(at, len(text)-1).Draw(t, "cut")
				must(t, os.WriteFile(path, text[:cut], 0o600))
				isRead(t, root, before)
				if rapid.Bool().Draw(t, "killed") {
					r = before
					continue
				}
				must(t, os.WriteFile(path, text, 0o600))
			}
			isRead(t, root, r)
			if rapid.Bool().Draw(t, "another process") {
				d = At(root)
				r, err = d.Active(r.Session)
				must(t, err)
			}
		}
	})
}

// isRead compares the record that another process reads.
func isRead(t *rapid.T, root string, want *Record) {
	t.Helper()
	got, err := At(root).Active(want.Session)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Fatalf("%v\n%s", err, diff)
	}
}

func must(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A power cut may leave zeros in the place of what was added last.
func TestZerosAtTheEndAreNoNote(t *testing.T) {
	r := record()
	whole := string(encoded(r))
	for _, text := range []string{whole, whole + "\x1e{\"sk"} {
		d := At(t.TempDir())
		path := SwitchPath(d.path, r.Session)
		if err := replaceIn(path, []byte(text+strings.Repeat("\x00", 9))); err != nil {
			t.Fatal(err)
		}
		got, err := d.Active(r.Session)
		if err != nil {
			t.Fatal(err)
		}
		got.Loops[0].Next = &Files{Budget: "3"}
		err = d.Save(got)
		if again, rerr := At(d.Path()).Active(r.Session); errors.Join(err, rerr) != nil ||
			again.Loops[0].Next.Budget != "3" {
			t.Errorf("%v, %v: %+v", err, rerr, again)
		}
	}
}

// A change is a note in the same file, until the file is long.
func TestALongFileIsReplaced(t *testing.T) {
	d, r := At(t.TempDir()), record()
	l := &r.Loops[0]
	l.Next = nil
	if err := d.Save(r); err != nil {
		t.Fatal(err)
	}
	var sizes []int64
	for range 5 {
		l.Next = &Files{Budget: `"` + strings.Repeat("x", maxFile/4) + `"`}
		err := d.Save(r)
		l.State, l.Next = *l.Next, nil
		info, serr := os.Stat(SwitchPath(d.path, r.Session))
		if err = errors.Join(err, d.Save(r), serr); err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, info.Size()/(maxFile/4))
	}
	if want := []int64{1, 2, 3, 2, 3}; !slices.Equal(sizes, want) {
		t.Errorf("sizes %v, want %v", sizes, want)
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
	if err := replaceIn(SwitchPath(d.path, "s3"), []byte("{}")); err != nil {
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
	bad := record() // its own fault, for which no loop begins without a seal
	bad.Loops[0].State.Tick = "\x1f"
	if err := At(t.TempDir()).Save(bad); err == nil || errors.Is(err, ErrUnwritable) {
		t.Errorf("a text that is no JSON: %v", err)
	}
}

// A record that a power cut has left empty is none, but it is still the switch of the brake. It
// goes once no one can be writing it.
func TestAnEmptyRecordIsRemoved(t *testing.T) {
	d := At(t.TempDir())
	old := time.Now().Add(-2 * litterAge)
	for session, text := range map[string]string{"empty": "", "zeros": "\x00\x00", "new": ""} {
		_, err := create(SwitchPath(d.path, session), []byte(text))
		if err == nil && session != "new" {
			err = os.Chtimes(SwitchPath(d.path, session), old, old)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	off := &Record{Session: "new", Project: "/p", Loops: []Loop{{Skill: "work"}}}
	if _, err := create(d.off("new"), encoded(off)); err != nil {
		t.Fatal(err)
	}
	if list, err := d.Of("/p"); len(list) != 1 || err != nil {
		t.Errorf("beside the record of a loop that was off: %v, %v", list, err)
	}
	left, err := os.ReadDir(filepath.Dir(SwitchPath(d.path, "new")))
	if err != nil || len(left) != 1 || left[0].Name() != "new" {
		t.Errorf("left: %v, %v", left, err)
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
	f.Add(append(encoded(record()), "\x1e"+`{"skill":"work","next":{}}`+"\x1f{}\x1f\x1f\x1f\n\x1e"+
		`{"skill":"work"}`+"\x1f\n\x1e"+`{"sk`...))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, _, err := decode(string(text))
		if err != nil || !utf8.Valid(text) { // only what is UTF-8 is written
			return
		}
		again, _, err := decode(string(encoded(r)))
		if d := cmp.Diff(r, again, cmpopts.EquateEmpty()); d != "" || err != nil {
			t.Errorf("%v\n%s", err, d)
		}
	})
}
