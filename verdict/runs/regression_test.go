package runs

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
)

// compared is a test of one scenario against a baseline, with outcomes as ran has them.
func compared(name string, a *Against, outcomes string) TestEvidence {
	e := ran(name, TestEvidence{}.Design, outcomes)
	e.Against = a
	return e
}

// inRounds is a test of both sides.
func inRounds(name string, test *baseline.Rounds, base, candidate string) TestEvidence {
	e := TestEvidence{Name: name, Scenarios: []string{name},
		Against: &Against{Rounds: test, Changed: []string{"seed: 1 -> 2"}}}
	b, c := ran(name, e.Design, base), ran(name, e.Design, candidate)
	for i := range b.Trials {
		b.Trials[i].Baseline = true
		e.Trials = append(e.Trials, b.Trials[i], c.Trials[i])
	}
	return e
}

func codesOf(reasons []verdict.Reason) (codes []verdict.Code) {
	for _, r := range reasons {
		codes = append(codes, r.Code)
	}
	return codes
}

// What a result says of a test against a stored baseline is what the family says of its end.
func TestRegressionIsThatOfTheFamily(t *testing.T) {
	family := must(t, smallFamilies)
	o := baseline.Outcome{Trials: 12, Failures: 1}
	b, _ := family.Boundaries(o)
	end := design.Of(b).StraightPasses()
	r := judgeRun(t, compared("a", stored(t, 1, 0), passes(end)+"fff"))
	got := r.Tests[0]
	x := got.Regression
	if got.Verdict != verdict.Pass || x.Verdict != verdict.Pass || got.Trials != end || got.Overrun != 3 ||
		x.Kind != StoredKind ||
		got.Threshold != 0 || got.Design.MaxTrials != 0 || len(r.Characteristics) != 0 || got.Savings != nil {
		t.Fatalf("%+v", got)
	}
	p, err := family.PValues(o, end, 0)
	if err != nil || *x.PUnchanged != p.Unchanged || *x.PDropped != math.Min(p.Dropped, .2) {
		t.Errorf("p-values %v and %v: %+v, %v", *x.PUnchanged, *x.PDropped, p, err)
	}
	d, err := family.Difference(o, end, 0, .05)
	want := &design.Difference{
		MedianUnbiased: d.MedianUnbiased, Naive: d.Naive, Level: d.Level, Low: d.Interval.Low, High: d.Interval.High,
	}
	if err != nil || cmp.Diff(want, x.Difference) != "" {
		t.Errorf("difference %+v: %+v, %v", x.Difference, want, err)
	}
	if e := family.Errors(); x.ProvedAlpha != e.Alpha+family.Gamma() || x.ProvedBeta != e.Beta+family.Gamma() ||
		x.Low != .75 || x.High != 1 {
		t.Errorf("%+v: errors %+v", x, e)
	}
	rate := 11.0 / 12
	if want := (&ExpectedTrials{rate, family.At(rate, rate).ExpectedTrials,
		family.At(rate, rate-.4).ExpectedTrials}); cmp.Diff(want, x.Expected) != "" {
		t.Errorf("expected %+v, not %+v", x.Expected, want)
	}
	if want := (Side{Trials: 12, Passes: 11, Fails: 1, Rate: &rate}); cmp.Diff(want, x.Baseline) != "" {
		t.Errorf("the baseline: %+v", x.Baseline)
	}
	// The estimate is that of the lattice that stopped the candidate.
	e, err := b.Estimate(end, 0, .05)
	if err != nil || got.Estimate == nil || got.Estimate.MedianUnbiased != e.MedianUnbiased {
		t.Errorf("estimate %+v, not %+v: %v", got.Estimate, e, err)
	}
	if len(r.Families) != 1 || r.Families[0].Stored.Digest != family.Digest() || x.Family != family.Digest() {
		t.Errorf("families %+v", r.Families)
	}
	if want := " passed, the baseline 11 of 12 (91.7%): a drop of 40 points or more is ruled out (p = "; !strings.Contains(got.Reasons[0].Text, want) {
		t.Errorf("%v", got.Reasons)
	}
}

// Errors of either side count both ways: the p-value of a drop is that with the candidate's errors as
// passes and the baseline's as failures.
func TestRegressionWithErrors(t *testing.T) {
	family := must(t, smallFamilies)
	r := judgeRun(t, compared("a", stored(t, 0, 1), "effffffffff"))
	x := r.Tests[0].Regression
	worst := baseline.Outcome{Trials: 12, Failures: 1}
	if x.Verdict != verdict.Fail || x.Baseline.Errors != 1 || x.Baseline.Passes != 11 || *x.Baseline.Rate != 1 ||
		x.Candidate.Errors != 1 || x.Boundaries != nil {
		t.Fatalf("%+v", x)
	}
	p, err := family.PValues(worst, x.Candidate.Trials, x.Candidate.Fails)
	if err != nil || *x.PUnchanged != p.Unchanged {
		t.Errorf("p %v, not %v: %v", *x.PUnchanged, p.Unchanged, err)
	}
	if text := warned(r.Tests[0].Warnings, verdict.WarnErrors); text == "" {
		t.Errorf("%v", r.Tests[0].Warnings)
	}
	// Where they decide, it says so.
	all := judgeRun(t, compared("a", stored(t, 0, 0), strings.Repeat("e", 30))).Tests[0]
	if all.Verdict != verdict.Inconclusive || codesOf(all.Reasons)[0] != verdict.CodeErrorsMatter ||
		all.Regression.Difference != nil {
		t.Errorf("%+v", all)
	}
}

// Beside a threshold each part is told of where it ended.
func TestBothPartsAreTold(t *testing.T) {
	b, _ := must(t, smallFamilies).Boundaries(baseline.Outcome{Trials: 12, Failures: 1})
	passing := design.Of(b).StraightPasses()
	for _, c := range []struct {
		name, outcomes string
		want           verdict.Verdict
		codes          []verdict.Code
		own            verdict.Verdict // of the test against the baseline
	}{
		// The threshold takes 15 passes in a row, the baseline fewer.
		{"both pass", passes(15), verdict.Pass, []verdict.Code{"pass-boundary", codeNoDrop}, verdict.Pass},
		{"not ended", passes(14), verdict.Inconclusive, []verdict.Code{CodeNotEnded}, verdict.Pass},
		// A drop is shown before the threshold's fourth failure.
		{"a drop", "ffffff", verdict.Fail, []verdict.Code{codeDrop}, verdict.Fail},
		{"below the threshold", passes(passing) + "ffffffff", verdict.Fail, []verdict.Code{"fail-boundary"},
			verdict.Pass},
	} {
		e := compared("a", stored(t, 1, 0), c.outcomes)
		e.Design = sample.Design()
		got := judgeRun(t, e).Tests[0]
		if got.Verdict != c.want || cmp.Diff(c.codes, codesOf(got.Reasons)) != "" || got.Regression.Verdict != c.own {
			t.Errorf("%s: %v, %v, %v", c.name, got.Verdict, got.Reasons, got.Regression.Verdict)
		}
		if got.Regression.Candidate.Trials > got.Trials || c.own == verdict.Pass &&
			got.Regression.Candidate.Trials != passing {
			t.Errorf("%s: the baseline's test took %d of %d trials", c.name, got.Regression.Candidate.Trials, got.Trials)
		}
	}
}

func TestRoundsAreToldBySides(t *testing.T) {
	test := must(t, smallSides)
	r := judgeRun(t, inRounds("a", test, "pppppppppp", "ffpffffff."))
	got := r.Tests[0]
	x := got.Regression
	if got.Verdict != verdict.Fail || x.Kind != SideBySideKind || got.Trials != x.Candidate.Trials ||
		x.Baseline.Trials != got.Trials ||
		got.Outcomes != "FFPFFFFFF." || x.Outcomes != "PPPPPPPPPP" || got.Estimate != nil || x.Baseline.Passes != got.Trials {
		t.Fatalf("%+v %+v", got, x)
	}
	p, err := test.PValues(got.Trials, 0, got.Fails)
	if err != nil || *x.PUnchanged != math.Min(p.Unchanged, .15) {
		t.Errorf("p %v, not %+v: %v", x.PUnchanged, p, err)
	}
	sides := map[bool]int{}
	for _, listed := range r.Trials {
		sides[listed.Baseline]++
	}
	if sides[true] != 10 || sides[false] != 9 || !cmp.Equal(x.Source.Changed, []string{"seed: 1 -> 2"}) {
		t.Errorf("listed %v, changed %v", sides, x.Source.Changed)
	}
	// Pairs in which both fail tell nothing.
	pairs := judgeRun(t, inRounds("a", must(t, smallMatched), "fpppppppppppppppppppp",
		"fffffffffffffffffffff")).Tests[0].Regression
	if pairs.Kind != MatchedKind || pairs.Verdict != verdict.Fail || pairs.Pairs.Broke != pairs.Candidate.Trials-1 ||
		pairs.Pairs.Fixed != 0 {
		t.Errorf("%+v, %+v", pairs, pairs.Pairs)
	}
}

// An end of a test against one pair of boundaries is a baseline again; one of two tests is not.
func TestTestedRunsAsBaselines(t *testing.T) {
	both := compared("both", stored(t, 1, 0), passes(15))
	both.Design = sample.Design()
	r := judgeRun(t, compared("alone", stored(t, 1, 0), passes(10)), both, compared("errors", stored(t, 0, 1), passes(10)),
		inRounds("rounds", must(t, smallSides), passes(12), passes(12)))
	got, err := BaselineOf(r, "alone")
	if err != nil || got.Outcome.Trials != r.Tests[0].Trials || got.Outcome.Failures != 0 || got.Errors != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, name := range []string{"both", "errors", "rounds"} {
		if _, err := BaselineOf(r, name); err == nil || !strings.Contains(err.Error(), "more than one test decided") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The rate of a test that one pair of boundaries stopped has p-values, that of others has none.
	for i, known := range []bool{true, true, false, false} {
		low, high, err := r.Tests[i].Tails(.5)
		if err != nil || known != (low < 1 || high < 1) {
			t.Errorf("%s: %v, %v, %v", r.Tests[i].Name, low, high, err)
		}
	}
}

// A document may claim a family whose errors it would take hours to prove.
func TestFamiliesThatAreTooLargeAreRefused(t *testing.T) {
	small := must(t, smallFamilies).Record()
	huge := small
	// Boundaries for the first outcome, at which nothing ends; package baseline has the letters.
	huge.Sample, huge.Tiers = baseline.SampleRecord{Fixed: 100_000},
		[]baseline.TierRecord{{Low: .75, High: 1, MaxTrials: 5000, Boundaries: "AAgxTixT6_____D"}}
	_, err := huge.Family()
	digest := regexp.MustCompile("sha256:[0-9a-f]{64}").FindString(fmt.Sprint(err))
	if digest == "" {
		t.Fatal(err)
	}
	huge.Digest = digest
	if _, err := huge.Family(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		families []Family
		want     string
	}{
		{[]Family{{Stored: &huge}}, "boundaries of 5000 trials for each of 100001 outcomes"},
		{[]Family{{}}, "none, or two"},
		{[]Family{{Stored: &small}, {Stored: &small}}, "not there twice"},
	} {
		r := Result{Families: c.families}
		if _, err := r.Evidence(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want %q, not %v", c.want, err)
		}
	}
}
