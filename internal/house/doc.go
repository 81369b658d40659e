// Package house holds the checks of the repository itself, as tests: layers, sizes, comments, the registration.
package house
