// Package planning is what the commands before a run do: each has a request, which is plain data, and a function that
// answers it. It knows no flags.
package planning
