package config

import (
	"errors"
	"strings"

	"hooks/internal/loop"
)

// mostRate is the highest price that a row may state, in dollars per million tokens. It keeps every sum far from the
// end of loop.USD.
const mostRate = 1000

// perMillion turns a price for a million tokens into the price of one.
const perMillion = 1_000_000

// rate reads a row of `Loop Cost Rates` (R60).
func (c *Config) rate(r row) {
	cell := columns(r)
	out := Rate{Model: cell("model"), Line: r.line}
	if out.Model == "" || len(out.Model) > 128 || strings.ContainsAny(out.Model, " \t") {
		c.warn(r.line, "rate row without a model name: %q", cut(out.Model))
		return
	}
	for _, have := range c.Rates {
		if strings.EqualFold(have.Model, out.Model) {
			c.warn(r.line, "second rate row for %q, the one in line %d counts", out.Model, have.Line)
			return
		}
	}
	if err := out.prices(cell); err != nil {
		c.warn(r.line, "rate row for %q: %v", out.Model, err)
		return
	}
	c.Rates = append(c.Rates, out)
}

func (out *Rate) prices(cell func(string) string) (err error) {
	if out.Input, err = price(cell("input")); err != nil {
		return err
	}
	if out.Output, err = price(cell("output")); err != nil {
		return err
	}
	if out.CacheRead, err = optional(cell("cache read")); err != nil {
		return err
	}
	if out.CacheWrite5m, err = optional(cell("cache write 5m")); err != nil {
		return err
	}
	out.CacheWrite1h, err = optional(cell("cache write 1h"))
	return err
}

// columns returns a look-up of a row's cells by what they mean. Without a telling header it is model, input, output.
func columns(r row) func(string) string {
	at := map[string]int{}
	for i, h := range r.head {
		if name := column(h); name != "" {
			if _, twice := at[name]; !twice {
				at[name] = i
			}
		}
	}
	cells := r.cells
	if r.head == nil && len(cells) == 2 { // - **model**: 15 / 75
		cells = append(cells[:1:1], strings.FieldsFunc(cells[1], func(r rune) bool { return r == '/' || r == ',' })...)
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

// column names what a header such as "Cache write 1h ($/Mtok)" stands for.
func column(h string) string {
	has := func(s string) bool { return strings.Contains(h, s) }
	switch {
	case has("cache") && (has("read") || has("hit")):
		return "cache read"
	case has("cache") && (has("1h") || has("1 h")):
		return "cache write 1h"
	case has("cache"):
		return "cache write 5m"
	case has("model"):
		return "model"
	case has("input"):
		return "input"
	case has("output"):
		return "output"
	}
	return ""
}

var errPrice = errors.New("not a price in dollars per million tokens")

// price reads a cell such as "$15.00" or "15".
func price(s string) (loop.USD, error) {
	v, err := loop.ParseUSD(strings.TrimSpace(strings.TrimPrefix(s, "$")))
	if err != nil || v > mostRate*loop.Dollar || v%perMillion != 0 {
		return 0, &cellError{s}
	}
	return v / perMillion, nil
}

// optional reads a cell that may be left open.
func optional(s string) (*loop.USD, error) {
	if strings.Trim(s, "-–— ") == "" {
		return nil, nil
	}
	v, err := price(s)
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// cellError names the cell that is no price.
type cellError struct{ cell string }

func (e *cellError) Error() string { return `"` + cut(e.cell) + `" is ` + errPrice.Error() }
func (e *cellError) Unwrap() error { return errPrice }

// cut shortens what a message quotes.
func cut(s string) string {
	if len(s) <= 60 {
		return s
	}
	return strings.ToValidUTF8(s[:60], "") + "…"
}
