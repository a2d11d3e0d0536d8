package verify

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/race"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// raceDelta is the indifference of the examples; it is large, so that few rounds decide.
const raceDelta = 0.3

// raceRounds is the test side by side that confirms the winners of the examples.
var raceRounds = sync.OnceValues(func() (*baseline.Rounds, error) {
	p, err := baseline.SideBySide(context.Background(), baseline.Hypotheses{Delta: raceDelta, Alpha: 0.05, Beta: 0.1,
		Guarded: stats.Interval{Low: 0.8, High: 1}}, baseline.Options{})
	return p.Test, err
})

// exampleOfRace is a race by the outcomes of its arms, the incumbent first, and those of both sides of its
// confirmation.
type exampleOfRace struct {
	arms              []string
	stopped           runs.StopCause // "" is the end of the race
	winner, incumbent string         // of the confirmation; "" is none
	rate, worth       float64
	rounds            int
	prices            []float64 // nil: none is known
}

// exampleRace judges an example.
func exampleRace(t *testing.T, x exampleOfRace) *race.Result {
	t.Helper()
	o, _, err := race.Options{Alpha: 0.05, Beta: 0.1, Delta: raceDelta, Rate: x.rate, Worth: x.worth,
		MaxRounds: x.rounds}.Plan(len(x.arms))
	if err != nil {
		t.Fatal(err)
	}
	design, err := sprt.Recording(o.MaxRounds)
	if err != nil {
		t.Fatal(err)
	}
	e := race.Evidence{Suite: "shop", Digest: "sha256:1", Options: o}
	run := runs.Evidence{Suite: "shop", Digest: "sha256:1", Seed: 1, Finished: "2026-11-20T00:00:00Z",
		StoppedBy: runs.StoppedByRace}
	if x.stopped != "" {
		run.StoppedBy = x.stopped
	}
	if x.stopped == runs.StoppedByBudget {
		run.Budget = "cost"
	}
	for i, marks := range x.arms {
		name := race.Incumbent
		if i > 0 {
			name = exampleNames[i-1]
		}
		entrant := race.Entrant{Name: name}
		if x.prices != nil {
			entrant.Price, entrant.CostUSD, entrant.Seconds = new(x.prices[i]), new(x.prices[i]), new(2.5)
		}
		e.Arms = append(e.Arms, entrant)
		test := runs.TestEvidence{Name: "shop [" + name + "]", Variant: name, Scenarios: []string{"ask"}, Design: design}
		test.Trials = racedTrials(marks, false)
		run.Tests = append(run.Tests, test)
		run.Spent.Trials += len(test.Trials)
	}
	run.Spent.Attempts = run.Spent.Trials
	if e.Run, err = runs.Judge(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if x.winner != "" {
		e.Confirmation = exampleConfirmation(t, x)
	}
	r, err := race.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// exampleConfirmation is the run of a winner against the current version.
func exampleConfirmation(t *testing.T, x exampleOfRace) *runs.Result {
	t.Helper()
	rounds, err := raceRounds()
	if err != nil {
		t.Fatal(err)
	}
	run := runs.Evidence{Suite: "shop", Digest: "sha256:1", Seed: 2, Finished: "2026-11-20T00:00:00Z",
		StoppedBy: runs.StoppedByInterrupt}
	test := runs.TestEvidence{Name: "shop", Scenarios: []string{"ask"}, Against: &runs.Against{Rounds: rounds}}
	winner, incumbent := racedTrials(x.winner, false), racedTrials(x.incumbent, true)
	for i := range winner {
		test.Trials = append(test.Trials, incumbent[i], winner[i])
	}
	run.Tests = []runs.TestEvidence{test}
	run.Spent.Trials = len(test.Trials)
	run.Spent.Attempts = run.Spent.Trials
	if why, err := runs.StopOf(run.Tests); err != nil {
		t.Fatal(err)
	} else if why != runs.StoppedByRecording {
		run.StoppedBy = why
	}
	r, err := runs.Judge(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// racedTrials are trials with these outcomes.
func racedTrials(marks string, incumbent bool) (list []runs.TrialEvidence) {
	for i, mark := range marks {
		list = append(list, runs.TrialEvidence{Scenario: "ask", Number: i, Baseline: incumbent,
			Trial: &trial.Trial{Scenario: "ask", Outcome: outcomeOf(mark)}})
	}
	return list
}

// wonRace is an example whose first variant wins in four rounds, and is confirmed.
func wonRace() exampleOfRace {
	return exampleOfRace{arms: []string{"FFPF", "PPPP", "FPFF"}, winner: marksOf("P", 60), incumbent: marksOf("P", 60)}
}

// racesSaid are the sentences of races.
func racesSaid(t *testing.T, s *sentenceList) {
	tell := func(change func(x *exampleOfRace)) {
		x := wonRace()
		change(&x)
		s.result("improve race", exampleRace(t, x))
	}
	unconfirmed := func(x *exampleOfRace) { x.winner, x.incumbent = "", "" }
	p, f := marksOf("P", 60), marksOf("F", 60)
	tell(func(*exampleOfRace) {})
	tell(func(x *exampleOfRace) { x.winner = f })
	tell(func(x *exampleOfRace) { x.winner, x.incumbent = "PP", "PP" })
	tell(unconfirmed)
	tell(func(x *exampleOfRace) { unconfirmed(x); x.arms = []string{"PPPP", "FFPF", "FPFF"} })
	tell(func(x *exampleOfRace) {
		unconfirmed(x)
		x.arms, x.rounds = []string{"PPPP", "PFPP", "FPFF"}, 4
	})
	tell(func(x *exampleOfRace) {
		unconfirmed(x)
		x.arms, x.stopped = []string{"PP", "PF", "FP"}, runs.StoppedByBudget
	})
	tell(func(x *exampleOfRace) { x.arms = []string{"FFPFF", "PPPEP", "FFFFF"} })
	tell(func(x *exampleOfRace) { x.rate = 0.95; x.arms = []string{f[:9], p[:9], f[:9]} })
	worth := func(prices []float64) func(x *exampleOfRace) {
		return func(x *exampleOfRace) {
			x.worth, x.prices = 0.01, prices
			x.arms = []string{"PFP", "PPP", "FPP"}
		}
	}
	tell(worth([]float64{1, 1, 1}))
	tell(func(x *exampleOfRace) { worth(nil)(x); x.arms = []string{"FFPF", "PPPP", "FPFF"} })
	// Each passes where the other does not.
	tell(func(x *exampleOfRace) {
		unconfirmed(x)
		x.arms, x.rounds = []string{strings.Repeat("PF", 20), strings.Repeat("FP", 20), "FFFFF"}, 40
	})
}

// A saved race is what its outcomes come to, and what is changed of it is found.
func TestForgedRaces(t *testing.T) {
	r := exampleRace(t, wonRace())
	if v, err := Verify(t.Context(), r); err != nil || v.Compared < 100 || v.Verdict != verdict.Pass ||
		r.Chosen != exampleNames[0] {
		t.Fatalf("%+v, %v, %+v", v, err, r)
	}
	refused(t, r, map[string]func(r *race.Result){
		"verdict":       func(r *race.Result) { r.Verdict, r.ExitCode = verdict.Fail, 1 },
		"chosen":        func(r *race.Result) { r.Chosen = exampleNames[1] },
		"alpha":         func(r *race.Result) { r.Asked.Alpha = 0.5 },
		"beta":          func(r *race.Result) { r.Asked.Beta = 0.5 },
		"delta":         func(r *race.Result) { r.Asked.Delta = 0.2 },
		"rate":          func(r *race.Result) { r.Asked.Rate = 0.95 },
		"lead":          func(r *race.Result) { r.Asked.Lead = 2 },
		"rounds":        func(r *race.Result) { r.Asked.MaxRounds = 30 },
		"worth":         func(r *race.Result) { r.Asked.Worth = 1 },
		"ratio":         func(r *race.Result) { r.OddsRatio = 2 },
		"guarantee":     func(r *race.Result) { r.Guarantee = 0.99 },
		"end":           func(r *race.Result) { r.End = "max-rounds" },
		"trials":        func(r *race.Result) { r.Trials++ },
		"passes":        func(r *race.Result) { r.Arms[0].Passes++ },
		"round":         func(r *race.Result) { r.Arms[0].Round++ },
		"standing":      func(r *race.Result) { r.Arms[0].Standing = race.Left },
		"path":          func(r *race.Result) { r.Arms[0].Path[0].Behind++ },
		"front":         func(r *race.Result) { r.Arms[0].Front = !r.Arms[0].Front },
		"renamed":       func(r *race.Result) { r.Arms[1].Name = "other" },
		"swapped":       func(r *race.Result) { r.Arms[1], r.Arms[2] = r.Arms[2], r.Arms[1] },
		"no incumbent":  func(r *race.Result) { r.Arms[0].Name = "other" },
		"dropped":       func(r *race.Result) { r.Arms = r.Arms[:2] },
		"some prices":   func(r *race.Result) { r.Arms[0].Price = new(1.0) },
		"outcomes":      func(r *race.Result) { r.Run.Tests[1].Outcomes = "FFFF" },
		"the same seed": func(r *race.Result) { r.Confirmation.Seed = r.Run.Seed },
		"confirmation":  func(r *race.Result) { r.Confirmation = nil },
		"confirmed":     func(r *race.Result) { r.Confirmed.Winner.Low = 0.99 },
		"stopped":       func(r *race.Result) { r.Run.StoppedBy = runs.StoppedByDecision },
		"other run":     func(r *race.Result) { r.Confirmation = r.Run },
	})
	x := wonRace()
	x.worth, x.prices, x.arms = 0.01, []float64{1, 1, 1}, []string{"PFP", "PPP", "FPP"}
	r = exampleRace(t, x)
	if _, err := Verify(t.Context(), r); err != nil || r.Rest == nil {
		t.Fatalf("%+v, %v", r.Rest, err)
	}
	r.Rest.Gain = 0
	if _, err := Verify(t.Context(), r); err == nil {
		t.Error("another gain is taken")
	}
}
