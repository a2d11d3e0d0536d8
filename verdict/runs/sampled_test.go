package runs

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
)

// A sequential run is sampled by its boundaries: 15 straight passes at a rate of .9 have
// probability .9^15, and no run ends after 14.
func TestSequentialRunsAreSampledByTheirBoundaries(t *testing.T) {
	r := judgeRun(t, ran("a", sample.Design(), passes(15)))
	sampled, err := r.Tests[0].Sampled()
	if err != nil {
		t.Fatal(err)
	}
	s, err := sampled.Sample()
	if err != nil {
		t.Fatal(err)
	}
	o := sampled.Outcome()
	if want := (baseline.Outcome{Trials: 15}); o != want {
		t.Errorf("it came to %+v, not %+v", o, want)
	}
	if got, want := s.Probability(o, .9), math.Pow(.9, 15); math.Abs(got-want) > 1e-12 {
		t.Errorf("its probability is %v, not %v", got, want)
	}
	if got := s.Probability(baseline.Outcome{Trials: 14}, .9); got != 0 {
		t.Errorf("it ends after 14 trials with probability %v", got)
	}
}

// A fixed number of trials is a binomial sample of those with an outcome.
func TestRecordedRunsAreFixedSamples(t *testing.T) {
	for _, kind := range []string{"recording", "fixed"} {
		x := Test{Name: "a", Passes: 3, Fails: 1, Errors: 2, Trials: 6}
		x.Design.Kind = kind
		sampled, err := x.Sampled()
		if err != nil {
			t.Fatal(err)
		}
		s, err := sampled.Sample()
		if err != nil {
			t.Fatal(err)
		}
		o := sampled.Outcome()
		if got, want := s.Probability(o, .9), 4*.1*math.Pow(.9, 3); o.Trials != 4 || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %+v has probability %v, not %v", kind, o, got, want)
		}
	}
}

func TestRunsThatAreNoBaselines(t *testing.T) {
	for outcomes, want := range map[string]string{
		passes(14):                     "has not ended",
		"e" + passes(15) + passes(20):  "1 trial of it ended in an error",
		"":                             "holds no trial that passed or failed",
		strings.Repeat("p", 3) + ".pp": "has not ended",
	} {
		r := judgeRun(t, ran("a", sample.Design(), outcomes))
		_, err := r.Tests[0].Sampled()
		if e, ok := errors.AsType[*SampledError](err); !ok || !strings.Contains(e.Message(), want) || e.Hint() == "" {
			t.Errorf("%q: %v, not %q", outcomes, err, want)
		}
	}
}
