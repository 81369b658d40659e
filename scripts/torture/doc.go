// Package torture tests that the program loses no state, makes no false report and keeps no turn
// open forever. The tests inject errors into system calls (with strace), kill the program, run many
// processes at once and fill the disk. After every event they compare the state on disk to a ledger
// of the events.
//
//	go test ./scripts/torture                            a minute, without faults and mistakes
//	go test ./scripts/torture -run Faults -whole         every call, fault and way to continue
//	go test ./scripts/torture -run Mistakes -mistakes 4  must find each of four planted mistakes
package torture
