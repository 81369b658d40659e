package guard

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/guard.md anew")

const docsPath = "../../docs/guard.md"

// tally counts one table by class.
type tally struct {
	classes []string
	cases   map[string]int
	right   map[string]int
	lines   map[string][]string
}

func count(t *testing.T, table string) tally {
	files := loadProject(t)
	c := tally{cases: map[string]int{}, right: map[string]int{}, lines: map[string][]string{}}
	for _, tc := range loadTable(t, table) {
		if c.cases[tc.class] == 0 {
			c.classes = append(c.classes, tc.class)
		}
		c.cases[tc.class]++
		verdict := tc.kind
		if tc.pr > 0 {
			verdict += fmt.Sprintf("#%d", tc.pr)
		}
		c.lines[tc.class] = append(c.lines[tc.class], fmt.Sprintf("%-22s %s", verdict, tc.text))
		if tc.agrees(Read(tc.call, tc.repo, files)) {
			c.right[tc.class]++
		}
	}
	return c
}

func (c tally) sum() (cases, right int) {
	for _, class := range c.classes {
		cases += c.cases[class]
		right += c.right[class]
	}
	return cases, right
}

func (c tally) table(b *strings.Builder, head string) {
	fmt.Fprintf(b, "| class | cases | %s |\n|---|---|---|\n", head)
	for _, class := range c.classes {
		fmt.Fprintf(b, "| %s | %d | %d |\n", class, c.cases[class], c.right[class])
	}
	cases, right := c.sum()
	fmt.Fprintf(b, "| **all** | **%d** | **%d** |\n\n", cases, right)
}

func (c tally) listing(b *strings.Builder) {
	for _, class := range c.classes {
		fmt.Fprintf(b, "### %s\n\n````text\n%s\n````\n\n", class, strings.Join(c.lines[class], "\n"))
	}
}

// hardest are cases that show how far the reading goes.
var hardest = []string{
	`gh pr $(echo zerge | tr z m) 142`,
	`set -- pr merge 142; gh "$@"`,
	`sudo -u x bash -c 'env FOO=1 timeout 5 sh -c "exec gh pr merge 142"'`,
	"cat > /tmp/x.sh <<'EOF'\n#!/bin/sh\ngh pr merge \"$1\"\nEOF\nchmod +x /tmp/x.sh && /tmp/x.sh 142",
	`python3 -c "import subprocess; args=['pr','merge','142']; subprocess.run(['gh']+args)"`,
	`curl -K - <<< $'url=https://api.github.com/repos/a/b/pulls/142/m%65rge\nrequest=PUT'`,
	`gh alias set land 'pr merge' && gh land 142`,
	`GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0='push origin main' git p`,
	`git worktree add ../m main && cd ../m && git merge f && git push`,
	`f() { case "$1" in land) gh pr merge "$2";; *) gh pr view "$2";; esac; }; f view 7; f land 142`,
	`echo Z2ggcHIgbWVyZ2UgNQ== | base64 -d | sh`,
	`git commit -m "$(cat <<'EOF'` + "\ndocs: gh pr merge 142\nEOF\n)\"",
}

func showHardest(t *testing.T, b *strings.Builder) {
	files := loadProject(t)
	for _, text := range hardest {
		r := Read(Call{Tool: "Bash", Command: text, Cwd: project}, Repo{Branch: "feature/44-login", Default: "main"}, files)
		fmt.Fprintf(b, "````text\n%s\n", text)
		for _, a := range r.Acts {
			fmt.Fprintf(b, "  => %s", a.Kind)
			if a.PR > 0 {
				fmt.Fprintf(b, " PR %d", a.PR)
			}
			fmt.Fprintf(b, ": %s", strings.ReplaceAll(a.Command, "\n", " "))
			if len(a.Via) > 0 {
				fmt.Fprintf(b, "   (through %s)", strings.Join(a.Via, ", "))
			}
			b.WriteString("\n")
		}
		for _, o := range r.Opaque {
			fmt.Fprintf(b, "  => opaque: %s\n", o.Reason)
		}
		if len(r.Acts)+len(r.Opaque) == 0 {
			b.WriteString("  => nothing\n")
		}
		b.WriteString("````\n\n")
	}
}

func renderDocs(t *testing.T) string {
	intro, err := os.ReadFile("testdata/guard.md.in")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.Write(intro)
	merges, harmless, state := count(t, "merges.txt"), count(t, "harmless.txt"), count(t, "state.txt")
	m, mr := merges.sum()
	h, hr := harmless.sum()
	s, sr := state.sum()
	fmt.Fprintf(&b, "## Counted\n\nRecall on %d merge spellings: %d (%.1f %%). False positives on %d harmless calls: %d. State, gates and registration: %d of %d.\n\n",
		m, mr, 100*float64(mr)/float64(m), h, h-hr, sr, s)
	merges.table(&b, "recognised")
	harmless.table(&b, "left alone")
	state.table(&b, "recognised")
	b.WriteString("## Some of the hardest\n\n")
	showHardest(t, &b)
	b.WriteString("## Known gaps\n\nNot seen today; the table is `internal/guard/testdata/gaps.txt`.\n\n````text\n")
	for _, c := range loadTable(t, "gaps.txt") {
		b.WriteString(c.text + "\n")
	}
	b.WriteString("````\n\n## The merge table\n\n")
	merges.listing(&b)
	b.WriteString("## The harmless table\n\n")
	harmless.listing(&b)
	b.WriteString("## The state table\n\n")
	state.listing(&b)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// TestDocs keeps docs/guard.md in step with the tables and what the code makes of them.
func TestDocs(t *testing.T) {
	want := renderDocs(t)
	if *update {
		if err := os.WriteFile(docsPath, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(docsPath)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/guard.md is not in step; go test ./internal/guard -run TestDocs -update\n%s", diff)
	}
}

// TestGaps: a gap that is closed belongs in the merge table.
func TestGaps(t *testing.T) {
	files := loadProject(t)
	for _, c := range loadTable(t, "gaps.txt") {
		if r := Read(c.call, c.repo, files); describe(r) != "none" {
			t.Errorf("gaps.txt:%d: %s is seen now: %s", c.line, c.text, describe(r))
		}
	}
}
