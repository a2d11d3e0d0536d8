package plan

import (
	"context"
	"errors"
	"fmt"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// Rejudge rebuilds the design from its boundaries and describes it again. How well it
// serves the weighting that it was made for is not recomputed.
func (p *Plan) Rejudge(ctx context.Context) (*rejudged.Result, error) {
	o := Options{
		Hypotheses: sprt.Hypotheses{Threshold: p.Threshold, Delta: p.Delta, Alpha: p.Alpha, Beta: p.Beta},
		MaxTrials:  p.Design.MaxTrials, Group: p.Design.Group, Looks: len(p.Looks), Prior: p.Prior,
		Scenarios: groupsOf(p.Variation), earlier: p.AtAnyTime == nil,
	}
	// The boundaries are the evidence of a plan: with the digest they are the whole design.
	saved := design.Design{
		Kind: p.Design.Kind, MaxTrials: p.Design.MaxTrials, Digest: p.Design.Digest, Boundaries: p.Design.Boundaries,
	}
	rebuilt, err := saved.Rebuild("", o.Hypotheses)
	if err != nil {
		return nil, err
	}
	o.Kind = rebuilt.Kind
	if x := p.Dependence; x != nil {
		if err := checkServed(x.Served); err != nil {
			return nil, err
		}
		o.Served = x.Served
	}
	if p.Price != nil {
		o.PriceUSD, o.Seconds = p.Price.PerTrialUSD, p.Price.SecondsPerTrial
	}
	// The hypotheses follow from the baseline, so they are computed from it again, and a
	// difference in the threshold shows.
	if b := p.Baseline; b != nil {
		counts := stats.Counts{Passes: b.Passes, Trials: b.Trials}
		from, err := sprt.FromBaseline(counts, b.Delta, p.Alpha, p.Beta, b.Gamma)
		if err != nil {
			return nil, &verdict.DifferenceError{
				Path: "baseline",
				Have: fmt.Sprintf("%d of %d", b.Passes, b.Trials),
				Want: err.Error(),
			}
		}
		o.Baseline, o.Delta, o.Gamma, o.Hypotheses = &from, b.Delta, b.Gamma, from.Hypotheses
	}
	// What only the search knows is taken from the plan, and skipped below.
	found := sprt.Plan{Design: rebuilt, Bound: p.Floors.OptimalObjective}
	if p.Design.Objective != nil && p.Design.Gap != nil {
		found.Objective, found.Gap = *p.Design.Objective, *p.Design.Gap
	}
	fixed, err := o.complete()
	if err != nil {
		return nil, &verdict.DifferenceError{Path: "price", Have: "one that cannot be", Want: err.Error()}
	}
	again, err := describe(ctx, o, fixed, found)
	return &rejudged.Result{
		Again: again,
		Skip:  []string{"prior", "design.group", "design.objective", "design.gap", "floors.objective_bound"},
	}, err
}

// Rejudge reads the family again and describes it. What only the search knows is not
// recomputed: how well the family serves the rates that trials are saved at.
func (p *Against) Rejudge(ctx context.Context) (*rejudged.Result, error) {
	if p.Rounds != nil && p.Family == nil && p.Baseline == nil {
		return p.rejudgeRounds(ctx)
	}
	if p.Family == nil || p.Baseline == nil {
		return nil, &verdict.DifferenceError{Path: "family", Have: "none", Want: "the test that is planned"}
	}
	family, err := p.Family.Family()
	if err != nil {
		return nil, &verdict.DifferenceError{Path: "family", Have: err.Error(), Want: "a test against a baseline"}
	}
	d := p.Design
	found := baseline.Plan{
		Family: family, Errors: family.Errors(), Expected: d.Expected, Bound: d.Bound, Gap: d.Gap,
		Inconclusive: d.Inconclusive, FixedTrials: d.FixedTrials,
	}
	if err := checkScenarios(p.Variation, *p.Baseline); err != nil {
		return nil, err
	}
	o := AgainstOptions{Recorded: *p.Baseline, Scenarios: groupsOf(p.Variation)}
	if x := p.Dependence; x != nil {
		if err := checkServed(x.Served); err != nil {
			return nil, err
		}
		if p.Family.Sample.Fixed == 0 {
			return nil, &verdict.DifferenceError{Path: "dependence", Have: "one", Want: "none, for " +
				baseline.ErrStopped.Error()}
		}
		o.Served = x.Served
	}
	if p.Price != nil {
		o.PriceUSD, o.Seconds = p.Price.PerTrialUSD, p.Price.SecondsPerTrial
	}
	if err := checkPrices(o.PriceUSD, o.Seconds); err != nil {
		return nil, &verdict.DifferenceError{Path: "price", Have: "one that cannot be", Want: err.Error()}
	}
	again, err := describeAgainst(ctx, o, found)
	if impossible, ok := errors.AsType[*baseline.OutcomeError](err); ok {
		return nil, &verdict.DifferenceError{Path: "baseline", Have: fmt.Sprintf("%d of %d", o.Recorded.Passes,
			o.Recorded.Trials), Want: impossible.Error()}
	}
	return &rejudged.Result{
		Again: again,
		Skip:  uncomputedAgainst,
	}, err
}

// rejudgeRounds is Rejudge of a test in rounds.
func (p *Against) rejudgeRounds(ctx context.Context) (*rejudged.Result, error) {
	test, err := p.Rounds.Rounds()
	if err != nil {
		return nil, &verdict.DifferenceError{Path: "rounds", Have: err.Error(), Want: "a test in rounds"}
	}
	d := p.Design
	found := baseline.RoundsPlan{
		Test: test, Errors: test.Errors(), Expected: d.Expected, Bound: d.Bound, Gap: d.Gap,
		Inconclusive: d.Inconclusive, FixedRounds: d.FixedTrials,
	}
	o := RoundsOptions{earlier: p.AtAnyTime == nil}
	if p.Price != nil {
		o.PriceUSD, o.Seconds = p.Price.PerTrialUSD, p.Price.SecondsPerTrial
	}
	if err := checkPrices(o.PriceUSD, o.Seconds); err != nil {
		return nil, &verdict.DifferenceError{Path: "price", Have: "one that cannot be", Want: err.Error()}
	}
	again, err := describeRounds(ctx, o, found)
	return &rejudged.Result{Again: again, Skip: uncomputedAgainst}, err
}

// uncomputedAgainst are what only the search knows.
var uncomputedAgainst = []string{
	"design.expected", "design.bound", "design.gap", "design.inconclusive", "design.fixed_trials",
}

// Rejudge adds up the tests again. Their designs are not in the plan, so what is said of
// each of them is taken as it is.
func (p *Suite) Rejudge(context.Context) (*rejudged.Result, error) {
	o := SuiteOptions{
		Suite: p.Suite, Digest: p.Digest, Scenarios: p.Scenarios, Concurrency: p.Concurrency,
		BudgetUSD: p.Total.BudgetUSD, MaxTrials: p.Total.BudgetTrials, Timed: p.Total.BudgetTimed,
	}
	// The price of a trial is no figure of its own in the plan; it is the expected cost over
	// the expected trials.
	if expected := p.Total.ExpectedUSD; expected != nil && p.Total.Expected.Threshold > 0 {
		o.PriceUSD = new(expected.Threshold / p.Total.Expected.Threshold)
	}
	again := NewSuite(o)
	again.Tests = p.Tests
	again.Complete(o)
	return &rejudged.Result{
		Again:   again,
		Given:   []string{"tests"},
		Skip:    []string{"warnings"},
		Skipped: []string{"tests"},
	}, nil
}

// Rejudge projects the month again from what a success costs, which the trials gave that
// are not in the forecast.
func (f *Forecast) Rejudge(context.Context) (*rejudged.Result, error) {
	o := ForecastOptions{RunsPerDay: f.RunsPerDay, Price: f.Price, Alpha: 1 - f.Level}
	// Whether the trials were sequential, its warnings alone say.
	for _, w := range f.Warnings {
		o.Sequential = o.Sequential || w.Code == warnForecastStop || w.Code == warnForecastEnd
		o.Cut = o.Cut || w.Code == warnForecastCut
		if w.Code == warnForecastEnd {
			o.Rate = &StoppedRate{}
		}
	}
	if err := o.validate(); err != nil {
		return nil, &verdict.DifferenceError{Path: "runs_per_day", Have: fmt.Sprint(f.RunsPerDay), Want: err.Error()}
	}
	if f.Passes < 0 || f.Passes > f.Trials {
		return nil, &verdict.DifferenceError{
			Path: "passes",
			Have: fmt.Sprint(f.Passes),
			Want: fmt.Sprintf("at most %d trials", f.Trials),
		}
	}
	again := newForecast(o)
	again.Price, again.Trials, again.Passes = f.Price, f.Trials, f.Passes
	found := &rejudged.Result{Again: again, Skipped: []string{"level", "trials", "passes"}}
	// The limits are taken with the amount that they belong to: the trials are not here.
	for _, part := range []struct {
		path string
		have *Projection
		want **Projection
	}{{"cost_usd", f.Cost, &again.Cost}, {"tokens", f.Tokens, &again.Tokens}} {
		if part.have == nil {
			continue
		}
		if n := part.have.Known; n < 1 || n > f.Trials {
			return nil, &verdict.DifferenceError{
				Path: part.path + ".known", Have: fmt.Sprint(n), Want: fmt.Sprintf("from 1 to %d trials", f.Trials),
			}
		}
		d := part.have.Dearest
		if d != nil && (d.Trials != max(1, part.have.Known/20) || !(d.Share >= 0 && d.Share <= 1)) {
			return nil, &verdict.DifferenceError{Path: part.path + ".dearest", Have: fmt.Sprintf("%+v", *d),
				Want: "a twentieth of the trials, and a share"}
		}
		*part.want = again.month(part.have.Known, part.have.PerSuccess, part.have.Low, part.have.High, d)
		found.Skipped = append(found.Skipped, part.path+".known", part.path+".per_success")
	}
	again.warn(o)
	return found, nil
}

// Problem says what of a saved plan does not fit together, so that it could not even be shown; "" is nothing.
func (p *Plan) Problem() string {
	saved := design.Design{MaxTrials: p.Design.MaxTrials, Boundaries: p.Design.Boundaries}
	if problem := saved.Problem(); problem != "" {
		return "design: " + problem
	}
	return p.Variation.Problem()
}

// Problem says what of a saved plan does not fit together, so that it could not even be shown; "" is nothing.
func (p *Against) Problem() string {
	if p.Baseline == nil && p.Design.MaxTrials > 0 && len(p.Points) > 0 {
		return ""
	}
	if p.Baseline == nil {
		return "design: nothing is planned"
	}
	if problem := p.Baseline.Problem(); problem != "" {
		return "baseline: " + problem
	}
	if p.Design.MaxTrials < 1 || len(p.Points) == 0 {
		return "design: nothing is planned"
	}
	// Those for other ways to count its errors may be longer.
	saved := design.Design{MaxTrials: len(p.Design.Boundaries.PassAtOrBelow), Boundaries: p.Design.Boundaries}
	if problem := saved.Problem(); problem != "" {
		return "design: " + problem
	}
	if saved.MaxTrials > p.Design.MaxTrials {
		return fmt.Sprintf("design: max_trials is %d, and there are %d boundaries", p.Design.MaxTrials, saved.MaxTrials)
	}
	return p.Variation.Problem()
}
