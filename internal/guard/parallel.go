package guard

import "strings"

const parallelValued = `-j -n -N -S -a -I -C -d -E -L -P -s --jobs --colsep --arg-file --delay --retries --timeout --joblog --results --tmpdir
--load --max-args --delimiter --workdir --env --nice --halt --sshlogin --tagstring --argfile`

// parallel runs one command line for each item after ::: or of standard input.
func (f *frame) parallel(name string, args []word) string {
	rest := command(args, parallelValued, 0)
	head := parseFlags(args[:len(args)-len(rest)], parallelValued)
	if head.on("--dry-run", "--dryrun") {
		return hole
	}
	defer f.through(name)()
	line, items := f.parallelItems(rest, head)
	if line == "" {
		return f.external().shellText(strings.Join(items, "\n"), name)
	}
	if len(items) > maxRounds {
		items = append(items[:maxRounds:maxRounds], hole)
	}
	for _, item := range items {
		text := line + " " + item
		if strings.Contains(line, "{") {
			text = line
			for _, mark := range []string{"{}", "{1}", "{2}", "{.}", "{/}"} {
				text = swap(text, mark, item)
			}
		}
		f.external().run(text)
	}
	return hole
}

func (f *frame) parallelItems(rest []word, head flags) (line string, items []string) {
	for i, w := range rest {
		if !has("::: :::+ :::: ::::+", w.text) {
			continue
		}
		for _, v := range rest[i+1:] {
			switch {
			case strings.HasPrefix(v.text, ":::"):
			case w.text == "::::":
				items = append(items, strings.Split(strings.TrimSpace(f.fileText(v.text)), "\n")...)
			default:
				items = append(items, v.text)
			}
		}
		return joinText(rest[:i]), items
	}
	input := hole
	if file := head.val("-a", "--arg-file", "--argfile"); file != "" {
		input = f.fileText(file)
	} else if f.stdin != nil {
		input = f.stdin.text
	}
	return joinText(rest), strings.Split(strings.TrimSpace(input), "\n")
}
