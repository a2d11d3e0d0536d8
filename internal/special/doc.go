// Package special holds the special functions that the statistics share: the
// incomplete beta function and its inverse, binomial probabilities by their
// saddle-point form, logarithms of beta functions and binomial coefficients, and a
// compensated sum.
//
// All keep nearly full relative precision for any number of trials, also where the
// textbook formulas do not: a difference of log-gammas loses as many digits as the
// logarithms have before the point, five at a million trials. What two complementary
// arguments are needed for takes both, x and y = 1-x, so that neither is rounded.
//
// The arguments are not checked: every caller has.
package special
