package code

import (
	"strings"

	"hooks/internal/guard/forges"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// foreign is a program in a language that is not read: neither Python nor Node nor Go. What it
// starts the brake judges; where it could land something it is opaque. An address that merges
// counts, because no other program is started for it.
func foreign(f *shell.Frame, lang, text string) {
	Registers(f, lang, text)
	if i := strings.Index(text, "/merge"); i > 0 {
		start := strings.LastIndexAny(text[:i], "\"'`( \n") + 1
		url := text[start : i+len("/merge")]
		forges.Send(f, forges.Request{Method: "PUT", URL: url, Argv: word.Lits(lang)})
	}
	if i := strings.Index(text, "mutation"); i >= 0 {
		forges.GraphQL(f, text[i:], nil, word.Lits(lang))
	}
	const starts = "system System exec ` qx %x popen pipe Open3 spawn shell script IO. http run " +
		"open("
	switch {
	case !word.HasPart(text, starts) || !word.Lands(text):
	case forges.MergingText(text):
		f.OpaqueForge(lang+" "+text, "a program in a language that is not read")
	default:
		f.Opaque(lang+" "+text, "a program in a language that is not read")
	}
}
