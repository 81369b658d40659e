// Package model tests the program against a simple model of its specification. The rapid library
// generates histories of events. The program and the model both process them, and their replies and
// files are compared after each event. The model shares no code with the program.
package model
