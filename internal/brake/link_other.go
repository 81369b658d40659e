//go:build !unix

package brake

import "io"

// Run reports that the program was not started as a link, because this system has no links.
func Run([]string, io.Writer, Pass) (code int, isLink bool) { return 0, false }
