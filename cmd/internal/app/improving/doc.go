// Package improving finds what is better: the best of some variants of an agent by a race, and challengers that may
// take the place of a champion. Each command has a request, which is plain data, and a function that answers it. It
// knows no flags.
package improving
