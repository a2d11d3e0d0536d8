package verify

import (
	"testing"

	"github.com/tribunal-dev/tribunal/sprt/betting"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/mean"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Whatever is changed in a saved comparison at any time, it is found.
func TestEveryChangeOfAComparisonAtAnyTimeIsFound(t *testing.T) {
	side := func(name, outcomes string) *recording.Recording {
		r := &recording.Recording{Name: name}
		for i, letter := range outcomes {
			r.Add(&trial.Trial{Scenario: []string{"a", "b"}[i%2],
				Outcome: map[rune]trial.Outcome{'p': trial.Pass, 'f': trial.Fail, 'e': trial.Error}[letter]})
		}
		return r
	}
	r, err := compare.JudgeAnytime(side("main", "pppepppfppfpppppppppppp"), side("new", "fffffffffpfffeffffff"),
		compare.AnytimeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	free := map[string]string{
		"baseline": "a name", "candidate": "a name", "scenarios[].name": "a name",
		"beta": "what was asked for", "edition": "the one before decides alike on one scenario",
	}
	for _, missed := range unfounded(t, r, free) {
		t.Error(missed)
	}
}

// Nor is a change of a verdict on scores missed.
func TestEveryChangeOfAVerdictOnScoresIsFound(t *testing.T) {
	scores := []betting.Value{{Value: .25, Times: 3}, {Value: .75, Times: 20}, {Value: 1, Times: 30}}
	for _, o := range []mean.Options{{Threshold: .6}, {Threshold: .95, Errors: verdict.FailErrors}, {Threshold: .85}} {
		r, err := mean.Judge([]mean.Scenario{{Name: "a", Values: scores, Unscored: 2}, {Name: "b", Values: scores}}, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, missed := range unfounded(t, r, map[string]string{"scenarios[].name": "a name"}) {
			t.Error(missed)
		}
	}
}

// And so it is in a verdict whose looks are counted, or that holds at any time.
func TestEveryChangeOfLooksIsFound(t *testing.T) {
	tallies := []verdict.Tally{{Scenario: "a", Passes: 30, Fails: 2, Errors: 1},
		{Scenario: "b", Passes: 20, Fails: 12, Errors: 2}}
	for _, o := range []verdict.ThresholdOptions{
		{Threshold: .6}, {Threshold: .95, By: verdict.ByScenario}, {Threshold: .4, Anytime: true},
	} {
		r, err := verdict.JudgeThreshold(t.Context(), tallies, o)
		if err != nil {
			t.Fatal(err)
		}
		if !o.Anytime {
			earlier := verdict.Look{At: "2026-01-02T03:04:05Z", Command: "verdict", FalsePass: .02, FalseFail: .03, Declared: 3}
			r.Look([]verdict.Look{earlier}, 3)
		}
		free := map[string]string{"scenarios[].name": "a name"}
		if !o.Anytime {
			for _, given := range []string{"at", "command", "verdict", "declared"} {
				free["looks.earlier[]."+given] = "what the ledger held"
			}
			free["looks.declared"] = "what was said of it"
		} else {
			free["edition"] = "the one before differs in what several scenarios to be corrected for would take"
		}
		for _, missed := range unfounded(t, r, free) {
			t.Error(missed)
		}
	}
}

// And in a comparison whose looks are counted.
func TestEveryChangeOfTheLooksOfAComparisonIsFound(t *testing.T) {
	r, err := compare.Judge(t.Context(), taskTrials("main", 1, false, 8, 7), taskTrials("new", 3, false, 7, 5),
		compare.Options{Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	earlier := verdict.Look{At: "2026-01-02T03:04:05Z", Command: "compare", FalsePass: .1, FalseFail: .05, Declared: 3}
	r.Look([]verdict.Look{earlier}, 3)
	if r.Looks.Number != 2 || r.Looks.FalsePass != .2 || r.Looks.FalseFail != .1 {
		t.Errorf("%+v", r.Looks)
	}
	if _, err := Verify(t.Context(), r); err != nil {
		t.Fatalf("as it is: %v", err)
	}
	for path, change := range map[string]func(*compare.Result){
		"number":     func(r *compare.Result) { r.Looks.Number = 1 },
		"false pass": func(r *compare.Result) { r.Looks.FalsePass = .1 },
		"false fail": func(r *compare.Result) { r.Looks.FalseFail = .05 },
		"earlier":    func(r *compare.Result) { r.Looks.Earlier = nil },
	} {
		changed, looks := *r, *r.Looks
		changed.Looks = &looks
		change(&changed)
		if _, err := Verify(t.Context(), &changed); err == nil {
			t.Errorf("%s: not found", path)
		}
	}
}
