// Package pages compares screenshots of the page that hooks report-card --html writes with recorded
// ones. A real browser draws the page at the sizes of a phone, a tablet and a desktop, in light and
// dark mode.
//
// The tests need the build tag pages; without chromium they are skipped. Screenshots depend on the
// fonts of the machine. On another machine, record them again with -record:
//
//	go test -tags pages ./scripts/pages/... -record
package pages
