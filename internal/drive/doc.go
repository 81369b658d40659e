// Package drive starts one client process for each iteration and watches it until its end (T92). It
// has no rules: before each process it asks a Run what to do, and afterwards it reports how the
// process ended. The state on disk decides; the process and its output only explain.
package drive
