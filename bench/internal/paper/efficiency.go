package paper

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/bench/internal/detection"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
)

// Approach is one way to check for a regression: a row of Table 5.
type Approach struct {
	Name  string `json:"name"`  // such as "sprt"
	Title string `json:"title"` // for tables

	Trials  Amount   `json:"trials"`     // that the candidate runs, over all repetitions
	CostUSD Amount   `json:"cost_usd"`   // of those trials
	Stored  float64  `json:"stored_usd"` // mean cost of traces of the candidate that had been recorded before
	Saving  *float64 `json:"saving"`     // of the cost against the first approach; nil where that cost nothing
	// Found is how often a change of behaviour was found that leaves the pass rate as it is, and Alarms how often one
	// was found where nothing changed.
	Found  Share `json:"power"`
	Alarms Share `json:"false_alarms"`

	Paper *StatedApproach `json:"paper"` // what the paper has in its row; nil: it has none
	Why   string          `json:"why"`   // the figures differ
}

// StatedApproach is a row of Table 5 as it is printed. Its saving and its power are shares.
type StatedApproach struct {
	Trials   float64  `json:"trials"`
	TrialsSD float64  `json:"trials_sd"`
	CostUSD  float64  `json:"cost_usd"`
	CostSD   float64  `json:"cost_sd"`
	Saving   *float64 `json:"saving"` // nil: none is printed
	Power    float64  `json:"power"`
}

// Share counts repetitions.
type Share struct {
	Count int `json:"count"`
	Of    int `json:"of"` // 0: there was nothing to count
}

// Value is the share, with the standard error of one that has a repetition more on either side; NaN of none.
func (s Share) Value() (share, stdErr float64) {
	if s.Of == 0 {
		return math.NaN(), math.NaN()
	}
	p := float64(s.Count+1) / float64(s.Of+2)
	return float64(s.Count) / float64(s.Of), math.Sqrt(p * (1 - p) / float64(s.Of))
}

// Cost is what a regression check costs of a model or of a kind of scenario: a row of Table 6 or 7.
type Cost struct {
	Name    string   `json:"name"`
	Fixed   float64  `json:"fixed_usd"`   // of 100 trials
	SPRT    float64  `json:"sprt_usd"`    // of Wald's test
	Optimal float64  `json:"optimal_usd"` // of the optimal test
	Saving  *float64 `json:"sprt_saving"` // nil where the fixed trials cost nothing
	Paper   *Costs   `json:"paper"`       // nil where it has no such row
}

// Costs are a row of Table 6 or 7 as it is printed.
type Costs struct {
	Fixed  float64  `json:"fixed_usd"`
	SPRT   *float64 `json:"sprt_usd"`    // nil: it has no such column
	Saving *float64 `json:"sprt_saving"` // nil: "N/A"
}

// What the approaches are: those of the paper, and the optimal test beside Wald's. The errors are those of the paper,
// and so are 100 trials; the hypotheses are those of its Example 3.2.
const (
	alpha        = 0.05
	beta         = 0.10
	threshold    = 0.90
	delta        = 0.10
	fixedTrials  = 100
	storedTraces = 100
	calibration  = 10 // trials, for the budget
	mostTrials   = 152
	permutations = 999
)

// share returns a pointer to a share.
func share(x float64) *float64 { return &x }

// approaches are the rows of Table 5.
func approaches() []Approach {
	return []Approach{
		{Name: "fixed", Title: "fixed 100", Paper: &StatedApproach{100, 0, 0.287, 0.184, nil, 0},
			Why: whys["b"]},
		{Name: "sprt", Title: "SPRT (Wald)", Paper: &StatedApproach{22, 0, 0.064, 0.042, share(0.776), 0},
			Why: whys["c"]},
		{Name: "optimal", Title: "optimal",
			Why: "not in the paper: the same errors, exactly, with the fewest expected trials"},
		{Name: "fingerprint", Title: "SPRT + FP", Paper: &StatedApproach{20.3, 0.7, 0.059, 0.038, share(0.795), 0.86},
			Why: whys["f"]},
		{Name: "budget", Title: "+ budget", Paper: &StatedApproach{20.3, 0.7, 0.058, 0.038, share(0.797), 0.86},
			Why: whys["e"]},
		{Name: "offline", Title: "full, traces", Paper: &StatedApproach{0, 0, 0, 0, share(1), 0.94},
			Why: "no trial is run because the candidate's traces were recorded before, in production: they had cost what is " +
				"in the column stored. Before it is deployed a candidate has none"},
	}
}

// check is one repetition of all approaches on one model in one domain.
type check struct {
	trials, cost []float64 // by approach
	stored       []float64
	found        []bool
}

// efficiency is experiment E7.
type efficiency struct {
	from        source
	seed        uint64
	repetitions int
	distance    float64 // of the change that is looked for
	wald        sprt.Design
	optimal     sprt.Design
}

func newEfficiency(
	ctx context.Context, from source, distance float64, seed uint64, repetitions int,
) (*efficiency, error) {
	h := sprt.Hypotheses{Threshold: threshold, Delta: delta, Alpha: alpha, Beta: beta}
	wald, err := sprt.Wald(h, mostTrials)
	if err != nil {
		return nil, err
	}
	plan, err := sprt.Optimal(ctx, h, sprt.OptimalOptions{MaxTrials: mostTrials})
	return &efficiency{from, seed, repetitions, distance, wald, plan.Design}, err
}

// run repeats all approaches on a model in a domain, with a change or without.
func (e *efficiency) run(ctx context.Context, model, domain int, changed bool) (checks []check, ok bool, err error) {
	checks = make([]check, e.repetitions)
	there := make([]bool, e.repetitions)
	cell := uint64(2*(model*len(e.from.domains())+domain)) + map[bool]uint64{true: 1}[changed]
	err = bench.Repeat(ctx, e.repetitions, func(i int) (err error) {
		random := seeded.Stream(e.seed^(0xe7<<32+cell), uint64(i))
		checks[i], there[i], err = e.check(ctx, random, model, domain, changed, uint64(i))
		return err
	})
	return checks, err == nil && there[0], err
}

// check runs every approach once. All of them look at the beginnings of the same trials.
func (e *efficiency) check(
	ctx context.Context, random *rand.Rand, model, domain int, changed bool, number uint64,
) (c check, ok bool, err error) {
	before, after, ok := e.from.draw(random, model, domain, changed, storedTraces, fixedTrials)
	if !ok || len(before) < calibration || len(after) < 2 {
		return c, false, nil
	}
	record := func(used []*trial.Trial, stored float64, found bool) {
		c.trials = append(c.trials, float64(len(used)))
		c.cost = append(c.cost, costOf(used))
		c.stored = append(c.stored, stored)
		c.found = append(c.found, found)
	}
	low, err := wilsonBelow(after, threshold)
	if err != nil {
		return c, false, err
	}
	record(after, 0, low)
	n, failed, err := stopped(e.wald, after)
	if err != nil {
		return c, false, err
	}
	record(after[:n], 0, failed)
	fewest, failedOptimal, err := stopped(e.optimal, after)
	if err != nil {
		return c, false, err
	}
	record(after[:fewest], 0, failedOptimal)
	o := fingerprint.Options{Alpha: alpha, Permutations: permutations, Seed: number}
	moved, err := differ(ctx, before, after[:n], o)
	if err != nil {
		return c, false, err
	}
	record(after[:n], 0, moved || failed)
	budget, err := e.budget(ctx, before[:calibration], o)
	if err != nil {
		return c, false, err
	}
	m := min(max(n, budget), len(after))
	if m > n {
		if moved, err = differ(ctx, before, after[:m], o); err != nil {
			return c, false, err
		}
	}
	record(after[:m], 0, moved || failed)
	if moved, err = differ(ctx, before, after, o); err != nil {
		return c, false, err
	}
	record(nil, costOf(after), moved || low)
	return c, true, nil
}

// budget is how many trials of the candidate ten trials of calibration ask for; 0 where they do not say.
func (e *efficiency) budget(ctx context.Context, trials []*trial.Trial, o fingerprint.Options) (int, error) {
	b, err := fingerprint.PlanBudget(ctx, sampleOf(trials), fingerprint.BudgetOptions{
		Options: fingerprint.Options{Alpha: alpha, Permutations: 99, Seed: o.Seed}, Beta: 1 - paperPower,
		Distance:  e.distance,
		MaxTrials: fixedTrials, Simulations: 20,
	})
	if err != nil {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		return 0, nil // too few that vary: nothing is asked for
	}
	if b.Trials == 0 {
		return fixedTrials, nil
	}
	return b.Trials, nil
}

// differ reports whether the default test of behaviour finds a difference.
func differ(ctx context.Context, before, after []*trial.Trial, o fingerprint.Options) (bool, error) {
	return detection.Changed(fingerprint.Compare(ctx, sampleOf(before), sampleOf(after), o))
}

func sampleOf(trials []*trial.Trial) *fingerprint.Sample {
	s := new(fingerprint.Sample)
	for _, t := range trials {
		s.Add(t)
	}
	return s
}

// stopped runs a sequential test over trials, in their order: how many it takes, and whether it fails them. It takes
// all where it does not end before.
func stopped(d sprt.Design, trials []*trial.Trial) (n int, failed bool, err error) {
	test, err := sprt.NewTest(d)
	if err != nil {
		return 0, false, err
	}
	for i, t := range trials {
		if test.Decided() {
			return i, test.Outcome() == sprt.Fail, nil
		}
		if err := test.Observe(i, t.Outcome == trial.Pass); err != nil {
			return 0, false, err
		}
	}
	return len(trials), test.Outcome() == sprt.Fail, nil
}

// wilsonBelow reports whether Wilson's interval of the rate lies below a threshold.
func wilsonBelow(trials []*trial.Trial, threshold float64) (bool, error) {
	i, err := stats.Wilson(countsOf(trials), alpha)
	return err == nil && i.High < threshold, err
}

// countsOf counts passes among the trials that have an outcome.
func countsOf(trials []*trial.Trial) (c stats.Counts) {
	for _, t := range trials {
		switch t.Outcome {
		case trial.Pass:
			c.Passes++
			c.Trials++
		case trial.Fail:
			c.Trials++
		}
	}
	return c
}

// costOf is the cost of trials, of those that tell it.
func costOf(trials []*trial.Trial) (usd float64) {
	for _, t := range trials {
		usd += t.CostUSD.Or(0)
	}
	return usd
}

// table5 sums up the repetitions of all models and domains.
func table5(unchanged, changed []check) []Approach {
	rows := approaches()
	for i := range rows {
		var trials, cost []float64
		a := &rows[i]
		// What a check takes is that of an agent that did not change, which most are.
		for _, c := range unchanged {
			trials, cost = append(trials, c.trials[i]), append(cost, c.cost[i])
			a.Stored += c.stored[i] / float64(len(unchanged))
		}
		a.Trials, a.CostUSD = amountOf(trials), amountOf(cost)
		a.Found, a.Alarms = countFound(changed, i), countFound(unchanged, i)
		if fixed := rows[0].CostUSD.Mean; fixed > 0 && i > 0 {
			a.Saving = share(1 - a.CostUSD.Mean/fixed)
		}
	}
	return rows
}

// countFound counts the repetitions in which an approach found something.
func countFound(checks []check, approach int) Share {
	s := Share{Of: len(checks)}
	for _, c := range checks {
		if c.found[approach] {
			s.Count++
		}
	}
	return s
}

// costRow is what a check costs on the repetitions of a model or a domain.
func costRow(name string, checks []check, paper *Costs) Cost {
	c := Cost{Name: name, Paper: paper}
	for _, k := range checks {
		n := float64(len(checks))
		c.Fixed += k.cost[0] / n
		c.SPRT += k.cost[1] / n
		c.Optimal += k.cost[2] / n
	}
	if c.Fixed > 0 {
		c.Saving = share(1 - c.SPRT/c.Fixed)
	}
	return c
}

// Tables 6 and 7 as they are printed.
var (
	table6 = map[string]Costs{"GPT-5.2": {0.127, share(0.028), share(0.78)},
		"Sonnet 4.6":      {0.196, share(0.043), share(0.78)},
		"Mistral-Large-3": {0.338, share(0.076), share(0.77)}, "Llama-4-Maverick": {0, share(0), nil}}
	table7 = map[string]Costs{"e-commerce": {0.170, nil, share(0.777)}, "customer support": {0.372, nil, share(0.775)},
		"code generation": {0.174, nil, share(0.782)}}
)
