package shell

import (
	"strconv"
	"strings"

	"hooks/internal/guard/word"

	"mvdan.cc/sh/v3/syntax"
)

// addParam adds an unquoted $x or ${x…}.
func (f *Frame) addParam(b *builder, p *syntax.ParamExp, whole bool) {
	list, isList := f.param(p)
	for i, v := range list {
		if i > 0 && isList {
			if whole {
				b.quote(" ")
			} else {
				b.end()
			}
		}
		if whole {
			b.quote(v)
		} else {
			b.scatter(v)
		}
	}
}

// addQuotedParam adds a parameter between double quotes: "$@" and "${a[@]}" stay several words.
func (f *Frame) addQuotedParam(b *builder, p *syntax.ParamExp) {
	list, isList := f.param(p)
	if !isList {
		b.quote(strings.Join(list, " "))
		return
	}
	if starred(p) {
		b.quote(strings.Join(list, firstOf(f.ifs())))
		return
	}
	if len(list) == 0 && b.text.Len() == 0 {
		b.open = false
		return
	}
	for i, v := range list {
		if i > 0 {
			b.end()
		}
		b.quote(v)
	}
}

func firstOf(s string) string {
	if s == "" {
		return ""
	}
	return s[:1]
}

// starred tells "$*" and "${a[*]}" from "$@" and "${a[@]}".
func starred(p *syntax.ParamExp) bool {
	if p.Param != nil && p.Param.Value == "*" {
		return true
	}
	return indexText(p) == "*"
}

// indexText is the literal index of ${a[i]}, "" for none or another.
func indexText(p *syntax.ParamExp) string {
	w, ok := p.Index.(*syntax.Word)
	if !ok {
		return ""
	}
	return w.Lit()
}

// param is the value of a parameter expansion: a scalar, or the words of a list.
func (f *Frame) param(p *syntax.ParamExp) (values []string, isList bool) {
	if !f.M.Spend(1) || p.Param == nil {
		return []string{word.Hole}, false
	}
	if p.Excl || p.Names != 0 || p.Width || p.IsSet || len(p.Modifiers) > 0 || p.Flags != nil {
		return []string{word.Hole}, false
	}
	values, isList, known := f.base(p)
	if p.Length {
		return []string{lengthOf(p, values, isList)}, false
	}
	if p.Exp != nil && defaulting(p.Exp.Op) {
		return f.defaulted(p, values, isList, known)
	}
	for i := range values {
		values[i] = f.edited(p, values[i])
	}
	if isList && p.Slice != nil {
		values = f.sliceList(p, values)
	}
	return values, isList
}

// base is the value before any operator.
func (f *Frame) base(p *syntax.ParamExp) (values []string, isList, known bool) {
	name := p.Param.Value
	v, known := f.lookup(name)
	if v.array {
		return f.element(p, name, v, known)
	}
	if index := indexText(p); !known && (index == "@" || index == "*") {
		return nil, true, false // the environment holds no arrays
	}
	if known && len(v.alts) == 0 {
		return []string{""}, false, false
	}
	if len(v.alts) > 1 && f.M.picks != nil && f.M.picks.blur {
		return []string{word.Hole}, false, known
	}
	i := f.M.picks.pick(name, len(v.alts))
	return []string{v.alts[i]}, false, known
}

func (f *Frame) element(p *syntax.ParamExp, name string, v variable, known bool) ([]string, bool, bool) {
	if name == "@" || name == "*" {
		return append([]string(nil), v.list...), true, true
	}
	if index := indexText(p); index == "@" || index == "*" {
		return append([]string(nil), v.list...), true, known
	}
	n := 0
	if p.Index != nil {
		i, ok := f.arith(p.Index)
		if !ok || i < 0 {
			return []string{word.Hole}, false, true
		}
		n = i
	}
	switch {
	case n < len(v.list):
		return []string{v.list[n]}, false, known
	case len(v.list) > 0 && v.list[len(v.list)-1] == word.Hole: // one that stands for others
		return []string{word.Hole}, false, known
	}
	return []string{""}, false, false
}

func lengthOf(p *syntax.ParamExp, values []string, isList bool) string {
	if isList {
		return strconv.Itoa(len(values))
	}
	if len(values) == 0 || word.Unknown(values[0]) {
		return word.Hole
	}
	return strconv.Itoa(len([]rune(values[0])))
}

func defaulting(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull,
		syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return true
	}
	return false
}

// defaulted is ${x:-y} and its kin. A variable that only the environment could hold is taken as unset: a command's
// own text cannot rely on it.
func (f *Frame) defaulted(p *syntax.ParamExp, values []string, isList, known bool) ([]string, bool) {
	empty := !known || len(values) == 0 || (len(values) == 1 && values[0] == "" && nullToo(p.Exp.Op))
	switch p.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if known && empty || !known && f.M.picks.pick("+"+p.Param.Value, 2) == 1 {
			return []string{""}, false
		}
		return f.fallback(p.Exp.Word), false
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return values, isList
	}
	if !empty {
		return values, isList
	}
	val := f.fallback(p.Exp.Word)
	if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
		f.Set(p.Param.Value, val[0])
	}
	return val, false
}

func (f *Frame) fallback(w *syntax.Word) []string { return []string{f.Whole(w).Text} }

func nullToo(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.DefaultUnsetOrNull, syntax.AssignUnsetOrNull, syntax.AlternateUnsetOrNull, syntax.ErrorUnsetOrNull:
		return true
	}
	return false
}

// edited applies the operators that change a value's text. A prefix or a suffix is taken off;
// slices, replacements and case make a text that is only known when it runs.
func (f *Frame) edited(p *syntax.ParamExp, v string) string {
	out := f.editedText(p, v)
	if strings.Contains(v, word.Trunk) && word.Unknown(out) {
		return word.Trunk // "origin/" taken off, as a rule
	}
	return out
}

func (f *Frame) editedText(p *syntax.ParamExp, v string) string {
	switch {
	case p.Slice != nil && p.Index == nil && p.Param.Value != "@" && p.Param.Value != "*":
		f.arith(p.Slice.Offset) // for what it runs
		f.arith(p.Slice.Length)
		return word.Hole
	case p.Repl != nil:
		f.one(p.Repl.Orig)
		f.one(p.Repl.With)
		return word.Hole
	case p.Exp != nil:
		return f.operated(p.Exp, v)
	}
	return v
}

func (f *Frame) sliceList(p *syntax.ParamExp, list []string) []string {
	from, ok := f.arith(p.Slice.Offset)
	if !ok || p.Slice.Length != nil {
		return []string{word.Hole}
	}
	if p.Param.Value == "@" || p.Param.Value == "*" {
		list = append([]string{f.Name}, list...) // ${@:1} counts from $0
	}
	return list[min(max(from, 0), len(list)):]
}

func (f *Frame) operated(e *syntax.Expansion, v string) string {
	arg := ""
	if e.Word != nil {
		arg = f.pattern(e.Word)
	}
	plain, ok := word.LiteralPat(arg)
	if word.Unknown(v) || word.Unknown(arg) || !ok {
		return trimUnknown(e.Op, arg, v)
	}
	switch e.Op {
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return strings.TrimSuffix(v, plain)
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		return strings.TrimPrefix(v, plain)
	}
	return word.Hole
}

// trimUnknown keeps what is known of a half-known value: the last part of a path after ##*/ for one.
func trimUnknown(op syntax.ParExpOperator, arg, v string) string {
	if i := strings.LastIndex(v, "/"); op == syntax.RemLargePrefix && arg == "*/" && i >= 0 {
		return v[i+1:]
	}
	return word.Hole
}
