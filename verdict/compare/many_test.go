package compare

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// repeated has so many trials of each of ten scenarios, of which about every eighth fails.
func repeated(name string, trials, shift int) *recording.Recording {
	r := &recording.Recording{Name: name}
	for i := range 10 * trials {
		x := &trial.Trial{Scenario: fmt.Sprint("s", i%10), Index: trial.Some(i / 10), Outcome: trial.Pass}
		if (i*7+i/10+shift)%(7+i%3) == 0 {
			x.Outcome = trial.Fail
		}
		r.Add(x)
	}
	return r
}

// The normal distribution gives about the power of drawn recordings.
func TestNormalPowerIsThatOfDraws(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long")
	}
	for _, trials := range []int{30, 60, 95} {
		baseline, candidate := repeated("baseline", trials, 0), repeated("candidate", trials, 3)
		c, err := newComparer(t.Context(), baseline, candidate, Options{Delta: 0.04})
		if err != nil {
			t.Fatal(err)
		}
		e := c.evidence(c.scorings[0])
		drawn, ok := c.stratifiedPower(e)
		normal, okToo := c.normalPower(e)
		if !ok || !okToo || drawn.Draws == 0 || !normal.Normal {
			t.Fatalf("%+v and %+v", drawn, normal)
		}
		if math.Abs(drawn.AtDelta-normal.AtDelta) > 0.05 {
			t.Errorf("%d trials: power %v; drawn %v", trials, normal.AtDelta, drawn.AtDelta)
		}
		if drawn.MDE != nil && math.Abs(*drawn.MDE-*normal.MDE) > 0.01 {
			t.Errorf("%d trials: least drop %v; drawn %v", trials, *normal.MDE, *drawn.MDE)
		}
	}
}

// What is not computed of many trials is not in the result, and what a scenario's p stands for is never below the exact
// one. The result is judged again as it was.
func TestManyTrialsAreJudgedByWhatMatters(t *testing.T) {
	baseline, candidate := repeated("baseline", 1200, 0), repeated("candidate", 1200, 3)
	result, err := Judge(t.Context(), baseline, candidate, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, there := result.Tests.Of(stats.BoschlooTest); there {
		t.Error("Boschloo's test of all trials is there, and decides nothing")
	}
	if _, there := result.Tests.Of(stats.StratifiedTest); !there || result.Edition != shortOfMany {
		t.Errorf("edition %d; the deciding test is there: %v", result.Edition, there)
	}
	for i, s := range result.Scenarios {
		exact, err := stats.Boschloo(t.Context(), stats.Counts{Passes: s.Baseline.Passes, Trials: s.Baseline.Trials},
			stats.Counts{Passes: s.Candidate.Passes, Trials: s.Candidate.Trials})
		if err != nil {
			t.Fatal(err)
		}
		if s.P < exact*(1-1e-9) || exact <= result.Alpha && s.P > exact*(1+1e-9) {
			t.Errorf("scenario %d: p %v; Boschloo's is %v", i, s.P, exact)
		}
	}
	found, err := result.Rejudge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again := found.Again.(*Result)
	if again.Verdict != result.Verdict || again.Edition != result.Edition ||
		again.Tests.NonInferiority.P != result.Tests.NonInferiority.P {
		t.Errorf("judged again it is %v, edition %d", again.Verdict, again.Edition)
	}
	// Of few trials nothing changed.
	few, err := Judge(t.Context(), repeated("baseline", 20, 0), repeated("candidate", 20, 3), Options{})
	if err != nil || few.Edition != pairsOfScenarios {
		t.Errorf("edition %d of few trials, %v", few.Edition, err)
	}
}

// A result lists some of the pairs that flipped, and counts the others.
func TestFlipsAreListedUpToABound(t *testing.T) {
	side := func(name string, fails func(i int) bool) *recording.Recording {
		r := &recording.Recording{Name: name}
		for i := range 3 * mostFlips {
			x := &trial.Trial{Scenario: "s", Index: trial.Some(i), Outcome: trial.Pass, Input: trial.RawString(fmt.Sprint(i))}
			if fails(i) {
				x.Outcome = trial.Fail
			}
			r.Add(x)
		}
		return r
	}
	result, err := Judge(t.Context(), side("baseline", func(i int) bool { return i%3 == 0 && i < 600 }),
		side("candidate", func(i int) bool { return i%3 == 1 || i%3 == 2 && i < 30 }), Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := result.Pairs
	if p.Omitted != p.Regressed-mostFlips || len(p.Flips) != mostFlips+p.Fixed || p.Regressed <= mostFlips {
		t.Errorf("%d of %d and %d flips are listed, %d omitted", len(p.Flips), p.Regressed, p.Fixed, p.Omitted)
	}
}

// A comparison that lists no trials keeps its seed when it is judged again from its counts.
func TestCountsOfManyTrialsKeepTheirSeed(t *testing.T) {
	side := func(name string, fails int) *recording.Recording {
		r := &recording.Recording{Name: name}
		for i := range 3 {
			r.AddCount(fmt.Sprint("s", i), trial.Pass, 40_000-fails*(i+1))
			r.AddCount(fmt.Sprint("s", i), trial.Fail, fails*(i+1))
		}
		return r
	}
	result, err := Judge(t.Context(), side("baseline", 100), side("candidate", 110), Options{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	found, err := result.Rejudge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again := found.Again.(*Result); result.Seed != 7 || again.Seed != 7 {
		t.Errorf("seeds %d and %d", result.Seed, again.Seed)
	}
}

// A comparison that lists no trials is judged again all the same, its behaviour from the trials that were drawn, so
// that neither its verdict nor what the behaviour adds to it is taken as it stands.
func TestBehaviourOfManyTrialsIsJudgedAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long")
	}
	for _, counts := range []bool{false, true} {
		var sides [2]*recording.Recording
		var drawn [2]behaviour.Drawing
		for side := range sides {
			sides[side] = &recording.Recording{Name: []string{"baseline", "candidate"}[side]}
			for i := range recording.MostTrials/2 + 1 {
				x := &trial.Trial{Scenario: fmt.Sprint("s", i%3), Index: trial.Some(i / 3), Outcome: trial.Pass,
					Steps: make([]trial.Step, 1+i%4+side)}
				if i%9 == 0 {
					x.Outcome = trial.Fail
				}
				for k := range x.Steps {
					x.Steps[k].Action = trial.Reason
				}
				sides[side].Add(x)
				drawn[side].Add(x)
			}
		}
		result, err := Judge(t.Context(), sides[0], sides[1], Options{BehaviourBeside: true})
		if err != nil {
			t.Fatal(err)
		}
		sample := behaviour.Draw(&drawn[0], &drawn[1])
		changed, err := behaviour.Compare(t.Context(), &drawn[0].Sample, &drawn[1].Sample,
			behaviour.Options{Drawn: sample, Alpha: 0.01})
		if err != nil || !changed.Changed {
			t.Fatalf("the behaviour changed: %v, %v", changed.Changed, err)
		}
		result.AddBehaviour(changed, counts)
		want := verdict.Pass
		if counts {
			want = verdict.Fail
		}
		if result.Verdict != want || result.Trials != nil {
			t.Fatalf("%v; trials are listed: %v", result.Verdict, result.Trials != nil)
		}
		found, err := result.Rejudge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		again := found.Again.(*Result)
		if again.Verdict != want || again.Behaviour == nil || again.Behaviour.P != changed.P ||
			slices.Contains(found.Skip, "verdict") || slices.Contains(found.Skip, "behaviour") {
			t.Errorf("judged again it is %v, without %v", again.Verdict, found.Skip)
		}
	}
}

// Pairs of more trials than a result lists are judged again from their table, which has to be one of both sides.
func TestPairsOfManyTrialsAreJudgedAgain(t *testing.T) {
	side := func(name string, fails func(i int) bool) *recording.Recording {
		r := &recording.Recording{Name: name}
		for i := range recording.MostTrials/2 + 1 {
			x := &trial.Trial{Scenario: fmt.Sprint("s", i%3), Outcome: trial.Pass, Input: trial.RawString(fmt.Sprint(i))}
			if fails(i) {
				x.Outcome = trial.Fail
			}
			r.Add(x)
		}
		return r
	}
	result, err := Judge(t.Context(), side("baseline", func(i int) bool { return i%10 == 0 }),
		side("candidate", func(i int) bool { return i%10 == 0 && i%7 != 0 || i%50 == 1 }), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if result.Trials != nil || result.DecidedBy != stats.McNemarTest {
		t.Fatalf("decided by %v; trials are listed: %v", result.DecidedBy, result.Trials != nil)
	}
	// As this version holds it, and as an earlier one did.
	before := *result
	before.Aggregates = nil
	for _, result := range []*Result{result, &before} {
		found, err := result.Rejudge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		again := found.Again.(*Result)
		paired, _ := result.Tests.Of(stats.McNemarTest)
		if p, there := again.Tests.Of(stats.McNemarTest); !there || p.P != paired.P || again.Verdict != result.Verdict ||
			again.Difference.Low != result.Difference.Low {
			t.Errorf("judged again: %v, %v, %+v", again.Verdict, p.P, again.Difference)
		}
		for _, part := range []string{"verdict", "difference", "pairs", "tests.mcnemar", "decided_by"} {
			if slices.Contains(found.Skip, part) {
				t.Errorf("%s is taken as it is", part)
			}
		}
		for i, forge := range []func(*FlipTable){
			func(f *FlipTable) { f.BothPass, f.BothFail = f.BothPass-1, f.BothFail+1 },
			func(f *FlipTable) { f.BothPass, f.Pairs = f.BothPass-1, f.Pairs-1 },
			func(f *FlipTable) { f.Regressed, f.BothFail, f.Omitted = f.Regressed+1, f.BothFail-1, f.Omitted+1 },
		} {
			forged := *result
			pairs := *result.Pairs
			forged.Pairs = &pairs
			forge(&pairs)
			if _, err := recheck.Verify(t.Context(), &forged); err == nil {
				t.Errorf("forged table %d is taken", i)
			}
		}
	}
}
