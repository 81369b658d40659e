package app

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
		"vim -c '!gh pr merge 5'":                         false,
		"perl -e 'system(qq(gh pr merge 5))'":             false,
		"x=$(tr a b <<< c); gh $x 5 > /tmp/gh.log 2>&1":   false,
		"bash -c \"$x\"":                                  false,
	} {
		if got := leavesLinks(command); got != leaves {
			t.Errorf("%s: got %v", command, got)
		}
	}
}
