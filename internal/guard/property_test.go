package guard

import (
	"hooks/internal/guard/effect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// quote1 is a text as one shell word.
func quote1(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// hereDoc feeds text to a command; the delimiter differs from those inside.
func hereDoc(cmd, s string) string {
	end := "EOT" + strconv.Itoa(len(s))
	return cmd + " <<'" + end + "'\n" + s + "\n" + end
}

// prefixes run the words behind them.
var prefixes = []string{
	"sudo", "sudo -u bot -E", "env", "env -i A=1", "env -u X", "timeout 60",
	"timeout -k 5 -s KILL 1m", "nohup", "nice -n 5", "ionice -c 3", "setsid -w", "stdbuf -oL",
	"command", "exec", "time", "flock /tmp/l", "strace -f -o /tmp/t", "chronic", "doas",
	"xargs -0 -a /dev/null", "caffeinate", "unbuffer", "retry 3", "direnv exec .", "poetry run",
	"A=1 B=2", "docker exec -it dev", "kubectl exec pod --", "script -q /dev/null",
	"find . -maxdepth 0 -exec",
}

// enclosings run text.
var enclosings = []func(string) string{
	func(s string) string { return "bash -c " + quote1(s) },
	func(s string) string { return "sh -lc " + quote1(s) },
	func(s string) string { return "eval " + quote1(s) },
	func(s string) string { return "bash <<< " + quote1(s) },
	func(s string) string { return hereDoc("bash -s", s) },
	func(s string) string { return "printf '%s' " + quote1(s) + " | sh" },
	func(s string) string { return "echo " + quote1(s) + " | cat | bash" },
	func(s string) string { return "bash <(echo " + quote1(s) + ")" },
	func(s string) string { return "source <(echo " + quote1(s) + ")" },
	func(s string) string { return "su bot -c " + quote1(s) },
	func(s string) string { return "ssh host " + quote1(s) },
	func(s string) string { return "script -qc " + quote1(s) + " /dev/null" },
	func(s string) string { return "watch " + quote1(s) },
	func(s string) string { return "tmux send-keys " + quote1(s) + " Enter" },
	func(s string) string { return "x=" + quote1(s) + "; eval \"$x\"" },
	func(s string) string { return "f() {\n" + s + "\n}\nf" },
	func(s string) string { return "(\n" + s + "\n)" },
	func(s string) string { return "if true; then\n" + s + "\nfi" },
	func(s string) string { return "for i in 1; do\n" + s + "\ndone" },
	func(s string) string { return "case x in x)\n" + s + "\n;; esac" },
	func(s string) string { return "echo \"$(\n" + s + "\n)\"" },
	func(s string) string { return "git status && {\n" + s + "\n}" },
	func(s string) string { return "trap " + quote1(s) + " EXIT" },
	func(s string) string { return "echo 142 | xargs -I{} sh -c " + quote1(s) },
	func(s string) string {
		x := "/tmp/x" + strconv.Itoa(len(s)) + ".sh"
		return hereDoc("cat > "+x, s) + "\nbash " + x
	},
	func(s string) string { return "git -c alias.x=" + quote1("!"+s+"\n#") + " x" },
	func(s string) string {
		return "python3 -c " +
			quote1("import os; os.system("+pyString(s)+")")
	},
	func(s string) string {
		return "node -e " + quote1("require('child_process').execSync("+pyString(s)+")")
	},
}

func pyString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

var plainMerges = []string{
	"gh pr merge 142 --squash", "gh -R a/b pr merge 142", "gh api -X PUT repos/a/b/pulls/142/merge",
	"glab mr merge 142",
	"curl -X PUT https://api.github.com/repos/a/b/pulls/142/merge", "tea pulls merge 142",
}

// TestWrapping: in any nesting of wrappers a merge is seen, or noted as not plain.
func TestWrapping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(plainMerges).Draw(t, "merge")
		simple := true // words that a prefix can stand before
		for range rapid.IntRange(0, 5).Draw(t, "depth") {
			if simple && rapid.Bool().Draw(t, "prefix") {
				p := rapid.SampledFrom(prefixes).Draw(t, "with")
				if strings.HasPrefix(text, "eval ") || strings.HasPrefix(text, "exec ") ||
					strings.HasPrefix(text, "source ") || strings.HasPrefix(text, "command ") ||
					strings.HasPrefix(text, "time ") || strings.HasPrefix(text, "A=1 ") ||
					strings.Contains(text, "\n") || strings.Contains(text, ";") ||
					strings.Contains(text, "|") || strings.Contains(text, "&") ||
					strings.Contains(text, "<") {
					continue // words of this shell, which no other program can run
				}
				text = p + " " + text
				if strings.HasPrefix(p, "find") {
					text += ` \;`
				}
				simple = p != "time" && p != "A=1 B=2"
				continue
			}
			text = rapid.SampledFrom(enclosings).Draw(t, "around")(text)
			simple = !strings.ContainsAny(text[:min(3, len(text))], "({") &&
				!strings.Contains(text, "\n") && !strings.HasPrefix(text, "x=") &&
				!strings.HasPrefix(text, "if") && !strings.HasPrefix(text, "for") &&
				!strings.HasPrefix(text, "trap")
			if len(text) > maxText/2 {
				return
			}
		}
		call := effect.Call{Tool: "Bash", Command: text, Cwd: "/p"}
		r := Read(call, effect.Repo{Branch: "f"}.Known(), nil)
		if len(r.Merges()) > 0 || r.ReachesForge() {
			return
		}
		t.Fatalf("lost in:\n%s\n%s", text, describe(r))
	})
}

// mentionings only talk about a text.
var mentionings = []func(string) string{
	func(s string) string { return "echo " + quote1(s) },
	func(s string) string { return "git commit -m " + quote1(s) },
	func(s string) string { return "gh pr create --title x --body " + quote1(s) },
	func(s string) string { return "gh issue comment 4 --body " + quote1("see: "+s) },
	func(s string) string { return "grep -rn " + quote1(s) + " ." },
	func(s string) string { return hereDoc("cat > notes.md", s) },
	func(s string) string { return hereDoc("git commit -F -", s) },
	func(s string) string { return "git commit -m \"$(" + hereDoc("cat", s) + "\n)\"" },
	func(s string) string { return "printf '%s\\n' " + quote1(s) + " >> log.txt" },
	func(s string) string { return "x=" + quote1(s) + "; echo \"$x\"" },
	func(s string) string { return "jq --arg x " + quote1(s) + " '.a=$x' f.json" },
	func(s string) string {
		return "sed -n " + quote1("/"+strings.NewReplacer("/", ".", "\n", " ").Replace(s)+"/p") +
			" f"
	},
	func(s string) string { return hereDoc("bash -n", s) },
	func(s string) string { return ": " + quote1(s) },
	func(s string) string { return "bash -c " + quote1("echo "+quote1(s)) },
}

// TestMentioning: what only talks about a merge is nothing, however the merge is wrapped.
func TestMentioning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(plainMerges).Draw(t, "merge")
		for range rapid.IntRange(0, 2).Draw(t, "depth") {
			text = rapid.SampledFrom(enclosings).Draw(t, "around")(text)
		}
		text = rapid.SampledFrom(mentionings).Draw(t, "mention")(text)
		call := effect.Call{Tool: "Bash", Command: text, Cwd: "/p"}
		r := Read(call, effect.Repo{Branch: "f"}.Known(), nil)
		if len(r.Merges()) > 0 || len(r.Opaque) > 0 || r.Unparsable != "" {
			t.Fatalf("taken for a merge:\n%s\n%s", text, describe(r))
		}
	})
}
