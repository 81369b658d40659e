// Command empty only reads its event, which is the least that a hook can do.
package main

import (
	"io"
	"os"
)

func main() { _, _ = io.ReadAll(os.Stdin) }
