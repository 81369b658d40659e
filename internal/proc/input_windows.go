package proc

import (
	"io"
	"os"
	"time"
)

// Within returns a reader of in that fails with os.ErrDeadlineExceeded after wait. A goroutine
// then remains blocked, but the program is about to exit.
func Within(wait time.Duration, in io.Reader) io.Reader {
	return &bounded{in, time.Now().Add(wait)}
}

type bounded struct {
	in    io.Reader
	until time.Time
}

func (b *bounded) Read(p []byte) (int, error) {
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text := make([]byte, len(p))
		n, err := b.in.Read(text)
		done <- result{text[:n], err}
	}()
	select {
	case r := <-done:
		return copy(p, r.text), r.err
	case <-time.After(time.Until(b.until)):
		return 0, os.ErrDeadlineExceeded
	}
}
