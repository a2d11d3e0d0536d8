// Package wirecmd has the command wire and those below it, which stand between an agent, its model and its tools.
package wirecmd
