package codec

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

type inner struct {
	Name string `json:"name,omitempty"`
	List []int  `json:"list"`
}

type outer struct {
	Version int `json:"version"`
	inner2
	At     time.Time        `json:"at,omitzero"`
	Inode  uint64           `json:"inode"`
	Raw    string           `json:"raw" codec:"raw"`
	Next   *inner           `json:"next,omitempty"`
	By     map[string]inner `json:"by,omitempty"`
	Pairs  [][2]int         `json:"pairs,omitempty"`
	Own    []inner          `json:"own,omitzero"`
	Marked bool             `json:"marked,omitempty"`
}

type inner2 struct {
	Text string `json:"text"`
}

var noon = time.Date(2026, 5, 9, 12, 0, 0, 0, time.UTC)

// What is written is what encoding/json writes, but for the differences in the package comment, and
// is read again.
func TestForms(t *testing.T) {
	for want, v := range map[string]outer{
		`{"version":0,"text":"","inode":0}`:                 {},
		`{"version":0,"text":"\"\\/\b\f\n\r\té","inode":0}`: {inner2: inner2{"\"\\/\b\f\n\r\té"}},
		`{"version":1,"text":"a<&>é\n\"\u2028","at":"2026-05-09T12:00:00Z","inode":18446744073709551615,` +
			`"raw":{ "x":	1 },"next":{"list":[]},"by":{"a":{"name":"n","list":[1,2]},"b":{"list":[]}},` +
			`"pairs":[[1,2]],"own":[],"marked":true}`: {
			Version: 1, inner2: inner2{"a<&>é\n\"\u2028"}, At: noon, Inode: 1<<64 - 1,
			Raw: "{ \"x\":\t1 }", Next: &inner{List: []int{}}, Pairs: [][2]int{{1, 2}},
			Own:    []inner{},
			By:     map[string]inner{"b": {List: []int{}}, "a": {"n", []int{1, 2}}},
			Marked: true,
		},
	} {
		text, err := Encode(v)
		if string(text) != want || err != nil {
			t.Errorf("%v\n%s, want\n%s", err, text, want)
		}
		var got outer
		if err := Decode(gjson.Parse(want), &got); err != nil {
			t.Error(err)
		}
		if d := cmp.Diff(v, got, cmp.AllowUnexported(outer{}, inner2{})); d != "" {
			t.Error(d)
		}
	}
	if text, err := Encode(struct {
		List []int `json:"list"`
		Any  any   `json:"any"`
		None any   `json:"none,omitempty"`
	}{Any: &inner{Name: "n"}}); string(text) != `{"list":[],"any":{"name":"n","list":[]}}` ||
		err != nil {
		t.Errorf("a nil list and values of interfaces are %s, %v", text, err)
	}
	type nameless struct {
		Name string `json:"name"`
		Left string `json:"-"`
		own  map[string]bool
	}
	var got nameless
	err := Decode(gjson.Parse(`{"name":"n","-":"x","":{"a":true},"own":{"a":true}}`), &got)
	if err != nil || got.Name != "n" || got.Left != "" || got.own != nil {
		t.Errorf("read %+v, %v", got, err)
	}
	if _, err := Encode(struct {
		F float64 `json:"f"`
	}{}); err == nil || !strings.Contains(err.Error(), "f: ") {
		t.Errorf("a float is written: %v", err)
	}
}

// Text of another type is refused as encoding/json refuses it.
func TestWrongTypes(t *testing.T) {
	for _, text := range []string{
		`{"version":"1"}`, `{"version":1.5}`, `{"inode":-1}`, `{"next":1}`, `{"by":[]}`,
		`{"own":{}}`, `{"at":"today"}`, `{"marked":1}`, `{"text":null,"next":null}`, `[]`,
	} {
		var ours, theirs outer
		got, want := Decode(gjson.Parse(text), &ours), json.Unmarshal([]byte(text), &theirs)
		if (got == nil) != (want == nil) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestPosition(t *testing.T) {
	list := Fields(reflect.TypeFor[outer]())
	for i, f := range list {
		for from := range len(list) + 1 {
			if at := Position(list, f.Name, from); at != i {
				t.Errorf("%s is at %d from %d, not %d", f.Name, at, from, i)
			}
		}
	}
	if at := Position(list, "none", 3); at != -1 {
		t.Errorf("an unknown name is at %d", at)
	}
}

type shape interface{ area() int }

type (
	square struct {
		Side int `json:"side"`
	}
	circle struct {
		Radius int `json:"radius"`
	}
	// part is embedded; its field has a name by the type that it holds.
	part struct {
		Own shape `json:"-"`
	}
	whole struct {
		Name string `json:"name"`
		part
		Last int `json:"last"`
	}
)

func (s *square) area() int { return s.Side * s.Side }
func (c *circle) area() int { return 3 * c.Radius * c.Radius }

func (part) Variants(yield func(name string, of any) bool) {
	_ = yield("square", (*square)(nil)) && yield("circle", (*circle)(nil))
}

// A field with variants is written under the name of the type that it holds, and is read by it.
func TestVariants(t *testing.T) {
	for want, v := range map[string]whole{
		`{"name":"a","last":1}`:                       {Name: "a", Last: 1},
		`{"name":"a","square":{"side":2},"last":1}`:   {"a", part{&square{2}}, 1},
		`{"name":"a","circle":{"radius":0},"last":0}`: {"a", part{&circle{}}, 0},
	} {
		text, err := Encode(v)
		if string(text) != want || err != nil {
			t.Errorf("%s (%v), want %s", text, err, want)
		}
		var got whole
		if err := Decode(gjson.Parse(want), &got); err != nil || !reflect.DeepEqual(got, v) {
			t.Errorf("%s is read as %+v: %v", want, got, err)
		}
	}
	var got whole
	err := Decode(gjson.Parse(`{"square":null,"circle":{"radius":"x"}}`), &got)
	if wrong, ok := err.(*TypeError); !ok || wrong.Field != "circle.radius" {
		t.Errorf("%v", err)
	}
}
