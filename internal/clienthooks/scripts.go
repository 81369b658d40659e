package clienthooks

import "strings"

// Commands are the words that may name a file in what a settings or plugin file has the client run,
// as they stand there: ${CLAUDE_PROJECT_DIR} and its kin are not replaced.
func Commands(text string) (words []string) {
	v, ok := parse(text)
	if !ok {
		return nil
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			_, exec := v["args"]
			for key, x := range v {
				switch s, text := x.(string); {
				case text && exec && key == "command":
					words = append(words, s) // one path, blanks and all
				case text && (key == "command" || strings.HasSuffix(key, "Helper")):
					words = append(words, split(s)...)
				case key == "args":
					words = append(words, texts(x)...)
				default:
					walk(x)
				}
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(v)
	return words
}

func texts(list any) (words []string) {
	items, _ := list.([]any)
	for _, x := range items {
		if s, ok := x.(string); ok {
			words = append(words, s)
		}
	}
	return words
}

// split takes quotes away and keeps what may be a path.
func split(command string) (words []string) {
	ends := func(c rune) bool { return strings.ContainsRune(" \t\n;|&<>()", c) }
	for _, w := range strings.FieldsFunc(command, ends) {
		if w = strings.NewReplacer(`"`, "", `'`, "").Replace(w); strings.ContainsAny(w, "/.") {
			words = append(words, w)
		}
	}
	return words
}
