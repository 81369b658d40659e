package shell

import (
	"strings"

	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of what one word's braces may become.
const (
	maxBraces     = 256 // words
	maxBraceDepth = 20
)

// braces expands {a,b}: the words that one written word becomes, as lists of parts. A range such as
// {1..3} is unknown.
func (f *Frame) braces(w *syntax.Word) [][]syntax.WordPart {
	split := &syntax.Word{Parts: w.Parts}
	if !strings.Contains(f.source(w), "{") || !syntax.SplitBraces(split) {
		return [][]syntax.WordPart{w.Parts}
	}
	return f.spread(split.Parts, 0)
}

func (f *Frame) spread(parts []syntax.WordPart, depth int) [][]syntax.WordPart {
	if depth > maxBraceDepth {
		f.M.Abort(tooDeep)
		return nil
	}
	unknown := []syntax.WordPart{&syntax.Lit{Value: shellword.Unknown}}
	heads := [][]syntax.WordPart{nil}
	for _, p := range parts {
		tails := [][]syntax.WordPart{{p}}
		if br, ok := p.(*syntax.BraceExp); ok && br.Sequence {
			tails = [][]syntax.WordPart{unknown}
		} else if ok {
			tails = nil
			for _, e := range br.Elems {
				tails = append(tails, f.spread(e.Parts, depth+1)...)
			}
		}
		var longer [][]syntax.WordPart
		for _, h := range heads {
			for _, t := range tails {
				if len(longer) < maxBraces {
					longer = append(longer, append(h[:len(h):len(h)], t...))
				}
			}
		}
		if len(longer) < len(heads)*len(tails) {
			longer = append(longer, unknown)
		}
		if heads = longer; !f.M.Burn(len(heads)) {
			return heads[:min(1, len(heads))]
		}
	}
	return heads
}
