// Package audits reads and writes the texts of an audit loop: the sections of its plan, and the
// prompt of each phase. Values in, values out: no clock, no files, no processes.
package audits
