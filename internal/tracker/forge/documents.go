package forge

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"
)

// documents splits the output of a paging program into JSON objects and lists. torn reports that
// one is truncated or malformed. It skips lines that begin with neither, which are messages of the
// program or a wrapper.
func documents(out []byte) (docs []gjson.Result, torn bool) {
	text := string(out)
	for {
		if text = strings.TrimLeft(text, " \t\r\n\ufeff"); text == "" {
			return docs, false
		}
		if text[0] != '{' && text[0] != '[' {
			_, text, _ = strings.Cut(text, "\n")
			continue
		}
		var raw json.RawMessage
		from := json.NewDecoder(strings.NewReader(text))
		if from.Decode(&raw) != nil {
			return docs, true
		}
		docs = append(docs, gjson.ParseBytes(raw))
		text = text[from.InputOffset():]
	}
}
