package plan

import (
	"slices"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
)

// joint is a test of a threshold and one of a baseline over the same trials of a candidate. It fails
// where one of them does, passes when both have passed, and is Inconclusive when both have ended otherwise.
type joint struct {
	threshold sprt.Boundaries // none: the baseline alone
	stored    sprt.Boundaries // none: in rounds
	rounds    *baseline.Rounds
}

// maxTrials is the number of trials of the candidate after which the test ends in any case.
func (j joint) maxTrials() int {
	most := max(j.threshold.MaxTrials(), j.stored.MaxTrials())
	if j.rounds != nil {
		most = max(most, j.rounds.MaxRounds())
	}
	return most
}

// parts are how the two tests stand, each Undecided, Pass or Inconclusive: a Fail ends both.
type parts struct{ threshold, baseline sprt.Outcome }

// after returns where the parts stand after n trials of the candidate with f failures, and x events of the
// baseline in a test in rounds.
func (j joint) after(p parts, n, x, f int) (parts, sprt.Outcome) {
	if p.threshold == sprt.Undecided {
		p.threshold = outcomeAt(j.threshold, n, f)
	}
	if p.baseline == sprt.Undecided {
		if j.rounds != nil {
			p.baseline = j.rounds.Outcome(n, x, f)
		} else {
			p.baseline = outcomeAt(j.stored, n, f)
		}
	}
	switch {
	case p.threshold == sprt.Fail || p.baseline == sprt.Fail:
		return p, sprt.Fail
	case p.threshold == sprt.Undecided || p.baseline == sprt.Undecided:
		return p, sprt.Undecided
	case p.threshold == sprt.Pass && p.baseline == sprt.Pass:
		return p, sprt.Pass
	}
	return p, sprt.Inconclusive
}

// outcomeAt is where boundaries stand after n trials with f failures. Without any, nothing is asked.
func outcomeAt(b sprt.Boundaries, n, f int) sprt.Outcome {
	switch most := b.MaxTrials(); {
	case most == 0:
		return sprt.Pass
	case n > most:
		return sprt.Inconclusive
	case f <= b.PassAtOrBelow[n-1]:
		return sprt.Pass
	case f >= b.FailAtOrAbove[n-1]:
		return sprt.Fail
	case n == most:
		return sprt.Inconclusive
	}
	return sprt.Undecided
}

// open are the ways in which the parts stand while the test goes on.
var open = []parts{
	{}, {sprt.Pass, sprt.Undecided}, {sprt.Inconclusive, sprt.Undecided},
	{sprt.Undecided, sprt.Pass}, {sprt.Undecided, sprt.Inconclusive},
}

// steps are the probabilities of the events of a trial, or of a round: of the baseline by row, of the
// candidate by column, each none or one.
type steps [2][2]float64

// alone are those of trials of the candidate.
func alone(rate float64) steps { return steps{{rate, 1 - rate}, {}} }

// beside are those of rounds of two sides that are independent.
func beside(baselineRate, rate float64) steps {
	return steps{
		{baselineRate * rate, baselineRate * (1 - rate)},
		{(1 - baselineRate) * rate, (1 - baselineRate) * (1 - rate)},
	}
}

// paired are those of matched pairs, which are fixed and break with these probabilities.
func paired(fixed, broke float64) steps { return steps{{1 - fixed - broke, broke}, {fixed, 0}} }

// walk returns what the test does, and the probability of going on after each number of trials, from 0
// on. It is exact but for points that are left out, whose probabilities are below 1e-15 each.
func (j joint) walk(moves steps) (c sprt.Characteristics, goesOn []float64) {
	const beyond = 1e-15
	size := j.maxTrials() + 1
	rows := 1
	if j.rounds != nil {
		rows = size
	}
	cells := func() []float64 { return make([]float64, rows*size*len(open)) }
	at := func(x, f, s int) int { return (x*size+f)*len(open) + s }
	going, next := cells(), cells()
	going[0] = 1
	mostX, mostF := 0, 0 // events at the points that go on
	goesOn = []float64{1}
	for n := 1; n < size; n++ {
		var left float64
		newX, newF := 0, 0
		arrive := func(s, x, f int, mass float64) {
			if mass < beyond {
				return
			}
			p, outcome := j.after(open[s], n, x, f)
			switch outcome {
			case sprt.Undecided:
				next[at(x, f, slices.Index(open, p))] += mass
				left += mass
				newX, newF = max(newX, x), max(newF, f)
				return
			case sprt.Pass:
				c.Pass += mass
			case sprt.Fail:
				c.Fail += mass
			default:
				c.Inconclusive += mass
			}
			c.ExpectedTrials += float64(n) * mass
		}
		for x := 0; x <= mostX; x++ {
			for f := 0; f <= mostF; f++ {
				for s := range open {
					mass := going[at(x, f, s)]
					if mass == 0 {
						continue
					}
					going[at(x, f, s)] = 0
					for dx, row := range moves {
						for df, probability := range row {
							if probability > 0 {
								arrive(s, x+dx, f+df, mass*probability)
							}
						}
					}
				}
			}
		}
		going, next = next, going
		mostX, mostF = newX, newF
		goesOn = append(goesOn, left)
		if left == 0 {
			break
		}
	}
	return c, goesOn
}

// atMost bounds the expected trials of a test of two parts by how long each of them goes on: both are
// over when neither does, P(A or B) <= P(A) + P(B).
func atMost(a, b []float64) (expected float64) {
	for n := range max(len(a), len(b)) {
		p := 0.0
		if n < len(a) {
			p += a[n]
		}
		if n < len(b) {
			p += b[n]
		}
		expected += min(p, 1)
	}
	return expected
}
