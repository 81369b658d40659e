package proc

import (
	"os"
	"strconv"
	"strings"
)

// inspect reads /proc. It fails for a process that does not exist or is hidden from us.
func inspect(pid int) (entry, bool) {
	dir := "/proc/" + strconv.Itoa(pid)
	e, ok := parseStat(readProc(dir + "/stat"))
	if !ok {
		return entry{}, false
	}
	if exe, err := os.Readlink(dir + "/exe"); err == nil {
		e.names = append(e.names, exe)
	}
	e.start = sinceBoot(e.start)
	return e, true
}

// parseStat takes one line of /proc/<pid>/stat apart. The command's name is in parentheses and
// may itself hold blanks and parentheses, so fields are counted from the last one.
func parseStat(line string) (entry, bool) {
	open, end := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return entry{}, false
	}
	rest := strings.Fields(line[end+1:]) // rest[0] is field 3, the state
	if len(rest) < 20 {
		return entry{}, false
	}
	parent, err := strconv.Atoi(rest[1])
	if err != nil {
		return entry{}, false
	}
	return entry{
		parent: parent, names: []string{line[open+1 : end]}, start: rest[19],
		gone: ended(rest[0], rest[17]),
	}, true
}

// ended reports whether a state is that of an ended process. A leader that left while its other
// threads still run shows the same letter, but its process still works.
func ended(state, threads string) bool {
	return state == "X" || state == "x" || (state == "Z" && (threads == "0" || threads == "1"))
}

// sinceBoot makes a start time, in clock ticks since the boot, hold across boots. Empty when the
// boot is not known.
func sinceBoot(ticks string) string {
	if boot := Boot(); boot != "" && ticks != "" {
		return ticks + "@" + boot
	}
	return ""
}
