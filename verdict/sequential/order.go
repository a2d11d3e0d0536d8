package sequential

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/collapse"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Edition says by which rules the order of a recording is taken, where they have changed.
// Results that do not say it are of the first.
type Edition uint8

// The editions of the rules.
const (
	// FirstEdition shuffled with a seed that was given, took a recording for blocked by its number of
	// blocks alone, and warned where scenarios were not looked at.
	FirstEdition Edition = iota
	// secondEdition shuffles with [ShuffleSeed], tests whether the order is a random one, and leaves
	// the verdict open where scenarios were not looked at.
	secondEdition
	// thirdEdition leaves a Pass open where a scenario has collapsed.
	thirdEdition
)

// BlockedError says that a recording does not hold its trials in an order in which those of
// all scenarios are alike.
type BlockedError struct {
	Trials, Scenarios int
	P                 float64 // of so uneven an order, were it a random one
}

// ExitCode is that of input that cannot be used.
func (e *BlockedError) ExitCode() int { return exit.Input }

func (e *BlockedError) Error() string {
	return fmt.Sprintf(
		"the recording does not hold its %d trials of %d scenarios in a random order (p %.2g), some scenarios come before "+
			"others: a sequential test of the pooled trials in this order would judge the first scenarios alone",
		e.Trials, e.Scenarios, e.P)
}

// ShuffleSeed is the seed of the shuffle of a recording. It is a hash of what the recording
// holds, scenario by scenario, so that nobody may choose among shuffles: neither by a seed nor by
// the order of the scenarios in the file.
func ShuffleSeed(r *recording.Recording) uint64 {
	h := sha256.New()
	fmt.Fprintln(h, "tribunal shuffle 1")
	for _, i := range canonical(r) {
		o := r.At(i)
		fmt.Fprintf(h, "%d %q\n", o.Outcome, o.Scenario)
	}
	// 32 bits, so that the seed is short and exact in every JSON.
	return uint64(binary.BigEndian.Uint32(h.Sum(nil)))
}

// canonical is the order by scenario, and within each as recorded.
func canonical(r *recording.Recording) []int {
	order := r.Order()
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(r.ScenarioName(a), r.ScenarioName(b))
	})
	return order
}

// orderOf returns the places of the trials in the order in which they are judged. It returns
// a [BlockedError] where the order of the file cannot be taken for a random one.
func orderOf(r *recording.Recording, o Order, e Edition, seed uint64) ([]int, error) {
	order := r.Order()
	if o == ShuffleOrder {
		if e > FirstEdition {
			order = canonical(r)
		}
		// The seed is in the result, so the same order can be drawn again.
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		return order, nil
	}
	if e == FirstEdition {
		return order, blocksInFirst(r)
	}
	p := orderP(r)
	if p <= orderLevel {
		return nil, &BlockedError{Trials: r.Len(), Scenarios: scenariosOf(r), P: p}
	}
	return order, nil
}

// Reasons and warnings of the order.
const (
	CodeScenariosUnseen verdict.Code = "scenarios-unseen" // a stop before every scenario had its turn
)

// warnScenariosUnseen was said in the first edition of a verdict that rests on a part of the scenarios.
const warnScenariosUnseen = CodeScenariosUnseen

// openUnseen leaves a verdict open that was reached before every scenario had its turn,
// where nothing says that the order is a random one: what is not looked at may be worse or
// better. The first edition warns of it.
func (result *Result) openUnseen(r *recording.Recording, order []int) {
	// A shuffled order is random, and an Inconclusive rests on no scenario in particular.
	if result.Order != FileOrder || result.Verdict == verdict.Inconclusive {
		return
	}
	// Errors before the stop were seen too: their scenario had its turn.
	all, seen := map[string]bool{}, map[string]bool{}
	for i, at := range order {
		name := r.ScenarioName(at)
		all[name] = true
		if i < result.Trials+result.ErrorsIn {
			seen[name] = true
		}
	}
	if len(seen) == len(all) {
		return
	}
	if result.Edition == FirstEdition {
		result.Warnings = append(result.Warnings,
			warnScenariosUnseen.Warning(
				"the verdict rests on %d of %d scenarios, the first ones of the recording: it holds for all "+
					"of them if their order is random, so shuffle it if it is not",
				len(seen), len(all)))
		return
	}
	end := "Pass"
	if result.Verdict == verdict.Fail {
		end = "Fail"
	}
	result.Reasons = append([]verdict.Reason{CodeScenariosUnseen.Reason(
		"the test ended with %s after trials of %d of %d scenarios, and the others were not judged; --order shuffle "+
			"judges the trials in a random order", end, len(seen), len(all))}, result.Reasons...)
	result.Verdict = verdict.Inconclusive
	// It would be that of the first scenarios.
	result.Estimate = nil
	if a := result.Against; a != nil {
		a.PUnchanged, a.PDropped, a.Difference = nil, nil, nil
	}
}

// ofOneRate refuses a recording of tests that stopped by their outcomes, unless all drew from the
// same scenarios: of several, how many trials each has follows from the outcomes, and a random
// order of all of them too.
//
// In the order in which they were launched the trials of one such test are those of a sequence
// that goes on: what another design says of them holds, wherever they end, for it has decided
// before, or is left open.
func ofOneRate(r *recording.Recording, o Order) error {
	s := r.Stopped()
	if s == nil {
		return nil
	}
	e := &recording.StoppedError{Name: r.Name, Stopped: s}
	if s.IsCut() && o != ShuffleOrder {
		return nil // the design stops by itself, or is left open
	}
	pool, several := s.Pool()
	for i := range r.Places() {
		several = several || !slices.Contains(pool, r.ScenarioName(i))
	}
	switch {
	case several && !s.IsCut():
		return e
	case o == ShuffleOrder: // how many there are to shuffle follows from the outcomes
		e.Advice = "omit --order shuffle: they are judged in the order in which they were launched"
		return e
	}
	for _, t := range s.Tests {
		if t.Judged == 0 || t.Sample == nil || len(s.Tests) > 1 {
			continue // it has no end that could be another one
		}
		if _, err := r.End(t); err != nil {
			return err
		}
	}
	return nil
}

// scenariosOf counts them.
func scenariosOf(r *recording.Recording) int {
	names := map[string]bool{}
	for i := range r.Places() {
		names[r.ScenarioName(i)] = true
	}
	return len(names)
}

// blocksInFirst is how the first edition told blocks: it counts blocks, maximal runs of one scenario, as the
// test of Wald and Wolfowitz does. Less than 60 % of the expected number is chosen: a random
// order of more than a few trials hardly ever comes near it, and a recording that holds its
// trials scenario by scenario is far below.
func blocksInFirst(r *recording.Recording) error {
	counts := map[string]int{}
	runs := 0
	for i, o := range r.Observations() {
		counts[o.Scenario]++
		if i == 0 || o.Scenario != r.ScenarioName(i-1) {
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
		return &BlockedError{Trials: r.Len(), Scenarios: len(counts), P: orderP(r)}
	}
	return nil
}

// openCollapsed leaves a Pass open where scenarios have collapsed, by all of their recorded trials: the number of these
// does not depend on what they came to.
func (result *Result) openCollapsed(ctx context.Context, r *recording.Recording) error {
	tallies := r.Tallies()
	if result.Edition < thirdEdition || result.Verdict != verdict.Pass || result.Against != nil || len(tallies) < 2 {
		return nil
	}
	each, err := verdict.JudgeThreshold(ctx, tallies, verdict.ThresholdOptions{
		Threshold: collapse.Rate(result.Threshold), Alpha: result.Alpha, Errors: result.Errors,
	})
	if err != nil {
		return err
	}
	var names []string
	for _, s := range each.Scenarios {
		if p := s.PBelowHolm; p != nil && *p <= result.Alpha {
			names = append(names, s.Name)
		}
	}
	if len(names) > 0 {
		result.Verdict = verdict.Inconclusive
		result.Reasons = append([]verdict.Reason{
			verdict.CodeScenariosFail.Reason("%s", collapse.Text(names, result.Threshold, "the trials up to the decision")),
		}, result.Reasons...)
	}
	return nil
}
