package fingerprint

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
)

// A sample that was saved and read again has the same vectors, and compares alike.
func TestCountsRoundTrip(t *testing.T) {
	var s, other Sample
	for i := range 12 {
		x := travel()
		x.Scenario = []string{"lisbon", "porto"}[i%2]
		switch i % 4 {
		case 1:
			x.Steps, x.CostUSD = x.Steps[:2+i%3], trial.Some(0.01*float64(i))
		case 2:
			x.Steps, x.OutputTokens = nil, trial.Optional[int64]{}
		case 3:
			x.Steps = []trial.Step{}
		}
		s.Add(x)
		x.Outcome = trial.Error
		s.Add(x)
		other.Add(travel())
		x.Outcome, x.Scenario = trial.Pass, "porto"
		other.Add(x)
	}
	for name, sample := range map[string]*Sample{"empty": {}, "trials": &s} {
		text, err := json.Marshal(sample.Counts())
		if err != nil {
			t.Fatal(err)
		}
		var counts Counts
		if err := json.Unmarshal(text, &counts); err != nil {
			t.Fatal(err)
		}
		again, err := counts.Sample()
		if err != nil {
			t.Fatalf("%s: %v: %s", name, err, text)
		}
		v := NewVocabulary(sample, &other)
		if diff := cmp.Diff(v.Vectors(sample), v.Vectors(again)); diff != "" {
			t.Errorf("%s: the vectors differ: %s", name, diff)
		}
		one, oneErr := Compare(t.Context(), sample, &other, Options{Seed: 3})
		two, twoErr := Compare(t.Context(), again, &other, Options{Seed: 3})
		if diff := cmp.Diff(one, two); diff != "" || (oneErr == nil) != (twoErr == nil) {
			t.Errorf("%s: %v, %v: the comparisons differ: %s", name, oneErr, twoErr, diff)
		}
	}
}

func TestCountsRefuse(t *testing.T) {
	var s Sample
	s.Add(travel())
	for name, change := range map[string]func(*Counts){
		"errors":       func(c *Counts) { c.Errors = -1 },
		"twice":        func(c *Counts) { c.Tools[1] = c.Tools[0] },
		"no scenario":  func(c *Counts) { c.Scenario[0].Value = 1 },
		"short":        func(c *Counts) { c.Branches = nil },
		"long":         func(c *Counts) { c.Depth = append(c.Depth, c.Depth[0]) },
		"no pair":      func(c *Counts) { c.Pairs[0] += "x" },
		"pairs":        func(c *Counts) { c.PairsUsed[0].Value-- },
		"a branch":     func(c *Counts) { c.Branches[0].Value-- },
		"no input":     func(c *Counts) { c.Input = trial.Series{trial.Some(1.0)} },
		"no outcome":   func(c *Counts) { c.Outcome[0].Value = 2 },
		"no tool":      func(c *Counts) { c.Tool[0].Value = 9 },
		"no call":      func(c *Counts) { c.ToolSteps[0].Value = 0 },
		"more calls":   func(c *Counts) { c.ToolSteps[0].Value = 99 },
		"actions":      func(c *Counts) { c.ActionSteps[0].Value++ },
		"uses":         func(c *Counts) { c.ToolsUsed[0].Value-- },
		"steps":        func(c *Counts) { c.Steps[0].Value = 1.5 },
		"recovered":    func(c *Counts) { c.Recovered[0].Value = 4 },
		"half a token": func(c *Counts) { c.OutputTokens[0].Value += 0.5 },
	} {
		c := s.Counts()
		change(c)
		if _, err := c.Sample(); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
