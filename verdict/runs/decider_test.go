package runs

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
)

// smallHypotheses are of tests that take few trials.
func smallHypotheses() baseline.Hypotheses {
	return baseline.Hypotheses{Delta: .4, Alpha: .15, Beta: .2, Guarded: stats.Interval{Low: .75, High: 1}}
}

// The plans are searched for once: all tests share them.
var (
	smallFamilies = sync.OnceValues(func() (*baseline.Family, error) {
		s, err := baseline.Fixed(12)
		if err != nil {
			return nil, err
		}
		plan, err := baseline.Stored(context.Background(), smallHypotheses(), s, baseline.Options{})
		return plan.Family, err
	})
	smallSides = sync.OnceValues(func() (*baseline.Rounds, error) {
		plan, err := baseline.SideBySide(context.Background(), smallHypotheses(), baseline.Options{})
		return plan.Test, err
	})
	smallMatched = sync.OnceValues(func() (*baseline.Rounds, error) {
		plan, err := baseline.Matched(context.Background(), baseline.MatchedHypotheses{Delta: .4, Alpha: .15, Beta: .2,
			MostDiscordant: .6}, baseline.Options{})
		return plan.Test, err
	})
)

func must[T any](t testing.TB, build func() (T, error)) T {
	t.Helper()
	x, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// stored is the small test against a baseline of 12 trials, so many of which failed and ended in an error.
func stored(t testing.TB, failures, errors int) *Against {
	return &Against{Stored: &StoredBaseline{Family: must(t, smallFamilies),
		Outcome: baseline.Outcome{Trials: 12, Failures: failures}, Errors: errors,
		Source: BaselineSource{File: "main.json", Changed: []string{`agent.command: "old" -> "new"`}}}, Gamma: 1e-6}
}

func count(outcomes []trial.Outcome, outcome trial.Outcome) (n int) {
	for _, o := range outcomes {
		if o == outcome {
			n++
		}
	}
	return n
}

// draw returns outcomes: a share of them fails, and a share ends in an error.
func draw(r *rand.Rand, n int, fails, errors float64) []trial.Outcome {
	outcomes := make([]trial.Outcome, n)
	for i := range outcomes {
		outcomes[i] = trial.Pass
		switch x := r.Float64(); {
		case x < fails:
			outcomes[i] = trial.Fail
		case x < fails+errors:
			outcomes[i] = trial.Error
		}
	}
	return outcomes
}

// standing is what a decider says of itself.
type standing struct {
	Outcome                  sprt.Outcome
	Trials, Failures, Errors int
}

func standingOf(d Decider) standing {
	return standing{d.Outcome(), d.Trials(), d.Failures(), d.Errors()}
}

// counted is the standing after so many judged trials.
func counted(o sprt.Outcome, outcomes []trial.Outcome) standing {
	return standing{o, len(outcomes), count(outcomes, trial.Fail), count(outcomes, trial.Error)}
}

// plain applies boundaries to outcomes, errors as failures or as passes; it returns where the test
// stands after each number of trials.
func plain(b sprt.Boundaries, outcomes []trial.Outcome, errorsFail bool) []sprt.Outcome {
	path := make([]sprt.Outcome, len(outcomes)+1)
	failures := 0
	for i, o := range outcomes {
		if o == trial.Fail || o == trial.Error && errorsFail {
			failures++
		}
		switch path[i+1] = path[i]; {
		case path[i] != sprt.Undecided || i >= b.MaxTrials():
		case failures <= b.PassAtOrBelow[i]:
			path[i+1] = sprt.Pass
		case failures >= b.FailAtOrAbove[i]:
			path[i+1] = sprt.Fail
		case i+1 == b.MaxTrials():
			path[i+1] = sprt.Inconclusive
		}
	}
	return path
}

// robust is where a test stands after each number of trials whose errors are judged both ways, with
// boundaries for a Pass and for a Fail.
func robust(pass, fail sprt.Boundaries, outcomes []trial.Outcome) []sprt.Outcome {
	low, high := plain(pass, outcomes, true), plain(fail, outcomes, false)
	path := make([]sprt.Outcome, len(low))
	for i := range path {
		switch {
		case i > 0 && path[i-1] != sprt.Undecided:
			path[i] = path[i-1]
		case low[i] == sprt.Pass:
			path[i] = sprt.Pass
		case high[i] == sprt.Fail:
			path[i] = sprt.Fail
		case low[i] != sprt.Undecided && high[i] != sprt.Undecided:
			path[i] = sprt.Inconclusive
		}
	}
	return path
}

// observe tells the outcomes in an order of chance, and checks on the way that no fewer trials are said
// to be needed than it takes.
func observe(t *testing.T, r *rand.Rand, d Decider, outcomes []trial.Outcome, want int) {
	t.Helper()
	for _, i := range r.Perm(min(len(outcomes), d.MaxTrials())) {
		if err := d.Observe(i, outcomes[i]); err != nil {
			t.Fatal(err)
		}
		if needed := d.Trials() + d.WasteFree(); needed > want {
			t.Fatalf("%d trials are said to be needed, and it took %d", needed, want)
		}
	}
}

func TestDeciderJudgesDesignAndBaseline(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	family := must(t, smallFamilies)
	boundaries := func(failures int) sprt.Boundaries {
		b, ok := family.Boundaries(baseline.Outcome{Trials: 12, Failures: failures})
		if !ok {
			t.Fatalf("no boundaries for %d of 12 failures", failures)
		}
		return b
	}
	outcomes := map[sprt.Outcome]int{}
	for range 3000 {
		threshold := sample.Design()
		if r.IntN(2) == 0 {
			threshold = look(12, 1, 3)
		}
		failures, errors := r.IntN(2), r.IntN(3)
		designed, against := r.IntN(3) > 0, r.IntN(3) > 0
		e := TestEvidence{Name: "a", Scenarios: []string{"a"}}
		if designed || !against {
			e.Design = threshold
		}
		if against {
			e.Against = stored(t, failures, errors)
		}
		d, err := NewDecider(e)
		if err != nil {
			t.Fatal(err)
		}
		all := draw(r, d.MaxTrials(), r.Float64()/2, r.Float64()/4)
		// By definition: any Fail ends, a Pass takes both, and all of them decided is the end.
		var paths [][]sprt.Outcome
		if e.Design.Boundaries.MaxTrials() > 0 {
			paths = append(paths, robust(threshold.Boundaries, threshold.Boundaries, all))
		}
		var low, high []sprt.Outcome
		if against {
			low, high = robustSides(boundaries(failures), boundaries(failures+errors), all)
		}
		var want standing
		for n := 0; n <= len(all) && want.Outcome == sprt.Undecided; n++ {
			fail, passes, ended, hopeless := false, true, true, false
			for _, p := range paths {
				fail = fail || p[n] == sprt.Fail
				passes = passes && p[n] == sprt.Pass
				ended = ended && p[n] != sprt.Undecided
				hopeless = hopeless || p[n] == sprt.Inconclusive || p[n] == sprt.Fail
			}
			if against {
				fail = fail || high[n] == sprt.Fail
				passes = passes && low[n] == sprt.Pass
				ended = ended && high[n] != sprt.Undecided
				hopeless = hopeless || low[n] == sprt.Inconclusive || low[n] == sprt.Fail
			}
			switch {
			case fail:
				want = counted(sprt.Fail, all[:n])
			case passes:
				want = counted(sprt.Pass, all[:n])
			case hopeless && ended:
				want = counted(sprt.Inconclusive, all[:n])
			}
		}
		observe(t, r, d, all, want.Trials)
		if diff := cmp.Diff(want, standingOf(d)); diff != "" {
			t.Fatalf("design %v, baseline %v with %d failures and %d errors: %s", designed, against, failures, errors, diff)
		}
		outcomes[want.Outcome]++
	}
	if len(outcomes) != 3 {
		t.Errorf("not every outcome came up: %v", outcomes)
	}
}

// robustSides is what a part with boundaries for a Pass and others for a Fail says of each.
func robustSides(pass, fail sprt.Boundaries, outcomes []trial.Outcome) (low, high []sprt.Outcome) {
	return robust(pass, pass, outcomes), robust(fail, fail, outcomes)
}

// A test in rounds decides only what it would decide whatever the errors had been.
func TestDeciderOfRounds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for _, build := range []func() (*baseline.Rounds, error){smallSides, smallMatched} {
		test := must(t, build)
		outcomes := map[sprt.Outcome]int{}
		for range 1500 {
			d, err := NewDecider(TestEvidence{Name: "a", Against: &Against{Rounds: test}})
			if err != nil {
				t.Fatal(err)
			}
			drop := r.Float64() / 2
			b, c := draw(r, test.MaxRounds(), .1, .02), draw(r, test.MaxRounds(), .1+drop, .05)
			all := make([]trial.Outcome, 0, 2*len(b))
			for i := range b {
				all = append(all, b[i], c[i])
			}
			// Errors against the candidate, and for it.
			pass := roundsPath(test, b, c, trial.Pass, trial.Fail)
			fail := roundsPath(test, b, c, trial.Fail, trial.Pass)
			var want standing
			for n := 0; n <= len(b) && want.Outcome == sprt.Undecided; n++ {
				switch {
				case pass[n] == sprt.Pass:
					want = counted(sprt.Pass, all[:2*n])
				case fail[n] == sprt.Fail:
					want = counted(sprt.Fail, all[:2*n])
				case pass[n] != sprt.Undecided && fail[n] != sprt.Undecided:
					want = counted(sprt.Inconclusive, all[:2*n])
				}
			}
			observe(t, r, d, all, want.Trials)
			if diff := cmp.Diff(want, standingOf(d)); diff != "" {
				t.Fatalf("matched %v: %s", test.Matched(), diff)
			}
			outcomes[want.Outcome]++
		}
		if outcomes[sprt.Pass] == 0 || outcomes[sprt.Fail] == 0 {
			t.Errorf("not every outcome came up: %v", outcomes)
		}
	}
}

// roundsPath is where a test in rounds stands after each, with the errors of the sides taken for something.
func roundsPath(
	test *baseline.Rounds, b, c []trial.Outcome, baselineErrors, candidateErrors trial.Outcome,
) []sprt.Outcome {
	path := make([]sprt.Outcome, len(b)+1)
	onlyBaseline, onlyCandidate, both := 0, 0, 0 // failures
	for i := range b {
		x, y := b[i], c[i]
		if x == trial.Error {
			x = baselineErrors
		}
		if y == trial.Error {
			y = candidateErrors
		}
		switch {
		case x == trial.Fail && y == trial.Fail:
			both++
		case x == trial.Fail:
			onlyBaseline++
		case y == trial.Fail:
			onlyCandidate++
		}
		path[i+1] = path[i]
		if path[i] != sprt.Undecided {
			continue
		}
		if test.Matched() {
			path[i+1] = test.Outcome(i+1, onlyBaseline, onlyCandidate)
		} else {
			path[i+1] = test.Outcome(i+1, onlyBaseline+both, onlyCandidate+both)
		}
	}
	return path
}

// With a threshold beside rounds, the candidate's trials are judged by both.
func TestDeciderOfRoundsAndDesign(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	test, threshold := must(t, smallSides), look(12, 1, 3)
	for range 1500 {
		d, err := NewDecider(TestEvidence{Name: "a", Design: threshold, Against: &Against{Rounds: test}})
		if err != nil {
			t.Fatal(err)
		}
		n := d.MaxTrials() / 2
		b, c := draw(r, n, .1, .02), draw(r, n, r.Float64()/2, .05)
		all := make([]trial.Outcome, 0, 2*n)
		for i := range b {
			all = append(all, b[i], c[i])
		}
		alone, err := NewDecider(TestEvidence{Name: "a", Against: &Against{Rounds: test}})
		if err != nil {
			t.Fatal(err)
		}
		design := robust(threshold.Boundaries, threshold.Boundaries, c)
		var want standing
		for i := 1; i <= n && want.Outcome == sprt.Undecided; i++ {
			if 2*i <= alone.MaxTrials() {
				for place := 2*i - 2; place < 2*i; place++ {
					if err := alone.Observe(place, all[place]); err != nil {
						t.Fatal(err)
					}
				}
			}
			switch x, y := design[i], alone.Outcome(); {
			case x == sprt.Fail || y == sprt.Fail:
				want = counted(sprt.Fail, all[:2*i])
			case x == sprt.Pass && y == sprt.Pass:
				want = counted(sprt.Pass, all[:2*i])
			case x != sprt.Undecided && y != sprt.Undecided:
				want = counted(sprt.Inconclusive, all[:2*i])
			}
		}
		observe(t, r, d, all, want.Trials)
		if diff := cmp.Diff(want, standingOf(d)); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestDeciderRefusesWhatCannotDecide(t *testing.T) {
	recording, err := sprt.Recording(5)
	if err != nil {
		t.Fatal(err)
	}
	odd := stored(t, 1, 0)
	odd.Stored.Outcome.Trials = 13
	for want, e := range map[string]TestEvidence{
		"boundaries:":             {},
		"has no baseline":         {Design: recording, Against: stored(t, 0, 0)},
		"either stored or":        {Against: &Against{}},
		"12 of 13 trials passed":  {Against: odd},
		"has no boundaries":       {Against: &Against{Stored: &StoredBaseline{}}},
		"runs in rounds":          {Against: &Against{Stored: stored(t, 0, 0).Stored, Rounds: must(t, smallSides)}},
		"guarded rates, 0.75 to ": {Against: stored(t, 0, 13)},
	} {
		if _, err := NewDecider(e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, not %v", want, err)
		}
	}
}

func TestBaselineOfSavedRun(t *testing.T) {
	recording, err := sprt.Recording(6)
	if err != nil {
		t.Fatal(err)
	}
	late := ran("stopped", sample.Design(), passes(5))
	r := judgeRun(t, ran("recorded", recording, "ppfepp"), ran("look", look(4, 1, 3), "ppfepp"),
		ran("sequential", sample.Design(), passes(16)), ran("error", sample.Design(), "e"+passes(40)), late)
	fixed := func(n int) baseline.Sample {
		return must(t, func() (baseline.Sample, error) { return baseline.Fixed(n) })
	}
	sequential := must(t, func() (baseline.Sample, error) { return baseline.Sequential(sample.Design().Boundaries) })
	for _, c := range []struct {
		name string
		want RecordedTest
	}{
		{"recorded", RecordedTest{fixed(6), baseline.Outcome{Trials: 6, Failures: 1}, baseline.Outcome{Trials: 6,
			Failures: 2}, 1,
			Side{}, "PPFEPP"}},
		{"look", RecordedTest{fixed(4), baseline.Outcome{Trials: 4, Failures: 1}, baseline.Outcome{Trials: 4, Failures: 2}, 1,
			Side{}, "PPFE"}},
		{"sequential", RecordedTest{sequential, baseline.Outcome{Trials: 15}, baseline.Outcome{Trials: 15}, 0, Side{}, ""}},
		// With the error as a pass it ends after 15 trials, with it as a failure later.
		{"error", RecordedTest{sequential, baseline.Outcome{Trials: 15}, baseline.Outcome{Trials: firstPassWithOneFailure(t),
			Failures: 1}, 1, Side{}, ""}},
	} {
		got, err := BaselineOf(r, c.name)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got.Outcome != c.want.Outcome || got.Worst != c.want.Worst || got.Errors != c.want.Errors ||
			got.Letters != c.want.Letters ||
			cmp.Diff(c.want.Sample.Outcomes(), got.Sample.Outcomes()) != "" ||
			got.Sample.Probability(got.Outcome, .9) != c.want.Sample.Probability(got.Outcome, .9) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	for name, want := range map[string]string{"stopped": "stopped after 5 judged trials",
		"none": "no scenario of this name"} {
		if _, err := BaselineOf(r, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// What was changed by hand is no baseline, and counts are not trusted.
	r.Tests[0].Passes, r.Tests[0].Fails, r.Tests[0].Trials = 6, 0, 6
	if got, err := BaselineOf(r, "recorded"); err != nil || got.Outcome.Failures != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	r.Tests[0].Design.Boundaries.PassAtOrBelow = []int{0, 0, 0, 0, 0, 0}
	if _, err := BaselineOf(r, "recorded"); err == nil || !strings.Contains(err.Error(), "digest") {
		t.Errorf("boundaries of another design: %v", err)
	}
}

// firstPassWithOneFailure is after how many trials the sample's design passes if the first fails.
func firstPassWithOneFailure(t *testing.T) int {
	for i, pass := range sample.Design().Boundaries.PassAtOrBelow {
		if pass >= 1 {
			return i + 1
		}
	}
	t.Fatal("never")
	return 0
}
