package calibration

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/verdict/compliance"
)

// contractText is a contract with one hard clause, to be kept in ten further trials.
const contractText = `version: 1
name: contract
clauses:
  - name: clause
    kind: guardrail
    severity: hard
    forbid: {tools: [rm]}
p: 0.8
delta: 0.2
k: 10
`

// calibrateContract enumerates what the check of a contract says of the rate at which it
// is kept, and of further trials. The verdict itself has no error rate: it is about the
// trials that were checked.
//
// The promises are made to whoever concludes from a check to further trials. The interval of the
// rate misses it with at most alpha; the lower limit lies above it with at most alpha; and the
// share that further trials are said to reach is not one that they reach too rarely. They hold
// too where trials cannot be judged, whatever these would have been.
func calibrateContract(c *calibrator) error {
	const alpha, further = .05, 10
	checked, err := contract.Parse("contract.yaml", []byte(contractText))
	if err != nil {
		return err
	}
	for _, n := range pick(c, []int{30}, []int{30, 100}) {
		// said is what a check prints: the interval, the one-sided limit, and the share of further trials.
		type checkOutput struct{ low, high, lower, reached float64 }
		judge := func(kept, unjudged int) (checkOutput, error) {
			s := contract.NewSummary(checked)
			s.Trials = contract.Tally{Kept: kept, Violated: n - kept - unjudged, Unjudged: unjudged}
			s.Clauses[0] = s.Trials
			// The order of kept and violated decides windows, which are not measured here.
			for i := range n - unjudged {
				s.Sequence = append(s.Sequence, i < kept)
			}
			r, err := compliance.Judge(s, alpha)
			if err != nil || r.Satisfaction == nil {
				return checkOutput{0, 1, 0, 0}, err // nothing is said
			}
			return checkOutput{r.Trials.Interval.Low, r.Trials.Interval.High, r.Satisfaction.Low, r.Satisfaction.Reached}, nil
		}
		all := make([][]checkOutput, n+1) // by kept and unjudged
		if err := bench.Repeat(c.ctx, n+1, func(kept int) error {
			for unjudged := 0; kept+unjudged <= n; unjudged++ {
				one, err := judge(kept, unjudged)
				if err != nil {
					return err
				}
				all[kept] = append(all[kept], one)
			}
			return nil
		}); err != nil {
			return err
		}
		for _, hidden := range []struct {
			name         string
			kept, broken float64 // the share of the kept, and of the violated, that cannot be judged
		}{{"all judged", 0, 0}, {"violations unjudged", 0, .5}, {"kept unjudged", .3, 0}} {
			// The largest probability, over true rates, of the outcomes that are wrong about the rate. Exact:
			// an outcome is three counts, kept, violated and unjudged.
			miss := func(is func(s checkOutput, p float64) bool) (float64, float64) {
				return worstOver(rateGrid(.3, 1, pick(c, 30, 60)), func(p float64) (sum float64) {
					for kept := range n + 1 {
						for unjudged := 0; kept+unjudged <= n; unjudged++ {
							if is(all[kept][unjudged], p) {
								sum += trinomial(n, kept, n-kept-unjudged, p*(1-hidden.kept), (1-p)*(1-hidden.broken))
							}
						}
					}
					return sum
				})
			}
			rate, at := miss(func(s checkOutput, p float64) bool { return p < s.low || p > s.high })
			c.exact("keeping, interval", fmt.Sprintf("n %d, %s, rate %.3g", n, hidden.name, at), uncovered, rate,
				atMost(alpha))
			rate, at = miss(func(s checkOutput, p float64) bool { return p < s.lower })
			c.exact("keeping, at least", fmt.Sprintf("n %d, %s, rate %.3g", n, hidden.name, at), uncovered, rate,
				atMost(alpha))
			rate, at = miss(func(s checkOutput, p float64) bool {
				// The chance of further trials at the true rate; 1-alpha was promised at the limit.
				reached := sumWhere(binomialMasses(further, p), func(k int) bool {
					// As shares of ten are no binary fractions.
					return float64(k)/further >= s.reached-1e-9
				})
				return reached < (1-alpha)*(1-relativeRounding)
			})
			c.exact("keeping, share of 10", fmt.Sprintf("n %d, %s, rate %.3g", n, hidden.name, at), uncovered, rate,
				atMost(alpha))
		}
	}
	return nil
}
