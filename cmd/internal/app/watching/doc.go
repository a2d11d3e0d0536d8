// Package watching follows trials as they come, from files or over OTLP, and tells of a change. It knows no flags.
package watching
