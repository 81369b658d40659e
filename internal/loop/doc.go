// Package loop decides when an unattended loop must stop, what a person must be asked, and what
// comes next.
//
// It is pure: values in, values out. It reads no clock, disk, environment or JSON; the tags on its
// types only name the fields that the store writes.
package loop
