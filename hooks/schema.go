package main

import (
	"strings"

	"hooks/internal/hint"
	"hooks/schemas"
)

type schemaCmd struct {
	Name string `arg:"" help:"budget, history, tick, lock, claim, report or doctor."`
}

// Run prints the schema as it is embedded.
func (c schemaCmd) Run(s streams) error {
	text, ok := schemas.Get(c.Name)
	if !ok {
		return hint.New("the schemas are "+strings.Join(schemas.Names(), ", "), "there is no schema %q", c.Name)
	}
	_, err := s.out.Write(text)
	return err
}
