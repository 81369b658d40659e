//go:build !windows

package proc

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"
)

func TestWithin(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	in := Within(50*time.Millisecond, r)
	if _, err := io.WriteString(w, "some"); err != nil {
		t.Fatal(err)
	}
	text := make([]byte, 10)
	if n, err := in.Read(text); string(text[:n]) != "some" || err != nil {
		t.Errorf("got %q, %v", text[:n], err)
	}
	// The writer neither writes more nor closes.
	if n, err := in.Read(text); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %q, %v", text[:n], err)
	}
}

func TestWithinAtTheEnd(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := Within(time.Hour, r).Read(make([]byte, 10)); n != 0 || err != io.EOF {
		t.Errorf("got %d, %v", n, err)
	}
}
