// Package compare judges a candidate against a baseline. [Judge] takes a recording of each
// side and [Options], and returns a [Result]: the verdict by the margin rule, AgentAssay's
// or the Bayesian one, every test that applies, the sizes of the difference, what more
// trials would do, and what became of cost, tokens and time. Trials are paired by scenario
// and input where both sides have them.
package compare
