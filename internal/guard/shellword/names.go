package shellword

import (
	"path"
	"slices"
	"strings"
)

// ProgramName returns a command's name without directory, ".exe" or Nix flake reference.
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

// AnyOf reports whether the space-separated list contains one of the words.
func AnyOf(words []string, list string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return Has(list, w) })
}

// HasPart reports whether text contains any of the space-separated parts.
func HasPart(text, parts string) bool {
	in := func(p string) bool { return strings.Contains(text, p) }
	return slices.ContainsFunc(strings.Fields(parts), in)
}

// DataProgram reports whether a program treats its arguments as data, not as a command to start.
func DataProgram(name string) bool {
	const data = `echo printf cat grep egrep fgrep rg ag ack ls head tail wc sort uniq cut tr
sed jq yq diff cmp comm less more bat man tldr info whatis apropos which whereis type help brew
apt apt-get dnf yum pacman apk pip pip3 gem port snap nix-env npm pnpm yarn say notify-send
logger wall figlet cowsay toilet mail sendmail slack ntfy code cursor open xdg-open mkdir touch
rm cp mv ln chmod chown stat file basename dirname realpath readlink date sleep seq yes true
false gofmt go cargo rustc javac mvn gradle pytest eslint prettier black ruff tsc shellcheck
shfmt actionlint markdownlint vale codespell aspell commitlint cspell tree du df ps kill export
gpg sha256sum md5sum pbcopy xclip wl-copy qmd llm`
	return Has(data, name)
}

// NameWords splits a snake_case, kebab-case or camelCase name into words in lower case.
func NameWords(name string) []string {
	var spaced strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i]
		if i > 0 && c >= 'A' && c <= 'Z' && name[i-1] >= 'a' && name[i-1] <= 'z' {
			spaced.WriteByte(' ')
		}
		spaced.WriteByte(c)
	}
	apart := func(c rune) bool {
		return c < 0x80 && (!NameByte(byte(c)) || strings.ContainsRune("_$@", c))
	}
	return strings.FieldsFunc(strings.ToLower(spaced.String()), apart)
}

// NameByte reports whether a byte may be part of a name in most languages.
func NameByte(c byte) bool {
	return strings.IndexByte("_$@", c) >= 0 || c >= 0x80 || c >= '0' && c <= '9' ||
		c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// GlobMatch reports whether a shell pattern matches all of s. The wildcards * and ? match slashes
// too, as they do in a shell's case and [[ ]]. A malformed pattern matches only itself.
func GlobMatch(pat, s string) bool {
	pat = strings.ReplaceAll(strings.ReplaceAll(pat, "[!", "[^"), "/", "\x01")
	s = strings.ReplaceAll(s, "/", "\x01")
	ok, err := path.Match(pat, s)
	return ok || err != nil && pat == s
}
