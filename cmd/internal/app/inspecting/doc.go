// Package inspecting looks at what recorded trials did: how they behaved, what they tried of an agent, and whether they
// kept a contract. Each command has a request, which is plain data, and a function that answers it.
package inspecting
