package usage

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/safefile"
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
// dir, and when. It returns "" if there is none, or no transcript has a time in its head.
func Newest(client, dir string) (id string, began time.Time) {
	folder := FolderOf(dir)
	for _, f := range sessions(client) {
		if filepath.Base(filepath.Dir(f.path)) != folder {
			continue
		}
		if at := begun(f.path); at.After(began) {
			id, began = f.id, at
		}
	}
	return id, began
}

// begun returns the first time in the head of a transcript, whose first lines may be
// about files and have none; the zero time if there is none.
func begun(path string) (at time.Time) {
	f, _, err := safefile.Open(path)
	if err != nil {
		return at
	}
	defer f.Close()
	head := make([]byte, 64<<10)
	n, _ := io.ReadFull(f, head)
	for line := range bytes.Lines(head[:n]) {
		at, err = time.Parse(time.RFC3339Nano, gjson.GetBytes(line, "timestamp").Str)
		if err == nil {
			return at
		}
	}
	return time.Time{}
}
