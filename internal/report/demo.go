package report

import "strings"

// Tone is how urgent a reply is to the person who watches the demo.
type Tone string

// The tones of the demo's replies.
const (
	ToneQuiet   Tone = faint
	ToneAsked   Tone = warn
	ToneRefused Tone = bad
)

// Scene draws the title of a scene of the demo.
func Scene(s Screen, title string) string {
	return s.paintLines(strong, Fit(s, "── "+title))
}

// Heard draws one reply of the demo below the name of its reader. Without a name it continues with
// the reply before it.
func Heard(s Screen, tone Tone, reader, text string) string {
	const margin = "   "
	head := ""
	if reader != "" {
		head = s.paint(string(tone), "→ "+reader+":") + "\n"
	}
	s.Width -= len(margin)
	return head + margin + strings.ReplaceAll(Fit(s, text), "\n", "\n"+margin)
}

func (s Screen) paintLines(style, text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = s.paint(style, l)
	}
	return strings.Join(lines, "\n")
}
