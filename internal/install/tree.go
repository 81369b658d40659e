package install

import (
	"strings"

	"github.com/tidwall/gjson"
)

// node is an object or list in a valid JSON text, with the offsets of its parts.
type node struct {
	gjson.Result
	kids []kid
}

// kid is a member of an object or an element of a list.
type kid struct {
	key        string // "" in a list
	start, end int    // offsets, including the key
	value      gjson.Result
}

// look returns a value with its parts. A scalar has no kids.
func look(v gjson.Result) node {
	n := node{Result: v}
	if !v.IsObject() && !v.IsArray() {
		return n
	}
	v.ForEach(func(k, v gjson.Result) bool {
		start := v.Index
		if n.IsObject() {
			start = k.Index
		}
		n.kids = append(n.kids, kid{k.Str, start, v.Index + len(v.Raw), v})
		return true
	})
	return n
}

// rootOf returns the outermost value of a text.
func rootOf(text string) node {
	v := gjson.Parse(text)
	v.Raw = strings.TrimRight(v.Raw, " \t\r\n")
	return look(v)
}

// at returns the index of a member, or -1. Of duplicate keys it returns the last, as the client
// does.
func (n node) at(key string) int {
	for i := len(n.kids) - 1; i >= 0; i-- {
		if n.kids[i].key == key {
			return i
		}
	}
	return -1
}

// member returns the value of a key. The value does not exist if the key is missing.
func (n node) member(key string) gjson.Result {
	if i := n.at(key); i >= 0 {
		return n.kids[i].value
	}
	return gjson.Result{}
}

// lead returns the white space before a kid.
func (n node) lead(text string, i int) string {
	from := n.Index + 1
	if i > 0 {
		from = n.kids[i-1].end
	}
	between := text[from:n.kids[i].start]
	return between[strings.IndexByte(between, ',')+1:]
}

// step is one kid of a container on the path from the root to a handler.
type step struct {
	in node
	i  int
}

func (s step) kid() kid { return s.in.kids[s.i] }

// The depths of the steps in a path to a handler: "hooks", event, group, "hooks", handler.
const (
	eventDepth   = 1
	groupDepth   = 2
	handlerDepth = 4
)

// handlers returns every path from the root to a handler of this program.
func handlers(text string) (paths [][]step) {
	root := rootOf(text)
	i := root.at("hooks")
	if i < 0 {
		return nil
	}
	events := look(root.kids[i].value)
	for e, event := range events.kids {
		groups := look(event.value)
		for g, group := range groups.kids {
			inner := look(group.value)
			h := inner.at("hooks")
			if h < 0 || !groups.IsArray() {
				continue
			}
			list := look(inner.kids[h].value)
			for n, handler := range list.kids {
				if list.IsArray() && programOf(handler.value) != "" {
					paths = append(paths, []step{
						{root, i}, {events, e}, {groups, g}, {inner, h}, {list, n},
					})
				}
			}
		}
	}
	return paths
}
