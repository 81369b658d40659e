package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// other is the established cost tool, pinned: the last release whose program for Linux is in the registry.
const other = "20.0.24"

// spend measures counting: a whole session from nothing, beside the other tool on the same files, then the end of an
// iteration that brought one megabyte to a transcript of that size, and to one of a megabyte.
func (b *bench) spend(size int64, n int) error {
	big, err := written(filepath.Join(b.dir, "big"), kindSession, size)
	if err != nil {
		return err
	}
	bytes, err := sizeOf(big.config)
	if err != nil {
		return err
	}
	whole := &counting{bench: b, name: "count from nothing", tree: big, project: filepath.Join(b.dir, "whole"), nothing: true}
	if err := whole.begin(); err != nil {
		return err
	}
	tools, err := b.others(big)
	if err != nil {
		fmt.Fprintln(os.Stderr, "note: without ccusage:", err)
	}
	rows := append([]*row{whole.row()}, tools...)
	if err := interleave(rows, max(5, n/12)); err != nil {
		return err
	}
	throughput(rows, bytes)
	if err := whole.compare(tools); err != nil {
		return err
	}
	return b.ticks(big, size, n)
}

// interleave calls the rows in turn, after one call each that does not count: it warms the page cache.
func interleave(rows []*row, n int) error {
	for i := range n + 1 {
		for _, r := range rows {
			if err := r.call(i > 0); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
		}
	}
	return nil
}

// ticks compares the ends of two iterations that differ in what stands before the new megabyte.
func (b *bench) ticks(big *tree, size int64, n int) error {
	small, err := written(filepath.Join(b.dir, "small"), kindTranscript, 1<<20)
	if err != nil {
		return err
	}
	single, err := written(filepath.Join(b.dir, "single"), kindTranscript, size)
	if err != nil {
		return err
	}
	var rows []*row
	for _, c := range []*counting{
		{bench: b, name: "end of an iteration, 1 MB more, transcript of 1 MB", tree: small, project: filepath.Join(b.dir, "p-small")},
		{bench: b, name: "end of an iteration, 1 MB more, transcript of the whole size", tree: single, project: filepath.Join(b.dir, "p-single")},
		{bench: b, name: "end of an iteration, 1 MB more, tree of that size with 8 workers", tree: big, project: filepath.Join(b.dir, "p-big")},
	} {
		if err := c.begin(); err != nil {
			return err
		}
		rows = append(rows, c.row())
	}
	if err := interleave(rows, n); err != nil {
		return err
	}
	fmt.Println()
	print(rows, "the first")
	return nil
}

func sizeOf(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := d.Info()
		if err == nil {
			n += fi.Size()
		}
		return err
	})
	return n, err
}

// counting is an iteration that ends again and again: what the program left is put back before every call.
type counting struct {
	*bench
	name    string
	tree    *tree
	project string
	dollars string // --max-dollars; 0 where it is empty
	nothing bool   // the run has counted nothing yet; else all but what is added
	base    int64
	added   []byte
	kept    string
}

// begin brings the run to the point before its second iteration ends, and keeps the state as it is then.
func (c *counting) begin() error {
	fi, err := os.Stat(c.tree.main)
	if err != nil {
		return err
	}
	c.base, c.kept = fi.Size(), c.project+".kept"
	if !c.nothing {
		more, err := written(c.project+".more", kindMore, 1<<20)
		if err != nil {
			return err
		}
		if c.added, err = os.ReadFile(more.main); err != nil {
			return err
		}
	}
	steps := []error{os.MkdirAll(c.project, 0o755), c.enter("p1"), c.report(), c.send("stop", c.stop("p1")), c.enter("p"), c.report()}
	if err := errors.Join(steps...); err != nil {
		return err
	}
	if c.nothing {
		if err := c.forget(); err != nil {
			return err
		}
	}
	return os.CopyFS(c.kept, os.DirFS(filepath.Join(c.project, ".sdd")))
}

// forget takes the cursors out of the budget, so that everything is new.
func (c *counting) forget() error {
	path := filepath.Join(c.project, ".sdd", "loop", "work.budget.json")
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if b, err = sjson.DeleteBytes(b, "cursors"); err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}

// restore puts the state and the transcript back, with what the iteration added.
func (c *counting) restore() error {
	state := filepath.Join(c.project, ".sdd")
	if err := errors.Join(os.RemoveAll(state), os.CopyFS(state, os.DirFS(c.kept)), os.Truncate(c.tree.main, c.base)); err != nil {
		return err
	}
	f, err := os.OpenFile(c.tree.main, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(c.added)
	return errors.Join(err, f.Close())
}

func (c *counting) row() *row {
	return &row{name: c.name, args: []string{c.hooks, "stop"}, stdin: c.stop("p"), env: append(c.env(c.project), "GOMAXPROCS=1"), prepare: c.restore}
}

// payload is an event of this session, which /loop has scheduled.
func (c *counting) payload(name, prompt, more string) string {
	p, _ := sjson.Set(event(c.project, name, more), "transcript_path", c.tree.main)
	p, _ = sjson.Set(p, "session_id", sessionID)
	p, _ = sjson.Set(p, "prompt_id", prompt)
	return p
}

func (c *counting) stop(prompt string) string {
	return c.payload("Stop", prompt, `"stop_hook_active":false,"session_crons":[{"id":"0011aabb",`+
		`"schedule":"*/1 * * * *","recurring":true,"prompt":"/sdd:work `+c.flags()+`"}]`)
}

func (c *counting) flags() string { return "--loop --max-dollars " + cmp.Or(c.dollars, "0") }

func (c *counting) enter(prompt string) error {
	return c.send("user-prompt-expansion", c.payload("UserPromptExpansion", prompt,
		fmt.Sprintf(`"expansion_type":"slash_command","command_name":"sdd:work",`+
			`"command_args":"%[1]s","prompt":"/sdd:work %[1]s"`, c.flags())))
}

func (c *counting) report() error {
	cmd := exec.Command(c.hooks, "report")
	cmd.Env, cmd.Stdin = append(c.env(c.project), "CLAUDE_CODE_SESSION_ID="+sessionID, "PWD="+c.project), strings.NewReader(`{"outcome":"ok"}`)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("report: %w\n%s", err, out)
	}
	return nil
}

func (c *counting) send(word, stdin string) error { return c.hook(c.project, word, stdin) }

// compare holds what both tools counted against each other, and against what was written.
func (c *counting) compare(tools []*row) error {
	b, err := os.ReadFile(filepath.Join(c.project, ".sdd", "loop", "work.budget.json"))
	if err != nil {
		return err
	}
	fmt.Printf("\nwritten: %d output tokens; counted: %d, $%s\n", c.tree.out, gjson.GetBytes(b, "tokens_out").Int(), gjson.GetBytes(b, "dollars_estimate").Raw)
	if len(tools) == 0 {
		return nil
	}
	cmd := exec.Command(tools[0].args[0], tools[0].args[1:]...)
	cmd.Env = tools[0].env
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("ccusage: %w", err)
	}
	var told struct {
		Totals struct {
			OutputTokens int64
			TotalCost    float64
		}
	}
	if err := json.Unmarshal(out, &told); err != nil {
		return fmt.Errorf("read ccusage: %w", err)
	}
	fmt.Printf("ccusage: %d output tokens, $%v\n", told.Totals.OutputTokens, told.Totals.TotalCost)
	return nil
}

// others are the calls of the other tool, which is installed once into the user's cache: on all cores, and on one.
func (b *bench) others(t *tree) ([]*row, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "hooks-bench", "ccusage-"+other)
	program := filepath.Join(dir, "node_modules", "@ccusage", "ccusage-linux-x64", "bin", "ccusage")
	if _, err := os.Stat(program); err != nil {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		cmd := exec.Command("npm", "install", "--no-audit", "--no-fund", "--prefix", dir, "ccusage@"+other)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("npm install ccusage: %w\n%s", err, out)
		}
	}
	if err := os.Chmod(program, 0o755); err != nil {
		return nil, err
	}
	env := []string{"HOME=" + b.dir, "CLAUDE_CONFIG_DIR=" + t.config, "TZ=UTC"}
	args := []string{program, "claude", "daily", "--offline", "--json", "--mode", "calculate"}
	return []*row{
		{name: "ccusage " + other + ", all cores", args: args, env: env},
		{name: "ccusage " + other + ", one thread", args: append(slices.Clone(args), "--single-thread"), env: env},
	}, nil
}

// throughput prints how fast the rows read that many bytes.
func throughput(rows []*row, bytes int64) {
	fmt.Printf("%d MiB of transcripts, warm cache, %d calls each\n\n", bytes>>20, len(rows[0].times))
	fmt.Println("| what | min ms | median ms | GB/s at the median | peak MiB |")
	fmt.Println("|---|--:|--:|--:|--:|")
	for _, r := range rows {
		median, best := r.median(), slices.Min(r.times)
		fmt.Printf("| %s | %.0f | %.0f | %.2f | %.1f |\n", r.name, ms(best), ms(median), float64(bytes)/1e9/median.Seconds(), float64(r.rss)/1024)
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
