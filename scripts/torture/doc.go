// Package torture has tests that the program loses no state, reports nothing untrue and traps no
// turn. They inject errors into system calls (by strace), kill the program, run many processes at
// once and fill the disk. After every event they check the state on disk against a ledger of the
// events.
//
//	go test ./scripts/torture                            a minute, without faults and mistakes
//	go test ./scripts/torture -run Faults -whole         every call, fault and way to continue
//	go test ./scripts/torture -run Mistakes -mistakes 4  builds in known mistakes; must find each
package torture
