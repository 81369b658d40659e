package guard

import (
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/forges"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// tool is a call to a tool that is not built into the client.
type tool struct{ forges.Tool }

// mcp judges a call by the tool's name and fields, for tools that are not built into the client.
func mcp(f *plain.Frame, c effect.Call) {
	t, cut := shapeOf(c)
	if t.Frame = f; len(cut) > 0 {
		f.M.Bounded("arguments with more values than the guard reads", cut...)
	}
	inner := t.dispatched()
	if !t.reads() {
		t.Words = append(t.verb(), t.Words...)
	}
	for _, t := range append([]tool{t}, inner...) {
		t.writes()
		t.runs()
		t.sends()
		if !t.reads() && !t.clicks() {
			t.Judge()
		}
	}
}

func (t tool) reads() bool { return t.Reads() || strings.EqualFold(t.Text("method"), "get") }

// shapeOf converts a call to a tool. It adds the values inside JSON objects in arguments as fields.
// cut holds the JSON arguments that have more values than shapeOf reads.
func shapeOf(c effect.Call) (t tool, cut []string) {
	fields := c.Fields[:len(c.Fields):len(c.Fields)]
	for _, fd := range c.Fields {
		if len(fd.Value) < 2 || fd.Value[0] != '{' {
			continue
		}
		leaves, whole := shellword.JSONLeaves(fd.Value)
		if !whole {
			cut = append(cut, fd.Value)
		}
		for _, leaf := range leaves {
			leaf.Path = fd.Path + "." + leaf.Path
			fields = append(fields, leaf)
		}
	}
	named := func(fd effect.Field) bool { return fd.Path == "command" }
	if c.Command != "" && !slices.ContainsFunc(fields, named) {
		fields = append(fields, effect.Field{Path: "command", Value: c.Command})
	}
	return tool{forges.Tool{
		Name: c.Tool, Words: shellword.NameWords(toolName(c.Tool)), Fields: fields, Argv: label(c),
	}}, cut
}

// toolName returns a tool's name without the prefix mcp__SERVER__.
func toolName(name string) string {
	if i := strings.LastIndex(name, "__"); strings.HasPrefix(name, "mcp__") && i > 4 {
		return name[i+2:]
	}
	return name
}

// verb returns the words in the field that names the action, such as {"action": "merge"}.
func (t tool) verb() []string {
	for _, fd := range t.Fields {
		if len(fd.Value) < 40 && !strings.ContainsAny(fd.Value, " /\n") &&
			!strings.Contains(fd.Path, ".") &&
			!shellword.Has("GET PUT POST PATCH DELETE", strings.ToUpper(fd.Value)) &&
			shellword.Has("action operation op method verb subcommand sub_command command mutation",
				strings.ToLower(fd.Key())) {
			return shellword.NameWords(fd.Value)
		}
	}
	return nil
}

// dispatched returns the tools that a gateway tool would call for arguments such as {"tool":
// "merge_pull_request", "arguments": {…}}.
func (t tool) dispatched() (inner []tool) {
	if t.reads() || !t.Has("call execute invoke exec tool tools run use batch mutation") {
		return nil
	}
	for _, fd := range t.Fields {
		words := shellword.NameWords(toolName(fd.Value))
		if len(words) < 2 || len(fd.Value) > 80 || strings.ContainsAny(fd.Value, " \n") ||
			!shellword.Has(`tool tool_name toolname tool_slug tool_id action action_id name function
operation`, strings.ToLower(fd.Key())) {
			continue
		}
		in := t
		in.Words, in.Fields = words, nil
		beside := fd.Path[:strings.LastIndexByte(fd.Path, '.')+1]
		for _, other := range t.Fields {
			if strings.HasPrefix(other.Path, beside) {
				in.Fields = append(in.Fields, other)
			}
		}
		inner = append(inner, in)
	}
	return inner
}

// clicks records a merge and returns true if the tool clicks a forge's merge button in a browser.
func (t tool) clicks() bool {
	const marks = `merge pull request,squash and merge,rebase and merge,confirm merge,
confirm squash,confirm rebase,enable auto-merge,merge when ready,merge request,
bypass rules and merge`
	clicks, runs := t.Has("click tap press submit"), t.Has("evaluate run code script")
	for _, fd := range t.Fields {
		text := strings.ToLower(strings.TrimSpace(fd.Value))
		for mark := range strings.SplitSeq(strings.ReplaceAll(marks, "\n", ""), ",") {
			if clicks && strings.HasPrefix(text, mark) && len(text) < len(mark)+20 ||
				runs && strings.Contains(text, ".click(") && strings.Contains(text, mark) {
				return t.Does(effect.MergePR)
			}
		}
	}
	return false
}

// label returns the tool's name and its first six fields, shortened for display.
func label(c effect.Call) []shellword.Word {
	var parts []string
	for _, fd := range c.Fields[:min(6, len(c.Fields))] {
		value := strings.ReplaceAll(fd.Value, "\n", " ")
		parts = append(parts, fd.Path+": "+shellword.Clip(value, 60))
	}
	return []shellword.Word{{Text: c.Tool + "(" + strings.Join(parts, ", ") + ")", Raw: true}}
}
