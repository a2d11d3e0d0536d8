package chart

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
)

// believed is a posterior with four bins.
func believed() *compare.Posterior {
	return &compare.Posterior{
		Mean: .1, Dropped: .9, Beyond: .4,
		Interval: verdict.Interval{Method: compare.EqualTails, Level: .95, Low: -.05, High: .25},
		Bins:     compare.Bins{Low: -.1, High: .3, Shares: []float64{.1, .4, .4, .1}},
	}
}

func TestDropSaysWhatItShows(t *testing.T) {
	document := documentOf(t, func(w io.Writer) error { return Drop(w, believed(), .1) })
	shown := texts(t, document)
	for _, want := range []string{"The drop of the pass rate after these trials", "no drop", "delta",
		"drop of the pass rate, baseline minus candidate",
		"Bayesian, beside the verdict: a mean of 10 points, 95% between -5 points and 25 points (dark)"} {
		if !slices.Contains(shown, want) {
			t.Errorf("%q is not among %q", want, shown)
		}
	}
	const said = "<desc>The pass rate dropped with probability 90%, " +
		"and by more than 10 points with probability 40%.</desc>"
	if !strings.Contains(document, said) || strings.Contains(document, "NaN") {
		t.Errorf("no %s", said)
	}
	// A mark beyond the range is not drawn.
	far := documentOf(t, func(w io.Writer) error { return Drop(w, believed(), .9) })
	if slices.Contains(texts(t, far), "delta") {
		t.Error("a delta beyond the range is drawn")
	}
}

func TestDropRefuses(t *testing.T) {
	for name, spoil := range map[string]func(p *compare.Posterior){
		"no bins":    func(p *compare.Posterior) { p.Bins.Shares = nil },
		"many bins":  func(p *compare.Posterior) { p.Bins.Shares = make([]float64, 1_000_000) },
		"no range":   func(p *compare.Posterior) { p.Bins.High = p.Bins.Low },
		"empty bins": func(p *compare.Posterior) { p.Bins.Shares = []float64{0, 0} },
	} {
		p := believed()
		spoil(p)
		if err := Drop(io.Discard, p, .1); !errors.Is(err, errNoPosterior) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := believed()
	p.Bins.Shares[1] = 2
	if err := Drop(io.Discard, p, .1); err == nil {
		t.Error("a share of 2 is drawn")
	}
	if err := Drop(io.Discard, nil, .1); !errors.Is(err, errNoPosterior) {
		t.Error(err)
	}
}
