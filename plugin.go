// Package plugin embeds the files that make this folder a plugin of the client. They are the only
// source of the registration, whether the client reads them or the program writes the same entries
// into a settings file.
package plugin

import _ "embed" // for the files below

// Hooks is hooks.json: every event with its hook word and timeout.
//
//go:embed hooks.json
var Hooks string

// Manifest is the plugin's description, which carries the version.
//
//go:embed .claude-plugin/plugin.json
var Manifest string
