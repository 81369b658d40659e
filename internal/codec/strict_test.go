package codec

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// A key counts once in an object, however it is spelled, wherever the object is and however many
// keys it has.
func TestScan(t *testing.T) {
	many := func(last string) string {
		var b strings.Builder
		for i := range 100 {
			fmt.Fprintf(&b, `"k%d":{"k1":[%d]},`, i, i)
		}
		return `{` + b.String() + `"` + last + `":1}`
	}
	for text, twice := range map[string]string{
		`{"a":1,"b":2}`:                        "",
		`{"a":{"a":{"a":1}},"b":{"a":1}}`:      "",
		`[{"a":1},{"a":2},"a","a"]`:            "",
		`{"a":"a\",\"a\":1","b":["a","a"]}`:    "",
		`{"a":1,"b":{},"a":2}`:                 "a",
		`{"x":[[{"b":{"c":1,"d":[],"c":2}}]]}`: "c",
		`{"a":1,"\u0061":2}`:                   "a",
		`{"":1,"":2}`:                          "",
		many("k100"):                           "",
		many("k99"):                            "k99",
		many("k3"):                             "k3",
		`{"a`:                                  "",
		`}]"`:                                  "",
	} {
		err := scan(text, 9)
		want := ""
		if twice != "" || text == `{"":1,"":2}` {
			want = fmt.Sprintf("key %q appears twice", twice)
		}
		if err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%.50s: %v, want %q", text, err, want)
		}
	}
	for levels, want := range map[int]error{9: nil, 10: ErrDeep, 1000: ErrDeep} {
		if err := scan(strings.Repeat("[", levels), 9); !errors.Is(err, want) {
			t.Errorf("%d levels: %v, want %v", levels, err, want)
		}
	}
}

// The error of a wrong type names the field with what is above it, and the value.
func TestTypeErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"version":"1"}`:           `field version has the wrong type: "1"`,
		`{"version":1.5}`:           "field version has the wrong type: 1.5",
		`{"next":{"list":[1,{}]}}`:  "field next.list.1 has the wrong type: {}",
		`{"own":[{},{"name":[]}]}`:  "field own.1.name has the wrong type: []",
		`{"by":{"b c":{"list":1}}}`: `field by."b c".list has the wrong type: 1`,
		`{"marked":"yes"}`:          `field marked has the wrong type: "yes"`,
		`{"next":[]}`:               "field next has the wrong type: []",
		`{"at":5}`:                  "field at: Time.UnmarshalJSON: input is not a JSON string",
	} {
		if err := Decode(gjson.Parse(text), new(outer)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
