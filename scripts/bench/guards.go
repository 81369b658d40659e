package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// scripts are the smallest guard one would write: read the event, look for the loop's folder in its project, do nothing
// where there is none. They are told beside `pre-tool-use, no loop`, which does as much and more.
var scripts = []struct{ name, program, file, text string }{
	{"bash and jq, no loop", "bash", "guard.sh", `cwd=$(jq -r .cwd)
[ -d "$cwd/.sdd/loop" ] || exit 0
`},
	{"python, no loop", "python3", "guard.py", `import json, os, sys
event = json.load(sys.stdin)
if not os.path.isdir(os.path.join(event["cwd"], ".sdd", "loop")):
    sys.exit(0)
`},
	{"node, no loop", "node", "guard.js", `const fs = require("fs"), path = require("path");
const event = JSON.parse(fs.readFileSync(0, "utf8"));
if (!fs.existsSync(path.join(event.cwd, ".sdd", "loop"))) process.exit(0);
`},
}

// guards are rows for the scripts whose programs are on this machine; the others are said.
func (b *bench) guards(project string) (list []*row, err error) {
	for _, s := range scripts {
		program, err := exec.LookPath(s.program)
		if _, jq := exec.LookPath("jq"); s.program == "bash" && err == nil {
			err = jq
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "left out: %s (%v)\n", s.name, err)
			continue
		}
		if s.program == "python3" { // often a shell script that looks for the real one
			real, err := exec.Command(program, "-c", "import sys; print(sys.executable)").Output()
			if err != nil {
				return nil, fmt.Errorf("find python: %w", err)
			}
			program = strings.TrimSpace(string(real))
		}
		file := filepath.Join(b.dir, s.file)
		if err := os.WriteFile(file, []byte(s.text), 0o644); err != nil {
			return nil, err
		}
		list = append(list, &row{
			name: s.name, args: []string{program, file}, stdin: event(project, payloads[0].event, payloads[0].more),
			env: []string{"HOME=" + b.dir, "PATH=" + os.Getenv("PATH")},
		})
	}
	return list, nil
}
