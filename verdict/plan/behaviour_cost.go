package plan

import (
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/verdict"
)

// scenarioPrice is what trials of a scenario cost.
type scenarioPrice struct {
	usd      float64 // mean of a trial
	recorded int     // trials of the baseline that are there
}

// addCost prices the plan, and what the budget pays for. Without a price and a recorded cost there is none, which is an
// error where a budget is given.
func (b *Behaviour) addCost(counts *fingerprint.Counts, o BehaviourOptions) error {
	prices, known := pricesOf(counts, o.PriceUSD)
	if prices == nil {
		if o.MaxCostUSD != nil {
			return &verdict.OptionError{Option: "max cost", Value: *o.MaxCostUSD,
				Problem: "buys nothing that can be told: the recorded trials do not say what they cost"}
		}
		return nil
	}
	c := &BehaviourCost{Known: known, MaxUSD: o.MaxCostUSD}
	for _, p := range prices {
		c.PerTrialUSD += p.usd / float64(len(prices))
	}
	if b.Trials > 0 {
		c.Baseline, c.Candidate, c.USD = price(prices, b.PerScenario)
	}
	b.Cost = c
	if o.MaxCostUSD == nil {
		return nil
	}
	if c.PerTrialUSD == 0 {
		b.Warnings = append(b.Warnings,
			warnBehaviourFree.Warning("the recorded trials cost nothing: any number is affordable"))
		return nil
	}
	c.Affordable = affordable(prices, *o.MaxCostUSD)
	switch a := c.Affordable; {
	case a.PerScenario == 0:
		b.Warnings = append(b.Warnings,
			warnBehaviourUnaffordable.Warning("the budget does not pay for one trial of each scenario"))
	case b.Trials == 0 || a.Trials < b.Trials:
		b.Warnings = append(b.Warnings,
			warnBehaviourUnaffordable.Warning("the budget does not pay for the trials that find the shift with that power"))
	}
	return nil
}

// pricesOf is what a trial of each scenario costs, and how many trials say so. A scenario that does not tell it costs
// the mean of all trials. It is nil where none tells it.
func pricesOf(counts *fingerprint.Counts, given *float64) (prices []scenarioPrice, known int) {
	prices = make([]scenarioPrice, len(counts.Scenarios))
	told := make([]int, len(prices))
	total := 0.0
	for i, s := range counts.Scenario {
		k := int(s.Value)
		prices[k].recorded++
		if i < len(counts.CostUSD) && counts.CostUSD[i].Known {
			prices[k].usd += counts.CostUSD[i].Value
			total += counts.CostUSD[i].Value
			told[k]++
			known++
		}
	}
	if given == nil && known == 0 {
		return nil, 0
	}
	for k := range prices {
		switch {
		case given != nil:
			prices[k].usd = *given
		case told[k] > 0:
			prices[k].usd /= float64(told[k])
		default:
			prices[k].usd = total / float64(known)
		}
	}
	if given != nil {
		known = 0
	}
	return prices, known
}

// price is what so many trials of each scenario and side take, beside the recorded ones of the baseline.
func price(prices []scenarioPrice, perScenario int) (baseline, candidate int, usd float64) {
	for _, p := range prices {
		missing := max(0, perScenario-p.recorded)
		baseline += missing
		candidate += perScenario
		usd += p.usd * float64(missing+perScenario)
	}
	return baseline, candidate, usd
}

// mostAffordable bounds what is searched for. It is chosen, beyond any number that is run.
const mostAffordable = 1 << 20

// affordable is the most trials of each scenario that a budget pays for; what they cost rises with them.
func affordable(prices []scenarioPrice, usd float64) *Affordable {
	low, high := 0, mostAffordable // low is paid for
	for high-low > 1 {
		middle := low + (high-low)/2
		if _, _, cost := price(prices, middle); cost <= usd {
			low = middle
		} else {
			high = middle
		}
	}
	_, trials, cost := price(prices, low)
	return &Affordable{PerScenario: low, Trials: trials, USD: cost}
}
