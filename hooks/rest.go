package main

import (
	"os"
	"time"

	"hooks/internal/app"
	"hooks/internal/drive"
)

// rested waits until a reply is due, and reports whether nothing ended the wait: a person's Esc
// sends SIGTERM, and a client that dies leaves this process to another parent. The wall clock is
// looked at every second, so that a suspended machine does not wait longer.
func rested(a *app.App, until time.Time) bool {
	if until.IsZero() {
		return true
	}
	if left := until.Sub(a.Present()); a.Rest != nil {
		return a.Rest(left)
	}
	signals, stop := drive.Signals()
	defer stop()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for parent := os.Getppid(); a.Present().Before(until); {
		select {
		case <-signals:
			return false
		case <-tick.C:
			if os.Getppid() != parent {
				return false
			}
		}
	}
	return true
}
