package manual

import (
	"fmt"
	"slices"
	"strings"
)

// Completion is the script that teaches a shell the commands. It starts no program when it runs.
func Completion(shell string, c Command) string {
	switch shell {
	case "bash":
		return bash(c)
	case "zsh":
		return zsh(c)
	}
	return fish(c)
}

// bash splits --flag=value at the =, also in version 3.2.
func bash(c Command) string {
	var b strings.Builder
	fmt.Fprint(&b, `# bash completion of hooks: source <(hooks completion bash)
_hooks() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} at= i
    if [ "$cur" = "=" ]; then cur=
    elif [ "$prev" = "=" ]; then prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$at ${COMP_WORDS[i]}" in
`)
	fmt.Fprintf(&b, "        %s) at=\"$at ${COMP_WORDS[i]}\" ;;\n        esac\n    done\n", ways(c, "|"))
	b.WriteString("    case \"$at $prev\" in\n")
	eachOption(c, func(flag string, v Value) {
		fmt.Fprintf(&b, "    '%s') COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", flag, strings.Join(v.Options, " "))
	})
	b.WriteString("    esac\n    case \"$at\" in\n")
	for _, c := range c.all() {
		fmt.Fprintf(&b, "    '%s') COMPREPLY=($(compgen -W '%s' -- \"$cur\")) ;;\n", c.at(), strings.Join(c.next(), " "))
	}
	b.WriteString("    esac\n}\ncomplete -F _hooks hooks\n")
	return b.String()
}

// zsh works both sourced and as a file _hooks in a folder of fpath.
func zsh(c Command) string {
	var b strings.Builder
	fmt.Fprint(&b, `#compdef hooks
# zsh completion of hooks: source <(hooks completion zsh), or keep it as _hooks in a folder of $fpath
_hooks() {
    local at= i
    local -a list
    for ((i = 2; i < CURRENT; i++)); do
        case "$at ${words[i]}" in
`)
	fmt.Fprintf(&b, "        %s) at=\"$at ${words[i]}\" ;;\n        esac\n    done\n", ways(c, "|"))
	b.WriteString("    case \"$at ${words[CURRENT-1]}\" in\n")
	eachOption(c, func(flag string, v Value) {
		fmt.Fprintf(&b, "    '%s') compadd -- %s; return ;;\n", flag, strings.Join(v.Options, " "))
	})
	b.WriteString("    esac\n    case \"$at\" in\n")
	for _, c := range c.all() {
		fmt.Fprintf(&b, "    '%s') list=(", c.at())
		each(c, func(word, help string) { b.WriteString(" " + single(strings.ReplaceAll(word, ":", `\:`)+":"+help)) })
		b.WriteString(" ) ;;\n")
	}
	b.WriteString(`    esac
    _describe hooks list
}
if [ "${funcstack[1]}" = _hooks ]; then
    _hooks "$@"
elif (( $+functions[compdef] )); then
    compdef _hooks hooks
fi
`)
	return b.String()
}

func fish(c Command) string {
	var b strings.Builder
	fmt.Fprint(&b, `# fish completion of hooks: hooks completion fish | source
function __hooks_at
    set -l at ''
    for word in (commandline -opc)[2..]
        switch "$at $word"
`)
	fmt.Fprintf(&b, "            case %s\n                set at \"$at $word\"\n        end\n    end\n    test \"$at\" = \"$argv[1]\"\nend\ncomplete -c hooks -f\n", ways(c, " "))
	for _, c := range c.all() {
		on := fmt.Sprintf("complete -c hooks -n '__hooks_at \"%s\"'", c.at())
		for _, sub := range c.Subs {
			fmt.Fprintf(&b, "%s -a %s -d %s\n", on, sub.name(), single(sub.Help))
		}
		for _, a := range c.Args {
			if len(a.Options) > 0 {
				fmt.Fprintf(&b, "%s -a '%s'\n", on, strings.Join(a.Options, " "))
			}
		}
		for _, f := range c.Flags {
			fmt.Fprintf(&b, "%s -l %s%s -d %s\n", on, f.Name, fishValue(f), single(f.Help))
		}
		fmt.Fprintf(&b, "%s -l help -d 'Show help.'\n", on)
	}
	return b.String()
}

func fishValue(f Value) string {
	switch {
	case f.Takes == "":
		return ""
	case len(f.Options) > 0:
		return " -x -a '" + strings.Join(f.Options, " ") + "'"
	}
	return " -r"
}

// ways are the ways to all commands, as patterns of a case.
func ways(c Command, between string) string {
	var all []string
	for _, sub := range c.all()[1:] {
		all = append(all, "'"+sub.at()+"'")
	}
	return strings.Join(all, between)
}

// eachOption visits the flags that take one of a few words, with the way to each.
func eachOption(c Command, do func(flag string, v Value)) {
	for _, c := range c.all() {
		for _, f := range c.Flags {
			if len(f.Options) > 0 {
				do(c.at()+" --"+f.Name, f)
			}
		}
	}
}

// each visits what may come after a command, with its help.
func each(c Command, do func(word, help string)) {
	help := map[string]string{"--help": "Show help."}
	for _, sub := range c.Subs {
		help[sub.name()] = sub.Help
	}
	for _, f := range c.Flags {
		help["--"+f.Name] = f.Help
	}
	for _, word := range slices.Compact(c.next()) {
		do(word, help[word])
	}
}

// single quotes a text for all three shells: none of them sees more in it than its letters.
func single(s string) string {
	return "'" + strings.NewReplacer("'", "’").Replace(s) + "'"
}
