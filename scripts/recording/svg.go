//go:build !windows

package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"io"
	"text/template"
)

// Sizes in pixels of the picture.
const (
	cellWidth  = 843 // in hundredths, for the widest of the picture's fonts
	lineHeight = 18
	margin     = 16
	bar        = 34 // height of the window's title bar
)

// still is a motionless part of the animation. From and To are percentages.
type still struct {
	From, To float64
	Scroll   int // how far the text has moved up
	Curtain  int // how far the curtain has gone down
}

type picture struct {
	Title                            string
	Width, Height, View, Bar, Margin int
	FrameWidth, FrameHeight, Inside  int // size of the frame, and width inside it
	Seconds                          float64
	Lines                            []string
	Stills                           []still
	Last                             still
}

//go:embed picture.svg.tmpl
var layout string

// classes maps terminal styles to CSS classes. Other styles are drawn plain.
var classes = map[string]string{"1": "b", "2": "f", "31": "r", "32": "g", "33": "y"}

// Durations in seconds for the prompt line, a step, each line in a step, the longest step, a move,
// and the end of the picture.
const (
	opening, perStep, perLine, longest, moving, ending = 1.2, 1.2, 0.2, 4.0, 0.4, 3.0
)

// draw prints the picture. The text moves up step by step, and a curtain in front of it moves down,
// so that the file contains each line only once.
func draw(out io.Writer, title string, steps [][]line) error {
	lines := []line{{{"", "$ " + title}}}
	ends, begins := []int{1}, []float64{0}
	seconds := opening
	for _, s := range steps {
		lines = append(lines, s...)
		ends, begins = append(ends, len(lines)), append(begins, seconds)
		seconds += min(perStep+perLine*float64(len(s)), longest)
	}
	seconds += ending
	begins = append(begins, seconds)

	p := picture{Title: title, Width: columns*cellWidth/100 + 2*margin, View: rows * lineHeight,
		Height: bar + rows*lineHeight + margin, Bar: bar, Margin: margin, Seconds: seconds}
	p.FrameWidth, p.FrameHeight, p.Inside = p.Width-1, p.Height-1, p.Width-2*margin
	for i, l := range lines {
		if len(l) > 0 {
			p.Lines = append(p.Lines, text(l, (i+1)*lineHeight-5))
		}
	}
	for i, end := range ends {
		p.Last = still{100 * (begins[i] + moving) / seconds, 100 * begins[i+1] / seconds,
			max(0, end-rows) * lineHeight, min(end, rows) * lineHeight}
		if i == 0 {
			p.Last.From = 0
		}
		p.Stills = append(p.Stills, p.Last)
	}
	var b bytes.Buffer
	if err := template.Must(template.New("").Parse(layout)).Execute(&b, p); err != nil {
		return err
	}
	_, err := out.Write(b.Bytes())
	return err
}

func text(l line, y int) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<text y="%d">`, y)
	for _, p := range l {
		words := html.EscapeString(p.text)
		if class := classes[p.style]; class != "" {
			words = fmt.Sprintf(`<tspan class="%s">%s</tspan>`, class, words)
		}
		b.WriteString(words)
	}
	b.WriteString("</text>")
	return b.String()
}
