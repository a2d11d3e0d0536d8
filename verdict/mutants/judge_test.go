package mutants_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/mutants"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

// asked are the options of the campaigns here.
func asked() mutants.Options {
	return mutants.Options{Levels: mutants.Levels{Alpha: 0.05, Beta: 0.1, Delta: 0.3}}
}

// outcomes draws trials at a rate until a test has ended, and says how they came out.
func outcomes(t *testing.T, e runs.TestEvidence, rate float64, random *rand.Rand) runs.TestEvidence {
	t.Helper()
	d, err := runs.NewDecider(e)
	if err != nil {
		t.Fatal(err)
	}
	for number := 0; !d.Decided(); number++ {
		x := &trial.Trial{Scenario: e.Scenarios[0], Variant: e.Variant, Index: trial.Some(number), Outcome: trial.Pass}
		if random.Float64() >= rate {
			x.Outcome = trial.Fail
		}
		if err := d.Observe(number, x.Outcome); err != nil {
			t.Fatal(err)
		}
		e.Trials = append(e.Trials, runs.TrialEvidence{Scenario: e.Scenarios[0], Number: number, Trial: x})
	}
	return e
}

// judged judges a run.
func judged(t *testing.T, tests ...runs.TestEvidence) *runs.Result {
	t.Helper()
	trials := 0
	for _, e := range tests {
		trials += len(e.Trials)
	}
	why, err := runs.StopOf(tests)
	if err != nil {
		t.Fatal(err)
	}
	if why == runs.StoppedByRecording {
		why = runs.StoppedByInterrupt
	}
	r, err := runs.Judge(t.Context(), runs.Evidence{Suite: "shop", Digest: "sha256:1", StoppedBy: why, Tests: tests,
		Spent: runs.Expense{Trials: trials, Attempts: trials}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// lab makes campaigns of one suite.
type lab struct {
	rates  []float64 // of the original, by test
	record int       // its trials that mutants are compared with
	random *rand.Rand
	least  float64 // the threshold of the suite's own tests; 0 is 0.8
}

func newLab(rates ...float64) *lab {
	return &lab{rates: rates, record: 100, random: rand.New(rand.NewPCG(3, 5))}
}

// planned are the chains of tests of all labs, which know no rate: each family is planned once.
var planned = map[labQuestion]*baseline.Chain{}

type labQuestion struct {
	question baseline.Question
	record   int
}

// chain is that of the tests at a level.
func (l *lab) chain(t *testing.T, o mutants.Options, alpha float64) *baseline.Chain {
	t.Helper()
	question := labQuestion{baseline.Question{Delta: o.Delta, Alpha: alpha, Beta: o.Beta}, l.record}
	if planned[question] == nil {
		sample, err := baseline.Fixed(l.record)
		if err != nil {
			t.Fatal(err)
		}
		if planned[question], err = baseline.NewChain(question.question, sample, baseline.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	return planned[question]
}

// campaign draws one: the original at its rates, and mutants at theirs, each with a rate for each test. A negative rate
// leaves a test of a mutant without trials.
func (l *lab) campaign(t *testing.T, o mutants.Options, rates ...[]float64) mutants.Campaign {
	t.Helper()
	own, err := sprt.Wald(sprt.Hypotheses{Threshold: cmp.Or(l.least, 0.8), Delta: 0.3, Alpha: 0.05, Beta: 0.1}, 100)
	if err != nil {
		t.Fatal(err)
	}
	sample, err := baseline.Fixed(l.record)
	if err != nil {
		t.Fatal(err)
	}
	c := mutants.Campaign{Suite: "shop", Digest: "sha256:1", Options: o, Prompt: map[int]string{}}
	var original, run []runs.TestEvidence
	for place, rate := range l.rates {
		name := fmt.Sprintf("s%d", place)
		original = append(original, outcomes(t, runs.TestEvidence{Name: name, Scenarios: []string{name}, Design: own}, rate,
			l.random))
		was := baseline.Outcome{Trials: l.record}
		for range l.record {
			if l.random.Float64() >= rate {
				was.Failures++
			}
		}
		plan, err := l.chain(t, o, o.OfTest(place, len(rates))).Against(t.Context(), was)
		if err != nil {
			t.Fatal(err)
		}
		recorded := runs.RecordedTest{Sample: sample, Outcome: was, Worst: was}
		for i, row := range rates {
			id := fmt.Sprintf("M%d", i+1)
			e := runs.TestEvidence{Name: suite.TestName(name, id), Variant: id, Scenarios: []string{name},
				Against: recorded.Against(plan.Family, runs.BaselineSource{})}
			if row[place] >= 0 {
				e = outcomes(t, e, row[place], l.random)
			}
			run = append(run, e)
		}
	}
	for i := range rates {
		c.Mutants = append(c.Mutants, mutants.Mutant{ID: fmt.Sprintf("M%d", i+1), Key: fmt.Sprint("key", i),
			Operator: "prompt.drop",
			Class:    "prompt", Site: fmt.Sprintf("line %d", i+1), Lines: []int{i + 1}})
		c.Prompt[i+1] = fmt.Sprintf("rule %d", i+1)
	}
	c.Original, c.Run = judged(t, original...), judged(t, run...)
	return c
}

// changed is a comparison of behaviour that shows a change, or none.
func changed(t *testing.T, is bool) *behaviour.Comparison {
	t.Helper()
	return &behaviour.Comparison{Edition: behaviour.Edition, Changed: is, Tested: true,
		P:     map[bool]float64{true: 0.001, false: 0.6}[is],
		Alpha: 0.05, Columns: []behaviour.Column{}, NewTools: []string{}, Uncalled: []string{}, Warnings: []verdict.Warning{}}
}

// What becomes of mutants, and the scores that follow: counted by hand.
func TestFates(t *testing.T) {
	l := newLab(1, 1)
	o := asked()
	c := l.campaign(t, o,
		[]float64{0, -1}, // broken: its other test was spared
		[]float64{1, 0},  // the second test sees it
		[]float64{1, 1},  // behaves otherwise
		[]float64{1, 1},  // is the same
		[]float64{1, -1}, // not decided
		[]float64{0, -1}, // broken, but never applied
	)
	c.Mutants[3].Class, c.Mutants[3].Operator = "tool", "tool.reorder"
	none := 0
	c.Mutants[5].Applied = &none
	c.Behaviour = map[string]*behaviour.Comparison{"M3": changed(t, true), "M4": changed(t, false)}
	r, err := mutants.Judge(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var fates []mutants.Fate
	for _, m := range r.Mutants {
		fates = append(fates, m.Fate)
	}
	want := []mutants.Fate{mutants.KilledByVerdict, mutants.KilledByVerdict, mutants.Survived, mutants.Equivalent,
		mutants.Undecided, mutants.Inert}
	if !slices.Equal(fates, want) {
		t.Fatalf("%q, want %q", fates, want)
	}
	// Two killed, one survived, one open: 2/3, and between 1/4 and 3/4, as chance may kill one of the five.
	if s := r.Score; *s.Score != 2./3 || *s.Low != 0.25 || *s.High != 0.75 || s.Interval != nil {
		t.Errorf("%+v: %v, %v to %v", s, *s.Score, *s.Low, *s.High)
	}
	if len(r.Classes) != 2 || *r.Classes[0].Score.Score != 2./3 || r.Classes[1].Score.Score != nil {
		t.Errorf("%+v", r.Classes)
	}
	// M1 is failed by the first test and M2 by the second, each alone; inert M6 is nobody's.
	if k := r.Tests; !slices.Equal(k[0].Kills, []string{"M1"}) || !slices.Equal(k[1].Kills, []string{"M2"}) ||
		k[0].Alone != 1 {
		t.Errorf("%+v", k)
	}
	// Lines 3 and 4: of M3, which survived, and M4, which is equivalent. M5 is open, and M6 says nothing.
	if len(r.Unsensed) != 2 || r.Unsensed[0].Number != 3 || r.Unsensed[0].Text != "rule 3" || r.Unsensed[1].Number != 4 {
		t.Errorf("%+v", r.Unsensed)
	}
	trials := 0
	for _, m := range r.Mutants {
		trials += m.Trials
	}
	if r.Cost.Trials != trials || r.Cost.Fixed != 6*2*50 || math.Abs(r.Cost.Savings-(1-float64(trials)/600)) > 1e-12 {
		t.Errorf("%+v, of %d trials", r.Cost, trials)
	}
	// Theorem 5.1 with tau 2/3 and a mean drop of M1, M2 and M3 of 1, 1 and 0: delta 0.3 over 2/3.
	if a := r.Theorem51; a == nil || math.Abs(a.Scale-2./3) > 1e-12 || math.Abs(a.Bound-2./3*(1-math.Exp(-0.45))) > 1e-12 {
		t.Errorf("%+v", a)
	}
	if _, err := verify.Verify(t.Context(), r); err != nil {
		t.Error(err)
	}
}

// The demand decides as far as it can be answered whatever the undecided are.
func TestFailUnder(t *testing.T) {
	l := newLab(1)
	for _, x := range []struct {
		least float64
		open  bool
		want  verdict.Verdict
	}{
		{0.5, false, verdict.Pass}, {0.51, false, verdict.Fail}, {0.3, true, verdict.Pass}, {0.6, true, verdict.Inconclusive},
		{0.7, true, verdict.Fail},
	} {
		o := asked()
		o.FailUnder, o.Family = &x.least, true // no kill counts as chance
		rates := [][]float64{{0}, {1}}
		if x.open {
			rates = append(rates, []float64{-1})
		}
		c := l.campaign(t, o, rates...)
		c.Behaviour = map[string]*behaviour.Comparison{"M2": changed(t, true)}
		r, err := mutants.Judge(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != x.want || r.ExitCode != x.want.ExitCode() {
			t.Errorf("at least %v, open %v: %v, exit %d: %v", x.least, x.open, r.Verdict, r.ExitCode, r.Reasons)
		}
	}
}

// A score that chance alone explains is open: one kill of three mutants comes by chance in 14 % of campaigns. Two of
// three are more than that, and so is any where all mutants together keep alpha; the first edition knew of none.
func TestScoreByLuck(t *testing.T) {
	l := newLab(1)
	for _, x := range []struct {
		rates  [][]float64
		family bool
		least  float64
		want   verdict.Verdict
		code   verdict.Code
	}{
		{[][]float64{{0}, {1}, {1}}, false, 0, verdict.Pass, "mutation-score-open"}, // nothing is required
		{[][]float64{{0}, {1}, {1}}, false, 0.8, verdict.Inconclusive, "mutation-score-open"},
		{[][]float64{{0}, {1}, {1}}, true, 0.8, verdict.Pass, "mutation-score"},
		{[][]float64{{0}, {0}, {1}}, false, 0, verdict.Pass, "mutation-score"},
		{[][]float64{{0}, {0}, {1}}, false, 0.4, verdict.Pass, "mutation-score"},
		{[][]float64{{0}, {0}, {1}}, false, 0.6, verdict.Inconclusive, "mutation-score-open"},
	} {
		o := asked()
		if o.Family = x.family; x.least > 0 {
			o.FailUnder = &x.least
		}
		r, err := mutants.Judge(t.Context(), l.campaign(t, o, x.rates...))
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != x.want || r.ExitCode != x.want.ExitCode() || r.Reasons[0].Code != x.code {
			t.Errorf("%v, family %v, at least %v: %v: %v", x.rates, x.family, x.least, r.Verdict, r.Reasons)
		}
		if _, err := verify.Verify(t.Context(), r); err != nil {
			t.Error(err)
		}
		r.Asked.Edition = 0
		found, err := r.Rejudge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if again := found.Again.(*mutants.Result); again.Score.ByChance != 0 || *again.Score.Low != 1 {
			t.Errorf("a campaign of the first edition: %+v", again.Score)
		}
	}
}

// Without mutants, or of an original that does not pass, there is nothing to score; and tests at another alpha than
// that of their place are no campaign.
func TestNoScore(t *testing.T) {
	l := newLab(1)
	c := l.campaign(t, asked(), []float64{1})
	for _, x := range []struct {
		change func(c *mutants.Campaign)
		want   error
	}{
		{func(c *mutants.Campaign) { c.Mutants = nil }, mutants.ErrEmpty},
		{func(c *mutants.Campaign) { c.Original = newLab(0).original(t) }, mutants.ErrOriginal},
	} {
		other := c
		x.change(&other)
		if _, err := mutants.Judge(t.Context(), other); !errors.Is(err, x.want) {
			t.Errorf("%v, want %v", err, x.want)
		}
	}
	c.Options.Alpha = 0.01
	_, err := mutants.Judge(t.Context(), c)
	if d, ok := errors.AsType[*verdict.DifferenceError](err); !ok || !strings.Contains(d.Path, "alpha") {
		t.Errorf("%v", err)
	}
}

// original is the run of the suite at the rates of the lab.
func (l *lab) original(t *testing.T) *runs.Result {
	t.Helper()
	own, err := sprt.Wald(sprt.Hypotheses{Threshold: 0.8, Delta: 0.3, Alpha: 0.05, Beta: 0.1}, 100)
	if err != nil {
		t.Fatal(err)
	}
	return judged(t, outcomes(t, runs.TestEvidence{Name: "s0", Scenarios: []string{"s0"}, Design: own}, l.rates[0],
		l.random))
}

// A scenario that is added never un-kills: its tests come after the others, and take nothing from their alpha. With the
// same trials of the others, all that was killed is killed.
func TestAddedTestsKeepKills(t *testing.T) {
	small := newLab(0.95, 0.9)
	rates := [][]float64{{0.5, 0.9}, {0.95, 0.4}, {0.6, 0.6}, {0.95, 0.9}}
	before := small.campaign(t, asked(), rates...)
	first, err := mutants.Judge(t.Context(), before)
	if err != nil {
		t.Fatal(err)
	}
	large := newLab(0.95, 0.9, 0.97)
	after := large.campaign(t, asked(), []float64{-1, -1, 0.97}, []float64{-1, -1, 0.97}, []float64{-1, -1, 0.97},
		[]float64{-1, -1, 0.97})
	// The tests of the third scenario beside those that were there.
	after.Original.Tests = append(slices.Clone(before.Original.Tests), after.Original.Tests[2])
	for i, t := range after.Run.Tests {
		for _, was := range before.Run.Tests {
			if was.Name == t.Name {
				after.Run.Tests[i] = was
			}
		}
	}
	second, err := mutants.Judge(t.Context(), after)
	if err != nil {
		t.Fatal(err)
	}
	if first.Score.Killed == 0 {
		t.Fatal("nothing is killed: this test shows nothing")
	}
	for i, m := range first.Mutants {
		if m.Fate.Killed() && !second.Mutants[i].Fate.Killed() {
			t.Errorf("%s was %s, and is %s with another scenario", m.ID, m.Fate, second.Mutants[i].Fate)
		}
	}
}

// An agent that ignores its configuration is every mutant: each is killed with a chance of alpha at most, whatever the
// rate. Each campaign has trials of the original of its own, as its mutants share them. The published rule, two of
// three runs of the suite, kills 35 % and more of such mutants.
func TestEquivalentMutantsAreSpared(t *testing.T) {
	campaigns := thorough.Draws(300, 2000)
	o := asked()
	for _, rate := range []float64{0.5, 0.8, 0.95, 0.99} {
		l := newLab(rate, rate, rate)
		killed := 0
		for range campaigns {
			if l.kills(t, o, rate) {
				killed++
			}
		}
		se := math.Sqrt(o.Alpha * (1 - o.Alpha) / float64(campaigns))
		t.Logf("at %v: %d of %d mutants that change nothing are killed", rate, killed, campaigns)
		if share := float64(killed) / float64(campaigns); share > o.Alpha+3*se {
			t.Errorf("at %v: %v of mutants that change nothing are killed", rate, share)
		}
	}
}

// kills draws trials of the original and of a mutant at a rate, and reports whether a test of it fails: what
// [mutants.Judge] calls killed, without the results of runs.
func (l *lab) kills(t *testing.T, o mutants.Options, rate float64) bool {
	t.Helper()
	for place, p := range l.rates {
		was := baseline.Outcome{Trials: l.record}
		for range l.record {
			if l.random.Float64() >= p {
				was.Failures++
			}
		}
		plan, err := l.chain(t, o, o.OfTest(place, 1)).Against(context.Background(), was)
		if err != nil {
			continue // the baseline is too small to tell the drop: there is no test, and no kill
		}
		b, ok := plan.Family.Boundaries(was)
		if !ok {
			continue
		}
		failures := 0
		for n := range b.MaxTrials() {
			if l.random.Float64() >= rate {
				failures++
			}
			if failures >= b.FailAtOrAbove[n] {
				return true
			}
			if failures <= b.PassAtOrBelow[n] {
				break
			}
		}
	}
	return false
}

// Faults that were planted, with 100 trials of the original at .95 and a suite of one test: a drop to .75 is killed at
// least nine times in ten, and one to .85 eight times, where the original is known to pass at .9 or more. Exactly.
func TestPlantedFaultsAreKilled(t *testing.T) {
	sample, err := baseline.Fixed(100)
	if err != nil {
		t.Fatal(err)
	}
	alpha := mutants.Levels{Alpha: 0.05}.OfTest(0, 1)
	plan, err := baseline.Against(t.Context(), baseline.Question{Delta: 0.1, Alpha: alpha, Beta: 0.2, Guard: 0.9}, sample,
		baseline.Outcome{Trials: 100, Failures: 5}, baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for candidate, least := range map[float64]float64{0.75: 0.9, 0.85: 0.8} {
		x := plan.Family.At(0.95, candidate)
		t.Logf("at %v: killed %.3f, %.1f trials", candidate, x.Fail, x.ExpectedTrials)
		if x.Fail < least {
			t.Errorf("at %v: killed %v", candidate, x.Fail)
		}
	}
	if x := plan.Family.At(0.95, 0.95); x.Fail > alpha {
		t.Errorf("unchanged: killed %v", x.Fail)
	}
}

// Of an original that often fails a mutant may pass much more often: it is no equivalent one, whatever a drop is.
func TestRisesAreNoEquivalence(t *testing.T) {
	l := newLab(0.55)
	l.least, l.record = 0.5, 200
	r, err := mutants.Judge(t.Context(), l.campaign(t, asked(), []float64{1}))
	if err != nil {
		t.Fatal(err)
	}
	m := r.Mutants[0]
	if d := r.Run.Tests[0].Regression.Difference; d == nil || d.High < 0.3 {
		t.Fatalf("the difference is %+v: this test shows nothing", d)
	}
	if m.Fate != mutants.Undecided || !strings.Contains(m.Why, "a rise by as much is not") {
		t.Errorf("%s: %s", m.Fate, m.Why)
	}
	if _, err := verify.Verify(t.Context(), r); err != nil {
		t.Error(err)
	}
}
