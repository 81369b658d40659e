package shell

import (
	"slices"
	"strconv"
	"strings"

	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

// addParam adds $x or ${x…}. "$@" and "${a[@]}" stay several words between double quotes.
func (f *Frame) addParam(b *builder, p *syntax.ParamExp, quoted bool) {
	list, isList := f.param(p)
	if quoted {
		switch {
		case isList && len(list) == 0 && b.text.Len() == 0:
			b.open = false
		case !isList || p.Param.Value == "*" || indexText(p) == "*":
			list = []string{strings.Join(list, f.ifs()[:min(1, len(f.ifs()))])}
		}
	}
	for i, v := range list {
		if i > 0 {
			b.end()
		}
		if quoted {
			b.quote(v)
		} else {
			b.scatter(v)
		}
	}
}

// indexText is the literal index of ${a[i]}, "" for none or another.
func indexText(p *syntax.ParamExp) string {
	w, ok := p.Index.(*syntax.Word)
	if !ok {
		return ""
	}
	return w.Lit()
}

// param is the value of a parameter expansion: a scalar, or the words of a list. Lengths, slices,
// replacements and indirect names are unknown.
func (f *Frame) param(p *syntax.ParamExp) (values []string, isList bool) {
	if !f.M.Burn(1) || p.Param == nil || p.Excl || p.Length || p.Width || p.IsSet ||
		p.Names != 0 || len(p.Modifiers) > 0 || p.Flags != nil {
		return []string{shellword.Unknown}, false
	}
	values, isList, known := f.base(p)
	switch {
	case p.Slice != nil || p.Repl != nil:
		f.runInside(p)
		return []string{shellword.Unknown}, false
	case p.Exp != nil:
		return f.operated(p, values, isList, known)
	}
	return values, isList
}

// base is the value before any operator. known is false for what only the environment could hold.
func (f *Frame) base(p *syntax.ParamExp) (values []string, isList, known bool) {
	name, index := p.Param.Value, indexText(p)
	v, known := f.lookup(name)
	all := name == "@" || name == "*" || index == "@" || index == "*"
	switch {
	case all && v.array:
		return slices.Clone(v.vals), true, known
	case all && !known: // the environment holds no arrays
		return nil, true, false
	case v.array && p.Index != nil && index == "":
		f.runInside(p.Index)
		return []string{shellword.Unknown}, false, true
	case v.array:
		return v.element(index)
	case len(v.vals) == 0:
		return []string{""}, false, false
	}
	return []string{f.M.choose(name, v.vals)}, false, known
}

// element is one value of an array, the first without an index. An unknown last value may stand
// for several, so an element behind it is unknown too.
func (v variable) element(index string) (values []string, isList, known bool) {
	n, err := strconv.Atoi("0" + index)
	switch {
	case err != nil:
		return []string{shellword.Unknown}, false, true
	case n < len(v.vals):
		return []string{v.vals[n]}, false, true
	case len(v.vals) > 0 && v.vals[len(v.vals)-1] == shellword.Unknown:
		return []string{shellword.Unknown}, false, true
	}
	return []string{""}, false, false
}

// operated applies ${x:-y} and its kin and takes a prefix or a suffix off. A variable that only the
// environment could hold counts as unset: a command's own text cannot rely on it.
func (f *Frame) operated(
	p *syntax.ParamExp, values []string, isList, known bool,
) ([]string, bool) {
	op, colon := strings.CutPrefix(p.Exp.Op.String(), ":")
	empty := !known || len(values) == 0 || colon && len(values) == 1 && values[0] == ""
	switch op {
	case "-", "=":
		if !empty {
			return values, isList
		}
		text := f.Whole(p.Exp.Word).Text
		if op == "=" {
			f.Set(p.Param.Value, text)
		}
		return []string{text}, false
	case "+":
		text := f.Whole(p.Exp.Word).Text
		if empty {
			text = ""
		}
		return []string{text}, false
	case "?":
		return values, isList
	}
	pat := ""
	if p.Exp.Word != nil {
		pat = f.pattern(p.Exp.Word)
	}
	for i, v := range values {
		values[i] = trimmed(op, pat, v)
	}
	return values, isList
}

// trimmed takes a plain prefix or suffix off, or the folder of a path. Other changes of a text are
// unknown.
func trimmed(op, pat, v string) string {
	known := !strings.ContainsAny(pat, `*?[\`) && !shellword.HasUnknown(v) &&
		!shellword.HasUnknown(pat)
	switch slash := strings.LastIndex(v, "/"); {
	case known && op[0] == '#':
		return strings.TrimPrefix(v, pat)
	case known && op[0] == '%':
		return strings.TrimSuffix(v, pat)
	case op == "##" && pat == "*/" && slash >= 0:
		return v[slash+1:]
	}
	return shellword.Unknown
}
