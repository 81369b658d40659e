//go:build linux

package main

import (
	"strings"
	"testing"
)

// R64, R68, R112, R118: killed anywhere, raced by many, on a full or closed disk, nothing is lost, counted twice or stuck.
// A bounded form of what the command does.
func TestNothingIsLostOrStuck(t *testing.T) {
	trial := trial{kills: 40, rounds: 1, sessions: 16, parallel: 3, workers: 2, seed: 1}
	clean, err := trial.prepare()
	if err != nil {
		t.Fatal(err)
	}
	defer clean()
	for name, play := range map[string]func() (outcome, error){
		"loops": trial.loops, "race": trial.race, "together": trial.together, "pair": trial.pair, "disks": trial.disks,
	} {
		t.Run(name, func(t *testing.T) {
			o, err := play()
			if err != nil {
				t.Fatal(err)
			}
			t.Log(o.done)
			if len(o.bad) > 0 {
				t.Error(strings.Join(o.bad, "\n"))
			}
		})
	}
}
