package savings

import (
	"context"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/bench/internal/simulation"
	"github.com/tribunal-dev/tribunal/fingerprint"
)

// kinds measures the kinds of scenarios: money exactly, behaviour by running the whole
// path again and again.
//
// The cost of a method is the mean cost of a trial times its expected trials, exactly: what a trial
// costs does not depend on when the test ends, as far as the simulated agents go.
func (m *measurement) kinds(ctx context.Context, s *Result) error {
	distance, err := m.distance()
	if err != nil {
		return err
	}
	for k, agent := range simulation.Domains() {
		kind := Kind{
			Name: agent.Name, CostUSD: agent.CostUSD, Tokens: agent.Tokens.Mean,
			CostOfFixed: agent.CostUSD * float64(s.Fixed), CostOfPaper: agent.CostUSD * float64(s.PaperFixed),
		}
		for _, use := range agent.Tools {
			kind.Calls += use.Calls
		}
		// The short form simulates at a rate of 1 alone, the first.
		for i, p := range passRates {
			if m.Short && p < 1 {
				break
			}
			agent.PassRate = p
			// A number for each kind and rate, and the next one for the runs without a shift;
			// known takes numbers below 100.
			b, err := m.behaviour(ctx, uint64(100+20*k+2*i), agent, simulation.ShiftOf(k, agent, distance))
			if err != nil {
				return err
			}
			b.P, b.Distance = p, distance
			kind.Behaviour = append(kind.Behaviour, b)
		}
		kind.fill(s.Methods)
		s.Kinds = append(s.Kinds, kind)
	}
	return nil
}

// behaviour runs the whole path with a shift and without.
//
// Without the shift, whatever is found is a false alarm.
func (m *measurement) behaviour(ctx context.Context, cell uint64, agent simulation.Agent,
	shift simulation.Shift) (b Behaviour, err error) {
	b.Shift, b.Baseline, b.Runs = shift.Text, storedTraces, m.runs(kindRuns, kindRunsShort)
	// The baseline is always of the agent as it is; the candidate may be of a shifted one.
	path := func(candidate simulation.Agent) func(*rand.Rand, fingerprint.Options) (bool, bool, int, error) {
		return func(random *rand.Rand, o fingerprint.Options) (bool, bool, int, error) {
			return m.wholePath(ctx, random, agent, candidate, o)
		}
	}
	if b.Power, b.Found, b.Candidate, err = m.simulate(ctx, cell, b.Runs, path(shift.Change(agent))); err != nil {
		return b, err
	}
	b.Alarms, b.FoundUnchanged, _, err = m.simulate(ctx, cell+1, b.Runs, path(agent))
	return b, err
}

// fill writes a row for every method and pass rate.
//
// A method without a test of behaviour finds a change by its Fail alone, as often with it as
// without, for the change leaves the pass rate as it is. What was not simulated stays nil.
func (k *Kind) fill(methods []Method) {
	for _, method := range methods {
		for i, rate := range method.Rates {
			row := Row{Method: method.Name, P: rate.P, CostUSD: k.CostUSD * rate.ExpectedTrials}
			switch {
			case !method.Behaviour:
				share := &Share{Value: rate.Fail, Exact: true}
				row.Found, row.Alarm = share, share
			case i < len(k.Behaviour):
				b := k.Behaviour[i]
				row.Found = &Share{Value: b.Found.Share, StdErr: b.Found.StdErr}
				row.Alarm = &Share{Value: b.FoundUnchanged.Share, StdErr: b.FoundUnchanged.StdErr}
			}
			k.Rows = append(k.Rows, row)
		}
	}
}

// rateOf returns what a method does at one of the pass rates of the tables.
func (s *Result) rateOf(name string, p float64) Rate {
	for _, method := range s.Methods {
		for _, rate := range method.Rates {
			if method.Name == name && rate.P == p {
				return rate
			}
		}
	}
	return Rate{P: p}
}
