package plan

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/sprt/stratified"
)

// jointKind is the kind of a test that is one question about all scenarios.
const jointKind = "suite"

// usualRate is the pass rate that a baseline is taken to have where it was not recorded; chosen.
const usualRate = 0.95

// joint is one question about all scenarios. Against a threshold and a baseline over the same trials it takes at least
// as many as either.
func (j PlannedTest) joint() SuiteTest {
	t := SuiteTest{Name: j.Name, Variant: j.Variant, MaxCostUSD: j.MaxCostUSD, Shared: j.Shared}
	for _, d := range j.Joint {
		q := d.Question()
		t.Scenarios, t.Delta = q.Scenarios, q.Delta
		if t.Floor == nil {
			t.Floor = &q.Floor
		}
		t.MaxTrials = max(t.MaxTrials, d.MostTrials())
		var at Ladder
		var usual, trials float64
		if q.Sides == stratified.Threshold {
			at = t.jointThreshold(d)
			usual = (1 + q.Threshold) / 2
			trials = everywhere(d, usual, 0).Trials
		} else {
			at = t.jointBaseline(d, j)
			usual, trials = t.Against.Rate, at.Threshold
		}
		if trials > t.UsualTrials {
			t.UsualRate, t.UsualTrials = usual, trials
		}
		t.ExpectedAt = Ladder{max(t.ExpectedAt.Perfect, at.Perfect), max(t.ExpectedAt.Threshold, at.Threshold),
			max(t.ExpectedAt.Lower, at.Lower)}
	}
	return t
}

// jointThreshold fills in what a question against a threshold does, and returns its expected trials.
func (t *SuiteTest) jointThreshold(d *stratified.Design) Ladder {
	q, promise := d.Question(), d.Promise()
	t.Kind, t.Threshold, t.Alpha, t.Beta = jointKind, q.Threshold, promise.FalseFail, promise.FalsePass
	t.LeastPass, t.LeastFail = leastOf(d)
	return Ladder{everywhere(d, 1, 0).Trials, everywhere(d, q.Threshold, 0).Trials, everywhere(d, q.Lower(), 0).Trials}
}

// jointBaseline fills in what a question against a baseline does, and returns its expected trials.
func (t *SuiteTest) jointBaseline(d *stratified.Design, j PlannedTest) Ladder {
	q, promise := d.Question(), d.Promise()
	a := &SuiteAgainst{
		Kind: map[stratified.Sides]string{stratified.SideBySide: SidesKind, stratified.Matched: MatchedKind,
			stratified.Stored: StoredKind}[q.Sides],
		Guarded: Range{Low: 0, High: 1}, Alpha: promise.FalseFail, Beta: promise.FalsePass, MaxTrials: d.MostTrials(),
		File: j.File, Rate: usualRate,
	}
	if j.Recorded != nil {
		letters := strings.Join(j.Recorded, "")
		a.Trials, a.Passes = len(letters), strings.Count(letters, "P")
		a.Rate = max(float64(a.Passes)/float64(a.Trials), q.Delta)
	}
	same, worse := everywhere(d, a.Rate, a.Rate), everywhere(d, a.Rate-q.Delta, a.Rate)
	a.Expected = AgainstLadder{everywhere(d, 1, 1).Trials, same.Trials, worse.Trials}
	a.Undecided.Unchanged, a.Undecided.Dropped = 1-same.MeanPasses-same.MeanFails, 1-worse.MeanPasses-worse.MeanFails
	a.Found = worse.MeanFails
	t.Against = a
	if t.Kind == "" {
		t.Alpha, t.Beta, t.LeastPass = a.Alpha, a.Beta, 2*q.Scenarios
		if q.Sides.Paired() {
			t.LeastPass *= 2
		}
		t.LeastFail = t.LeastPass
	}
	return Ladder{a.Expected.Perfect, a.Expected.Unchanged, a.Expected.Dropped}
}

// everywhere are the chances where all scenarios have the same rates; that of a baseline is not used without one.
func everywhere(d *stratified.Design, candidate, baseline float64) stratified.Chances {
	all := func(rate float64) []float64 { return slices.Repeat([]float64{rate}, d.Question().Scenarios) }
	c, _ := d.At(all(candidate), all(baseline))
	return c
}

// leastOf are the fewest trials after which a question against a threshold passes, and fails.
func leastOf(d *stratified.Design) (passes, fails int) {
	b, round := d.Mean(), d.Question().Round()
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
