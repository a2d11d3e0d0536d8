// Package probing tries how much a suite and its agent take: what a suite notices of an agent that was changed, whether
// an agent keeps relations between its answers, and where scenarios are missing. Each command has a request, which is
// plain data, and a function that answers it. It knows no flags.
package probing
