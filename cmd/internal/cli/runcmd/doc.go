// Package runcmd has the commands that run agents: run and try, what becomes of a run that is divided (merge, worker)
// or decided over (gate, conform), and repeat, for the tests of other runners.
package runcmd
