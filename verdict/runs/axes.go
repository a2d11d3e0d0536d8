package runs

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
	"github.com/tribunal-dev/tribunal/verdict"
)

// addAxes gathers the points of trials, of each test.
func (r *Result) addAxes(e Evidence) (err error) {
	for i, t := range e.Tests {
		if r.Tests[i].Axes, err = score.SeriesOf(recordsOf(t.side(false))); err != nil {
			return err
		}
		if !t.inRounds() {
			continue
		}
		if r.Tests[i].BaselineAxes, err = score.SeriesOf(recordsOf(t.side(true))); err != nil {
			return err
		}
	}
	return nil
}

// recordsOf are the records of trials by their positions; nil where one did not end.
func recordsOf(t TestEvidence) []*trial.Trial {
	t = t.gathered()
	list := make([]*trial.Trial, len(t.Trials))
	for i, x := range t.Trials {
		if list[i] = x.Trial; x.Kept != nil {
			list[i] = x.Kept.whole() // another has no points
		}
	}
	return list
}

// fillAxes gives the trials of the evidence their points, which each test holds of all of them. What is listed of a
// trial must not say otherwise.
func (r *Result) fillAxes(e *Evidence) error {
	listed := map[*trial.Trial]string{} // where a trial is listed
	at := map[string]int{}
	for i, t := range e.Tests {
		at[t.Name] = i
	}
	for i, x := range r.Trials {
		t := &e.Tests[at[x.Test]]
		listed[t.Trials[t.at(x.Position, x.Baseline)].Trial] = fmt.Sprintf("trials[%d].score", i)
	}
	for i := range e.Tests {
		for _, ofBaseline := range []bool{false, true} {
			series, name := r.Tests[i].Axes, "axes"
			if ofBaseline {
				series, name = r.Tests[i].BaselineAxes, "baseline_axes"
			}
			if ofBaseline && !e.Tests[i].inRounds() {
				continue // what stands there is found to be too much
			}
			for position, x := range recordsOf(e.Tests[i].side(ofBaseline)) {
				if x == nil {
					continue
				}
				found, err := score.TrialOf(series, position)
				if err != nil {
					return &verdict.DifferenceError{
						Path: fmt.Sprintf("scenarios[%d].%s", i, name), Have: err.Error(), Want: "points of its trials",
					}
				}
				if path, is := listed[x]; is {
					if have := score.Recorded(x); !have.Same(found) {
						return &verdict.DifferenceError{Path: path, Have: have.String(), Want: found.String()}
					}
					continue
				}
				found.Record(x)
			}
		}
	}
	return nil
}
