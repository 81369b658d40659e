package loop

import "fmt"

// Plural is a number with what it counts, as in "1 iteration" and "2 iterations".
func Plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
