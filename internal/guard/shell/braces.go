package shell

import (
	"strings"

	"hooks/internal/guard/word"

	"mvdan.cc/sh/v3/syntax"
)

const maxBraces = 256 // words that one word's braces may become

// braces expands {a,b} and {1..3}: the words that one written word becomes, as lists of parts.
func (f *Frame) braces(w *syntax.Word) [][]syntax.WordPart {
	if !hasBrace(w) {
		return [][]syntax.WordPart{w.Parts}
	}
	split := &syntax.Word{Parts: w.Parts}
	if !syntax.SplitBraces(split) {
		return [][]syntax.WordPart{w.Parts}
	}
	return f.spread(split.Parts, 0)
}

func hasBrace(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok && strings.Contains(l.Value, "{") {
			return true
		}
	}
	return false
}

func (f *Frame) spread(parts []syntax.WordPart, depth int) [][]syntax.WordPart {
	heads := [][]syntax.WordPart{nil}
	for _, p := range parts {
		br, ok := p.(*syntax.BraceExp)
		tails := [][]syntax.WordPart{{p}}
		if ok {
			tails = f.elements(br, depth)
		}
		heads = cross(heads, tails)
		if !f.M.Spend(len(heads)) {
			return heads[:1]
		}
	}
	return heads
}

func (f *Frame) elements(br *syntax.BraceExp, depth int) [][]syntax.WordPart {
	if br.Sequence {
		return [][]syntax.WordPart{others()}
	}
	if depth > 20 {
		f.M.GiveUp(tooDeep)
		return nil
	}
	var out [][]syntax.WordPart
	for _, e := range br.Elems {
		out = append(out, f.spread(e.Parts, depth+1)...)
	}
	return out
}

func cross(heads, tails [][]syntax.WordPart) [][]syntax.WordPart {
	var out [][]syntax.WordPart
	for _, h := range heads {
		for _, t := range tails {
			if len(out) == maxBraces {
				return append(out, others())
			}
			out = append(out, append(h[:len(h):len(h)], t...))
		}
	}
	return out
}

// others stands for the words of a brace that are too many to list.
func others() []syntax.WordPart { return []syntax.WordPart{&syntax.Lit{Value: word.Hole}} }
