package plan

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
)

// What is planned of one question is what simulated runs take; no run takes more than the most.
func TestPlanOfOneQuestion(t *testing.T) {
	recorded := make([]string, 20)
	for i := range recorded {
		recorded[i] = strings.Repeat("P", 14) + "F"
	}
	for _, q := range []stratified.Question{
		{Scenarios: 20}, {Scenarios: 20, Sides: stratified.SideBySide},
		{Scenarios: 20, Sides: stratified.Stored, MaxRounds: 15},
	} {
		d, err := stratified.New(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		p := NewSuite(SuiteOptions{Scenarios: 20})
		j := PlannedTest{Name: "all", Joint: []*stratified.Design{d}}
		usual := .95
		if q.Sides == stratified.Stored {
			j.Recorded, usual = recorded, 14./15
		}
		if err := p.AddTest(j); err != nil {
			t.Fatal(err)
		}
		p.Complete(SuiteOptions{})
		planned := p.Tests[0]
		if planned.UsualRate != usual || (planned.Against != nil) != (q.Sides != stratified.Threshold) ||
			(planned.Threshold == .9) != (q.Sides == stratified.Threshold) {
			t.Errorf("%+v", planned)
		}
		const runs = 400
		rates := slices.Repeat([]float64{usual}, q.Scenarios)
		c, err := d.Simulate(t.Context(), rates, rates, runs, 7)
		if err != nil {
			t.Fatal(err)
		}
		// Against a threshold the figure bounds the mean; against a baseline it is of whole rounds alone.
		if got := planned.UsualTrials; math.Abs(got-c.Trials) > 5*c.TrialsError+.06*c.Trials {
			t.Errorf("%v: %v trials are planned, %v ± %v simulated", q.Sides, got, c.Trials, c.TrialsError)
		}
		if c.Most > planned.MaxTrials || p.Total.MaxTrials != planned.MaxTrials {
			t.Errorf("%v: %d trials, at most %d are planned", q.Sides, c.Most, planned.MaxTrials)
		}
	}
}

// No sequence of outcomes takes more trials than are said to be the most.
func TestMostTrialsOfOneQuestion(t *testing.T) {
	d, err := stratified.New(t.Context(), stratified.Question{Scenarios: 4, Alpha: .2, Beta: .2})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(2, 3))
	most := 0
	for range 4000 {
		// Outcomes that keep scenarios open: each fails so often that it is neither cleared nor collapsed.
		rates := make([]float64, 4)
		for i := range rates {
			rates[i] = []float64{.4, .5, .6, 1}[random.IntN(4)]
		}
		e, trials := stratified.Evidence{Candidate: make([]string, 4)}, 0
		for {
			x, err := d.Judge(e)
			if err != nil {
				t.Fatal(err)
			}
			if x.Outcome != sprt.Undecided {
				break
			}
			i := x.Next[0]
			letter := "F"
			if random.Float64() < rates[i] {
				letter = "P"
			}
			e.Candidate[i] += letter
			trials++
		}
		most = max(most, trials)
	}
	if bound := d.MostTrials(); most > bound || most < bound/6 {
		t.Errorf("%d trials, at most %d", most, bound)
	}
}
