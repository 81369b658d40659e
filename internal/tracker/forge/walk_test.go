package forge

import (
	"testing"

	"github.com/tidwall/gjson"
)

// FuzzWalk: what is passed over by brackets and quotes is what the library finds.
func FuzzWalk(f *testing.F) {
	for _, text := range []string{
		`{"data":{"repository":{"issues":{"nodes":[{"number":1,"body":"a\\\"b\\n\\u00e9"},null,2.5e3,[],{}]}}}}`, `[]`, `{}`, ` [ 1 , "\\\\" ] `,
		`{"data" : {"data":null, "x":"}]{\\"," : true} , "errors":[{"message":"no"}]}`, `{"\\u0064ata":1,"data":2,"data":3}`,
		`{"long":"0123456789012345678901\\\\","quoted":"01234567890123456789012345678\\"","data":"x"}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !gjson.Valid(text) {
			return
		}
		r := gjson.Parse(text)
		alike(t, r)
		for _, path := range [][]string{{"data"}, {"data", "repository"}, {"data", "repository", "issues", "nodes"}, {"errors"}} {
			want := r
			for _, name := range path {
				want = field(want, name)
			}
			if got := get(r, path...); got.Raw != want.Raw || got.Str != want.Str {
				t.Errorf("%q at %v: %q, not %q", text, path, got.Raw, want.Raw)
			}
		}
	})
}

// field is an object's first field of a name, as the library goes through it.
func field(r gjson.Result, name string) (found gjson.Result) {
	if !r.IsObject() {
		return found
	}
	r.ForEach(func(key, v gjson.Result) bool {
		if key.Str == name {
			found = v
		}
		return key.Str != name
	})
	return found
}

// alike holds each value against what the library goes through.
func alike(t *testing.T, r gjson.Result) {
	if !r.IsObject() && !r.IsArray() {
		return
	}
	var keys, raws []string
	var values []gjson.Result
	r.ForEach(func(key, v gjson.Result) bool {
		keys, raws, values = append(keys, key.Str), append(raws, v.Raw), append(values, v)
		return true
	})
	n := 0
	each(r, func(key, raw string) bool {
		if n >= len(keys) || key != keys[n] || raw != raws[n] {
			t.Fatalf("%q: value %d is %q: %q, not among %q: %q", r.Raw, n, key, raw, keys, raws)
		}
		if got := value(raw); got.Type != values[n].Type || got.Str != values[n].Str || got.Num != values[n].Num {
			t.Fatalf("%q is read as %v, not %v", raw, got, values[n])
		}
		alike(t, value(raw))
		n++
		return true
	})
	if n != len(keys) {
		t.Fatalf("%q: %d values, not %d", r.Raw, n, len(keys))
	}
}
