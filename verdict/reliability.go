package verdict

import (
	"fmt"
	"strconv"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
)

// Cost is what trials cost, as far as it is known.
type Cost struct {
	Trials   int     // trials, whatever their outcome
	Known    int     // trials whose cost is known
	Passes   int     // passes among the trials whose cost is known
	TotalUSD float64 // their cost

	Estimated int // of the known, those that are estimates by tokens and list prices
	AtMost    int // of the estimates, those that are upper bounds
}

// count counts the basis of a cost that is known.
func (c *Cost) count(basis trial.CostBasis) {
	switch basis {
	case trial.CostAtMost:
		c.AtMost++
		c.Estimated++
	case trial.EstimatedCost:
		c.Estimated++
	}
}

// Add counts one trial, and what it cost.
func (c *Cost) Add(t *trial.Trial, cost trial.Optional[float64]) {
	c.Trials++
	if !cost.Known {
		return
	}
	c.Known++
	c.TotalUSD += cost.Value
	if t.Outcome == trial.Pass {
		c.Passes++
	}
	c.count(t.CostBasis)
}

// Plus adds up the cost of two sets of trials.
func (c Cost) Plus(d Cost) Cost {
	return Cost{
		c.Trials + d.Trials, c.Known + d.Known, c.Passes + d.Passes, c.TotalUSD + d.TotalUSD,
		c.Estimated + d.Estimated, c.AtMost + d.AtMost,
	}
}

// Reliability describes how well repeated trials of the scenarios succeed.
type Reliability struct {
	// PassHatK is, by k, the mean over scenarios of the unbiased estimate of the
	// probability that k trials all pass; PassAtK that at least one of them does.
	// k runs to the smallest number of trials of a scenario, at most MaxK.
	PassHatK map[string]float64 `json:"pass_hat_k"`
	PassAtK  map[string]float64 `json:"pass_at_k"` // by k, from 0 to 1
	// CostPerSuccess is the cost of all trials, failures too, divided by the
	// passes, over the trials whose cost is known; nil if none is or none passed.
	CostPerSuccess *float64  `json:"cost_per_success"`
	Cost           *CostView `json:"cost,omitempty"` // nil where none is known
}

// CostView is the part of a [Cost] that results show.
type CostView struct {
	KnownTrials int     `json:"known_trials"` // trials whose cost is known
	Trials      int     `json:"trials"`       // all of them
	TotalUSD    float64 `json:"total_usd"`    // of those whose cost is known
	// Of the known, those that are estimates by tokens and list prices, and of these the upper bounds.
	EstimatedTrials int `json:"estimated_trials,omitempty"`
	AtMostTrials    int `json:"at_most_trials,omitempty"` // see EstimatedTrials
	// The table that they are from; nil without estimates, and where the trials brought them along.
	Prices *Prices `json:"prices,omitempty"`
}

// View is what results show of it; nil where none is known.
func (c Cost) View() *CostView {
	if c.Known == 0 {
		return nil
	}
	return &CostView{
		KnownTrials: c.Known, Trials: c.Trials, TotalUSD: c.TotalUSD,
		EstimatedTrials: c.Estimated, AtMostTrials: c.AtMost,
	}
}

// MaxK is the largest k for which pass^k and pass@k are given.
const MaxK = 10

// ReliabilityOf summarises scenarios; those without any trial are left out.
func ReliabilityOf(tallies []Tally, policy ErrorPolicy) *Reliability {
	r := &Reliability{PassHatK: map[string]float64{}, PassAtK: map[string]float64{}}
	var scenarios []stats.Counts
	// The estimate for k needs k trials of every scenario, so the least of them bounds k.
	least := MaxK
	var cost Cost
	for _, t := range tallies {
		cost = cost.Plus(t.Cost)
		if c := t.Counts(policy); c.Trials > 0 {
			scenarios = append(scenarios, c)
			least = min(least, c.Trials)
		}
	}
	if len(scenarios) == 0 {
		return r
	}
	for k := 1; k <= least; k++ {
		var hat, at float64
		for _, c := range scenarios {
			h, _ := stats.PassHatK(c, k) // k <= c.Trials: no error
			a, _ := stats.PassAtK(c, k)
			hat += h
			at += a
		}
		key := strconv.Itoa(k)
		r.PassHatK[key] = hat / float64(len(scenarios))
		r.PassAtK[key] = at / float64(len(scenarios))
	}
	r.addCost(cost)
	return r
}

// addCost leaves Cost and CostPerSuccess nil where nothing is known of them: 0 would be a
// price.
func (r *Reliability) addCost(cost Cost) {
	if cost.Known == 0 {
		return
	}
	r.Cost = cost.View()
	if cost.Passes > 0 {
		r.CostPerSuccess = new(cost.TotalUSD / float64(cost.Passes))
	}
}

// Warnings says so if the cost of some trials is unknown, or an estimate. None is known of nil.
func (cost *CostView) Warnings() (list []Warning) {
	if cost == nil {
		return nil
	}
	if cost.KnownTrials != cost.Trials {
		list = append(list, WarnCostPartlyKnown.Warning(
			"the cost of %d of %s is known; cost per success is taken over these alone",
			cost.KnownTrials, prose.Count(cost.Trials, "trial")))
	}
	if cost.EstimatedTrials > 0 {
		list = append(list, warnCostEstimated.Warning("%s",
			EstimateText(cost.EstimatedTrials, cost.AtMostTrials, cost.Trials)))
	}
	return list
}

// EstimateText says how many of the trials have an estimate for a cost, and of how many of these it is an upper bound.
func EstimateText(estimated, atMost, trials int) string {
	text := fmt.Sprintf("the cost of %d of %s is an estimate, from tokens at list prices", estimated,
		prose.Count(trials, "trial"))
	if atMost > 0 {
		text += fmt.Sprintf("; of %d it is an upper bound, as they do not tell which tokens came from a cache", atMost)
	}
	return text
}

// PerSuccess is the cost over the passes whose cost is known; nil if there is none.
func (c Cost) PerSuccess() *float64 {
	if c.Known == 0 || c.Passes == 0 {
		return nil
	}
	return new(c.TotalUSD / float64(c.Passes))
}
