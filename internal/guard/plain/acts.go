package plain

import (
	"fmt"
	"strconv"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/shellword"
)

// Act records an act that the command argv performs. If a.Command is empty, Act sets it to argv.
func (f *Frame) Act(a effect.Act, argv []shellword.Word) { f.note(&f.M.Read.Acts, a, argv) }

// Use records a branch or a PR that the command argv works on.
func (f *Frame) Use(a effect.Act, argv []shellword.Word) {
	a.Kind = effect.UseBranch
	f.note(&f.M.Read.Uses, a, argv)
}

func (f *Frame) note(list *[]effect.Act, a effect.Act, argv []shellword.Word) {
	if a.Command == "" {
		a.Command = shellword.Clip(shellword.Join(argv), 300)
	}
	a.Ref = shellword.Ellipsis(shellword.Clip(a.Ref, 200))
	a.Via, a.Cwd = f.via, f.Cwd
	key := string(a.Kind) + strconv.Itoa(a.PR) + "\x00" + a.Ref + "\x00" + a.Command
	if f.M.seen[key] {
		return
	}
	if len(*list) >= maxActs {
		f.M.Shut(fmt.Sprintf("more than %d actions that a loop checks", maxActs))
		return
	}
	f.M.seen[key] = true
	*list = append(*list, a)
}

// Pushes records that the command argv pushes. Only the first push of a call is kept.
func (f *Frame) Pushes(argv []shellword.Word) {
	if f.M.Read.Pushes == "" {
		f.M.Read.Pushes = shellword.Clip(shellword.Join(argv), 300)
	}
}

// Opaque records a part that could not be read. The part counts as able to land something if it
// passes shellword.Lands, or if any text in the call passes it or names a forge client.
func (f *Frame) Opaque(text, reason string) {
	f.opaque(text, reason, f.M.lands() || shellword.Lands(text))
}

// OpaqueForge records a part that could not be read and could land something.
func (f *Frame) OpaqueForge(text, reason string) { f.opaque(text, reason, true) }

func (f *Frame) opaque(text, reason string, forge bool) {
	text = shellword.Clip(shellword.Ellipsis(text), 200)
	key := "?" + text + "\x00" + reason
	if f.quiet || f.M.seen[key] {
		return
	}
	if len(f.M.Read.Opaque) >= maxOpaque {
		f.M.Shut(fmt.Sprintf("more than %d parts that are only known at run time", maxOpaque))
		return
	}
	f.M.seen[key] = true
	f.M.Read.Opaque = append(f.M.Read.Opaque, effect.Opaque{
		Text: text, Reason: reason, Via: f.via, Forge: forge,
	})
}
