// Package prices says what the tokens of a model cost, and from it what a trial did that tells its tokens and no cost.
//
//	table, err := prices.Embedded()
//	estimate, why := table.Estimate(t) // why is not empty where the cost stays unknown
//
// A [Table] has a [Row] for a model, in US dollars for a million tokens, with the day on which the provider's page said
// so and where. A model is found by its name alone, never by the beginning of it: an unknown model has no price, which
// is not a price of 0.
package prices
