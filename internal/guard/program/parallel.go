package program

import (
	"strings"

	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

const parallelValued = `-j -n -N -S -a -I -C -d -E -L -P -s --jobs --colsep --arg-file --delay --retries --timeout --joblog --results --tmpdir
--load --max-args --delimiter --workdir --env --nice --halt --sshlogin --tagstring --argfile`

// parallel runs one command line for each item after ::: or of standard input.
func parallel(f *shell.Frame, name string, args []word.Word) string {
	rest := word.Command(args, parallelValued, 0)
	head := word.ParseFlags(args[:len(args)-len(rest)], parallelValued)
	if head.On("--dry-run", "--dryrun") {
		return word.Hole
	}
	defer f.Through(name)()
	items, given := []string{word.Hole}, len(rest)
	if f.Stdin != nil && !head.On("-a", "--arg-file", "--argfile") {
		items = strings.Split(strings.TrimSpace(f.Stdin.Text), "\n")
	}
	for i, w := range rest {
		if strings.HasPrefix(w.Text, ":::") {
			given = min(given, i)
		}
	}
	if given < len(rest) {
		if items = word.Texts(rest[given+1:]); rest[given].Text != ":::" { // items of files
			items = []string{word.Hole}
		}
	}
	line := word.JoinText(rest[:given])
	if line == "" {
		return f.External().ShellText(strings.Join(items, "\n"), name)
	}
	if len(items) > shell.MaxRounds {
		items = append(items[:shell.MaxRounds:shell.MaxRounds], word.Hole)
	}
	for _, item := range items {
		text := line + " " + item
		if strings.Contains(line, "{") {
			text = line
			for _, mark := range []string{"{}", "{1}", "{2}", "{.}", "{/}"} {
				text = word.Swap(text, mark, item)
			}
		}
		f.External().Run(text)
	}
	return word.Hole
}
