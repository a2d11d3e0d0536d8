// Package wiring stands between an agent, its model and its tools, for a program that it runs or for programs that
// others start. It knows no flags.
package wiring
