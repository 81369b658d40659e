package main

import (
	"fmt"
	"strings"

	"hooks/internal/app"
	"hooks/schemas"
)

type schemaCmd struct {
	Name string `arg:"" help:"budget, history, tick, lock, claim, report or doctor."`
}

// Run prints the schema as it is embedded.
func (c schemaCmd) Run(s streams) error {
	text, ok := schemas.Get(c.Name)
	if !ok {
		return &app.Refusal{Text: fmt.Sprintf("there is no schema %q", c.Name), Way: "the schemas are " + strings.Join(schemas.Names(), ", ")}
	}
	_, err := s.out.Write(text)
	return err
}
