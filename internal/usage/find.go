package usage

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hooks/internal/hint"
)

// Transcript is a session's main transcript in the client's folder.
type Transcript struct {
	ID, Path string
	Changed  time.Time
}

// Find returns the path of a session's main transcript. session is a path, a session id or a prefix
// of an id. If none or several ids match, it returns an error with a hint that lists up to five
// ids: the matching ones or, if none matches, the newest.
func Find(client, session string) (string, error) {
	if strings.ContainsAny(session, `/\`) || strings.HasSuffix(session, ".jsonl") {
		if fi, err := os.Stat(session); err != nil || !fi.Mode().IsRegular() {
			return "", hint.New("give a session id, or the path of a session's .jsonl file",
				"there is no transcript at %s", session)
		}
		return filepath.Abs(session)
	}
	all := Transcripts(client, "*")
	hits := slices.DeleteFunc(slices.Clone(all), func(t Transcript) bool {
		return session == "" || !strings.HasPrefix(t.ID, session)
	})
	if len(hits) == 1 {
		return hits[0].Path, nil
	}
	near := all
	if len(hits) > 0 {
		near = hits
	} else if len(all) == 0 {
		return "", hint.New("set CLAUDE_CONFIG_DIR to the client's folder, or give the path of a "+
			"transcript", "there is no session in %s", client)
	}
	return "", hint.New("give the path of a transcript, or one of these ids: "+ids(near),
		"%d session ids in %s begin with %q", len(hits), client, session)
}

// Transcripts lists the main transcripts in one of the client's folders, as named by FolderOf, or
// in all folders for "*". The most recently changed transcript comes first.
func Transcripts(client, folder string) (list []Transcript) {
	names, _ := fs.Glob(os.DirFS(client), "projects/"+folder+"/*.jsonl")
	for _, name := range names {
		path := filepath.Join(client, filepath.FromSlash(name))
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			id := strings.TrimSuffix(filepath.Base(path), ".jsonl")
			list = append(list, Transcript{id, path, info.ModTime()})
		}
	}
	slices.SortFunc(list, func(a, b Transcript) int {
		return cmp.Or(b.Changed.Compare(a.Changed), cmp.Compare(a.Path, b.Path))
	})
	return list
}

// ids returns the first five ids of a list, quoted.
func ids(list []Transcript) string {
	var names []string
	for _, t := range list[:min(len(list), 5)] {
		names = append(names, strconv.Quote(t.ID))
	}
	return strings.Join(names, ", ")
}

// FolderOf returns the name of the client's folder for the transcripts of sessions started in path.
func FolderOf(path string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, path)
}

// Newest returns the id and start time of the newest session started in dir. The id is "" if no
// transcript has a time in its first 64 KiB.
func Newest(client, dir string) (id string, began time.Time) {
	for _, t := range Transcripts(client, FolderOf(dir)) {
		if at := Began(t.Path); at.After(began) {
			id, began = t.ID, at
		}
	}
	return id, began
}
