// Package manual completes the program's commands in three shells. It takes the words from the
// parser's model.
package manual

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Completion returns the completion script for a shell: bash, zsh or fish. Each script passes the
// line typed so far to `hooks complete`, which prints one word per line, with its help after a tab.
func Completion(shell string) string { return scripts[shell] }

var scripts = map[string]string{
	// Readline replaces only the part after the last of its break characters.
	"bash": `# bash completion of hooks: source <(hooks completion bash)
_hooks() {
    local line=${COMP_LINE:0:COMP_POINT} word IFS=$'\n'
    word=${line##* }
    COMPREPLY=($(command hooks complete "$line" 2>/dev/null | cut -f 1))
    COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*[$COMP_WORDBREAKS]}"}"}")
}
complete -o default -F _hooks hooks
`,
	"zsh": `#compdef hooks
# zsh completion of hooks: source <(hooks completion zsh)
# or keep it as _hooks in a folder of $fpath
_hooks() {
    local -a list
    list=("${(@f)$(command hooks complete "${(j: :)words[1,CURRENT]}" 2>/dev/null)}")
    list=("${(@)${(@)list//:/\\:}/$'\t'/:}")
    if [ -n "$list" ]; then _describe hooks list; else _files; fi
}
if [ "${funcstack[1]}" = _hooks ]; then
    _hooks "$@"
elif (( $+functions[compdef] )); then
    compdef _hooks hooks
fi
`,
	"fish": `# fish completion of hooks: hooks completion fish | source
function __hooks
    set -l list (command hooks complete (commandline -cp) 2>/dev/null)
    if set -q list[1]
        printf '%s\n' $list
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c hooks -f -a '(__hooks)'
`}

// Complete returns the completions of the last word in typed, which may be incomplete. ask returns
// the words of a kind that the parser does not know. before holds the arguments typed before.
func Complete(
	app *kong.Application, typed []string, ask func(kind string, before []string) []string,
) (words []string) {
	if len(typed) == 0 {
		return nil
	}
	at, before, flag := walk(app.Node, typed[:len(typed)-1])
	word, lead := typed[len(typed)-1], ""
	if name, _, whole := strings.Cut(word, "="); whole && flag == nil {
		flag, lead = flagOf(at, name), name+"="
	}
	add := func(text, help string) {
		if text = lead + text; !strings.HasPrefix(text, word) {
			return
		}
		if help != "" {
			text += "\t" + help
		}
		words = append(words, text)
	}
	value := func(v *kong.Value) {
		list := v.EnumSlice()
		if kind := v.Tag.Get("complete"); kind != "" {
			list = append(list, ask(kind, before)...)
		}
		for _, text := range list {
			if text != "" {
				add(text, "")
			}
		}
	}
	if flag != nil {
		value(flag.Value)
		return words
	}
	for _, sub := range at.Children {
		if !sub.Hidden {
			add(sub.Name, sub.Help)
		}
	}
	if len(at.Positional) > 0 {
		value(at.Positional[0])
	}
	for _, f := range at.Flags {
		if !f.Hidden && f.Name != "help" {
			add("--"+f.Name, f.Help)
		}
	}
	add("--help", "Show help.")
	return words
}

// walk returns the command that the words lead to, its arguments, and the flag whose value is the
// next word.
func walk(at *kong.Node, typed []string) (_ *kong.Node, before []string, flag *kong.Flag) {
	for _, word := range typed {
		name, _, whole := strings.Cut(word, "=")
		i := slices.IndexFunc(at.Children, func(n *kong.Node) bool {
			return n.Name == word && !n.Hidden
		})
		switch {
		case flag != nil: // the word is the flag's value
			flag = nil
		case strings.HasPrefix(word, "-"):
			if f := flagOf(at, name); f != nil && !f.IsBool() && !whole {
				flag = f
			}
		case i >= 0:
			at, before = at.Children[i], nil
		default:
			before = append(before, word)
		}
	}
	return at, before, flag
}

// flagOf returns the command's flag with that name, or nil if it has no such flag. The name
// includes its dashes.
func flagOf(n *kong.Node, name string) *kong.Flag {
	for _, f := range n.Flags {
		long := "--"+f.Name == name && f.Name != "help"
		if !f.Hidden && (long || f.Short != 0 && "-"+string(f.Short) == name) {
			return f
		}
	}
	return nil
}
