package report

import (
	"encoding/binary"
	"fmt"

	"hooks/internal/loop"
	"hooks/internal/printable"
)

// Visible spells what would act on a terminal as JSON escapes, which mean the same. Plain text costs one quick look.
func Visible(json []byte) []byte {
	if plainASCII(json) {
		return json
	}
	return []byte(printable.JSON(string(json)))
}

// plainASCII says that no byte is over 0x7e; below 0x20 valid JSON has only blanks.
func plainASCII(text []byte) bool {
	for ; len(text) >= 8; text = text[8:] {
		// Adding one makes a high bit of 0x7f as well; a carry can only come from a byte that has failed already.
		if w := binary.LittleEndian.Uint64(text); (w|(w+0x0101010101010101))&0x8080808080808080 != 0 {
			return false
		}
	}
	for _, b := range text {
		if b >= 0x7f {
			return false
		}
	}
	return true
}

// Short is a foreign text as one harmless line of at most 500 characters.
func Short(text string) string { return clip(clean(text), 500) }

// StopLine is in one line why a run does not go on.
func StopLine(b *loop.Budget) string {
	s := fmt.Sprintf("%s: %s", b.StopCause, prose(b))
	for _, g := range b.Pending {
		s += fmt.Sprintf(" [%s] %s", g.Name, g.Question)
	}
	return s
}
