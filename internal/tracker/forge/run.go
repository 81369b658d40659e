package forge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/child"
)

const (
	callWait   = 5 * time.Second  // bounds one call, and the time between pages of a list
	listMore   = 15 * time.Second // additional time for all pages of a list
	callOutput = 16 << 20         // bytes
)

// run starts a program in the project's directory and returns its output, even if it failed.
func (r *reader) run(ctx context.Context, call child.Command) (child.Result, *Failure) {
	call.Wait = cmp.Or(call.Wait, r.Wait)
	call.Dir, call.Env, call.Most = r.Project, environ(os.Environ()), callOutput
	result, err := child.Run(ctx, call)
	if err != nil {
		return result, failure(err, result.Says)
	}
	return result, nil
}

// quiet keeps the programs from prompting, paging, using colours, updating and sending telemetry.
// environ removes the variables that turn on tracing.
var quiet = [...]string{
	"GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "GH_NO_EXTENSION_UPDATE_NOTIFIER=1",
	"GH_SPINNER_DISABLED=1", "GH_PAGER=cat", "NO_PROMPT=1", "GLAB_NO_PROMPT=1",
	"GLAB_CHECK_UPDATE=false", "GLAB_SEND_TELEMETRY=false", "GLAB_PAGER=cat",
	"NO_COLOR=1", "CLICOLOR=0", "TERM=dumb", "PAGER=cat", "GIT_TERMINAL_PROMPT=0",
	"GIT_ASKPASS=", "SSH_ASKPASS=", "GCM_INTERACTIVE=never", "LC_ALL=C",
}

// environ returns the child's environment. It drops variables that force colours, select another
// repository, or turn on tracing, which may show secrets.
func environ(from []string) (env []string) {
	for _, kv := range from {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "GH_DEBUG", "DEBUG", "GH_FORCE_TTY", "CLICOLOR_FORCE", "GLAB_DEBUG_HTTP", "GH_REPO",
			"GITLAB_REPO", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CONFIG_COUNT",
			"GIT_CONFIG_PARAMETERS":
		default:
			env = append(env, kv)
		}
	}
	return append(env, quiet[:]...)
}

// documents splits a program's output into JSON values, one for each page. torn reports whether a
// value is truncated or malformed; that value and the rest are then missing.
func documents(out []byte) (docs []gjson.Result, torn bool) {
	from := json.NewDecoder(bytes.NewReader(out))
	for {
		var raw json.RawMessage
		if err := from.Decode(&raw); err != nil {
			return docs, err != io.EOF
		}
		docs = append(docs, gjson.ParseBytes(raw))
	}
}
