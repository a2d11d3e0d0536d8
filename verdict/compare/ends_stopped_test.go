package compare

import (
	"errors"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// stoppedTrials is a recording of the test of one scenario that its outcomes stopped.
func stoppedTrials(t *testing.T, name, outcomes string) *recording.Recording {
	t.Helper()
	s, err := baseline.Sequential(sample.Design().Boundaries)
	if err != nil {
		t.Fatal(err)
	}
	stops := s.Record()
	r := trialsNamed(name, outcomes)
	r.StoppedBy(recording.Stop{Test: name, Scenarios: []string{name}, Sample: &stops, Judged: len(outcomes)})
	return r
}

// A recording that knows where its test could stop is compared as the result of the run is.
func TestEndsOfStoppedTrials(t *testing.T) {
	passed, failed := strings.Repeat("p", 15), "ffff"
	r := judgedEnds(t, EndsOfTrials(stoppedTrials(t, "a", passed)), EndsOfTrials(stoppedTrials(t, "a", failed)),
		EndsOptions{})
	ends := judgedEnds(t, EndsOfRun("main", ran(t, sample.Design(), map[string]string{"a": passed})),
		EndsOfRun("new", ran(t, sample.Design(), map[string]string{"a": failed})), EndsOptions{})
	have, want := r.Scenarios[0], ends.Scenarios[0]
	if *have.PWorse != *want.PWorse || *have.PDrop != *want.PDrop || have.Verdict != want.Verdict {
		t.Errorf("%+v, of the results %+v", have, want)
	}
}

func TestStoppedTrialsWithoutAnEnd(t *testing.T) {
	joined := stoppedTrials(t, "a", strings.Repeat("p", 15))
	joined.StoppedBy(joined.Stopped().Tests...)
	if side := EndsOfTrials(joined); len(side.Ends) != 1 || !strings.HasPrefix(side.Ends[0].Problem, "2 runs") {
		t.Errorf("two runs: %+v", side.Ends)
	}
	cut := trialsNamed("a", "pp")
	cut.StoppedBy(recording.Stop{Test: "a", Scenarios: []string{"a"}})
	if side := EndsOfTrials(cut); len(side.Ends) != 1 || !strings.Contains(side.Ends[0].Problem, "run --resume") {
		t.Errorf("cut off: %+v", side.Ends)
	}
}

func TestStoppedTrialsAreNoFixedNumber(t *testing.T) {
	stopped := stoppedTrials(t, "a", strings.Repeat("p", 15))
	for _, sides := range [][2]*recording.Recording{{stopped, trialsNamed("a", "pp")}, {trialsNamed("a", "pp"), stopped}} {
		if _, err := Judge(t.Context(), sides[0], sides[1], Options{}); err == nil {
			t.Error("judged as a fixed number of trials")
		} else if _, ok := errors.AsType[*recording.StoppedError](err); !ok {
			t.Error(err)
		}
	}
}
