// Package pages compares screenshots of the page written by hooks report-card --html with recorded
// ones. A real browser draws the page at phone, tablet and desktop sizes, in light and dark mode.
//
// The tests need the build tag pages; without chromium they are skipped. Screenshots depend on the
// machine's fonts. On another machine, record them again with -record:
//
//	go test -tags pages ./scripts/pages/... -record
package pages
