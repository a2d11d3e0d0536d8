package compare

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// ofModel is a recording of trials of one model, the last of which broke off.
func ofModel(model string, trials int) *recording.Recording {
	r := &recording.Recording{Name: model}
	for i := range trials {
		t := &trial.Trial{
			Scenario: "s", Index: trial.Some(i), Outcome: trial.Pass, Model: model, CostUSD: trial.Some(0.5),
			Turns: trial.Some(2),
		}
		if i == trials-1 {
			t.Outcome, t.Error = trial.Error, &trial.Cause{Origin: trial.InfrastructureOrigin}
		}
		r.Add(t)
	}
	return r
}

// What both sides took is told by model: of a trial that broke off nothing is, as in the metrics.
func TestUsageOfBothSides(t *testing.T) {
	r, err := Judge(t.Context(), ofModel("old", 5), ofModel("new", 4), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, side := range []Side{r.Baseline, r.Candidate} {
		u := side.Usage
		want := fmt.Sprint(0.5*float64(u.Trials-1), 2*(u.Trials-1), u.Trials-1)
		if m := u.Models[0]; m.Model != side.Name || fmt.Sprint(*m.CostUSD, *m.Turns, m.Trials) != want {
			t.Errorf("%s: %+v", side.Name, u)
		}
		if u.Models[1].Model != "" || u.Models[1].Trials != 1 || *u.CostUSD != side.Reliability.Cost.TotalUSD {
			t.Errorf("%s: %+v", side.Name, u)
		}
	}
}

func TestForgedUsageIsFound(t *testing.T) {
	for want, forge := range map[string]func(*Result){
		"":                                     func(*Result) {},
		"baseline.usage.turns":                 func(r *Result) { *r.Baseline.Usage.Models[0].Turns = 7 },
		"candidate.usage.models[0].trials":     func(r *Result) { r.Candidate.Usage.Models[0].Trials = 9 },
		"candidate.usage.cost_usd":             func(r *Result) { *r.Candidate.Usage.CostUSD = 9 },
		"baseline.usage.known_trials.cost_usd": func(r *Result) { r.Baseline.Usage.Known.CostUSD = 3 },
	} {
		r, err := Judge(t.Context(), ofModel("old", 5), ofModel("new", 4), Options{})
		if err != nil {
			t.Fatal(err)
		}
		forge(r)
		_, err = r.Rejudge(t.Context())
		have := ""
		if d, ok := errors.AsType[*verdict.DifferenceError](err); ok {
			have = d.Path
		}
		if have != want {
			t.Errorf("%s: %v", want, err)
		}
	}
}
