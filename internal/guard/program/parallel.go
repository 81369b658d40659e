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
	line, items := parallelItems(f, rest, head)
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

func parallelItems(f *shell.Frame, rest []word.Word, head word.Flags) (line string, items []string) {
	for i, w := range rest {
		if !word.Has("::: :::+ :::: ::::+", w.Text) {
			continue
		}
		for _, v := range rest[i+1:] {
			switch {
			case strings.HasPrefix(v.Text, ":::"):
			case w.Text == "::::":
				items = append(items, strings.Split(strings.TrimSpace(f.FileText(v.Text)), "\n")...)
			default:
				items = append(items, v.Text)
			}
		}
		return word.JoinText(rest[:i]), items
	}
	input := word.Hole
	if file := head.Val("-a", "--arg-file", "--argfile"); file != "" {
		input = f.FileText(file)
	} else if f.Stdin != nil {
		input = f.Stdin.Text
	}
	return word.JoinText(rest), strings.Split(strings.TrimSpace(input), "\n")
}
