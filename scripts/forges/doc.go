// Package forges runs the real gh, glab and tea against servers on loopback. It sends each question
// that the program asks a forge. The server for gh executes GitHub's published GraphQL schema.
//
// The tests need the build tag forges. scripts/forges/run.sh fetches the clients and the schema and
// runs the tests. Tests whose client or schema cannot be fetched are skipped with a message.
package forges
