// Package house holds the checks of the repository itself, as tests: layers, lines, registration.
package house
