package event

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/tidwall/gjson"
)

// decoder fills an Event and keeps the first error.
type decoder struct {
	Event
	err error
}

// decode reads valid JSON in one pass over the top level. It uses no paths, so no data can act as
// one.
func decode(name, json string) (Event, error) {
	var d decoder
	texts := d.texts()
	gjson.Parse(json).ForEach(func(k, v gjson.Result) bool {
		key := k.String()
		i := slices.IndexFunc(texts[:], func(t text) bool { return t.key == key })
		if i >= 0 {
			*texts[i].to = d.text(key, v)
		} else {
			d.other(key, v)
		}
		return d.err == nil
	})
	if d.err == nil {
		d.err = d.check(name)
	}
	if d.err != nil {
		return Event{}, d.err
	}
	return d.Event, nil
}

// text is a field with a string that decides. Another type is refused.
type text struct {
	key string
	to  *string
}

func (d *decoder) texts() [17]text {
	return [...]text{
		{"hook_event_name", &d.Name}, {"session_id", &d.SessionID},
		{"transcript_path", &d.Transcript}, {"cwd", &d.Cwd}, {"prompt_id", &d.PromptID},
		{"agent_id", &d.AgentID}, {"agent_type", &d.AgentType}, {"tool_name", &d.Tool},
		{"tool_use_id", &d.ToolUseID}, {"error", &d.Error}, {"prompt", &d.Prompt},
		{"source", &d.Source}, {"reason", &d.Reason}, {"command_name", &d.Command},
		{"command_args", &d.Args}, {"command_source", &d.CommandSource},
		{"agent_transcript_path", &d.AgentTranscript},
	}
}

// other reads the fields with a structure, and those that only inform, where a surprise must not
// turn the program off.
func (d *decoder) other(key string, v gjson.Result) {
	switch key {
	case "stop_hook_active":
		d.flag(key, v)
		d.StopFirst = v.Type == gjson.False
	case "permission_mode":
		d.PermissionMode = textOr(v)
	case "last_assistant_message":
		d.LastMessage = textOr(v)
	case "tool_input":
		d.Input = d.object(key, v)
	case "tool_response":
		d.Response = v
	case "background_tasks":
		d.each(key, v, func(at string, t gjson.Result) {
			task := Task{
				ID: d.member(at, t, "id"), Type: d.member(at, t, "type"),
				Status: d.member(at, t, "status"),
			}
			d.Background = append(d.Background, task)
		})
	case "session_crons":
		d.each(key, v, func(at string, c gjson.Result) {
			d.Crons = append(d.Crons, Cron{
				ID: d.member(at, c, "id"), Schedule: d.member(at, c, "schedule"),
				Prompt:    d.member(at, c, "prompt"),
				Recurring: d.flag(at+".recurring", field(c, "recurring")),
			})
		})
	}
}

// each walks an array of objects.
func (d *decoder) each(key string, v gjson.Result, do func(at string, item gjson.Result)) {
	if v.Type == gjson.Null {
		return
	}
	if !v.IsArray() {
		d.fail(wrongType(key, v, "an array"))
		return
	}
	for i, item := range v.Array() {
		at := key + "." + strconv.Itoa(i)
		if d.object(at, item); d.err != nil {
			return
		}
		do(at, item)
	}
}

func (d *decoder) member(at string, v gjson.Result, key string) string {
	return d.text(at+"."+key, field(v, key))
}

// text is a string; null counts as absent.
func (d *decoder) text(key string, v gjson.Result) string {
	if v.Type != gjson.String && v.Type != gjson.Null {
		d.fail(wrongType(key, v, "a string"))
		return ""
	}
	return v.Str
}

func (d *decoder) flag(key string, v gjson.Result) bool {
	if !v.IsBool() && v.Type != gjson.Null {
		d.fail(wrongType(key, v, "true or false"))
	}
	return v.Type == gjson.True
}

func (d *decoder) object(key string, v gjson.Result) gjson.Result {
	if !v.IsObject() && v.Type != gjson.Null {
		d.fail(wrongType(key, v, "an object"))
	}
	return v
}

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// check refuses an event of another name, and one without a field that it needs.
func (d *decoder) check(name string) error {
	switch {
	case d.Name == "":
		return missing("hook_event_name")
	case d.Name != name:
		return &Error{
			text:  fmt.Sprintf("field hook_event_name is %q, not %q", clip(d.Name), name),
			hint:  "the registration sends this event to the wrong hook word; run `hooks doctor`",
			other: true,
		}
	case d.SessionID == "":
		return missing("session_id")
	case d.onTool() && d.Tool == "":
		return missing("tool_name")
	case d.Name == StopFailure:
		d.Failure, d.Error = d.Error, ""
	}
	return checkTool(d.Event)
}

func (e Event) onTool() bool {
	return e.Name == PreToolUse || e.Name == PostToolUse || e.Name == PostToolUseFailure
}

// field is an object's member by its exact key. A path lookup would treat parts of a key as
// operators, and would look for braces inside a string.
func field(v gjson.Result, key string) (found gjson.Result) {
	if !v.IsObject() {
		return found
	}
	v.ForEach(func(k, member gjson.Result) bool {
		if k.String() == key {
			found = member
		}
		return !found.Exists()
	})
	return found
}

// textOr is a string, or "" for any other type.
func textOr(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return v.Str
}
