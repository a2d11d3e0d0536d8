package runner

import (
	"cmp"
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Evidence returns what the run found, for [runs.Judge]: the tests with their trials in
// launch order, those beyond a decision too, since they were paid for. The name and the
// digest are those of the suite, and the version that of the program.
func (r *Result) Evidence(suite, digest, version string) runs.Evidence {
	e := runs.Evidence{
		Suite: suite, Digest: digest, Seed: r.Seed, Version: version,
		StoppedBy: r.StoppedBy, Budget: r.Limit.String(), Spent: r.spent(), Journal: r.Journal, Changed: r.Changed,
		Unconfined:  r.Unconfined,
		Calibration: r.Calibration,
	}
	records := map[string][]*Record{} // of a test, by its name
	for i := range r.Trials {
		record := &r.Trials[i]
		records[record.Test] = append(records[record.Test], record)
		if record.Trial != nil {
			e.Spent.Trials++
		}
	}
	for i, t := range r.Tests {
		x := runs.TestEvidence{
			Name: t.Name, Variant: t.Variant, Scenarios: t.Scenarios, Design: t.Design, Against: t.Against, Joint: t.Joint,
			Recorded: t.Recorded, Shared: t.Shared,
		}
		inRounds := t.Against != nil && t.Against.Rounds != nil || t.Joint.Paired()
		gather := func() []runs.TrialEvidence { return r.gathered(i, records[t.Name], inRounds) }
		if len(r.packedOf(i)) > 0 {
			x.Gather = gather
		} else {
			x.Trials = gather()
		}
		for _, part := range r.packedOf(i) {
			e.Spent.Trials += len(part)
		}
		e.Tests = append(e.Tests, x)
	}
	return e
}

// gathered are the trials of a test: its records, and those that were packed.
func (r *Result) gathered(test int, records []*Record, inRounds bool) []runs.TrialEvidence {
	n := len(records)
	for _, part := range r.packedOf(test) {
		n += len(part)
	}
	list := make([]runs.TrialEvidence, 0, n)
	for launched, record := range records {
		if x := record.evidence(); inRounds {
			list = inRound(list, x, launched)
		} else {
			list = append(r.packedBefore(test, list), x)
		}
	}
	return r.packedBefore(test, list)
}

// packedOf are the trials of a test that were packed.
func (r *Result) packedOf(test int) [][]packedTrial {
	if r.packed == nil {
		return nil // of a result that was put together elsewhere
	}
	return r.packed[test]
}

// packedBefore adds the packed trials of a test whose place is next to those before.
func (r *Result) packedBefore(test int, list []runs.TrialEvidence) []runs.TrialEvidence {
	parts := r.packedOf(test)
	at, _ := slices.BinarySearchFunc(parts, len(list), func(part []packedTrial, place int) int {
		return cmp.Compare(int(part[len(part)-1].place), place)
	})
	for _, part := range parts[at:] {
		from, found := slices.BinarySearchFunc(part, len(list), func(s packedTrial, place int) int {
			return cmp.Compare(int(s.place), place)
		})
		if !found {
			break
		}
		for i := from; i < len(part) && int(part[i].place) == len(list); i++ {
			list = append(list, part[i].evidence())
		}
	}
	return list
}

// evidence is a trial of a run.
func (r *Record) evidence() runs.TrialEvidence {
	x := runs.TrialEvidence{
		Scenario: r.Scenario, Number: r.Number, Baseline: r.Baseline, Trial: r.Trial, Process: r.Process,
		MoreSteps: r.MoreSteps, Usage: r.Usage, Answer: r.Answer,
	}
	// With one attempt whose cost is not known, that of the trial is not known either.
	if r.Spent.CostUnknown == 0 && r.Spent.Attempts > 0 {
		x.CostUSD = trial.Some(r.Spent.CostUSD)
	}
	return x
}

// inRound adds a trial of a test in rounds, before which so many were launched: each round has
// the baseline's first, whichever was launched first. Of a round that has only begun the other
// trial is there too, as one that did not end.
func inRound(trials []runs.TrialEvidence, x runs.TrialEvidence, launched int) []runs.TrialEvidence {
	if launched%2 == 0 {
		first, second := x, x
		first.Baseline, second.Baseline = true, false
		first.Trial, second.Trial = nil, nil
		first.CostUSD, second.CostUSD = trial.Optional[float64]{}, trial.Optional[float64]{}
		trials = append(trials, first, second)
	}
	at := len(trials) - 1
	if x.Baseline {
		at--
	}
	trials[at] = x
	return trials
}

// spent is what the result of a run says of what it took: an amount of which nothing is
// known is nil there. Amounts are known if at least one attempt that began tells them; the rest is counted beside.
func (r *Result) spent() runs.Expense {
	s := runs.Expense{
		Duration: r.Elapsed.Seconds(), Attempts: r.Spent.Attempts, CostUnknown: r.Spent.CostUnknown, Lost: r.Lost,
		Repeated: r.Repeated, Cut: r.Cut,
	}
	began := r.Spent.Attempts - r.Spent.Unstarted
	if r.Spent.CostUnknown < began {
		s.CostUSD = &r.Spent.CostUSD
	}
	if r.Spent.TokensUnknown < began {
		s.InputTokens = &r.Spent.InputTokens
		s.OutputTokens = &r.Spent.OutputTokens
	}
	return s
}
