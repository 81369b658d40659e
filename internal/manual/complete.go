package manual

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Completion returns the script that completes the commands in a shell: bash, zsh or fish. The
// script starts a program, `hooks complete`, only where a value tagged `complete` is typed.
func Completion(shell string, app *kong.Application) string {
	write := map[string]func(*strings.Builder, []command){"bash": bash, "zsh": zsh,
		"fish": fish}[shell]
	var b strings.Builder
	write(&b, commandOf(app.Node, "").all())
	return b.String()
}

// bash splits --flag=value at the = and LOOP:GATE at the colon, also in version 3.2. It would
// expand the words it is given, so `hooks complete` prints only words without a special character.
func bash(b *strings.Builder, list []command) {
	b.WriteString(`# bash completion of hooks: source <(hooks completion bash)
_hooks_ask() {
    local line=${COMP_LINE:0:COMP_POINT} word list typed
    word=${line##* }
    read -ra typed <<<"${line%"$word"}"
    case $word in --*=*) word=${word#*=} ;; esac
    list=$(command hooks complete "$1" "${typed[@]:$2}" 2>/dev/null)
    COMPREPLY+=($(compgen -W "$list" -- "$word"))
    case $COMP_WORDBREAKS in *:*) COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*:}"}"}") ;; esac
}
_hooks() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} at= i
    if [ "$cur" = "=" ]; then cur=
    elif [ "$prev" = "=" ]; then prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$at ${COMP_WORDS[i]}" in
`)
	fmt.Fprintf(b, "        %s) at=\"$at ${COMP_WORDS[i]}\" ;;\n        esac\n    done\n",
		ways(list, "|"))
	b.WriteString("    case \"$at $prev\" in\n")
	reply := "    '%s') COMPREPLY=($(compgen -W '%s' -- \"$cur\"))%s ;;\n"
	eachOption(list, func(flag, words string) { fmt.Fprintf(b, reply, flag, words, "; return") })
	eachAsked(list, func(flag, kind string) {
		fmt.Fprintf(b, "    '%s') _hooks_ask %s 1; return ;;\n", flag, kind)
	})
	b.WriteString("    esac\n    case \"$at\" in\n")
	for _, c := range list {
		var words []string
		for _, w := range c.choices() {
			words = append(words, w.word)
		}
		ask := ""
		if kind := c.asked(); kind != "" {
			ask = fmt.Sprintf("; _hooks_ask %s %d", kind, c.words())
		}
		fmt.Fprintf(b, reply, c.at, strings.Join(words, " "), ask)
	}
	b.WriteString("    esac\n}\ncomplete -o default -F _hooks hooks\n")
}

// zsh works both sourced and as a file _hooks in a folder of fpath.
func zsh(b *strings.Builder, list []command) {
	b.WriteString(`#compdef hooks
# zsh completion of hooks: source <(hooks completion zsh)
# or keep it as _hooks in a folder of $fpath
_hooks() {
    local at= i
    local -a list
    for ((i = 2; i < CURRENT; i++)); do
        case "$at ${words[i]}" in
`)
	fmt.Fprintf(b, "        %s) at=\"$at ${words[i]}\" ;;\n        esac\n    done\n",
		ways(list, "|"))
	b.WriteString("    case \"$at ${words[CURRENT-1]}\" in\n")
	eachOption(list, func(flag, words string) {
		fmt.Fprintf(b, "    '%s') compadd -- %s; return ;;\n", flag, words)
	})
	ask := `compadd -- ${(f)"$(command hooks complete %s 2>/dev/null)"}`
	eachAsked(list, func(flag, kind string) {
		fmt.Fprintf(b, "    '%s') "+ask+"; return ;;\n", flag, kind)
	})
	b.WriteString("    esac\n    case \"$at\" in\n")
	for _, c := range list {
		fmt.Fprintf(b, "    '%s') list=(", c.at)
		for _, w := range c.choices() {
			b.WriteString(" " + single(strings.ReplaceAll(w.word, ":", `\:`)+":"+w.help))
		}
		b.WriteString(" )")
		if kind := c.asked(); kind != "" {
			fmt.Fprintf(b, "; "+ask, fmt.Sprintf("%s ${(Q)words[%d,CURRENT-1]}", kind, c.words()+1))
		}
		b.WriteString(" ;;\n")
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
}

func fish(b *strings.Builder, list []command) {
	b.WriteString(`# fish completion of hooks: hooks completion fish | source
function __hooks_at
    set -l at ''
    for word in (commandline -opc)[2..]
        switch "$at $word"
`)
	fmt.Fprintf(b, `            case %s
                set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
complete -c hooks -f
`, ways(list, " "))
	for _, c := range list {
		on := fmt.Sprintf("complete -c hooks -n '__hooks_at \"%s\"'", c.at)
		for _, sub := range c.subs {
			fmt.Fprintf(b, "%s -a %s -d %s\n", on, sub.Name, single(sub.Help))
		}
		for _, p := range c.Positional {
			if words := options(p); len(words) > 0 {
				fmt.Fprintf(b, "%s -a '%s'\n", on, strings.Join(words, " "))
			}
		}
		if kind := c.asked(); kind != "" {
			typed := fmt.Sprintf("%s (commandline -opc)[%d..]", kind, c.words()+1)
			fmt.Fprintf(b, "%s -a '%s'\n", on, fishAsk(typed))
		}
		for _, f := range c.flags {
			value := ""
			if kind := asked(f.Value); kind != "" {
				value = " -x -a '" + fishAsk(kind) + "'"
			} else if words := options(f.Value); len(words) > 0 {
				value = " -x -a '" + strings.Join(words, " ") + "'"
			} else if takes(f) != "" {
				value = " -r"
			}
			fmt.Fprintf(b, "%s -l %s%s -d %s\n", on, f.Name, value, single(f.Help))
		}
		fmt.Fprintf(b, "%s -l help -d 'Show help.'\n", on)
	}
}

func fishAsk(words string) string { return "(command hooks complete " + words + " 2>/dev/null)" }

// ways are the ways to all commands, as patterns of a case.
func ways(list []command, between string) string {
	var all []string
	for _, c := range list[1:] {
		all = append(all, "'"+c.at+"'")
	}
	return strings.Join(all, between)
}

// eachOption visits the flags that take one of a few words, each with the way to it.
func eachOption(list []command, do func(flag, words string)) {
	for _, c := range list {
		for _, f := range c.flags {
			if words := options(f.Value); len(words) > 0 {
				do(c.at+" --"+f.Name, strings.Join(words, " "))
			}
		}
	}
}

// eachAsked visits the flags whose values only the program knows, each with the way to it.
func eachAsked(list []command, do func(flag, kind string)) {
	for _, c := range list {
		for _, f := range c.flags {
			if kind := asked(f.Value); kind != "" {
				do(c.at+" --"+f.Name, kind)
			}
		}
	}
}

// single quotes a text for all three shells, to which nothing in it has a meaning then.
func single(s string) string { return "'" + strings.ReplaceAll(s, "'", "’") + "'" }
