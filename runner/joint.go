package runner

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// joint designs the tests of a suite that is tested as one question, for each variant: a test of each scenario, which
// share the question. They come scenario by scenario, as tests of their own do.
func (d *designer) joint(ctx context.Context, variants []string) ([]Test, error) {
	t, shared := d.tested(d.suite.Test, ""), 0
	if d.prepare.Together && len(variants) > 1 {
		shared = len(variants)
		t.Alpha /= float64(shared)
	}
	joints, recorded := map[string]*runs.Joint{}, map[string][]string{}
	for _, variant := range variants {
		j, letters, err := d.jointOf(ctx, t, variant)
		if err != nil {
			return nil, err
		}
		joints[variant], recorded[variant] = j, letters
	}
	var tests []Test
	for i, c := range d.scenarios {
		for _, variant := range variants {
			test := Test{Name: suite.TestName(c.Name, variant), Variant: variant, Scenarios: []string{c.Name},
				Joint: joints[variant], Shared: shared}
			if letters := recorded[variant]; letters != nil {
				test.Recorded = letters[i]
			}
			tests = append(tests, test)
		}
	}
	return tests, nil
}

// jointOf is what is asked of a variant: against the threshold, a baseline, or both; and the outcomes by scenario of a
// baseline that was recorded.
func (d *designer) jointOf(ctx context.Context, t suite.Test, variant string) (*runs.Joint, []string, error) {
	j, letters := &runs.Joint{}, []string(nil)
	add := func(sides stratified.Sides, rounds int) error {
		design, err := d.stratified(ctx, t, sides, rounds)
		j.Designs = append(j.Designs, design)
		return err
	}
	if t.Threshold != 0 {
		if err := add(stratified.Threshold, 0); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case t.Against.SideBySide:
		j.Source.Changed = suite.Changed(d.suite.BaselineAgent.Settings(), d.withVariant(variant).Agent.Settings())
		d.tell(Comparison{Variant: variant, Changed: j.Source.Changed})
		sides := stratified.SideBySide
		if t.Against.Matched {
			sides = stratified.Matched
		}
		return j, nil, add(sides, 0)
	case t.Against.Asked():
		saved, list, err := d.recorded(ctx, t, variant)
		if err != nil {
			return nil, nil, err
		}
		if err := add(stratified.Stored, d.wholeRounds(list)); err != nil {
			return nil, nil, inFile(t.Against.Baseline, err)
		}
		letters, j.Source = list, saved.Source()
		j.Source.Changed = d.changed(saved.First(), variant)
	}
	return j, letters, nil
}

// stratified plans the question of a suite, equal ones once. Rounds bound those of a stored baseline; 0 is the default.
func (d *designer) stratified(
	ctx context.Context, t suite.Test, sides stratified.Sides, rounds int,
) (*stratified.Design, error) {
	from, to := t.Floor()
	q := stratified.Question{
		Sides: sides, Scenarios: len(d.scenarios), Delta: t.Delta, Alpha: t.Alpha, Beta: t.Beta,
		Floor: stratified.Floor{From: from, To: to}, MaxRounds: rounds,
	}
	weights, own := make([]int, len(d.scenarios)), map[int]stratified.Floor{}
	round := 0
	for i, c := range d.scenarios {
		weights[i] = max(c.Weight, 1)
		round += weights[i]
		if c.Critical != (stratified.Floor{}) {
			own[i] = c.Critical
		}
	}
	if round > len(weights) {
		q.Weights = weights
	}
	if sides == stratified.Threshold {
		q.Threshold = t.Threshold
		if len(own) > 0 {
			q.Own = own
		}
	}
	most := t.MaxTrials / round
	limited := t.MaxTrials > 0 && (rounds == 0 || most < rounds)
	if limited {
		q.MaxRounds = most
	}
	if limited && most == 0 {
		return nil, &planError{advice: enoughTrials(ctx, q), text: fmt.Sprintf(
			"max_trials: %d is less than one round, of %s", t.MaxTrials, prose.Count(round, "trial"))}
	}
	key := fmt.Sprintf("%+v", q)
	if known, ok := d.asked[key]; ok {
		return known, nil
	}
	design, err := stratified.New(ctx, q)
	if err == nil {
		d.asked[key] = design
	}
	if _, none := errors.AsType[*sprt.InfeasibleError](err); none && limited {
		return nil, &planError{err: err, advice: enoughTrials(ctx, q), text: fmt.Sprintf(
			"max_trials: %d is too few: no test of the suite within %s keeps both errors", t.MaxTrials,
			prose.Count(t.MaxTrials, "trial"))}
	}
	return design, err
}

// enoughTrials says how many trials would do for a question that has too few rounds, to an eighth.
func enoughTrials(ctx context.Context, q stratified.Question) string {
	const most = 400            // trials of one side up to which a number is searched, which takes seconds; chosen
	low, high := q.MaxRounds, 0 // rounds: too few, and enough
	for high == 0 || high-low > max(1, low/8) {
		next := (low + high) / 2
		if high == 0 {
			next = 2*low + 1
		}
		q.MaxRounds = next
		_, err := stratified.New(ctx, q)
		switch _, none := errors.AsType[*sprt.InfeasibleError](err); {
		case err == nil:
			high = next
		case none && next*q.Round() < most:
			low = next
		default:
			return "give a larger max_trials, or a larger delta"
		}
	}
	return fmt.Sprintf("max_trials: %d is enough; so is a larger delta", high*q.Round())
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
					Advice: "record one with tribunal run --record N"}
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
