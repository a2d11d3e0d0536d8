package plan

import (
	"errors"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
)

// against plans the test against so many passes of a fixed number of trials.
func against(t *testing.T, passes, trials, errors int, q baseline.Question) (*Against, error) {
	t.Helper()
	sample, err := baseline.Fixed(trials)
	if err != nil {
		t.Fatal(err)
	}
	passed := baseline.Outcome{Trials: trials, Failures: trials - passes}
	failed := baseline.Outcome{Trials: trials, Failures: trials - passes + errors}
	price := 0.25
	return TestAgainst(t.Context(), AgainstOptions{
		Question: q, Sample: sample, Recorded: design.RecordedOf(passed, failed, errors), PriceUSD: &price,
	})
}

var aTenth = baseline.Question{Delta: .1, Alpha: .05, Beta: .1}

// The figures are those of a prototype in another language, whose errors were up to 1 %
// above their targets, and of the design between limits that was there before.
func TestAgainstARecordedBaseline(t *testing.T) {
	p, err := against(t, 285, 300, 0, aTenth)
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > .03*want {
			t.Errorf("%s is %.2f, not %.2f", what, got, want)
		}
	}
	rows := map[float64][2]float64{1: {22, 9}, .98: {30.4, 24.3}, .95: {43.7, 43.6}, .9: {67.6, 79.5}}
	seen := 0
	for _, point := range p.Points {
		want, there := rows[point.P]
		if !there {
			continue
		}
		seen++
		near("unchanged", point.Unchanged.ASN, want[0])
		near("dropped", point.Dropped.ASN, want[1])
		if point.Unchanged.Fail > p.Alpha || point.Dropped.Pass > p.Beta || !point.Guarded {
			t.Errorf("at %v the errors are %v and %v", point.P, point.Unchanged.Fail, point.Dropped.Pass)
		}
	}
	if seen != len(rows) {
		t.Errorf("%d of %d rates are shown", seen, len(rows))
	}
	d := p.Design
	if !d.Gates || d.Alpha > p.Alpha+p.Gamma || d.Beta > p.Beta+p.Gamma || d.Gap > .01 || p.Gamma != 1e-6 {
		t.Errorf("the design is %+v with gamma %v", d, p.Gamma)
	}
	near("the fixed sample", float64(d.MaxTrials), 1.4*float64(d.FixedTrials))
	if p.Limits == nil || p.Limits.MaxTrials != 496 {
		t.Fatalf("the limits give %+v", p.Limits)
	}
	near("between limits", p.Limits.ASN, 85)
	if got, want := *p.Price.Worst.USD, .25*float64(d.MaxTrials); got != want {
		t.Errorf("at worst it costs %v, not %v", got, want)
	}
}

// Both ways to count the errors of a baseline are in the plan, and a rate that is given has
// no chance to miss.
func TestAgainstABaselineWithErrors(t *testing.T) {
	q := aTenth
	q.Delta, q.Guard = .4, .8
	p, err := against(t, 20, 20, 1, q)
	if err != nil {
		t.Fatal(err)
	}
	if p.Gamma != 0 || p.Guarded != (Range{.8, 1}) {
		t.Errorf("gamma %v, guarded %+v", p.Gamma, p.Guarded)
	}
	if w := p.Baseline.Worst; w == nil || *w != (design.BaselineCount{Passes: 19, Trials: 20}) {
		t.Errorf("with errors as failures it is %+v", w)
	}
	if len(p.Warnings) != 1 || p.Warnings[0].Code != verdict.WarnErrors {
		t.Errorf("the warnings are %+v", p.Warnings)
	}
}

func TestBaselinesThatNoTestIsPlannedFor(t *testing.T) {
	if _, err := against(t, 45, 50, 0, aTenth); !is[*baseline.TooSmallError](err) {
		t.Errorf("50 trials: %v", err)
	}
	guarded := aTenth
	guarded.Guard = .95
	if _, err := against(t, 100, 300, 0, guarded); !is[*baseline.OutcomeError](err) {
		t.Errorf("a third of the trials, with rates from .95 on: %v", err)
	}
	if _, err := TestAgainst(t.Context(),
		AgainstOptions{Question: aTenth, PriceUSD: new(-1.0)}); !is[*verdict.OptionError](err) {
		t.Errorf("a negative price: %v", err)
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
