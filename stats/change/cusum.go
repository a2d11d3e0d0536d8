package change

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
)

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

// The limits of an alarm, and of a run length that is asked for.
const (
	mostAlarm     = 10_000
	mostRunLength = 1e15
)

// Validate returns an error unless all three numbers are positive and the alarm is
// at most 10,000.
func (c CUSUM) Validate() error {
	if c.Failure < 1 || c.Pass < 1 || c.Alarm < 1 || c.Alarm > mostAlarm {
		return fmt.Errorf("cusum %+v: steps and alarm must be positive, the alarm at most 10,000", c)
	}
	return nil
}

// NewCUSUM returns the CUSUM for a drop of the pass rate from the baseline by drop, with steps in the ratio of the
// logarithms of the likelihood ratios of a failure and a pass, to a whole number, and the lowest alarm at which the
// average run length at the baseline is at least so many trials. Below the baseline by less it is longer than after
// the drop; above it, longer than at it. What no alarm of at most 10,000 reaches is an error.
func NewCUSUM(baseline, drop, runLength float64) (CUSUM, error) {
	switch {
	case !(baseline > 0 && baseline < 1):
		return CUSUM{}, argument.Wrong("baseline", baseline, "must lie strictly between 0 and 1")
	case !(drop > 0 && drop < baseline):
		return CUSUM{}, argument.Wrong("drop", drop, "must lie strictly between 0 and the baseline")
	case !(runLength >= 1 && runLength <= mostRunLength):
		return CUSUM{}, argument.Wrong("run length", runLength, "must be from 1 to 1e15")
	}
	failure := math.Log1p(drop / (1 - baseline))
	pass := -math.Log1p(-drop / baseline)
	c := CUSUM{Failure: 1, Pass: 1}
	if failure > pass {
		c.Failure = int(min(math.Round(failure/pass), mostAlarm))
	} else {
		c.Pass = int(min(math.Round(pass/failure), mostAlarm))
	}
	reaches := func(alarm int) bool {
		length, err := CUSUM{c.Failure, c.Pass, alarm}.AverageRunLength(baseline)
		return err == nil && length >= runLength
	}
	// The run length grows with the alarm. It is doubled first, as high alarms take long to compute.
	high := 1
	for ; !reaches(high); high *= 2 {
		if high == mostAlarm {
			return c, argument.Wrong("run length", runLength, "is too long for this baseline and drop")
		}
		high = min(high, mostAlarm/2)
	}
	low := high / 2
	for high-low > 1 {
		if middle := (low + high) / 2; reaches(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	c.Alarm = high
	return c, nil
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
// number stays positive; a sum reaches only those within a step.
func (c CUSUM) AverageRunLength(p float64) (float64, error) {
	if err := c.Validate(); err != nil {
		return 0, err
	}
	if !(p > 0 && p < 1) {
		return 0, fmt.Errorf("cusum: pass rate %v must lie strictly between 0 and 1", p)
	}
	// rows[i][j-low[i]]: probability of going from sum i to sum j; alarms: to the alarm; steps: trials per visit.
	n := c.Alarm
	low, rows, alarms, steps := make([]int, n), make([][]float64, n), make([]float64, n), make([]float64, n)
	for i := range rows {
		low[i] = max(i-c.Pass, 0)
		rows[i] = make([]float64, min(i+c.Failure, n-1)-low[i]+1)
		steps[i] = 1
		rows[i][0] += p
		if i+c.Failure < n {
			rows[i][i+c.Failure-low[i]] += 1 - p
		} else {
			alarms[i] = 1 - p
		}
	}
	for k := n - 1; k > 0; k-- {
		// One less the probability of staying, without the difference (Grassmann, Taksar and Heyman 1985).
		leave := alarms[k]
		for j := low[k]; j < k; j++ {
			leave += rows[k][j-low[k]]
		}
		for i := max(k-c.Failure, 0); i < k; i++ {
			weight := rows[i][k-low[i]] / leave
			if weight == 0 {
				continue
			}
			steps[i] += weight * steps[k]
			alarms[i] += weight * alarms[k]
			for j := low[k]; j < k; j++ {
				rows[i][j-low[i]] += weight * rows[k][j-low[k]]
			}
		}
	}
	return steps[0] / alarms[0], nil
}
