package guard

import (
	"testing"

	"hooks/internal/guard/effect"
)

// The commit that a merge insists on is the one that its forge compares, "" if that is not certain.
func TestHeadThatAMergeInsistsOn(t *testing.T) {
	const put = "gh api -X PUT repos/acme/app/pulls/142/merge "
	const curl = "curl -X PUT https://api.github.com/repos/acme/app/pulls/142/merge "
	const tea = "tea api -X POST repos/acme/app/pulls/142/merge -f Do=merge "
	for command, want := range map[string]string{
		"gh pr merge 142":                                                 "",
		"gh pr merge 142 --match-head-commit abc":                         "abc",
		"gh pr merge 142 --match-head-commit=abc -s":                      "abc",
		"gh pr merge 142 --match-head-commit abc --match-head-commit d":   "d",
		"gh pr merge 142 --match-head-commit $(git rev-parse HEAD)":       "",
		"glab mr merge 142 --sha abc":                                     "abc",
		put + "-f sha=abc":                                                "abc",
		put + "-f head_commit_id=abc":                                     "",
		put + "-f sha=abc -f sha=def":                                     "",
		put + "-f SHA=abc":                                                "",
		put + "-f 'x[sha]=abc'":                                           "",
		put + "--input merge.json -f sha=abc":                             "",
		"gh api -X PUT 'repos/acme/app/pulls/142/merge?sha=abc'":          "",
		curl + `-d '{"sha":"abc"}'`:                                       "abc",
		curl + `-d '{"x":{"sha":"abc"}}'`:                                 "",
		curl + `-d '{"sha":"abc","sha":"def"}'`:                           "",
		tea + "-f head_commit_id=abc":                                     "abc",
		"http PUT api.github.com/repos/acme/app/pulls/142/merge sha=abc":  "abc",
		"http PUT api.github.com/repos/acme/app/pulls/142/merge sha==abc": "",
		tea + "-f sha=abc":                                                "",
	} {
		call := effect.Call{Tool: "Bash", Command: command, Cwd: project}
		files := projectFiles{project + "/merge.json": `{"merge_method":"squash"}`}
		acts := Read(call, effect.Repo{}.Known(), files.ReadFile).Merges()
		if len(acts) != 1 || acts[0].PR != 142 || acts[0].SHA != want {
			t.Errorf("%s: %+v, want the head %q", command, acts, want)
		}
	}
}

// Whatever gh takes for true bypasses the protection.
func TestMergeThatBypassesProtection(t *testing.T) {
	for command, bypasses := range map[string]bool{
		"gh pr merge 142 --admin": true, "gh pr merge 142 --admin=t": true,
		"gh pr merge 142 --admin --disable-auto": true, "gh pr merge 142 --admin --auto": true,
		"gh pr merge 142": false, "gh pr merge 142 --admin=false": false,
	} {
		call := effect.Call{Tool: "Bash", Command: command, Cwd: project}
		acts := Read(call, effect.Repo{}.Known(), nil).Merges()
		if len(acts) != 1 || acts[0].PR != 142 || acts[0].Admin != bypasses {
			t.Errorf("%s: %+v", command, acts)
		}
	}
}
