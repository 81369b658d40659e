package word

import (
	"path"
	"slices"
	"strings"
)

// ProgramName is a command's name without its directory, its .exe and its Nix source.
func ProgramName(text string) string {
	name := path.Base(strings.ReplaceAll(text, `\`, "/"))
	if _, after, ok := strings.Cut(name, "#"); ok {
		name = after
	}
	if len(name) > 4 && strings.EqualFold(name[len(name)-4:], ".exe") {
		name = name[:len(name)-4]
	}
	return name
}

// MergeWord tells whether a script's name says that it merges PRs or lands on the main branch.
func MergeWord(name string) bool {
	parts := NameWords(name)
	if slices.Contains(parts, "automerge") || slices.Contains(parts, "land") && len(parts) < 3 {
		return true
	}
	return slices.Contains(parts, "merge") && (slices.Contains(parts, "pr") || slices.Contains(parts, "prs") || slices.Contains(parts, "main") || slices.Contains(parts, "master") ||
		slices.Contains(parts, "auto") || slices.Contains(parts, "pull") || len(parts) == 1 || len(parts) == 2 && slices.Contains([]string{"sh", "py", "js", "rb"}, parts[1]))
}

// DataProgram tells programs that never run their arguments.
func DataProgram(name string) bool {
	return Has(`echo printf cat grep egrep fgrep rg ag ack ls head tail wc sort uniq cut tr sed jq yq diff cmp comm less more bat
man tldr info whatis apropos which whereis type help brew apt apt-get dnf yum pacman apk pip pip3 gem port snap nix-env
npm pnpm yarn say notify-send logger wall figlet cowsay toilet mail sendmail slack ntfy code cursor open xdg-open
mkdir touch rm cp mv ln chmod chown stat file basename dirname realpath readlink date sleep seq yes true false
gofmt go cargo rustc javac mvn gradle pytest eslint prettier black ruff tsc shellcheck shfmt actionlint markdownlint vale
codespell aspell commitlint cspell tree du df ps kill export gpg sha256sum md5sum pbcopy xclip wl-copy qmd llm`, name)
}

// NameWords are the lower-case words of snake_case, kebab-case and camelCase names.
func NameWords(name string) []string {
	var out []string
	var cur strings.Builder
	flush := func() {
		if cur.Len() > 0 {
			out = append(out, strings.ToLower(cur.String()))
			cur.Reset()
		}
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		upper := c >= 'A' && c <= 'Z'
		switch {
		case !upper && (c < 'a' || c > 'z') && (c < '0' || c > '9') && c < 0x80:
			flush()
			continue
		case upper && i > 0 && (name[i-1] >= 'a' && name[i-1] <= 'z'):
			flush()
		}
		cur.WriteByte(c)
	}
	flush()
	return out
}

func NameByte(c byte) bool {
	return c == '_' || c == '$' || c == '@' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// Subcommand is the first word that is no flag, with everything else behind it: flags before a command belong to it.
func Subcommand(args []Word, valued string) (sub Word, rest []Word, ok bool) {
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		if len(t) > 1 && t[0] == '-' {
			if Has(valued, t) {
				i++
			}
			continue
		}
		rest = append(args[:i:i], args[i+1:]...)
		return args[i], rest, args[i].Known()
	}
	return Word{}, nil, true
}

func AsksHelp(argv []Word) bool {
	for _, w := range argv {
		if w.Text == "--" {
			return false
		}
		if w.Text == "--help" || w.Text == "-h" {
			return true
		}
	}
	return false
}

// Shorts tells whether joined short flags (-lc) hold the letter.
func Shorts(t string, letter byte) bool {
	return len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.IndexByte(t, letter) > 0
}

func IsShell(name string) bool {
	return Has("sh bash zsh dash ksh ksh93 mksh ash fish rbash csh tcsh xonsh pwsh-sh", name)
}

func HasWord(args []Word, text string) bool {
	for _, w := range args {
		if w.Text == text {
			return true
		}
	}
	return false
}
