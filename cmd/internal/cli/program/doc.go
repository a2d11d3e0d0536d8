// Package program has the tests of tribunal as users get it, a program that is started: its exit codes, signals,
// terminals, and the agents that it starts. They wait for it side by side.
package program
