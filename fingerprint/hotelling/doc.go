// Package hotelling is Hotelling's T² test of two samples of vectors against its F
// distribution, as AgentAssay (Definition 7.1, Theorem 7.1) compares fingerprints of
// agents: the test, its power and the number of trials that it takes, and the paper's
// own formulas for that number.
//
//	r, err := hotelling.Test(baseline, candidate) // rows of numbers
//	if err != nil {
//		return err
//	}
//	fmt.Println(r.TSquared, r.P)
//
// Its level is nominal for normal vectors with one covariance, and it needs more
// trials than columns. The permutation test of package fingerprint needs neither.
package hotelling
