package plan

import (
	"strings"

	"github.com/tribunal-dev/tribunal/sprt/stratified"
)

// jointKind is the kind of a test that is one question about all scenarios.
const jointKind = "suite"

// usualRate is the pass rate that a baseline is taken to have where it was not recorded; chosen.
const usualRate = 0.95

// joint is one question about all scenarios.
func (j PlannedTest) joint() SuiteTest {
	t := SuiteTest{Name: j.Name, Variant: j.Variant, MaxCostUSD: j.MaxCostUSD, Shared: j.Shared}
	for _, d := range j.Joint {
		q := d.Question()
		if t.Floor == nil {
			t.Floor = &q.Floor
		}
		t.Scenarios, t.Delta = q.Scenarios, q.Delta
		sides := 1.0
		if q.Sides == stratified.SideBySide || q.Sides == stratified.Matched {
			sides = 2
		}
		most := d.MostTrials()
		var ladder Ladder
		usual := 0.0
		promise := d.Promise()
		if q.Sides == stratified.Threshold {
			usual = (1 + q.Threshold) / 2
			ladder = Ladder{expected(d, 1, 1), expected(d, q.Threshold, 0), expected(d, q.Lower(), 0)}
			t.Kind, t.Threshold, t.Alpha, t.Beta = jointKind, q.Threshold, promise.FalseFail, promise.FalsePass
			t.LeastPass, t.LeastFail = leastOf(d)
		} else {
			usual = usualRate
			a := &SuiteAgainst{
				Kind: map[stratified.Sides]string{stratified.SideBySide: SidesKind, stratified.Matched: MatchedKind,
					stratified.Stored: StoredKind}[q.Sides],
				Guarded: Range{Low: 0, High: 1}, Alpha: promise.FalseFail, Beta: promise.FalsePass, MaxTrials: most,
				File: j.File,
			}
			if j.Recorded != nil {
				all := strings.Join(j.Recorded, "")
				a.Trials, a.Passes = len(all), strings.Count(all, "P")
				usual = max(float64(a.Passes)/float64(a.Trials), q.Delta)
			}
			a.Rate = usual
			ladder = Ladder{expected(d, 1, 1), expected(d, usual, usual), expected(d, usual-q.Delta, usual)}
			a.Expected = AgainstLadder{ladder.Perfect, ladder.Threshold, ladder.Lower}
			same, _ := d.At(all(q, usual), all(q, usual))
			worse, _ := d.At(all(q, usual-q.Delta), all(q, usual))
			a.Undecided.Unchanged, a.Undecided.Dropped = 1-same.MeanPasses-same.MeanFails, 1-worse.MeanPasses-worse.MeanFails
			a.Found = worse.MeanFails
			t.Against = a
			if t.Kind == "" {
				t.Alpha, t.Beta, t.LeastPass = a.Alpha, a.Beta, int(sides)*2*q.Scenarios
				t.LeastFail = t.LeastPass
			}
		}
		trials := expected(d, usual, usual)
		if trials > t.UsualTrials {
			t.UsualRate, t.UsualTrials = usual, trials
		}
		// Both over the same trials: at least as many as either takes.
		t.MaxTrials = max(t.MaxTrials, most)
		t.ExpectedAt = Ladder{max(t.ExpectedAt.Perfect, ladder.Perfect), max(t.ExpectedAt.Threshold, ladder.Threshold),
			max(t.ExpectedAt.Lower, ladder.Lower)}
	}
	return t
}

// expected are the expected trials where all scenarios have the same rates.
func expected(d *stratified.Design, candidate, baseline float64) float64 {
	q := d.Question()
	var c stratified.Chances
	if q.Sides == stratified.Threshold {
		c, _ = d.At(all(q, candidate), nil)
	} else {
		c, _ = d.At(all(q, candidate), all(q, baseline))
	}
	return c.Trials
}

// all is a rate for each scenario.
func all(q stratified.Question, rate float64) []float64 {
	list := make([]float64, q.Scenarios)
	for i := range list {
		list[i] = rate
	}
	return list
}

// leastOf are the fewest trials after which a question against a threshold passes, and fails.
func leastOf(d *stratified.Design) (passes, fails int) {
	b, q := d.Mean(), d.Question()
	round := 0
	for i := range q.Scenarios {
		round += q.Weight(i)
	}
	for n := b.MaxTrials() - 1; n >= 0; n-- {
		if b.PassAtOrBelow[n] >= 0 {
			passes = (n + 1) * round
		}
		if at := b.FailAtOrAbove[n]; at <= (n+1)*round && (fails == 0 || at < fails) {
			fails = at
		}
	}
	return passes, fails
}
