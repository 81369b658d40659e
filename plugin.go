// Package plugin holds what makes this folder a plugin of the client, embedded: the one source of
// what is registered, whether the client reads the files or the program writes the same into a
// settings file.
package plugin

import _ "embed" // the files below

// Hooks is hooks.json: every event with its hook word and timeout.
//
//go:embed hooks.json
var Hooks string

// Manifest is the plugin's description, which carries the version.
//
//go:embed .claude-plugin/plugin.json
var Manifest string
