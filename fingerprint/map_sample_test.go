package fingerprint

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
)

// spent is a trial without steps, of which tokens and cost vary alone.
func spent(scenario string, tokens int64, dollars float64) *trial.Trial {
	return &trial.Trial{Scenario: scenario, Outcome: trial.Pass, OutputTokens: trial.Some(tokens),
		CostUSD: trial.Some(dollars)}
}

// Tokens and cost rise together on the scale that is tested, so that one axis holds
// everything: three trials at -1, 0 and 1 standard deviations of both columns are at
// -√2, 0 and √2.
func TestMapSampleByHand(t *testing.T) {
	var s Sample
	for _, level := range []float64{1, 2, 3} {
		tokens := math.Round(math.Expm1(level * math.Log(50)))
		s.Add(spent("a", int64(tokens), tokens/1000))
	}
	m, err := MapSample(&s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{m.Columns[0].Name, m.Columns[1].Name}
	if diff := cmp.Diff([]string{"output_tokens", "cost_usd"}, names); diff != "" || len(m.Axes) != 1 ||
		len(m.Separation) != 0 {
		t.Fatalf("%s %+v", diff, m)
	}
	refdata.Close(t, "share", m.Axes[0].Share, 1, 1e-12)
	for j := range m.Columns {
		refdata.Close(t, "loading", m.Axes[0].Loadings[j], math.Sqrt(0.5), 1e-9)
	}
	// Residuals of a scenario with three trials are drawn with the spread of single
	// trials: √(3/2) of what they are.
	for i, want := range []float64{-math.Sqrt2, 0, math.Sqrt2} {
		if got := m.Points[i]; math.Abs(got.X-want*math.Sqrt(1.5)) > 1e-9 || got.Y != 0 || got.Candidate ||
			got.Scenario != "a" {
			t.Errorf("point %d is %+v, want x %v", i, got, want)
		}
	}
}

// Every trial of a scenario with several is a point, each once, and the points are
// centred.
func TestMapSampleLeavesLonelyTrialsOut(t *testing.T) {
	var s Sample
	random := seeded.Stream(4, 4)
	for i := range 12 {
		s.Add(spent([]string{"a", "b", "c"}[i%3], 100+random.Int64N(900), random.Float64()))
	}
	s.Add(spent("lonely", 400, 1))
	for pooled, want := range map[bool]int{false: 12, true: 13} {
		m, err := MapSample(&s, Options{Pooled: pooled})
		if err != nil {
			t.Fatal(err)
		}
		x, y, squares := 0.0, 0.0, 0.0
		for _, point := range m.Points {
			x, y, squares = x+point.X, y+point.Y, squares+point.X*point.Y
		}
		if len(m.Points) != want || len(m.Axes) != 2 || math.Abs(x)+math.Abs(y) > 1e-9 {
			t.Errorf("pooled %t: %d points about %v, %v; %d axes", pooled, len(m.Points), x, y, len(m.Axes))
		}
		if math.Abs(squares) > 1e-9 {
			t.Errorf("pooled %t: the axes correlate: %v", pooled, squares)
		}
		if got := m.Axes[0].Share + m.Axes[1].Share; math.Abs(got-1) > 1e-9 || m.Axes[0].Share < m.Axes[1].Share {
			t.Errorf("pooled %t: shares %v and %v of two columns", pooled, m.Axes[0].Share, m.Axes[1].Share)
		}
	}
}

func TestMapSampleRefuses(t *testing.T) {
	var few, once, same Sample
	for i := range 5 {
		if i < 2 {
			few.Add(spent("a", int64(i), 1))
		}
		once.Add(spent(fmt.Sprint(i), int64(i), 1))
		same.Add(spent("a", 7, 1))
	}
	for name, s := range map[string]*Sample{"two trials": &few, "one of each scenario": &once, "nothing": {}} {
		if _, err := MapSample(s, Options{}); !errors.Is(err, ErrTooFewTrials) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := MapSample(&once, Options{Pooled: true}); err != nil {
		t.Errorf("pooled: %v", err)
	}
	m, err := MapSample(&same, Options{})
	if err != nil || len(m.Axes) != 0 || len(m.Columns) != 0 || len(m.Points) != 5 {
		t.Errorf("%+v, %v", m, err)
	}
	var argument *stats.ArgumentError
	if _, err := MapSample(&same, Options{Alpha: 2}); !errors.As(err, &argument) {
		t.Error(err)
	}
}
