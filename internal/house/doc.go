// Package house holds tests of the repository itself, such as its layers and line lengths.
package house
