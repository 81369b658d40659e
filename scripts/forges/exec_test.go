//go:build forges

package forges

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// object is a value of an object type: its fields by name, and its type under __typename where the
// field's own type is an interface.
type object map[string]any

// resolver is a field that looks at its arguments.
type resolver func(args map[string]any) any

// engine executes queries against a schema. A query that the schema does not know is refused as the
// forges refuse it; a value that the schema does not allow is an error of the test's world.
type engine struct {
	schema *ast.Schema
	root   object
}

func newEngine(schema string, root object) (*engine, error) {
	source := &ast.Source{Name: "schema.graphql", Input: schema}
	doc, err := parser.ParseSchemas(validator.Prelude, source)
	if err != nil {
		return nil, err
	}
	for _, def := range doc.Definitions { // the published schema defines some field twice
		seen := map[string]bool{}
		def.Fields = slices.DeleteFunc(def.Fields, func(f *ast.FieldDefinition) bool {
			twice := seen[f.Name]
			seen[f.Name] = true
			return twice
		})
	}
	s, err := validator.ValidateSchemaDocument(doc)
	if err != nil {
		return nil, err
	}
	return &engine{s, root}, nil
}

// answer executes one request and gives the body of the response. wrong is what the world's data
// breaks of the schema.
func (e *engine) answer(query string, vars map[string]any) (body []byte, wrong []string) {
	doc, errs := gqlparser.LoadQueryWithRules(e.schema, query, rules.NewDefaultRules())
	if len(errs) > 0 {
		return refusal(errs), nil
	}
	op := doc.Operations[0]
	given, err := validator.VariableValues(e.schema, op, vars)
	if err != nil {
		return refusal(gqlerror.List{gqlerror.Wrap(err)}), nil
	}
	x := &execution{engine: e, vars: given}
	x.out.WriteString(`{"data":`)
	x.object(op.SelectionSet, e.schema.Query, e.root)
	x.out.WriteString("}")
	return x.out.Bytes(), x.wrong
}

// refusal words what is wrong with a query as GitHub and GitLab do.
func refusal(errs gqlerror.List) []byte {
	var list []map[string]string
	for _, e := range errs {
		var field, typ string
		m := strings.ReplaceAll(e.Message, `"`, "'")
		if _, err := fmt.Sscanf(m, "Cannot query field %s on type %s", &field, &typ); err == nil {
			typ, _, _ = strings.Cut(strings.TrimPrefix(typ, "'"), "'")
			m = fmt.Sprintf("Field %s doesn't exist on type '%s'", field, typ)
		}
		list = append(list, map[string]string{"message": m})
	}
	body, _ := json.Marshal(map[string]any{"errors": list})
	return body
}

type execution struct {
	*engine
	vars  map[string]any
	out   bytes.Buffer
	wrong []string
}

func (x *execution) bad(format string, args ...any) {
	x.wrong = append(x.wrong, fmt.Sprintf(format, args...))
	x.out.WriteString("null")
}

// object writes the selected fields in the order of the query.
func (x *execution) object(set ast.SelectionSet, def *ast.Definition, from object) {
	x.out.WriteByte('{')
	for i, s := range set {
		f, ok := s.(*ast.Field)
		if !ok {
			x.bad("%T is not executed here", s)
			continue
		}
		if i > 0 {
			x.out.WriteByte(',')
		}
		fmt.Fprintf(&x.out, "%q:", f.Alias)
		if f.Name == "__typename" {
			name, ok := from["__typename"].(string)
			if !ok {
				name = def.Name
			}
			fmt.Fprintf(&x.out, "%q", name)
			continue
		}
		v := from[f.Name]
		if r, ok := v.(resolver); ok {
			v = r(f.ArgumentMap(x.vars))
		}
		x.value(def.Name+"."+f.Name, f.SelectionSet, f.Definition.Type, v)
	}
	x.out.WriteByte('}')
}

func (x *execution) value(at string, set ast.SelectionSet, t *ast.Type, v any) {
	switch list, isList := v.([]object); {
	case v == nil && t.NonNull:
		x.bad("%s must not be null", at)
	case v == nil:
		x.out.WriteString("null")
	case t.Elem != nil && isList:
		x.out.WriteByte('[')
		for i, e := range list {
			if i > 0 {
				x.out.WriteByte(',')
			}
			if e == nil {
				x.value(at, set, t.Elem, nil)
				continue
			}
			x.value(at, set, t.Elem, e)
		}
		x.out.WriteByte(']')
	case t.Elem != nil || isList:
		x.bad("%s: %T is no %s", at, v, t)
	default:
		x.single(at, set, x.schema.Types[t.NamedType], v)
	}
}

func (x *execution) single(at string, set ast.SelectionSet, def *ast.Definition, v any) {
	if def.IsCompositeType() {
		o, ok := v.(object)
		if !ok {
			x.bad("%s: %T is no %s", at, v, def.Name)
			return
		}
		x.object(set, def, o)
		return
	}
	if !x.fits(def, v) {
		x.bad("%s: %v is no %s", at, v, def.Name)
		return
	}
	text, _ := json.Marshal(v)
	x.out.Write(text)
}

func (x *execution) fits(def *ast.Definition, v any) bool {
	text, isText := v.(string)
	switch def.Name {
	case "Int":
		_, ok := v.(int)
		return ok
	case "Boolean":
		_, ok := v.(bool)
		return ok
	}
	if def.Kind == ast.Enum {
		return isText && slices.ContainsFunc(def.EnumValues, func(e *ast.EnumValueDefinition) bool {
			return e.Name == text
		})
	}
	return isText
}
