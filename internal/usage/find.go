package usage

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hooks/internal/hint"
)

// found is a session's transcript in the client's folder.
type found struct {
	id, path string
	changed  time.Time
}

// Find finds a session's main transcript: by its path, or by its id or the beginning of one in the client's folder. An
// error names the sessions that are nearest.
func Find(client, session string) (string, error) {
	if strings.ContainsAny(session, `/\`) || strings.HasSuffix(session, ".jsonl") {
		fi, err := os.Stat(session)
		switch {
		case err != nil:
			return "", hint.New("name a session by its id, or a transcript by its path", "there is no transcript %s", session)
		case !fi.Mode().IsRegular():
			return "", hint.New("a transcript is a session's own .jsonl file", "%s is not a regular file", session)
		}
		return filepath.Abs(session)
	}
	all := sessions(client)
	var hits []found
	for _, f := range all {
		if f.id == session {
			return f.path, nil
		}
		if session != "" && strings.HasPrefix(f.id, session) {
			hits = append(hits, f)
		}
	}
	switch len(hits) {
	case 0:
		return "", hint.New(nearest(all, session), "there is no session %q", session)
	case 1:
		return hits[0].path, nil
	}
	return "", hint.New("write more of its id: "+ids(hits), "%d sessions begin with %q", len(hits), session)
}

// sessions are the transcripts in the client's folder, the one changed last first.
func sessions(client string) (list []found) {
	projects, _ := os.ReadDir(filepath.Join(client, "projects"))
	for _, p := range projects {
		dir := filepath.Join(client, "projects", p.Name())
		files, _ := os.ReadDir(dir)
		for _, f := range files {
			id, ok := strings.CutSuffix(f.Name(), ".jsonl")
			info, err := f.Info()
			if ok && err == nil && info.Mode().IsRegular() {
				list = append(list, found{id, filepath.Join(dir, f.Name()), info.ModTime()})
			}
		}
	}
	slices.SortFunc(list, func(a, b found) int {
		return cmp.Or(b.changed.Compare(a.changed), cmp.Compare(a.path, b.path))
	})
	return list
}

// mostNamed bounds the sessions that a hint names.
const mostNamed = 5

// nearest names the sessions whose ids begin most like a word, the newest first among equals.
func nearest(all []found, word string) string {
	if len(all) == 0 {
		return "no session was found; CLAUDE_CONFIG_DIR names the client's folder, or give a transcript's path"
	}
	common := func(f found) (n int) {
		for n < len(f.id) && n < len(word) && f.id[n] == word[n] {
			n++
		}
		return n
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(common(b), common(a)) })
	return "the nearest are " + ids(all)
}

func ids(list []found) string {
	var names []string
	for _, f := range list[:min(len(list), mostNamed)] {
		names = append(names, fmt.Sprintf("%q", f.id))
	}
	if more := len(list) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
