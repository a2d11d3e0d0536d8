// Package monitorcmd has the command monitor: it follows trials as they come, from files or over OTLP, and tells of a
// change.
package monitorcmd
