package install

import (
	"strings"

	"github.com/tidwall/gjson"
)

// node is an object or list in a valid JSON text, with the offsets of its members or elements.
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

// look returns a value with its members or elements. A scalar has none.
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

// rootOf returns the outermost value of a text without a byte order mark.
func rootOf(text string) node {
	v := gjson.Parse(text)
	v.Raw = strings.TrimRight(v.Raw, " \t\r\n")
	return look(v)
}

// at returns the index of a member, or -1. The last of duplicate keys counts, as for the client.
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

// eachHandler calls f for every handler in a settings or hook file of the client, with its event
// and its group.
func eachHandler(body gjson.Result, f func(event string, group, handler gjson.Result)) {
	events := look(look(body).member("hooks"))
	for i, e := range events.kids {
		if events.at(e.key) != i || !e.value.IsArray() {
			continue
		}
		for _, group := range e.value.Array() {
			for _, handler := range look(group).member("hooks").Array() {
				f(e.key, group, handler)
			}
		}
	}
}

// programs returns the paths of this program in a settings text, one for each of its handlers.
func programs(text string) (list []string) {
	eachHandler(rootOf(text).Result, func(_ string, _, handler gjson.Result) {
		if program := programOf(handler); program != "" {
			list = append(list, program)
		}
	})
	return list
}
