// Package pages takes pictures of the page that hooks report-card --html writes, as a real browser
// draws it: on a phone, on a tablet and on a desk, in the light and in the dark. They are compared
// with the recorded ones.
//
// The tests need the build tag pages and chromium; without it they are skipped. Other fonts than
// those of the recorded pictures draw other letters, so the pictures of another machine are
// recorded again with -record:
//
//	go test -tags pages ./scripts/pages/... -record
package pages
