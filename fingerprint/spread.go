package fingerprint

import (
	"math"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/stats/sample"
)

// Spread is how far the trials of a scenario lie apart in a column.
type Spread struct {
	Baseline  Mean `json:"baseline"`  // standard deviation within scenarios, in the unit of the column
	Candidate Mean `json:"candidate"` // the same of the candidate
	// AdjustedP is Westfall and Young's p-value of a difference of the spreads, from 0 to 1.
	AdjustedP float64 `json:"adjusted_p"`
	// Changed says that the change of the column is one of its spread, and not shown to be one of its mean.
	Changed bool `json:"changed"`
}

// text tells the spreads: "spread of cost 0.012 -> 0.03 (standard deviation)".
func (s Spread) text(column string) string {
	return "spread of " + strings.ReplaceAll(column, "_", " ") + " " + arrow(s.Baseline, s.Candidate, short) +
		" (standard deviation)"
}

// spreads returns the standard deviations of a column within strata and sides, and whether a difference of its
// means is shown by Welch's test, which allows each side a variance of its own.
//
// A relabeling tests that nothing differs at all: with unequal numbers of trials it takes a larger spread of the
// smaller side for a difference of means more often than it may. What is told as a change of a mean must hold
// without that assumption too.
func (p *pool) spreads(k int, c Column, alpha float64) (s Spread, mean bool) {
	var squares, freedom, rows [2]float64
	var raw [2]float64
	difference, weight := 0.0, 0.0
	for _, t := range p.strata {
		if !p.knows(t, k) {
			continue
		}
		var values, plain [2][]float64
		for i := t.from; i < t.to; i++ {
			side := 0
			if p.side[i] {
				side = 1
			}
			values[side] = append(values[side], p.residuals[i][k])
			plain[side] = append(plain[side], p.vectors[i].Values[p.tested[k]].Value)
		}
		for side := range values {
			squares[side] += squaresOf(values[side])
			raw[side] += squaresOf(plain[side])
			freedom[side] += float64(len(values[side]) - 1)
			rows[side] += float64(len(values[side]))
		}
		difference += t.weight() * (sample.Mean(values[1]) - sample.Mean(values[0]))
		weight += t.weight()
	}
	// With one trial a stratum there are no variances to tell apart.
	if freedom[0] < 1 || freedom[1] < 1 || weight == 0 {
		return s, true
	}
	s.Baseline = Mean{math.Sqrt(raw[0] / freedom[0]), int(rows[0])}
	s.Candidate = Mean{math.Sqrt(raw[1] / freedom[1]), int(rows[1])}
	variance := 0.0 // of the difference
	var parts [2]float64
	for _, t := range p.strata {
		if p.knows(t, k) {
			share := t.weight() / weight
			parts[0] += share * share * squares[0] / freedom[0] / float64(t.baseline)
			parts[1] += share * share * squares[1] / freedom[1] / float64(t.candidate)
		}
	}
	variance = parts[0] + parts[1]
	if variance == 0 {
		return s, true
	}
	nu := variance * variance / (parts[0]*parts[0]/freedom[0] + parts[1]*parts[1]/freedom[1])
	t := math.Abs(difference / weight / math.Sqrt(variance))
	return s, 2*dist.StudentTSurvival(t, nu) <= alpha
}

// squaresOf adds up squared deviations from the mean.
func squaresOf(values []float64) (total float64) {
	if len(values) == 0 {
		return 0
	}
	mean := sample.Mean(values)
	for _, x := range values {
		total += (x - mean) * (x - mean)
	}
	return total
}
