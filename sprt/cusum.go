package sprt

import "fmt"

// CUSUM watches a stream of trials for a change of the pass rate that may come at
// any time (Page 1954; Reynolds and Stoumbos 1999 for pass/fail trials): a sum goes
// up by Failure at a failed trial and down by Pass at a passed one, never below 0,
// and raises the alarm at Alarm. It has no error rate, since it never ends without
// alarm, but an average run length.
type CUSUM struct {
	Failure int // positive
	Pass    int // positive
	Alarm   int // positive, at most 10,000
}

// Validate returns an error unless all three numbers are positive and the alarm is
// at most 10,000.
func (c CUSUM) Validate() error {
	if c.Failure < 1 || c.Pass < 1 || c.Alarm < 1 || c.Alarm > 10_000 {
		return fmt.Errorf("cusum %+v: steps and alarm must be positive, the alarm at most 10,000", c)
	}
	return nil
}

// Next returns the sum after one more trial, and whether it raises the alarm.
func (c CUSUM) Next(sum int, pass bool) (next int, alarm bool) {
	if pass {
		return max(sum-c.Pass, 0), false
	}
	return sum + c.Failure, sum+c.Failure >= c.Alarm
}

// AverageRunLength returns the exact expected number of trials until the alarm, from
// a sum of 0, at a pass rate strictly between 0 and 1. It solves the linear
// equations of the chain's 0..Alarm-1 by elimination from the top, in which every
// number stays positive.
func (c CUSUM) AverageRunLength(p float64) (float64, error) {
	if err := c.Validate(); err != nil {
		return 0, err
	}
	if !(p > 0 && p < 1) {
		return 0, fmt.Errorf("cusum: pass rate %v must lie strictly between 0 and 1", p)
	}
	// rows[i][j]: probability of going from sum i to sum j; steps: trials per visit.
	n := c.Alarm
	rows, steps := make([][]float64, n), make([]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n)
		steps[i] = 1
		rows[i][max(i-c.Pass, 0)] += p
		if i+c.Failure < n {
			rows[i][i+c.Failure] += 1 - p
		}
	}
	for k := n - 1; k > 0; k-- {
		stay := 1 / (1 - rows[k][k])
		for i := range k {
			weight := rows[i][k] * stay
			if weight == 0 {
				continue
			}
			steps[i] += weight * steps[k]
			for j := range k {
				rows[i][j] += weight * rows[k][j]
			}
		}
	}
	return steps[0] / (1 - rows[0][0]), nil
}
