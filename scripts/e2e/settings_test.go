//go:build e2e && linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hooks/internal/install"
)

// A settings file with one value of a wrong type is skipped whole, hooks included. The client and
// the program agree on which values those are (interface: hooks install, hooks doctor).
func TestTheClientSkipsAFileWithAWrongType(t *testing.T) {
	const entry = `"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"true",%s}]}],@}`
	for name, text := range map[string]string{
		"nothing wrong":             `"a":1,"env":{"A":1}`,
		"a text":                    `"model":5`,
		"null":                      `"model":null`,
		"the last of two counts":    `"model":5,"model":"opus"`,
		"true or false":             `"disableAllHooks":"no"`,
		"a whole number":            `"cleanupPeriodDays":1.5`,
		"a fraction":                `"skillListingBudgetFraction":7`,
		"a list of texts":           `"availableModels":[5]`,
		"a list":                    `"permissions":{"deny":"x"}`,
		"any list":                  `"permissions":{"deny":[5]}`,
		"an object":                 `"env":[]`,
		"an object in an object":    `"sandbox":{"network":5}`,
		"deep down":                 `"sandbox":{"network":{"allowedDomains":"x"}}`,
		"a number":                  `"sandbox":{"network":{"httpProxyPort":"x"}}`,
		"a choice":                  `"permissions":{"defaultMode":"zzz"}`,
		"a choice of a skill":       `"skillOverrides":{"a":"zzz"}`,
		"a missing member":          `"statusLine":{"type":"command"}`,
		"a plugin":                  `"enabledPlugins":{"a@b":"yes"}`,
		"a list of marketplaces":    `"strictKnownMarketplaces":5`,
		"passed over: the theme":    `"theme":5`,
		"passed over: marketplaces": `"extraKnownMarketplaces":[]`,
		"hooks":                     `"hooks":[]`,
		"passed over: an event":     `"hooks":{"Stop":5,@}`,
		"passed over: an entry": `"hooks":{"Stop":[{"matcher":5,` +
			`"hooks":[{"type":"command"}]}],@}`,
		"an event that guards":       `"hooks":{"PreToolUse":{},@}`,
		"a group":                    `"hooks":{"PreToolUse":[{}],@}`,
		"a matcher":                  `"hooks":{"PreToolUse":[{"matcher":5,"hooks":[]}],@}`,
		"a handler":                  `"hooks":{"PermissionRequest":[{"hooks":[5]}],@}`,
		"a handler without a prompt": `"hooks":{"PreToolUse":[{"hooks":[{"type":"agent"}]}],@}`,
		"a timeout":                  fmt.Sprintf(entry, `"timeout":"60"`),
		"what to do on failure":      fmt.Sprintf(entry, `"onFailure":"x"`),
		"once":                       fmt.Sprintf(entry, `"once":"x"`),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(Request) Turn { return Turn{Text: "ok"} })
			w.Plugins = nil
			mark := filepath.Join(w.Bin, "mark")
			text := withHook(text, mark)
			w.write(filepath.Join(w.Home, ".claude", "settings.json"), text, 0o600)
			w.Headless("hi")
			_, err := os.Stat(mark)
			if wrong := install.WrongTypes(text); (err != nil) != (len(wrong) > 0) {
				t.Errorf("%s\nthe hook ran: %v, and found is %v", text, err == nil, wrong)
			}
		})
	}
}

// withHook is a settings file with some members and a hook that leaves a mark.
func withHook(members, mark string) string {
	const at = `"SessionStart":[{"hooks":[{"type":"command","command":"touch","args":[%q]}]}]`
	hook := fmt.Sprintf(at, mark)
	if before, after, ok := strings.Cut(members, "@"); ok && strings.Contains(members, `"hooks"`) {
		return "{" + before + hook + after + "}"
	} else if strings.Contains(members, `"hooks"`) {
		return "{" + members + "}"
	}
	return "{" + members + `,"hooks":{` + hook + "}}"
}
