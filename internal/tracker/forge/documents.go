package forge

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/tidwall/gjson"
)

// maxDocuments is the maximum number of pages of a list. A page has up to a hundred issues.
const maxDocuments = 1000

// documents splits the output of a paging program into JSON objects and lists. torn reports that
// one is truncated or malformed, or that there are too many. It skips lines that begin with
// neither, which are messages of the program or a wrapper.
func documents(out []byte) (docs []gjson.Result, torn bool) {
	text := string(out)
	for {
		text = strings.TrimLeft(text, " \t\r\n\ufeff")
		line, rest, _ := strings.Cut(text, "\n")
		switch {
		case text == "" || len(docs) == maxDocuments:
			return docs, text != ""
		case text[0] != '{' && text[0] != '[':
			text = rest
			continue
		}
		var raw json.RawMessage
		var wrong *json.SyntaxError
		from := json.NewDecoder(strings.NewReader(text))
		switch err := from.Decode(&raw); {
		case err == nil:
			docs = append(docs, gjson.ParseBytes(raw))
			text = text[from.InputOffset():]
		case len(docs) == 0 && errors.As(err, &wrong) && wrong.Offset <= int64(len(line)):
			text = rest // a line such as "[warning] …"
		default:
			return docs, true
		}
	}
}
