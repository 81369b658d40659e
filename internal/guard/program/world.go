// Package program reads programs by their names: the forges' clients, this very program and the
// client, what writes files, and what starts another program.
package program

import (
	"hooks/internal/guard/forges"
	"hooks/internal/guard/plain"
)

// World are the programs that a shell starts.
type World struct{}

// Branch is what is checked out in the frame's place.
func (World) Branch(f *plain.Frame) string { return forges.Checkout(f) }
