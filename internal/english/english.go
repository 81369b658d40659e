// Package english helps build English sentences.
package english

import (
	"fmt"
	"strings"
)

// Plural returns a number with its noun, such as "1 iteration" or "2 aliases".
func Plural(n int, what string) string {
	if n != 1 {
		if strings.HasSuffix(what, "s") {
			what += "e"
		}
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
