package coverage

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
)

// threeTrials is a collector of a few trials that touch every part of the counts.
func threeTrials(t *testing.T) *Collector {
	t.Helper()
	c, err := NewCollector(Declaration{
		Tools: []string{"look", "book"}, Models: []string{"m"}, Lambda: 4, Minimum: trial.Some(0.5),
		Boundaries: map[string]map[string]Domain{"look": {"n": {Minimum: trial.Some(0.0), Maximum: trial.Some(9.0),
			Enum: []trial.Raw{trial.Raw(`{"a":  [1]}`)}}}},
		Capabilities: []string{"find"}, Scenarios: []Scenario{{Name: "s", Capabilities: []string{"find"}, Threshold: 0.5}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range []trial.Outcome{trial.Pass, trial.Fail, trial.Unjudged, trial.Error} {
		x := &trial.Trial{Scenario: "s", Outcome: o, Model: "m",
			Steps: []trial.Step{{Action: trial.CallTool, Tool: "look", Arguments: trial.Raw(`{"n":9}`)}}}
		if i == 1 {
			x.Steps = append(x.Steps, trial.Step{Action: trial.Respond})
		}
		c.Add(x)
	}
	return c
}

// What was saved, indented too, measures as it did.
func TestCountsMeasureAgain(t *testing.T) {
	r := threeTrials(t).Measure()
	for _, write := range []func(any) ([]byte, error){json.Marshal,
		func(x any) ([]byte, error) { return json.MarshalIndent(x, "", "  ") }} {
		text, err := write(r)
		if err != nil {
			t.Fatal(err)
		}
		var again Result
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		if err := again.Counts.Validate(); err != nil {
			t.Error(err)
		}
		before, _ := json.Marshal(r)
		after, _ := json.Marshal(again.Counts.Measure())
		if diff := cmp.Diff(string(before), string(after)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestCountsRefuse(t *testing.T) {
	for name, change := range map[string]func(*Counts){
		"negative":     func(c *Counts) { c.Errors = -1 },
		"recorded":     func(c *Counts) { c.Recorded-- },
		"no model":     func(c *Counts) { c.WithModel = 0 },
		"unjudged":     func(c *Counts) { c.Unjudged = 4 },
		"paths":        func(c *Counts) { c.Paths[0].Paths++ },
		"a path of 0":  func(c *Counts) { c.Paths[0].Trials = 0 },
		"passes":       func(c *Counts) { c.Scenarios[0].Passes = 3 },
		"judged":       func(c *Counts) { c.Scenarios[0].Judged = 3 },
		"no state":     func(c *Counts) { c.States = 0 },
		"trials":       func(c *Counts) { c.Trials = 2 },
		"huge numbers": func(c *Counts) { c.Paths[0] = PathCount{math.MaxInt / 2, 4} },
	} {
		c := threeTrials(t).Counts()
		change(c)
		if c.Validate() == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// Counts that were saved before there were limits measure as they did: three paths, two of them taken once
// and one twice, are three of 3 + 4/2, and the chance of a seen one is that of Chao and Jost.
func TestFirstEdition(t *testing.T) {
	c := &Counts{Trials: 4, Recorded: 4, Paths: []PathCount{{1, 2}, {2, 1}}, States: 1,
		Weights: map[Dimension]float64{PathDimension: 1}}
	r := c.Measure()
	if r.Overall == nil || *r.Overall != 0.6 || r.Low != nil || r.Level != 0 || *r.Paths.Completeness != 1-0.5*6/8 {
		t.Errorf("%+v", r)
	}
	c.Edition = secondEdition + 1
	if c.Validate() == nil {
		t.Error("an edition that nobody knows is taken")
	}
}
