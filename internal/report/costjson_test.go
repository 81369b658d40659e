package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hooks/internal/term"
)

// TestCostJSON: what is printed row by row is what package json prints, but for its blanks.
func TestCostJSON(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := rapid.Make[Cost]().Draw(rt, "cost")
		for i := range c.Rows {
			c.Rows[i].Dollars = max(0, c.Rows[i].Dollars)
		}
		c.Total.Dollars = max(0, c.Total.Dollars)
		if c.Rows == nil {
			c.Rows = []CostRow{}
		}
		var got, plain bytes.Buffer
		if err := CostJSON(&got, c); err != nil {
			rt.Fatal(err)
		}
		if err := json.Compact(&plain, got.Bytes()); err != nil {
			rt.Fatalf("%v: %s", err, got.String())
		}
		var want strings.Builder
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		if err := e.Encode(c); err != nil {
			rt.Fatal(err)
		}
		if wanted := strings.TrimSuffix(string(term.JSON([]byte(want.String()))),
			"\n"); plain.String() != wanted {
			rt.Fatalf("%s\nnot\n%s", plain.String(), wanted)
		}
	})
}
