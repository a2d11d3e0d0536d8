package mutants

import (
	"testing"

	"github.com/tribunal-dev/tribunal/verdict"
)

// No verdict on a score contradicts its limits, nor the interval of a sample.
func TestScoresHoldTheLaw(t *testing.T) {
	known := map[verdict.Verdict]int{}
	for killed := range 9 {
		for survived := range 9 {
			for undecided := range 4 {
				for _, sampled := range []bool{false, true} {
					for _, least := range []float64{0.1, 0.5, 0.9} {
						r := &Result{Asked: Options{FailUnder: &least}}
						r.Score = Score{Mutants: killed + survived + undecided, Killed: killed, Survived: survived,
							Undecided: undecided}
						r.Score.measure(sampled, 0.05)
						r.decide()
						known[r.Verdict]++
						if err := verdict.CheckClaims(r.Claims()); err != nil {
							t.Errorf("%d killed, %d survived, %d undecided, sampled %v: %v", killed, survived, undecided, sampled, err)
						}
					}
				}
			}
		}
	}
	if known[verdict.Pass] == 0 || known[verdict.Fail] == 0 {
		t.Errorf("verdicts are %v", known)
	}
}
