// Package plugin embeds the files that make this folder a client plugin. They are the only source
// of the hook registration, whether the client reads them or the program writes the same entries
// into a settings file.
package plugin

import _ "embed" // for the files below

// Hooks holds hooks.json, which lists every event with its hook word and timeout.
//
//go:embed hooks.json
var Hooks string

// Manifest is the plugin manifest, which contains the version.
//
//go:embed .claude-plugin/plugin.json
var Manifest string
