package code

import (
	"strings"

	"hooks/internal/guard/place"
	"hooks/internal/guard/word"
)

// registers notes a program that opens a file of registration for writing, or hands it to a call
// that writes. What it does to the loop's own files is seen by the seal.
func (p *program) registers(toks []token) {
	at := parser{toks: toks}
	for i, t := range toks {
		if t.kind != strTok || p.f.KindAt(word.Lit(t.text)) != place.Registration {
			continue
		}
		mode, call := at.at(i+2), last(at.at(i-2).text)
		opens := at.mark(i+1, ",") && mode.kind == strTok && word.Has("w a x w+ a+ r+ wb", mode.text)
		if opens || at.mark(i-1, "(") && word.HasPart(strings.ToLower(call), "write append unlink rm remove rename") {
			p.f.Writes(word.Lit(t.text), p.lang+": "+t.text)
		}
	}
}
