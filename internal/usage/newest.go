package usage

import (
	"strings"
	"time"
)

// FolderOf returns the name of the folder in which the client keeps the transcripts of the sessions
// that it began in path.
func FolderOf(path string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, path)
}

// Newest returns the session that began last among those of the client's folder that were begun in
// dir, and when. It returns "" if no session has a transcript with a time in its head.
func Newest(client, dir string) (id string, began time.Time) {
	for _, t := range Transcripts(client, FolderOf(dir)) {
		if at := begun(t.Path); at.After(began) {
			id, began = t.ID, at
		}
	}
	return id, began
}
