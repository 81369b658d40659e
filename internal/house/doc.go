// Package house holds tests of the repository itself, such as of its layers and line lengths.
package house
