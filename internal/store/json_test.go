package store

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"hooks/internal/codec"
	"hooks/internal/kind/audit"
	"hooks/internal/kind/tasks"
	"hooks/internal/loop"
)

// TestTextsAreThoseOfPackageJSON: what is written is what that package writes, byte for byte but
// for the order of fields, and is read as it reads it. The order is in
// TestRecordedFilesHaveEveryField.
func TestTextsAreThoseOfPackageJSON(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		values := plainValues()
		likeJSON(rt, rapid.MakeCustom[loop.Budget](values).Draw(rt, "budget"))
		likeJSON(rt, rapid.MakeCustom[loop.Tick](values).Draw(rt, "tick"))
		likeJSON(rt, rapid.MakeCustom[loop.Iteration](values).Draw(rt, "line"))
		likeJSON(rt, rapid.MakeCustom[loop.Claim](values).Draw(rt, "claim"))
		likeJSON(rt, rapid.MakeCustom[loop.Lock](values).Draw(rt, "lock"))
		likeJSON(rt, rapid.MakeCustom[tasks.Run](values).Draw(rt, "tasks"))
		likeJSON(rt, rapid.MakeCustom[tasks.Line](values).Draw(rt, "task"))
		likeJSON(rt, rapid.MakeCustom[audit.Run](values).Draw(rt, "audit"))
		likeJSON(rt, rapid.MakeCustom[audit.Line](values).Draw(rt, "phase"))
	})
}

// lists makes an empty list of every nil one, as what is written has no null for it.
func lists(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			lists(v.Elem())
		}
	case reflect.Slice:
		if v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			lists(v.Index(i))
		}
	case reflect.Struct:
		if _, isTime := v.Interface().(time.Time); !isTime {
			for i := range v.NumField() {
				lists(v.Field(i))
			}
		}
	}
}

// sorted is a text with the fields of each object in the order of their names. Every name and plain
// value is as it is written.
func sorted(v gjson.Result) string {
	if !v.IsObject() && !v.IsArray() {
		return v.Raw
	}
	var parts []string
	v.ForEach(func(key, value gjson.Result) bool {
		parts = append(parts, key.Raw+":"+sorted(value))
		return true
	})
	if v.IsObject() {
		slices.Sort(parts)
	}
	return v.Raw[:1] + strings.Join(parts, ",") + v.Raw[len(v.Raw)-1:]
}

func likeJSON[T any](t *rapid.T, v T) {
	lists(reflect.ValueOf(&v))
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	got, err := codec.Encode(v)
	text := bytes.TrimSuffix(want.Bytes(), []byte("\n"))
	same := len(got) == len(text) && sorted(gjson.ParseBytes(got)) == sorted(gjson.ParseBytes(text))
	if err != nil || !same {
		t.Fatalf("written as %s (%v), not %s", got, err, text)
	}
	var theirs, ours T
	if err := json.Unmarshal(got, &theirs); err != nil {
		t.Fatal(err)
	}
	if err := codec.Decode(gjson.ParseBytes(got), &ours); err != nil {
		t.Fatal(err)
	}
	if d := diff(theirs, ours); d != "" {
		t.Fatal(d)
	}
}

// Texts that other programs wrote are read as package json reads them, but for names in another
// case.
func TestForeignTextsAreReadLikePackageJSON(t *testing.T) {
	for _, text := range []string{
		`{}`, `null`, `[]`, `"x"`,
		`{"report":null,"asked":null,"pending":null,"prompts":null,"started_at":null}`,
		`{"reported":true,"run_id":"\u00e9\ud83d\ude00\n","iteration":3,"prompts":["a",null],"x":[{"y":1}]}`,
		`{"fired":[{"detail":{"gate":"g"}},null,{}],"asked":{"backlog":{},"prs":[{"human_feedback":false}]}}`,
		`{"report":{"edges":[[1,2],[3]],"comments_pushed":0,"qmd":{"error":"e"}},"iteration":1,"iteration":2}`,
		`{"iteration":"3"}`, `{"iteration":1.5}`, `{"iteration":1e2}`,
		`{"iteration":99999999999999999999}`, `{"prompts":"p"}`, `{"report":[]}`,
		`{"started_at":{}}`, `{"started_at":"today"}`, `{"asked":1}`, `{"fired":{}}`,
		`{"fired":[1]}`, `{"pending":[{"raise":{"max_dollars":"1"}}]}`,
		`{"pending":[{"raise":{"max_dollars":12.5,"max_prs":1}}]}`, `{"body":1}`,
		`{"report":{"outcome":2}}`, "{\"run_id\":\"\xff\"}",
	} {
		var theirs, ours loop.Tick
		want := json.Unmarshal([]byte(text), &theirs)
		got := codec.Decode(gjson.Parse(text), &ours)
		if (got == nil) != (want == nil) {
			t.Errorf("%s: error is %v, not %v", text, got, want)
		}
		if d := diff(theirs, ours); want == nil && d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
}
