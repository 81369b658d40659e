package guard

import "testing"

// TestSealTable walks what the seal is left to find: reading it ends, whatever it says.
func TestSealTable(t *testing.T) {
	files := loadProject(t)
	for _, c := range loadTable(t, "seal.txt") {
		Read(c.call, c.repo.Known(), files)
	}
}
