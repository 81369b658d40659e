package main

import (
	"strings"

	"hooks/internal/hint"
	"hooks/schemas"
)

type schemaCmd struct {
	Name string `arg:"" help:"One of ${schemas}."`
}

// Run prints the schema as it is embedded.
func (s schemaCmd) Run(c caller) error {
	text, ok := schemas.Get(s.Name)
	if !ok {
		return hint.New("the schemas are "+strings.Join(schemas.Names(), ", "),
			"there is no schema %q", s.Name)
	}
	_, err := c.out.Write(text)
	return err
}
