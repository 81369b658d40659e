package event

// scanner finds the end of the first JSON object in a stream of chunks. It only counts brackets
// outside of strings. Whether what it found is JSON is decided later.
type scanner struct {
	start   int // offset of the opening brace in the stream
	bom     int // bytes of a byte order mark seen
	depth   int
	quoted  bool
	escaped bool
}

const byteOrderMark = "\xef\xbb\xbf"

// maxNesting is the deepest object that is read. Calls of tools stay below a dozen levels, and
// later readers look at each byte once per level.
const maxNesting = 1000

// next scans the following chunk. end is the offset in this chunk just after the object, 0 while
// the object is incomplete; bad reports that the stream does not begin with an object, so that
// waiting for more is useless.
func (s *scanner) next(chunk []byte) (end int, bad bool) {
	for i, c := range chunk {
		if s.depth == 0 {
			if !s.opens(c) {
				return 0, true
			}
			continue
		}
		if s.closes(c) {
			return i + 1, false
		}
		if s.depth > maxNesting {
			return 0, true
		}
	}
	return 0, false
}

// opens takes a byte before the object: part of the byte order mark, white space, or the opening
// brace.
func (s *scanner) opens(c byte) bool {
	switch {
	case s.start == s.bom && s.bom < len(byteOrderMark) && c == byteOrderMark[s.bom]:
		s.bom++
	case s.bom > 0 && s.bom < len(byteOrderMark):
		return false
	case c == '{':
		s.depth = 1
		return true
	case c != ' ' && c != '\t' && c != '\n' && c != '\r':
		return false
	}
	s.start++
	return true
}

// closes scans a byte of the object and reports whether it is the last.
func (s *scanner) closes(c byte) bool {
	switch {
	case s.escaped:
		s.escaped = false
	case s.quoted && c == '\\':
		s.escaped = true
	case c == '"':
		s.quoted = !s.quoted
	case s.quoted:
	case c == '{' || c == '[':
		s.depth++
	case c == '}' || c == ']':
		s.depth--
		return s.depth == 0
	}
	return false
}
