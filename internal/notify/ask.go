package notify

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/config"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/safefile"
)

// AskWord is the program's first argument when it carries the questions of a paused run to the
// person's Ask command.
const AskWord = "ask-person"

// variable returns a variable of the person's environment, or "" if the project's own settings of
// the client set it, because a project may come from anybody.
func (p *Person) variable(name string) string {
	for _, dir := range loop.AppendNew(nil, p.Project, p.Env("CLAUDE_PROJECT_DIR")) {
		for _, file := range []string{"settings.json", "settings.local.json"} {
			path := filepath.Join(dir, ".claude", file)
			text, ok := safefile.Read(path, config.MaxFile)
			_, missing := os.Lstat(path)
			if !ok && missing == nil || gjson.Get(text, "env."+name).Exists() {
				return ""
			}
		}
	}
	return strings.TrimSpace(p.Env(name))
}

// Ask is the person's own Ask command; without one its Command is empty. Neither a project's
// configuration nor a variable that its settings set counts.
func (p *Person) Ask() config.Ask {
	c := p.own().Ask
	if way := p.variable("HOOKS_ASK"); way != "" {
		c.Command = way
	}
	return c
}

// AskPrint identifies the Ask command with the scripts that its words name, or returns "" if there
// is no usable command. A run records it when a person begins or resumes it, so that nothing
// written later answers.
func (p *Person) AskPrint() string {
	c := p.Ask()
	words := command(c.Command)
	if words == nil {
		return ""
	}
	all := fmt.Sprintf("%q %v", words, c.Merges)
	for _, word := range words {
		if !filepath.IsAbs(word) && !strings.Contains(word, "://") &&
			strings.ContainsAny(word, `/\~`) {
			return "" // it would name a file of the project
		}
		if text, ok := safefile.Read(word, config.MaxFile); ok && filepath.IsAbs(word) {
			all += "\x00" + text
		}
	}
	return Digest(all)
}

// Digest identifies a text that is not to be kept.
func Digest(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:16])
}

// StartAsking has this program carry the questions of a kind's run to the Ask command. The secret
// on its stdin proves that it was started here.
func (p *Person) StartAsking(kind loop.Skill, secret string) error {
	return p.start("ask", AskWord, secret, "HOOKS_LOOP="+string(kind))
}

// Recorded notifies the person at once that an answer of the Ask command is on record, and of the
// command that continues the run.
func (p *Person) Recorded(way, resume string) error {
	p.way = strings.ToLower(way)
	if way := p.notifyWay(); way == "" || way == "off" || way == "bell" {
		return nil
	}
	return p.start("notify", DeliverWord, "", "HOOKS_TITLE=hooks: your answer is recorded",
		"HOOKS_TEXT=continue with "+report.Short(resume))
}
