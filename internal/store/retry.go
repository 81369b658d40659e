package store

import "time"

// patiently repeats an operation that fails only because another process has the file open at this
// moment, as happens on Windows, for at most a quarter of a second.
func patiently(do func() error) error {
	err := do()
	for pause := time.Millisecond; transient(err) && pause < 128*time.Millisecond; pause *= 2 {
		time.Sleep(pause)
		err = do()
	}
	return err
}
