package main

import "hooks/schemas"

type schemaCmd struct {
	Name string `arg:"" enum:"${schemas}" help:"One of ${schemas}."`
}

// Run prints the schema as it is embedded.
func (s schemaCmd) Run(c caller) error {
	text, _ := schemas.Get(s.Name)
	_, err := c.out.Write(text)
	return err
}
