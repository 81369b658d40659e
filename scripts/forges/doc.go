// Package forges runs the real gh and glab against servers on loopback: every question that the
// program puts to a forge, through the client that people have, answered by a server that executes
// GitHub's published GraphQL schema.
//
// The tests need the build tag forges. scripts/forges/run.sh fetches the clients and the schema and
// starts them; what cannot be fetched is skipped in plain words.
package forges
