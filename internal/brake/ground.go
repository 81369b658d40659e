package brake

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"hooks/internal/guard"
	"hooks/internal/regular"
	"hooks/internal/seal"
	"hooks/internal/store"

	"github.com/tidwall/gjson"
)

// Pass uses up what a project's loop holds for one act on a PR, as Ground.TakePass does.
type Pass func(home, session string, kind guard.Kind, pr int, sha string) (ok bool, why string)

// Sealed is the loop of a session as the files say it.
type Sealed struct {
	Home    string // of the seal
	Session string
	Pass    Pass // nil: there are no passes
}

// maxRecord bounds the sealed record, in bytes.
const maxRecord = 8 << 20

// Active reports whether the session's sealed record is there. One that cannot be looked at is.
func (s *Sealed) Active() bool {
	_, err := os.Lstat(seal.SwitchPath(s.Home, s.Session))
	return !errors.Is(err, fs.ErrNotExist)
}

// Project is the project that the record names, empty if the record cannot be read.
func (s *Sealed) Project() string {
	text, ok := regular.Read(seal.SwitchPath(s.Home, s.Session), maxRecord)
	if !ok || !gjson.Valid(text) {
		return ""
	}
	project := gjson.Get(text, "project")
	if project.Type != gjson.String || !filepath.IsAbs(project.Str) {
		return ""
	}
	return filepath.Clean(project.Str)
}

// TakePass is part of Ground.
func (s *Sealed) TakePass(kind guard.Kind, pr int, sha string) (ok bool, why string) {
	if s.Pass == nil {
		return false, noPass(pr)
	}
	return s.Pass(s.Home, s.Session, kind, pr, sha)
}

func noPass(pr int) string {
	return fmt.Sprintf("a merge of PR #%d was not let through by its gate", pr)
}

// Denied is part of Ground.
func (s *Sealed) Denied(tool, rule, what string) {
	project := s.Project()
	if project == "" {
		return
	}
	_ = store.AppendNote(project, store.Note{Session: s.Session, Denied: &store.NotedDenial{
		Tool: tool, Rule: rule, What: what, At: time.Now().UTC().Format(time.RFC3339),
	}}) // the refusal holds even if it is not noted
}

// nowhere is the ground of a link whose loop is unknown. No merge passes.
type nowhere struct{}

func (nowhere) Active() bool    { return true }
func (nowhere) Project() string { return "" }
func (nowhere) TakePass(_ guard.Kind, pr int, _ string) (ok bool, why string) {
	return false, noPass(pr)
}
func (nowhere) Denied(_, _, _ string) {}
