package judging

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/intraclass"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Design says which sequential test is wanted.
type Design struct {
	Delta, Beta float64 // how much less than the threshold is too low; the chance of a false Pass
	MaxTrials   int     // 0 lets the design choose, 1.4 times the fixed sample
	Kind        sprt.Kind
	Prior       string // as it was typed; see parsePrior
}

// DesignOptions are the options that say something of sequential tests. verdict refuses them where --sequential is
// missing.
var DesignOptions = []string{"delta", "beta", "max-trials", "design", "prior"}

// What --prior may say beside a file and K/N; the last is followed by "A,B".
const (
	StablePrior = "stable"
	WorstPrior  = "worst"
	BetaPrior   = "beta:"
)

// Check refuses what does not go together. A prior that comes from a variable or the suite
// is meant for other commands and is ignored.
func (d *Design) Check(given value.GivenOptions) error {
	if d.Kind == sprt.WaldKind && given.Typed("prior") {
		return problem.Usage("omit one of them", "--prior shapes optimal designs: Wald's test has none")
	}
	return nil
}

// CheckHistory refuses a prior that is no history. Only real trials, counted or recorded,
// can be weighed against those to come.
func (d *Design) CheckHistory() error {
	if d.Prior == StablePrior || d.Prior == WorstPrior || strings.HasPrefix(d.Prior, BetaPrior) {
		return problem.Usage("such as --prior main.jsonl or --prior 19/20",
			"--prior-mode density-ratio needs a history, and --prior %s is none", d.Prior)
	}
	return nil
}

// Weighting reads the prior, and the scenarios of one that is a recording. That is read here,
// so it may take a while.
func (d *Design) Weighting(ctx context.Context, from evidence.Recordings) (w suite.Weighting,
	scenarios []intraclass.Group,
	err error) {
	prior, err := d.parsePrior(from.Origin("prior"))
	if err != nil {
		return w, nil, err
	}
	w, err = prior.Weighting(func(file string) (stats.Counts, error) {
		h, err := from.Counts(ctx, "prior", file)
		scenarios = evidence.Groups(h)
		return h.Counts, err
	})
	return w, scenarios, err
}

// parsePrior reads the text of the prior. A text that is none of the words and no K/N is
// the name of a file, which then need not exist: that is found when it is read.
func (d *Design) parsePrior(origin string) (p suite.Prior, err error) {
	parameters, isBeta := strings.CutPrefix(d.Prior, BetaPrior)
	switch {
	case d.Prior == StablePrior || d.Prior == "":
		return suite.Prior{}, nil
	case d.Prior == WorstPrior:
		return suite.Prior{Kind: suite.WorstPrior}, nil
	case isBeta:
		p.Kind = suite.BetaPrior
		if p.A, p.B, err = ParsePair(parameters); err != nil {
			return p, problem.Usage("such as beta:49,3", "%s %q %v", origin, d.Prior, err)
		}
		return p, nil
	case evidence.IsRatio(d.Prior):
		p.Kind = suite.CountsPrior
		p.Counts, err = evidence.ParseRatio(origin, d.Prior)
		return p, err
	}
	return suite.Prior{Kind: suite.FilePrior, File: d.Prior}, nil
}

// ParsePair reads "A,B", two positive numbers. The condition is written with ! so that NaN,
// which is not above 0 either, is refused.
func ParsePair(text string) (a, b float64, err error) {
	first, second, found := strings.Cut(text, ",")
	a, err1 := strconv.ParseFloat(strings.TrimSpace(first), 64)
	b, err2 := strconv.ParseFloat(strings.TrimSpace(second), 64)
	if !found || err1 != nil || err2 != nil || !(a > 0 && b > 0) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return 0, 0, errors.New("must be beta: and two positive numbers")
	}
	return a, b, nil
}

// DesignError says what is wrong with a design that was refused, by the names of the options,
// and which one is nearest. Package sprt knows no options: its errors hold the numbers, and
// the hints are made of them here. An error that is none of these is returned as it is.
func DesignError(given value.GivenOptions, threshold float64, err error) error {
	if e, ok := errors.AsType[*sprt.HypothesesError](err); ok {
		return refusedHypotheses(given, threshold, e)
	}
	if e, ok := errors.AsType[*sprt.InfeasibleError](err); ok {
		hint := "give a larger --delta: these rates are too close for so few trials"
		if e.Nearest > 0 {
			hint = fmt.Sprintf("--max-trials %d is the least with which both verdicts can be reached", e.Nearest)
		}
		return problem.Usage(hint, "no test within %s: %s", prose.Count(e.MaxTrials, "trial"), e.Problem)
	}
	// A baseline with too few trials is the input's fault, not that of the command line.
	if e, ok := errors.AsType[*sprt.NotReadyError](err); ok {
		hint := "give a larger --delta"
		if e.Needed > 0 {
			hint = fmt.Sprintf("%d baseline trials at the observed rate make it possible, %d make it comfortable; "+
				"or give a larger --delta", e.Needed, e.Comfortable)
		}
		return problem.BadInput(fmt.Sprintf("the baseline is too small: its rate lies from %s to %s, and a drop of %s is "+
			"less than that", phrase.Rate(e.Limits.Low), phrase.Rate(e.Limits.High), phrase.Points(e.Delta)), hint)
	}
	if e, ok := errors.AsType[*verdict.OptionError](err); ok && e.Option == "max-trials" {
		return problem.Usage("such as --max-trials 5000, or a larger --delta",
			"--max-trials is missing: the fixed sample takes more than 20,000 trials, and the test would end with it")
	}
	return err
}

// refusedHypotheses names the option, and the nearest value that can be tested.
// Threshold minus delta, the rate that is too low, must stay above 0: that is the case with a nearest value to offer.
func refusedHypotheses(given value.GivenOptions, threshold float64, e *sprt.HypothesesError) error {
	hint := ""
	if e.Field == "delta" && e.Value > 0 && given.Has("threshold") {
		hint = fmt.Sprintf("the nearest is --delta %v, which tells the threshold from a rate of %v; "+
			"smaller ones take more trials", nearestDelta(threshold), round(threshold-nearestDelta(threshold)))
	}
	name := strings.ReplaceAll(e.Field, " ", "-")
	return problem.Usage(hint, "%s %v %s", given.Origin(name), e.Value, e.Problem)
}

// nearestDelta is the largest delta of whole hundredths below a threshold. The threshold
// minus delta stays above 0 with it; a threshold of a hundredth or less, below which there
// is no whole hundredth, gives its half.
func nearestDelta(threshold float64) float64 {
	const step = 0.01
	if threshold <= step {
		return threshold / 2
	}
	return round((math.Ceil(round(threshold/step)) - 1) * step)
}

// round takes away what binary fractions add: 0.9-0.1 is not 0.8 in float64.
func round(x float64) float64 { return math.Round(x*1e12) / 1e12 }
