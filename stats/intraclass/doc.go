// Package intraclass says how alike the trials of a scenario are, and what more scenarios or more trials would tell of
// new ones.
//
//	rho, known := intraclass.Correlation(scenarios)
//	now := intraclass.StandardError(rate, rho, sizes)
//
// Where the correlation is near 1, a scenario is passed always or never: to try it again says next to nothing of
// scenarios that were not tried.
package intraclass
