//go:build !linux

package main

import (
	"os"

	"github.com/rogpeppe/go-internal/testscript"
)

func byClient(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("only Linux tells who made a socket")
}

func nextSocket() (from, to *os.File) { return nil, nil }
