// Package config reads the `SDD Configuration` blocks that a project keeps in CLAUDE.md or
// AGENTS.md: price rows, redaction patterns, review and tracker settings.
//
// It reads Markdown as a person sees it: text in a code block or an HTML comment configures
// nothing. Nothing here fails. What cannot be read becomes a Warning with its file and line, and
// the rest of the block still counts.
package config
