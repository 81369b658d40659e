package markdown

import "strings"

// Fill replaces each {name} in a template with its value. It drops a line that uses a name without
// a value; {?name} only tests for a value and writes nothing. At most one blank line remains
// between two lines.
func Fill(template string, values map[string]string) string {
	var out strings.Builder
	blank := false
	for line := range strings.Lines(template) {
		line, stays := fillLine(strings.TrimSuffix(line, "\n"), values)
		switch {
		case !stays:
			continue
		case line == "":
			blank = out.Len() > 0
			continue
		case blank:
			out.WriteByte('\n')
		}
		blank = false
		out.WriteString(line + "\n")
	}
	return out.String()
}

// Yes returns "yes" if is holds and "" otherwise, the values that make {?name} true or false.
func Yes(is bool) string {
	if is {
		return "yes"
	}
	return ""
}

// fillLine fills one line. stays is false if a name in the line has no value.
func fillLine(line string, values map[string]string) (filled string, stays bool) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(line, "{")
		name, after, closed := strings.Cut(rest, "}")
		asks := strings.TrimPrefix(name, "?")
		switch {
		case !found:
			return out.String() + line, true
		case !closed || strings.Trim(asks, "abcdefghijklmnopqrstuvwxyz_") != "":
			out.WriteString(before + "{")
			line = rest
			continue
		case values[asks] == "":
			return "", false
		}
		out.WriteString(before)
		if asks == name {
			out.WriteString(values[name])
		}
		line = after
	}
}
