package verdict

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
)

// verifySequential judges the recording again. A result that does not hold it is
// followed along its path through the boundaries: where errors lay is not known then,
// so with errors the verdict may also be Inconclusive.
func verifySequential(r *SequentialResult) (*Verification, error) {
	if err := checkExit(r.Verdict, r.ExitCode); err != nil {
		return nil, err
	}
	design, err := r.Design.design("", sprt.Hypotheses{Threshold: r.Threshold, Delta: r.Delta, Alpha: r.Alpha, Beta: r.Beta})
	if err != nil {
		return nil, err
	}
	if r.Recording != nil {
		return r.verifyRecording(design)
	}
	recording := &Recording{}
	before := 0
	for i, failures := range r.Path {
		step := failures - before
		if step != 0 && step != 1 {
			return nil, &DifferenceError{fmt.Sprintf("path[%d]", i), fmt.Sprint(failures), fmt.Sprintf("%d or %d", before, before+1)}
		}
		before = failures
		recording.Add(&trial.Trial{Outcome: map[int]trial.Outcome{0: trial.Pass, 1: trial.Fail}[step]})
	}
	again, err := JudgeSequential(recording, SequentialOptions{Design: design, Errors: ExcludeErrors, Order: FileOrder})
	if err != nil {
		return nil, err
	}
	again.Errors, again.Order, again.Seed = r.Errors, r.Order, r.Seed
	skip := []string{"recorded", "saved", "warnings"}
	if r.Errors == FailErrors {
		skip = append(skip, "errors_in") // failures of the path
	} else if r.ErrorsIn > 0 {
		skip = append(skip, "errors_in", "reasons")
		if r.Verdict == Inconclusive {
			again.Verdict = Inconclusive
		}
	}
	w, err := compareResults(r, again, skip...)
	if err != nil {
		return nil, err
	}
	return &Verification{again.Verdict, w.compared, append([]string{}, w.skipped...)}, nil
}

func (r *SequentialResult) verifyRecording(design sprt.Design) (*Verification, error) {
	recording, err := r.Recording.recording("", r.Recording.Scenarios)
	if err != nil {
		return nil, within("recording", err)
	}
	again, err := JudgeSequential(recording, SequentialOptions{Design: design, Errors: r.Errors, Order: r.Order, Seed: r.Seed})
	if err != nil {
		return nil, err
	}
	w := &comparisonWalk{given: []string{"exit_code"}}
	if err := w.compare(r, again); err != nil {
		return nil, err
	}
	return &Verification{again.Verdict, w.compared, []string{}}, nil
}
