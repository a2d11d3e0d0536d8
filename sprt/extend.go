package sprt

import (
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/fault"
)

// CannotExtend is the error of a test that used up its trials and cannot go on to more.
func CannotExtend(kind Kind, trials int, problem string) error {
	return &fault.Error{Problem: fmt.Sprintf("a test of the kind %s cannot go on to %d trials: %s", kind, trials, problem)}
}

// Extend returns the design with so many more trials, for a test that used up its
// trials without a decision. The extended design stops where the first one does and
// goes on where that one ended, so the trials so far count. Wald's test can be
// extended as long as its exact errors stay within their targets: whether to go on is
// decided after looking, and a shorter test errs no more than the longer one. The
// other designs have spent their errors on the trials that they were made for, and
// return an error.
func (d Design) Extend(more int) (Design, error) {
	trials := d.Boundaries.MaxTrials() + more
	refuse := func(format string, values ...any) (Design, error) {
		return Design{}, CannotExtend(d.Kind, trials, fmt.Sprintf(format, values...))
	}
	if more < 1 {
		return refuse("more must be at least one trial")
	}
	if err := checkMaxTrials(trials); err != nil {
		return Design{}, err
	}
	exact, err := d.Errors()
	if err != nil {
		return Design{}, err
	}
	switch d.Kind {
	case WaldKind:
	case FixedKind:
		return refuse("it has one analysis, at the end; a second one would add errors")
	default:
		return refuse(
			"it has spent its errors (alpha %.4f of %v, beta %.4f of %v) on the trials that it was made for; "+
				"begin a new run with a larger max_trials",
			exact.Alpha, d.Hypotheses.Alpha, exact.Beta, d.Hypotheses.Beta)
	}
	longer, err := Wald(d.Hypotheses, trials)
	if err != nil {
		return Design{}, err
	}
	n := d.Boundaries.MaxTrials()
	if !slices.Equal(longer.Boundaries.PassAtOrBelow[:n], d.Boundaries.PassAtOrBelow) ||
		!slices.Equal(longer.Boundaries.FailAtOrAbove[:n], d.Boundaries.FailAtOrAbove) {
		return refuse("its boundaries are not those of Wald's formula")
	}
	if exact, err = longer.Errors(); err != nil {
		return Design{}, err
	}
	if !exact.Within(d.Hypotheses) {
		return refuse("its exact errors would be alpha %.4f and beta %.4f, and exceed their targets",
			exact.Alpha, exact.Beta)
	}
	return longer, nil
}
