// Package config reads the `SDD Configuration` blocks that a project keeps in CLAUDE.md or AGENTS.md: price rows,
// redaction patterns, review and tracker settings.
//
// It reads Markdown the way a person sees it: what stands in a fenced code block or an HTML comment is no
// configuration. Nothing here fails. What cannot be read becomes a Warning that names its file and line, and the
// rest of the block still counts.
package config
