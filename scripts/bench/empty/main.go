// Command empty does the least that a hook can do. It reads its event.
package main

import (
	"io"
	"os"
)

func main() { _, _ = io.ReadAll(os.Stdin) }
