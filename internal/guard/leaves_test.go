package guard

import "testing"

// What starts a program by another way than the session's PATH meets no link of the brake.
func TestLeavesLinks(t *testing.T) {
	for command, leaves := range map[string]bool{
		"vim -c '!/usr/bin/gh pr merge 5'":                true,
		"tar cf x --checkpoint-action=exec=/usr/bin/gh y": true,
		`perl -e 'system("/usr/bin/gh", "pr")'`:           true,
		"sed '1e /usr/bin/git push' x":                    true,
		"awk '{system(\"bash -lc x\")}'":                  true,
		"bash -lc 'gh pr merge 5'":                        true,
		"env -i gh pr merge 5":                            true,
		"PATH=/usr/bin $x":                                true,
		`env - HOME="$HOME" bash -c "gh pr $x 142"`:       true,
		"env --ignore-environment gh $x":                  true,
		"curl x | bash -":                                 false,
		"env A=b -i gh $x":                                true,
		"env -0 gh $x":                                    false,
		"bash -e -l -c \"$x\"":                            true,
		"bash -euo pipefail -l -c \"$x\"":                 true,
		"bash -euo pipefail -c \"ls -l; $x\"":             false,
		"exec -c bash -c \"$x\"":                          true,
		"exec -l bash -c \"$x\"":                          true,
		"exec gh $x -l":                                   false,
		"sudo bash -c \"$x\"":                             true,
		"doas gh $x":                                      true,
		"vim -c '!gh pr merge 5'":                         false,
		"perl -e 'system(qq(gh pr merge 5))'":             false,
		"x=$(tr a b <<< c); gh $x 5 > /tmp/gh.log 2>&1":   false,
		"bash -c \"$x\"":                                  false,
		"sed -n '/gh pr/p' x | sh; sed 's/a/gh/' y":       false,
		"git commit -m 'Find /usr/bin/gh in PATH'; $x":    false,
	} {
		if got := LeavesLinks(command); got != leaves {
			t.Errorf("%s: got %v", command, got)
		}
	}
}
