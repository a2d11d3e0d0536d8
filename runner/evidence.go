package runner

import (
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Evidence returns what the run found, for [runs.Judge].
func (r *Result) Evidence(suite, digest, version string) runs.Evidence {
	e := runs.Evidence{
		Suite: suite, Digest: digest, Seed: r.Seed, Version: version,
		StoppedBy: runs.StopCause(r.Reason.String()), Budget: r.Limit.String(), Spent: r.spent(),
	}
	at := map[string]int{}
	for i, t := range r.Tests {
		at[t.Name] = i
		e.Tests = append(e.Tests, runs.TestEvidence{Name: t.Name, Scenarios: t.Scenarios, Design: t.Design})
	}
	for _, record := range r.Trials {
		x := runs.TrialEvidence{Scenario: record.Scenario, Number: record.Number, Trial: record.Trial}
		if record.Spent.CostUnknown == 0 && record.Spent.Attempts > 0 {
			x.CostUSD = trial.Some(record.Spent.CostUSD)
		}
		t := &e.Tests[at[record.Test]]
		t.Trials = append(t.Trials, x)
		if record.Trial != nil {
			e.Spent.Trials++
		}
	}
	return e
}

func (r *Result) spent() runs.Spent {
	s := runs.Spent{Duration: r.Elapsed.Seconds(), Attempts: r.Spent.Attempts, CostUnknown: r.Spent.CostUnknown, Lost: r.Lost}
	if r.Spent.CostUnknown < r.Spent.Attempts {
		s.CostUSD = &r.Spent.CostUSD
	}
	if r.Spent.TokensUnknown < r.Spent.Attempts {
		s.InputTokens, s.OutputTokens = &r.Spent.InputTokens, &r.Spent.OutputTokens
	}
	return s
}
