package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// tested lists the client versions that the end-to-end suite runs on, newest first.
var tested = [...]string{"2.1.330", "2.1.329"}

// oldest is the oldest supported client version. With an older one, auto mode may skip a gate, a
// lock may name the wrong process, and removing a worktree stops the hooks.
const oldest = "2.1.239"

func clientVersion(m *machine, n *notes) {
	out, err := m.run("claude", "--version")
	have := version(out)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		n.warn("install the client or put it on PATH, unless your editor includes its own client",
			"claude is not on PATH, so its version is unknown and `hooks go` cannot start it")
		return
	case err != nil || have == nil:
		n.warn("see `claude --version`",
			"the client did not report its version: %s", cmp.Or(out, fmt.Sprint(err)))
		return
	case slices.Compare(have, version(oldest)) < 0:
		n.fail("update the client",
			"the client is older than %s, so a gate may pass without an answer", oldest)
	}
	n.note("claude %d.%d.%d; hooks was tested with %s", have[0], have[1], have[2], join(tested[:]))
	if slices.Compare(have, version(tested[0])) > 0 {
		n.note("this version is untested; run `hooks doctor --live` to see whether its hooks fire")
	}
}

// version parses the first three numbers in text such as "2.1.329 (Claude Code)". It returns nil if
// the text does not begin with a version.
func version(s string) []int {
	v := make([]int, 3)
	n, _ := fmt.Sscanf(strings.TrimPrefix(s, "v"), "%d.%d.%d", &v[0], &v[1], &v[2])
	if n < len(v) {
		return nil
	}
	return v
}
