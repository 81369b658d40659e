package guard

import (
	"fmt"
	"maps"
	"slices"

	"hooks/internal/guard/program"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// ReadArgv returns the effect of a program that is about to start with exactly these words, argv[0]
// its name. Nothing is expanded. env holds the variables that steer such programs (GH_REPO,
// GIT_DIR, …). Of the call only its place counts. Standard input is not known.
func ReadArgv(
	argv []string, env map[string]string, c Call, repo func() Repo, files Files,
) (reading Reading) {
	m := shell.New(c, repo, files, program.World{})
	defer func() {
		if p := recover(); p != nil { // as in Read
			m.Read.Unparsable = fmt.Sprintf("fault while reading: %v", p)
			reading = m.Read
		}
	}()
	if len(argv) == 0 {
		return m.Read
	}
	f := m.Shell(c.Cwd)
	f.Stdin = &shell.Stream{Text: word.Hole}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		f.Let(name, env[name])
		f.Export(name)
		if argv[0] == "git" {
			f.RunsLater(name)
		}
	}
	f.Named(word.Lits(argv...))
	return m.Read
}
