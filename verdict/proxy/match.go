package proxy

import (
	"errors"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/stats/controlvariate"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Why trials cannot be matched.
var (
	ErrNoNumber = errors.New("trials without a number cannot be matched")
	ErrTwice    = errors.New("is recorded twice")
	ErrNoPairs  = errors.New("no trial of the target has one of the proxy of the same scenario and number")
)

// MatchedTrials are the trials of a target and of its proxy, matched by scenario and number.
type MatchedTrials struct {
	Names     [2]string // of the target and the proxy, for a person
	Scenarios []Scenario
	Unpaired  int        // trials of the target without one of the proxy; they are left out
	Errors    int        // trials of either without an outcome; they are left out, and who is matched with them
	CostUSD   [2]float64 // means of a trial of the target and of the proxy; NaN where no cost is known
	Stopped   bool       // tests stopped the trials of one of them by their outcomes
}

// Scenario are the trials of one scenario, in the order in which the target has them.
type Scenario struct {
	Name   string                `json:"name"`
	Sample controlvariate.Sample `json:"sample"`
}

// whole is all of it as one sample.
func (m *MatchedTrials) whole() (all controlvariate.Sample) {
	for _, s := range m.Scenarios {
		all.Add(s.Sample)
	}
	return all
}

// single reports whether no scenario has two pairs: the scenarios are then what varies, and all are one stratum.
func (m *MatchedTrials) single() bool {
	for _, s := range m.Scenarios {
		if s.Sample.Pairs() > 1 {
			return false
		}
	}
	return true
}

// key is a trial.
type key struct {
	scenario string
	number   int
}

// Match pairs each trial of the target with that of the proxy of the same scenario and number. Trials of the proxy that
// are left over are further ones of their scenario.
func Match(target, proxy *recording.Recording) (*MatchedTrials, error) {
	m := &MatchedTrials{Names: [2]string{target.Name, proxy.Name}, Stopped: target.Stopped() != nil ||
		proxy.Stopped() != nil}
	var outcomes [2]map[key]trial.Outcome
	for i, r := range []*recording.Recording{target, proxy} {
		var err error
		if outcomes[i], err = numbered(r); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		m.CostUSD[i] = meanCost(r)
	}
	at := map[string]int{}
	sample := func(name string) *controlvariate.Sample {
		if _, there := at[name]; !there {
			at[name] = len(m.Scenarios)
			m.Scenarios = append(m.Scenarios, Scenario{Name: name})
		}
		return &m.Scenarios[at[name]].Sample
	}
	for _, o := range target.Observations() {
		k := key{o.Scenario, o.Index.Value}
		other, there := outcomes[1][k]
		switch {
		case !decided(o.Outcome):
			m.Errors++
		case !there:
			m.Unpaired++
		case decided(other):
			pair(sample(o.Scenario), o.Outcome == trial.Pass, other == trial.Pass)
		}
	}
	if len(m.Scenarios) == 0 {
		return nil, ErrNoPairs
	}
	for _, o := range proxy.Observations() {
		_, paired := outcomes[0][key{o.Scenario, o.Index.Value}]
		switch {
		case !decided(o.Outcome):
			m.Errors++
		case !paired:
			s := sample(o.Scenario)
			s.Further++
			if o.Outcome == trial.Pass {
				s.FurtherPasses++
			}
		}
	}
	return m, nil
}

// numbered are the outcomes of a recording by scenario and number.
func numbered(r *recording.Recording) (map[key]trial.Outcome, error) {
	outcomes := map[key]trial.Outcome{}
	for _, o := range r.Observations() {
		k := key{o.Scenario, o.Index.Value}
		if !o.Index.Known {
			return nil, ErrNoNumber
		}
		if _, there := outcomes[k]; there {
			return nil, fmt.Errorf("trial %d of %q %w", k.number, k.scenario, ErrTwice)
		}
		outcomes[k] = o.Outcome
	}
	return outcomes, nil
}

func decided(o trial.Outcome) bool { return o == trial.Pass || o == trial.Fail }

// pair counts one pair.
func pair(s *controlvariate.Sample, target, proxy bool) {
	switch {
	case target && proxy:
		s.BothPass++
	case target:
		s.TargetOnly++
	case proxy:
		s.ProxyOnly++
	default:
		s.BothFail++
	}
}

// meanCost is that of the trials whose cost is known.
func meanCost(r *recording.Recording) float64 {
	sum, n := 0.0, 0.0
	for _, o := range r.Observations() {
		if cost := o.Metrics[recording.CostMetric]; !math.IsNaN(cost) {
			sum, n = sum+cost, n+1
		}
	}
	return sum / n
}

// samples are the strata of one recording.
func (m *MatchedTrials) samples() []controlvariate.Sample {
	if m.single() {
		return []controlvariate.Sample{m.whole()}
	}
	list := make([]controlvariate.Sample, len(m.Scenarios))
	for i, s := range m.Scenarios {
		list[i] = s.Sample
	}
	return list
}
