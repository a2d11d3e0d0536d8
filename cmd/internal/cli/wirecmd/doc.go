// Package wirecmd has the command wire, which stands between an agent, its model and its tools, and what it does there:
// recording, replaying, scripts, faults, limits and confinement.
package wirecmd
