package proc

import (
	"os"
	"testing"
)

func TestSelf(t *testing.T) {
	p := Self()
	if info, err := os.Stat(p.Path); err != nil || info.Size() != p.Size {
		t.Errorf("%+v: %v", p, err)
	}
}
