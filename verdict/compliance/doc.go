// Package compliance says how recorded trials keep a contract. [Judge] takes the summary of
// a contract's checks and returns a [Result]: a trial that violates a hard clause fails it,
// and the rate of trials that keep it has an exact interval.
package compliance
