// Package model tests the program against a simple model of its specification. The rapid library
// draws histories of events, the program and the model play them, and their replies and files are
// compared after each event. The model shares no code with the program.
package model
