package improving

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	selection "github.com/tribunal-dev/tribunal/sprt/race"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/race"
)

// racePlanSchema names the JSON form of the plan of a race.
const racePlanSchema = "tribunal/race-plan/v1"

// plannedRaces is how many races a plan simulates. It is chosen: the chance that the best is chosen is within a point.
const plannedRaces = 2000

// racePlan is what a race takes where the best passes at one rate, and all others at one that is lower by delta.
type racePlan struct {
	Schema    string       `json:"schema"`
	Suite     string       `json:"suite"`
	Seed      uint64       `json:"seed"` // of the simulations
	Arms      int          `json:"arms"`
	Asked     race.Options `json:"asked"`
	OddsRatio float64      `json:"odds_ratio"`
	Best      float64      `json:"best_rate"`   // of one arm
	Rest      float64      `json:"other_rates"` // of all others
	Simulated int          `json:"simulated"`   // races of each row
	Ways      []wayToRace  `json:"ways"`
}

// wayToRace is one way to choose the best.
type wayToRace struct {
	Name      string  `json:"name"`
	Trials    float64 `json:"expected_trials"` // of all arms together
	Most      int     `json:"max_trials"`      // likewise
	Right     float64 `json:"chooses_best"`    // probability
	Wrong     float64 `json:"chooses_other"`   // probability
	Undecided float64 `json:"undecided"`       // probability
}

// planned says what the race takes.
func (r *RaceRequest) planned(
	ctx context.Context, a *world.World, s *suite.Suite, arms int, o race.Options, ratio float64,
) error {
	r.Result.Output = r.Output
	to, err := r.Result.File(ctx, a, []string{s.File})
	if err != nil {
		return err
	}
	p := racePlan{Schema: racePlanSchema, Suite: s.Name, Seed: s.Seed, Arms: arms, Asked: o, OddsRatio: ratio,
		Simulated: plannedRaces}
	p.Best = max(o.Rate, (1+o.Delta)/2)
	p.Rest = p.Best - o.Delta
	rates := make([]float64, arms)
	for i := range rates {
		rates[i] = p.Rest
	}
	rates[arms-1] = p.Best
	rule := selection.Rule{Lead: o.Lead, MaxRounds: o.MaxRounds}
	c, err := selection.Simulate(ctx, arms, rule, selection.Independent(rates), plannedRaces, s.Seed)
	if err != nil {
		return err
	}
	p.add("race", c, arms*o.MaxRounds)
	if r.Compare {
		if err := p.others(ctx, rates); err != nil {
			return err
		}
	}
	return r.Result.Show(ctx, a, to, p.document())
}

func (p *racePlan) add(name string, c selection.Characteristics, most int) {
	right := c.Chosen[len(c.Chosen)-1]
	wrong := 0.0
	for _, x := range c.Chosen[:len(c.Chosen)-1] {
		wrong += x
	}
	p.Ways = append(p.Ways, wayToRace{name, c.Trials, most, right, wrong, c.Undecided})
}

// others adds other ways to choose with the same probability: a fixed number of trials, the same curtailed, and
// sequential halving with the fewest trials of which a simulation is as often right.
func (p *racePlan) others(ctx context.Context, rates []float64) error {
	each, err := selection.FixedTrials(p.Arms, p.Best, p.Rest, p.Asked.Alpha)
	if err != nil {
		return problem.Usage("omit --compare", "nothing can be set beside this race: %v", err)
	}
	curtailed, err := selection.Curtailed(ctx, rates, each, plannedRaces, p.Seed)
	if err != nil {
		return err
	}
	whole := curtailed // which chooses the same
	whole.Trials = float64(p.Arms * each)
	p.add("fixed", whole, p.Arms*each)
	p.add("curtailed", curtailed, p.Arms*each)
	low, high := 0, 0
	halved := selection.Characteristics{}
	for budget := 2 * p.Arms; high == 0 || high-low > max(p.Arms, high/50); {
		c, err := selection.Halving(ctx, rates, budget, plannedRaces, p.Seed)
		switch {
		case err != nil:
			return err
		case c.Chosen[p.Arms-1] >= 1-p.Asked.Alpha:
			high, halved = budget, c
		default:
			low = budget
		}
		budget = 2 * low
		if high > 0 {
			budget = (low + high) / 2
		}
	}
	p.add("halving", halved, high)
	return nil
}

// document is the plan for people.
func (p *racePlan) document() *report.Document {
	d := new(report.Document).Listing(racePlanSchema, "race", p)
	d.Word = "plan"
	d.Headline = fmt.Sprintf("%s of %s: one is dropped at %s behind the leader, an odds ratio of %.3g, where one passes "+
		"%s and all others %s; %d races of each are simulated, seed %d", p.Suite, prose.Count(p.Arms, "agent"),
		prose.Count(p.Asked.Lead, "pass"), p.OddsRatio, phrase.Percent(p.Best), phrase.Percent(p.Rest), p.Simulated, p.Seed)
	d.Break()
	t := d.NewTable("Ways", "way", ">expected trials", ">at most", ">right", ">wrong", ">undecided")
	for _, x := range p.Ways {
		t.Add(x.Name, fmt.Sprintf("%.0f", x.Trials), x.Most, phrase.Rate(x.Right), phrase.Rate(x.Wrong),
			phrase.Rate(x.Undecided))
	}
	return d
}
