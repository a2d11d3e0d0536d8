package runner

import (
	"context"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// joint designs the tests of a suite that is tested as one question, for each variant: a test of each scenario, which
// share the question. They come scenario by scenario, as tests of their own do.
func (d *designer) joint(ctx context.Context, variants []string) ([]Test, error) {
	t := d.tested(d.suite.Test, "")
	questions := 0
	if d.prepare.Together && len(variants) > 1 {
		questions = len(variants)
	}
	if questions > 1 {
		t.Alpha /= float64(questions)
	}
	var designs []*stratified.Design
	if t.Threshold != 0 {
		design, err := d.stratified(ctx, t, stratified.Threshold, 0)
		if err != nil {
			return nil, err
		}
		designs = append(designs, design)
	}
	if t.Against.SideBySide {
		sides := stratified.SideBySide
		if t.Against.Matched {
			sides = stratified.Matched
		}
		design, err := d.stratified(ctx, t, sides, 0)
		if err != nil {
			return nil, err
		}
		designs = append(designs, design)
	}
	joints, recorded := map[string]*runs.Joint{}, map[string][]string{}
	for _, variant := range variants {
		j := &runs.Joint{Designs: designs}
		switch {
		case t.Against.SideBySide:
			j.Source.Changed = suite.Changed(d.suite.BaselineAgent.Settings(), d.withVariant(variant).Agent.Settings())
			d.tell(Comparison{Variant: variant, Changed: j.Source.Changed})
		case t.Against.Asked():
			saved, letters, err := d.recorded(ctx, t, variant)
			if err != nil {
				return nil, err
			}
			design, err := d.stratified(ctx, t, stratified.Stored, d.wholeRounds(letters))
			if err != nil {
				return nil, inFile(t.Against.Baseline, err)
			}
			j.Designs = append(append([]*stratified.Design{}, designs...), design)
			j.Source, recorded[variant] = saved.Source(), letters
			j.Source.Changed = d.changed(saved.First(), variant)
		}
		joints[variant] = j
	}
	var tests []Test
	for i, c := range d.scenarios {
		for _, variant := range variants {
			test := Test{Name: suite.TestName(c.Name, variant), Variant: variant, Scenarios: []string{c.Name},
				Joint: joints[variant], Shared: questions}
			if letters := recorded[variant]; letters != nil {
				test.Recorded = letters[i]
			}
			tests = append(tests, test)
		}
	}
	return tests, nil
}

// stratified plans the question of a suite. Rounds bound those of a stored baseline; 0 is the default.
func (d *designer) stratified(
	ctx context.Context, t suite.Test, sides stratified.Sides, rounds int,
) (*stratified.Design, error) {
	from, to := t.Floor()
	q := stratified.Question{
		Sides: sides, Scenarios: len(d.scenarios), Threshold: t.Threshold, Delta: t.Delta, Alpha: t.Alpha, Beta: t.Beta,
		Floor: stratified.Floor{From: from, To: to}, MaxRounds: rounds,
	}
	if sides != stratified.Threshold {
		q.Threshold = 0
	}
	round := 0
	for i, c := range d.scenarios {
		w := max(c.Weight, 1)
		round += w
		if w > 1 && q.Weights == nil {
			q.Weights = make([]int, i, len(d.scenarios))
			for k := range q.Weights {
				q.Weights[k] = 1
			}
		}
		if q.Weights != nil {
			q.Weights = append(q.Weights, w)
		}
		if c.Critical != (stratified.Floor{}) && sides == stratified.Threshold {
			if q.Own == nil {
				q.Own = map[int]stratified.Floor{}
			}
			q.Own[i] = c.Critical
		}
	}
	if most := t.MaxTrials / round; t.MaxTrials > 0 && (rounds == 0 || most < rounds) {
		if most == 0 {
			return nil, fmt.Errorf("max_trials %d is less than one round, of %d trials", t.MaxTrials, round)
		}
		q.MaxRounds = most
	}
	return stratified.New(ctx, q)
}

// recorded are the outcomes of a saved run, by scenario.
func (d *designer) recorded(ctx context.Context, t suite.Test, variant string) (*runs.Baseline, []string, error) {
	saved, err := d.savedRun(ctx, t.Against.Baseline)
	if err != nil {
		return nil, nil, err
	}
	d.tellOfRun(saved, variant)
	letters := make([]string, len(d.scenarios))
	for i, c := range d.scenarios {
		for _, run := range saved.Runs {
			name := c.Name
			if own := suite.TestName(c.Name, variant); testOf(run.Result, own) != nil {
				name = own
			}
			found, err := runs.BaselineOf(run.Result, name)
			if err == nil && found.Letters == "" {
				err = &runs.BaselineError{Test: name, Problem: "its number of trials depended on how they came out",
					Advice: "record one with run --record"}
			}
			if err != nil {
				return nil, nil, inFile(t.Against.Baseline, err)
			}
			letters[i] += found.Letters
		}
	}
	return saved, letters, nil
}

// wholeRounds is how many rounds a stored baseline has: those that every scenario has.
func (d *designer) wholeRounds(letters []string) int {
	rounds := math.MaxInt
	for i, c := range d.scenarios {
		rounds = min(rounds, len(letters[i])/max(c.Weight, 1))
	}
	return rounds
}
