// Package model tests the program against a plain model of its specification: rapid draws histories
// of events, both play them, and replies and files are compared after each. The model is written
// from the specification and the design alone and shares no code with the program.
package model
