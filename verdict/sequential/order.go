package sequential

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// BlockedError says that a recording holds its trials scenario by scenario.
type BlockedError struct {
	Runs, Trials, Scenarios int // blocks of one scenario, and what they are made of
}

// ExitCode is that of input that cannot be used.
func (e *BlockedError) ExitCode() int { return exit.Input }

func (e *BlockedError) Error() string {
	return fmt.Sprintf(
		"the recording holds its %d trials of %d scenarios in %d blocks, scenario by scenario: a sequential "+
			"test of the pooled trials in this order would judge the first scenarios alone",
		e.Trials, e.Scenarios, e.Runs)
}

// WarnScenariosUnseen says that a verdict rests on a part of the scenarios.
const WarnScenariosUnseen verdict.Code = "scenarios-unseen"

// warnUnseen warns of a verdict that was reached before every scenario had its
// turn, where nothing says that the order is a random one.
func (result *Result) warnUnseen(r *recording.Recording, order []int) {
	// A shuffled order is random, and an Inconclusive rests on no scenario in particular.
	if result.Order != FileOrder || result.Verdict == verdict.Inconclusive {
		return
	}
	// Errors before the stop were seen too: their scenario had its turn.
	all, seen := map[string]bool{}, map[string]bool{}
	for i, at := range order {
		name := r.Observations()[at].Scenario
		all[name] = true
		if i < result.Trials+result.ErrorsIn {
			seen[name] = true
		}
	}
	if len(seen) < len(all) {
		result.Warnings = append(result.Warnings,
			WarnScenariosUnseen.Warning(
				"the verdict rests on %d of %d scenarios, the first ones of the recording: it holds for all "+
					"of them if their order is random, so shuffle it if it is not",
				len(seen), len(all)))
	}
}

// interleaved returns a [BlockedError] where trials of one scenario follow each other far
// more often than in a random order. It counts blocks, maximal runs of one scenario, as the
// test of Wald and Wolfowitz does. Less than 60 % of the expected number is chosen: a random
// order of more than a few trials hardly ever comes near it, and a recording that holds its
// trials scenario by scenario is far below.
func interleaved(r *recording.Recording) error {
	counts := map[string]int{}
	runs := 0
	for i, o := range r.Observations() {
		counts[o.Scenario]++
		if i == 0 || o.Scenario != r.Observations()[i-1].Scenario {
			runs++
		}
	}
	n := float64(r.Len())
	// Each of the n-1 neighbours differs with probability sum k(n-k) / (n(n-1)).
	expected := 1.0 // runs of a random order
	for _, k := range counts {
		expected += float64(k) * (n - float64(k)) / max(n, 1)
	}
	// With one trial a scenario every order looks the same.
	if len(counts) > 1 && r.Len() > len(counts) && float64(runs) < 0.6*expected {
		return &BlockedError{Runs: runs, Trials: r.Len(), Scenarios: len(counts)}
	}
	return nil
}
