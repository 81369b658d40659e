package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/loop"
)

// Cost is what loops spent, told apart in one way. Dollars are what the API would charge.
type Cost struct {
	By    string      `json:"by"` // model, iteration, run or agent
	Rows  []CostRow   `json:"rows"`
	Total loop.Tokens `json:"total"`
	Notes []string    `json:"notes,omitempty"`
}

// CostRow is one line of it; only what tells the row apart is set. A row with nothing set is the rest that cannot be
// told apart.
type CostRow struct {
	RunID     string     `json:"run_id,omitempty"`
	Skill     loop.Skill `json:"skill,omitempty"`
	Iteration int        `json:"iteration,omitempty"`
	State     string     `json:"state,omitempty"` // how the run stands, how the iteration ended
	Model     string     `json:"model,omitempty"`
	SessionID string     `json:"session_id,omitempty"`
	Agent     string     `json:"agent,omitempty"` // "main", or a subagent's id
	Type      string     `json:"agent_type,omitempty"`
	Task      string     `json:"task,omitempty"`
	Rest      string     `json:"rest,omitempty"` // what the row is that no other covers
	loop.Tokens
}

// Costs prints the table. Dollars have three decimals, rounded from the exact sums; the total is the sum of the exact
// amounts.
func Costs(s Screen, c Cost) string {
	if len(c.Rows) == 0 && c.Total == (loop.Tokens{}) {
		return strings.Join(append([]string{"no loop has spent anything in this project"}, c.Notes...), "\nNote: ")
	}
	table := [][]string{{c.By, "input", "output", "cache read", "write 5m", "write 1h", "searches", "dollars"}}
	for _, r := range c.Rows {
		table = append(table, append([]string{r.name(c.By)}, amounts(r.Tokens)...))
	}
	table = append(table, append([]string{"total"}, amounts(c.Total)...))
	text, left := s.narrowed(table)
	out := "$" + Mills(c.Total.Dollars) + " in all, API-equivalent: what the API would charge; a subscription is billed otherwise\n\n" + text
	if len(left) > 0 {
		out += "No room for: " + strings.Join(left, ", ") + " (--json has everything)\n"
	}
	for _, n := range c.Notes {
		out += "Note: " + clean(n) + "\n"
	}
	return strings.TrimRight(out, "\n")
}

func (r CostRow) name(by string) string {
	switch {
	case r.Rest != "":
		return r.Rest
	case by == "model":
		return r.Model
	case by == "iteration":
		return fmt.Sprintf("%s %s #%d %s", r.RunID, r.Skill, r.Iteration, r.State)
	case by == "agent":
		return strings.Join(strings.Fields(strings.Join([]string{short8(r.SessionID), r.Agent, r.Type, clip(r.Task, 40)}, " ")), " ")
	}
	return fmt.Sprintf("%s %s %s", r.RunID, r.Skill, r.State)
}

// short8 is the part of a session's id that tells it from others in one project.
func short8(id string) string { return id[:min(8, len(id))] }

func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func amounts(t loop.Tokens) []string {
	var out []string
	for _, n := range []int64{t.Input, t.Output, t.CacheRead, t.CacheWrite5m, t.CacheWrite1h, t.WebSearches} {
		out = append(out, thousands(n))
	}
	return append(out, "$"+Mills(t.Dollars))
}

// Mills is an amount in dollars to the tenth of a cent, rounded half up.
func Mills(u loop.USD) string {
	m := (u + loop.Dollar/2000) / (loop.Dollar / 1000)
	return fmt.Sprintf("%d.%03d", m/1000, m%1000)
}

func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// align pads the cells to columns: the first to the left, numbers to the right.
func align(table [][]string) string {
	var widths []int
	for _, row := range table {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			row[i] = clean(cell)
			widths[i] = max(widths[i], len([]rune(row[i])))
		}
	}
	var b strings.Builder
	for _, row := range table {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-len([]rune(cell)))
			switch {
			case i == 0:
				line.WriteString(cell + pad)
			case strings.Trim(table[len(table)-1][i], "$.,-0123456789") == "": // a column of numbers
				line.WriteString("  " + pad + cell)
			default:
				line.WriteString("  " + cell + pad)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// Rates is the price table in force.
type Rates struct {
	Source   string    `json:"rate_table_source"`
	Dated    string    `json:"built_in_table_dated"`
	AgeDays  int       `json:"built_in_table_age_days"`
	Rows     []RateRow `json:"rows"`
	Warnings []string  `json:"warnings,omitempty"` // rows of the configuration that cannot be read
}

// RateRow is what a model and its dated releases cost, in dollars for a million tokens of each kind.
type RateRow struct {
	Model        string   `json:"model"`
	Input        loop.USD `json:"input"`
	Output       loop.USD `json:"output"`
	CacheRead    loop.USD `json:"cache_read"`
	CacheWrite5m loop.USD `json:"cache_write_5m"`
	CacheWrite1h loop.USD `json:"cache_write_1h"`
	Fast         int64    `json:"fast_mode_times"`   // 1: no such price
	Long         int64    `json:"long_prompt_times"` // of a prompt over 100,000 tokens
	Source       string   `json:"source"`
}

// RateTable prints the table.
func RateTable(r Rates) string {
	table := [][]string{{"model", "input", "output", "cache read", "write 5m", "write 1h", "fast", "long"}}
	var sources []string
	for _, row := range r.Rows {
		cells := []string{row.Model}
		for _, u := range []loop.USD{row.Input, row.Output, row.CacheRead, row.CacheWrite5m, row.CacheWrite1h} {
			b, _ := u.MarshalJSON() // exact, without trailing zeros
			cells = append(cells, string(b))
		}
		if !slices.Contains(sources, row.Source) {
			sources = append(sources, row.Source)
		}
		cells[0] += fmt.Sprintf(" [%d]", 1+slices.Index(sources, row.Source))
		table = append(table, append(cells, times(row.Fast), times(row.Long)))
	}
	out := "API-equivalent: dollars for a million tokens\n\n" + align(table) + "\n"
	for i, source := range sources {
		out += fmt.Sprintf("[%d] %s\n", i+1, clean(source))
	}
	out += fmt.Sprintf("\nThe built-in rows are dated %s, %s ago.\nRows under Loop Cost Rates in CLAUDE.md win per model.\n", r.Dated, plural(r.AgeDays, "day"))
	for _, w := range r.Warnings {
		out += "Warning: " + clean(w) + "\n"
	}
	return strings.TrimRight(out, "\n")
}

func times(n int64) string {
	if n <= 1 {
		return "-"
	}
	return fmt.Sprintf("%d", n)
}

// StaleRates is the note that the built-in price table is old.
func StaleRates(dated string, days int) string {
	return fmt.Sprintf("The built-in price table is dated %s, %d days ago: compare `hooks cost --rates` with today's prices; "+
		"rows under ### Loop Cost Rates in CLAUDE.md win", dated, days)
}

// mostWarnings bounds what a status block says of the configuration.
const mostWarnings = 3

// ConfigNotes are the notes about lines of the configuration that do not count.
func ConfigNotes(warnings []string) (notes []string) {
	for i, w := range warnings {
		if i == mostWarnings {
			return append(notes, fmt.Sprintf("Configuration: %d more such lines (hooks cost --rates lists them)", len(warnings)-i))
		}
		notes = append(notes, "Configuration: "+w)
	}
	return notes
}
