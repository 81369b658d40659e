package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"hooks/internal/loop"
)

// glance times the commands that people look at a loop with, on a project whose run has that many history lines.
func (b *bench) glance(lines, n int) error {
	project := filepath.Join(b.dir, "old")
	size, err := history(project, lines)
	if err != nil {
		return err
	}
	rows := []*row{{name: "empty Go program", args: []string{b.empty}}}
	for _, args := range [][]string{
		{"statusline"}, {"status"}, {"status", "--json"}, {"explain"}, {"report-card"}, {"report-card", "--json"}, {"history"}, {"history", "--json"},
		{"history", "--csv"}, {"cost"}, {"cost", "--by", "model"}, {"cost", "--by", "iteration"}, {"cost", "--by", "iteration", "--json"}, {"cost", "--by", "agent"}, {"gate", "list"}, {"loop", "list"},
	} {
		name := "hooks"
		for _, a := range args {
			name += " " + a
		}
		rows = append(rows, &row{name: name, args: append([]string{b.hooks}, args...), stdin: `{"session_id":"s"}`, env: b.env(project)})
	}
	fmt.Printf("%d history lines, %.1f MB\n\n", lines, float64(size)/1e6)
	for i := range n + 2 {
		for _, r := range rows {
			if err := r.call(i >= 2); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
		}
	}
	print(rows, "the empty program")
	return nil
}

// history writes a project with one run of that many iterations, as the program would have, and the last one open.
func history(project string, lines int) (size int64, err error) {
	dir := filepath.Join(project, ".sdd", "loop")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, err
	}
	f, err := os.Create(filepath.Join(dir, "work.history.jsonl"))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	out := bufio.NewWriter(f)
	e := json.NewEncoder(out)
	var last loop.Iteration
	for i := range lines {
		last = iteration(i+1, lines)
		if err := e.Encode(last); err != nil {
			return 0, err
		}
	}
	if err := out.Flush(); err != nil {
		return 0, err
	}
	tick := loop.Tick{
		Version: loop.Version, RunID: last.RunID, SessionID: "s", Skill: loop.Work, Iteration: lines + 1, StartedAt: last.EndedAt,
		Prompts: []string{"p"}, Transcript: filepath.Join(project, "none.jsonl"), Body: true,
	}
	last.Budget.IterationsUsed++
	for name, v := range map[string]any{"work.budget.json": last.Budget, "work.tick.json": tick} {
		text, err := json.Marshal(v)
		if err != nil {
			return 0, err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return 0, err
		}
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// iteration is one line of the usual size: a plan, two workers, a PR, a gate, three transcripts' cursors.
func iteration(n, of int) loop.Iteration {
	start := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC).Add(time.Duration(n) * 10 * time.Minute)
	spent := loop.Tokens{Input: 1200, Output: int64(20_000 + n%7*3000), CacheRead: 400_000, CacheWrite5m: 30_000, Dollars: loop.USD(n%9+1) * loop.Dollar / 5}
	pr := fmt.Sprintf("#%d", 1000+n%20)
	b := loop.Budget{
		Version: loop.Version, RunID: "20261120T080000-4242", SessionID: "s", Skill: loop.Work, StartedAt: start.Add(-time.Duration(n) * 10 * time.Minute),
		Ceilings: loop.Ceilings{Iterations: of + 100, PRs: 50, Minutes: 20 * of, Dollars: 900_000 * loop.Dollar}, IterationsUsed: n, PRsTouched: []string{pr},
		MinutesElapsed: 10 * n, TokensIn: int64(n) * 430_000, TokensOut: int64(n) * 25_000, DollarsEstimate: loop.USD(n) * loop.Dollar,
		RateTableSource: "built-in 2026-11-20", Status: loop.Active, Seq: n, TokensByModel: map[string]loop.Tokens{"claude-opus-5-5": spent, "claude-haiku-4-5": spent},
		Flags: "--loop", Command: "/sdd:work --loop", UnderLoop: true, ActiveSince: start, Owner: loop.Process{PID: os.Getpid(), Source: "client"},
	}
	for _, name := range []string{"main", "agent-a1", "agent-b2"} {
		b.Cursors = append(b.Cursors, loop.Cursor{
			Path: "/home/someone/.claude/projects/-home-someone-project/" + name + ".jsonl", Offset: int64(n) * 100_000, Inode: 123_456,
			Open: []loop.Counted{{ID: "msg_01AbCdEfGhIjKlMnOpQr req_01AbCdEfGhIjKlMnOpQr", Model: "claude-opus-5-5", Tokens: spent}},
		})
	}
	return loop.Iteration{
		Version: loop.Version, RunID: b.RunID, Seq: n, SessionID: "s", Iteration: n, Skill: loop.Work, StartedAt: start, EndedAt: start.Add(7 * time.Minute),
		Outcome: loop.OK, PRsTouched: []string{pr}, Agents: 2, TokensIn: 431_200, TokensOut: spent.Output, Dollars: spent.Dollars, Comments: 1, Budget: b,
		TrackedPRs: []loop.TrackedPR{{Number: 1000 + n%20, Branch: "feature/some-branch", StartSHA: "0123456789abcdef0123456789abcdef01234567", EndSHA: "89abcdef0123456789abcdef0123456789abcdef", StateAtEnd: "open"}},
		Worktrees:  []loop.Worktree{{Path: ".sdd/worktrees/feature-some-branch", Branch: "feature/some-branch", HeadSHA: "89abcdef"}},
		Gates:      []loop.GateAnswer{{Name: loop.BacklogDrift, Question: "Backlog changed since last iteration. Re-propose the next batch?", Answer: "re-propose", At: start}},
		Fired:      []string{}, Failures: []loop.Failure{}, Backlog: &loop.Backlog{Unblocked: []int{n, n + 1}, Blocked: []int{n + 2}, InProgress: []int{}},
		UsageByModel: map[string]loop.Tokens{"claude-opus-5-5": spent}, Plan: []int{n, n + 1},
	}
}
