// Package multiplicity corrects several p-values for their number: of many scenarios
// that are tested at level 0.05 each, some look worse by chance.
//
//	adjusted, err := multiplicity.Adjust(multiplicity.Holm, []float64{0.01, 0.04, 0.30})
//
// Rejecting the hypotheses whose adjusted p-value is at most alpha keeps what the
// [Correction] promises at level alpha.
package multiplicity
