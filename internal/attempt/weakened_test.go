package attempt

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// changed is the diff that git makes of files before and after; an empty text is no file.
func changed(t *testing.T, before, after map[string]string) []byte {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) []byte {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b",
			"-c", "core.autocrlf=false"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return out
	}
	write := func(files map[string]string) {
		for name, text := range files {
			file := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if text == "" {
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			}
		}
		git("add", "-A")
		git("commit", "-qm", "x", "--allow-empty")
	}
	git("init", "-q")
	write(before)
	write(after)
	return git("diff", "--no-color", "--no-ext-diff", "-M90%", "--unified=0", "HEAD~1")
}

func TestWeakened(t *testing.T) {
	const goTest = "package a\n\nfunc TestA(t *testing.T) {\n\tuse(t)\n}\n"
	skipped := strings.Replace(goTest, "\tuse", "\tt.Skip(\"later\")\n\tuse", 1)
	before := map[string]string{
		"a/a_test.go": goTest, "b_test.go": goTest, "gone_test.go": goTest + "// gone\n",
		"moved_test.go": goTest + "// moved\n", "hidden_test.go": goTest + "// hidden\n",
		"é \"_test.go": goTest + "// quoted\n", "a.go": "package a\n", "gone.go": "package gone\n",
		"web/a.test.ts": "it('a', () => {})\nit('b', () => {})\nit.skip('c', f)\n",
		"t/test_a.py":   "def test_a():\n    pass\n", "src/lib.rs": "#[test]\nfn a() {}\n",
		"src/test/ATest.java": "@Test\nvoid a() {}\n", "Main.java": "class A {}\n",
	}
	after := map[string]string{
		"a/a_test.go": skipped, "gone_test.go": "", "é \"_test.go": "", "gone.go": "",
		"moved_test.go": "", "c/moved_test.go": goTest + "// moved\n",
		"hidden_test.go": "", "hidden_test.go.txt": goTest + "// hidden\n",
		"a.go":        "package a\n\n// t.Skip(\n\nfunc f(t T) { t.Skip(1) }\n",
		"new_test.go": strings.Replace(goTest, "\tuse", "\t// t.Skip(1)\n\tat.Skip()\n\tuse", 1),
		"web/a.test.ts": "it.skip('c', f)\nit('a', () => {})\nxit('b', () => {})\n" +
			"describe.skip('d', g)\ntest.todo('e')\nexit()\n",
		"t/test_a.py":         "@pytest.mark.skipif(True)\ndef test_a():\n    pass\n",
		"src/lib.rs":          "#[test]\n#[ignore = \"slow\"]\nfn a() {}\n",
		"src/test/ATest.java": "@Disabled\n@Test\nvoid a() {}\n@IgnoreExtraProperties\n",
		"Main.java":           "@IgnoreExtraProperties\nclass A {}\n",
		"README.md":           "--- a/x_test.go\ndiff --git a/x_test.go b/x_test.go\nt.Skip()\n",
	}
	want := []string{
		"a/a_test.go:4 adds t.Skip",
		"gone_test.go was deleted",
		"hidden_test.go was deleted", // it is no test under its new name
		"src/lib.rs:2 adds #[ignore",
		"src/test/ATest.java:1 adds @Disabled",
		"t/test_a.py:1 adds @pytest.mark.skip",
		"web/a.test.ts:3 adds xit",
		"web/a.test.ts:4 adds describe.skip",
		"web/a.test.ts:5 adds test.todo",
		"é \"_test.go was deleted",
	}
	got := Weakened(changed(t, before, after))
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := Weakened(changed(t, after, map[string]string{"a/a_test.go": goTest})); got != nil {
		t.Errorf("a mark was removed: %q", got)
	}
}

func TestWeakenedIsBounded(t *testing.T) {
	var diff strings.Builder
	for i := range 60 {
		fmt.Fprintf(&diff, "diff --git a/%[1]d_test.go b/%[1]d_test.go\n", i)
		fmt.Fprintf(&diff, "--- a/%d_test.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", i)
	}
	got := Weakened([]byte(diff.String()))
	if len(got) != 50 || got[49] != "11 more are not listed" {
		t.Errorf("%d: %q", len(got), got[len(got)-1])
	}
}

// Every file below a folder "test" may hold a test, and a bare word is a mark in a test only.
func TestWeakenedByMark(t *testing.T) {
	for _, c := range []struct{ file, line, mark string }{
		{"test/app.js", "it.skip('x', f)", "it.skip"},
		{"test/app.js", "skip", ""},
		{"src/test/java/Users.java", "@Disabled", "@Disabled"},
		{"src/test/java/UserTest.java", "@DisabledOnOs(OS.LINUX)", "@Disabled"},
		{"test/a_test.rb", "skip unless ENV['X']", "skip"},
		{"spec/a_spec.rb", "pending do", "pending"},
		{"test/a.exs", "@tag :skip", "@tag :skip"},
		{"a_test.go", "if t.Skipped() {", ""},
		{"a.py", "skip if there is none", ""},
		{"src/a.py", "pytest.skip('x')", "pytest.skip"},
		{"tests/test_a.py", "#@pytest.mark.skip", ""},
	} {
		diff := fmt.Sprintf("diff --git x y\n--- a/%[1]s\n+++ b/%[1]s\n@@ -3,0 +4 @@\n+%[2]s",
			c.file, c.line)
		want := ""
		if c.mark != "" {
			want = c.file + ":4 adds " + c.mark
		}
		if got := strings.Join(Weakened([]byte(diff)), "\n"); got != want {
			t.Errorf("%q in %s: %q, want %q", c.line, c.file, got, want)
		}
	}
}

func TestWeakenedByHeader(t *testing.T) {
	for header, want := range map[string]string{
		"a/b_test.go":             "b_test.go was deleted",
		"a/b c_test.go\t":         "b c_test.go was deleted",
		`"a/\303\251_test.go"`:    "é_test.go was deleted",
		`"a/\303\251 \"_test.go"`: "é \"_test.go was deleted",
		"a/b.go":                  "", "": "", `"`: "", "a": "",
	} {
		diff := "diff --git x y\n--- " + header + "\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
		got := strings.Join(Weakened([]byte(diff)), "\n")
		if got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
}

func FuzzWeakened(f *testing.F) {
	f.Add("diff --git a/a_test.go b/a_test.go\n@@ -1,0 +1,2 @@ x\n+\tt.Skip()\n\\ No newline\n")
	f.Add("diff --git \"a/\\303\" b\nrename from a_test.go\nrename to b\n" +
		"@@ -99999999999999999999 +1 @@")
	f.Fuzz(func(t *testing.T, diff string) {
		got := Weakened([]byte(diff))
		if len(got) > maxWeakened {
			t.Errorf("%d sentences", len(got))
		}
		for _, sentence := range got {
			if strings.Contains(sentence, "\n") || len(sentence) > 1000 {
				t.Errorf("%q", sentence)
			}
		}
	})
}

// A test that is taken out or asserts nothing any more is named; one that moved, or that asserts
// something else, is not (T96, issue 29).
func TestWeakenedNamesEmptiedTests(t *testing.T) {
	diff := func(file, body string) string {
		old := strings.Count("\n"+body, "\n-")
		return fmt.Sprintf("diff --git a/%[1]s b/%[1]s\n--- a/%[1]s\n+++ b/%[1]s\n"+
			"@@ -3,%d +3,%d @@\n%s", file, old, strings.Count("\n"+body, "\n+"), body)
	}
	for _, c := range []struct{ diff, want string }{
		{diff("a_test.go", "-func TestA(t *testing.T) {\n-\tt.Fatal(1)\n-}\n"),
			`a_test.go loses "func TestA(t *testing.T) {"`},
		{diff("test_a.py", "-    assert add(1, 2) == 3\n+    pass\n"),
			"test_a.py:3 has fewer assertions"},
		{diff("a.test.js", "-  expect(1).toBe(1)\n+  expect(2).toBe(2)\n"), ""},
		{diff("a_test.go", "-func TestA(t *testing.T) {\n") +
			diff("b_test.go", "+func TestA(t *testing.T) {\n"), ""},
		{diff("a.go", "-func TestA() {\n-\tassert(1)\n"), ""},
	} {
		if got := strings.Join(Weakened([]byte(c.diff)), "; "); got != c.want {
			t.Errorf("%s\nis %q, want %q", c.diff, got, c.want)
		}
	}
}
