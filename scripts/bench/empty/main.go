// Command empty does as little as a hook can: it reads its event.
package main

import (
	"io"
	"os"
)

func main() { _, _ = io.ReadAll(os.Stdin) }
