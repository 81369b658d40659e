package config

import (
	"fmt"
	"strings"

	"hooks/internal/codec"
	"hooks/internal/loop"
)

// maxRate is the highest accepted price, in dollars per million tokens. It keeps sums far below the
// maximum of loop.USD.
const maxRate = 1000

// perMillion converts a price per million tokens to a price per token.
const perMillion = 1_000_000

// Rate is a row of `Loop Cost Rates`. Prices are in pico-dollars per token: $1 per million tokens
// is 1,000,000.
type Rate struct {
	Model  string   `json:"model"`
	Input  loop.USD `json:"input"`
	Output loop.USD `json:"output"`
	// The cache prices are nil if the row omits them.
	CacheRead    *loop.USD `json:"cache_read,omitempty"`
	CacheWrite5m *loop.USD `json:"cache_write_5m,omitempty"`
	CacheWrite1h *loop.USD `json:"cache_write_1h,omitempty"`
	// File is the file that contains the row, or "" for CLAUDE.md.
	File string `json:"file,omitempty"`
}

// priceColumns lists the prefixes of the column headers in a price table.
var priceColumns = [...]string{
	"model", "input", "output", "cache read", "cache write 5m", "cache write 1h",
}

// rate reads a row of `Loop Cost Rates` (R60).
func (c *Config) rate(r row) {
	cell := columns(r)
	model := cell("model")
	if model == "" || len(model) > 128 || strings.ContainsAny(model, " \t") {
		c.warn(r.line, "rate row without a valid model name: %q", codec.Clip(model))
		return
	}
	prices := map[string]*loop.USD{}
	for _, name := range priceColumns[1:] {
		text := cell(name)
		if strings.HasPrefix(name, "cache") && strings.Trim(text, "-–— ") == "" {
			continue
		}
		p, err := price(text)
		if err != nil {
			c.warn(r.line, "rate row for %q: %v", model, err)
			return
		}
		prices[name] = &p
	}
	if !c.claim(r.line, "the price of "+strings.ToLower(model), strings.Join(r.cells, "|")) {
		return
	}
	file := c.file
	if file == "CLAUDE.md" {
		file = ""
	}
	c.Rates = append(c.Rates, Rate{
		Model: model, File: file,
		Input: *prices["input"], Output: *prices["output"], CacheRead: prices["cache read"],
		CacheWrite5m: prices["cache write 5m"], CacheWrite1h: prices["cache write 1h"],
	})
}

// columns returns a function that looks up a cell of r by column name. If no header names the
// output column, the columns are model, input and output.
func columns(r row) func(string) string {
	at := map[string]int{}
	for i, h := range r.head {
		for _, name := range priceColumns {
			if _, twice := at[name]; !twice && strings.HasPrefix(h, name) {
				at[name] = i
			}
		}
	}
	cells := r.cells
	if r.head == nil && len(cells) == 2 { // - **model**: 15 / 75
		prices := strings.FieldsFunc(cells[1], func(r rune) bool { return r == '/' || r == ',' })
		cells = append(cells[:1:1], prices...)
	}
	if _, ok := at["output"]; !ok {
		at = map[string]int{"model": 0, "input": 1, "output": 2}
	}
	return func(name string) string {
		if i, ok := at[name]; ok && i < len(cells) {
			return strings.TrimSpace(cells[i])
		}
		return ""
	}
}

// price reads a cell such as "$15.00" or "15".
func price(s string) (loop.USD, error) {
	v, err := loop.ParseUSD(strings.TrimSpace(strings.TrimPrefix(s, "$")))
	if err != nil || v > maxRate*loop.Dollar || v%perMillion != 0 {
		return 0, fmt.Errorf(`"%s" is not a price in dollars per million tokens`, codec.Clip(s))
	}
	return v / perMillion, nil
}
