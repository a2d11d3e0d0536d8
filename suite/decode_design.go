package suite

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats"
)

// maxDesign is the largest number of trials of a sequential design.
const maxDesign = 20_000

// defaultTest is the test of a suite that says nothing but the threshold.
func defaultTest() Test {
	return Test{
		// Those of AgentAssay's Example 3.2 but for the threshold, which nobody can guess.
		Hypotheses: sprt.Hypotheses{Delta: 0.1, Alpha: 0.05, Beta: 0.1},
		Design:     sprt.OptimalKind,
		By:         byScenario,
	}
}

// test reads the keys of a test over the one that is inherited, and returns what it found. What the
// keys say together is for checkTest and checkAgainst.
func (d *decoder) test(n *yaml.Node, t *Test, floor *float64, further ...key) map[string]*yaml.Node {
	// Only that it is a number: together they are checked by the hypotheses themselves, at the end.
	real := func(target *float64) func(*yaml.Node) {
		return func(n *yaml.Node) {
			x, ok := d.Number(n)
			d.Also("exclusiveMinimum", 0, "exclusiveMaximum", 1)
			if ok {
				*target = x
			}
		}
	}
	risk := func(target *float64) func(*yaml.Node) {
		return func(n *yaml.Node) {
			x, ok := d.Number(n)
			d.Also("exclusiveMinimum", 0, "exclusiveMaximum", 0.5)
			if ok {
				*target = x
			}
			if ok && x >= 0.5 && x < 1 {
				d.Fail(n, prose.Excerpt(n.Value)+" must be below 0.5: a coin errs half of the time", "")
			}
		}
	}
	keys := []key{
		{Name: "threshold", About: "the pass rate to hold", Read: real(&t.Threshold)},
		{Name: "baseline", About: "a saved result that the pass rate is tested against, in place of " +
			"or besides the threshold", Read: func(n *yaml.Node) { d.baseline(n, &t.Against) }},
		{Name: "delta", About: "the smallest drop that matters; default 0.1", Read: real(&t.Delta)},
		{Name: "alpha", About: "bounds the chance of a false Fail; default 0.05", Read: risk(&t.Alpha)},
		{Name: "beta", About: "bounds the chance of a false Pass; default 0.1", Read: risk(&t.Beta)},
		{Name: "floor", About: "the pass rate that a scenario must reach for a deployment",
			Read: d.Inside(func(x float64) { *floor = x },
				"it is the pass rate that a deployment needs")},
		{Name: "guard", About: "lowest rate of the baseline for which the errors are kept; default chosen",
			Read: d.Inside(func(x float64) { t.Against.Guard = x },
				"it is the lowest rate of the baseline to reckon with")},
		{Name: "pairs", About: "matched: the two trials of a round share what makes a trial hard; " +
			"default independent", Read: func(n *yaml.Node) {
			var word string
			yamlnode.Word(&d.Decoder, &word, "independent", "matched")(n)
			t.Against.Matched = word == "matched"
		}},
		{Name: "discordant", About: "of matched pairs: largest share to reckon with that differ; " +
			"default what independent sides do at most, (1 + delta²) / 2",
			Read: d.Share(func(x float64) { t.Against.Discordant = x },
				"it is the largest share of pairs to reckon with in which one side passes and the other does not")},
		{Name: "max_trials", About: "end after so many trials in any case, by suite those of the mean; " +
			"default 1.4 times the fixed sample",
			Read: d.Whole(1, maxDesign, func(x int64) { t.MaxTrials = int(x) })},
		{Name: "design", About: "default optimal", Read: func(n *yaml.Node) {
			var word string
			switch yamlnode.Word(&d.Decoder, &word, "optimal", "wald", "density-ratio")(n); word {
			case "optimal":
				t.Design = sprt.OptimalKind
			case "wald":
				t.Design = sprt.WaldKind
			case "density-ratio":
				t.Design = sprt.DensityRatioKind
			}
		}},
		{Name: "prior", About: "under which trials are saved: stable (default), worst, beta:A,B, K/N or a recording",
			Read: func(n *yaml.Node) { d.prior(n, &t.Prior) }},
	}
	// What bounds attacks comes first: what a test says besides goes over it.
	if at := memberOf(n, attackSuccessKey); at != nil {
		d.At(attackSuccessKey, func() { d.attackShare(t.attacks)(at) })
	}
	keys = append(keys, key{Name: attackSuccessKey, Later: d.attackShare(nil), Read: func(at *yaml.Node) {
		if yamlnode.Has(n, "threshold") || yamlnode.Has(n, "delta") {
			d.Fail(at, "stands beside a threshold or delta", "it says both: omit one of them")
		}
	}})
	return d.Object(n, append(keys, further...)...)
}

// suiteTest reads the test of the suite. A scenario has no say in how trials are grouped.
func (d *decoder) suiteTest(n *yaml.Node, t *Test, floor *float64) {
	before := len(d.Problems)
	found := d.test(n, t, floor, key{Name: "by",
		About: "a test for each scenario (default), or one question about all of them",
		Read:  yamlnode.Word(&d.Decoder, &t.By, byScenario, BySuite)},
		key{Name: "collapse", About: "by suite: the pass rates from which a scenario has not collapsed, and to which it " +
			"has; default from 0.7 to 0.3; none pools all trials", Read: d.collapse(t)},
		key{Name: "window", About: "how long a run may stretch from its first trial on; default any time",
			Read: d.Duration(&t.Window, false)})
	if len(d.Problems) == before {
		d.checkTest(n, found, t)
		d.checkJoint(found, t)
	}
	if at := found["baseline"]; at != nil && at.Value == noBaseline {
		d.At("baseline", func() { d.Fail(at, "can be none in a scenario only", "omit it") })
	}
}

// checkTest refuses what cannot be tested, as far as it is known without the agents.
func (d *decoder) checkTest(n *yaml.Node, found map[string]*yaml.Node, t *Test) {
	if err := t.validate(); err != nil {
		d.refuseHypotheses(n, found, err)
	}
	if found["prior"] != nil && t.Design == sprt.WaldKind {
		d.At("prior", func() {
			d.Fail(found["prior"], "shapes optimal designs", "Wald's test has none: leave one of the two out")
		})
	}
	if at := found["design"]; at != nil && t.Design == sprt.DensityRatioKind && t.Prior.Kind != CountsPrior &&
		t.Prior.Kind != FilePrior {
		d.At("design", func() {
			d.Fail(at, "starts from a history", "give it one: prior: 19/20, or a recording")
		})
	}
}

// validate returns an error unless there is something to test. Without a threshold, which may still
// come from a scenario, or be replaced by a baseline, delta and the errors are checked by themselves.
func (t Test) validate() error {
	if t.Threshold != 0 {
		if err := t.Hypotheses.Validate(); err != nil {
			return err
		}
	}
	guarded := stats.Interval{Low: t.Against.Guard, High: 1}
	if t.Against.Guard == 0 {
		guarded.Low = (1 + t.Delta) / 2 // any that is possible
	}
	return baseline.Hypotheses{Delta: t.Delta, Alpha: t.Alpha, Beta: t.Beta, Guarded: guarded}.Validate()
}

// refuseHypotheses notes what hypotheses refuse, at the number that is wrong.
func (d *decoder) refuseHypotheses(n *yaml.Node, found map[string]*yaml.Node, err error) {
	var field, problem string
	var value float64
	if refused, ok := errors.AsType[*sprt.HypothesesError](err); ok {
		field, value, problem = refused.Field, refused.Value, refused.Problem
	} else if refused, ok := errors.AsType[*baseline.HypothesesError](err); ok {
		field, value, problem = refused.Name, refused.Value, refused.Problem
	}
	// The one other number that the test of a baseline refuses.
	if field != "delta" && field != "alpha" && field != "beta" && field != "threshold" {
		field = "guard"
	}
	at := n
	if found[field] != nil {
		at = found[field]
	}
	hint := ""
	// A percentage where a share is asked for is the likeliest slip.
	if value > 1 && value < 100 {
		hint = fmt.Sprintf("%v %% is %v", value, value/100)
	}
	d.At(field, func() { d.Fail(at, fmt.Sprintf("%v %s", value, problem), hint) })
}

// prior reads stable, worst, beta:A,B, K/N or the name of a file.
func (d *decoder) prior(n *yaml.Node, p *Prior) {
	text, ok := d.Text(n)
	if !ok || !d.IsLine(n, text) {
		return
	}
	// All forms are tried first, then the most particular one decides: a file is what has a dot or a
	// slash and is nothing else.
	parameters, isBeta := strings.CutPrefix(text, "beta:")
	passes, trials, ratio := strings.Cut(text, "/")
	k, errK := strconv.Atoi(passes)
	m, errM := strconv.Atoi(trials)
	switch {
	case text == "stable":
		*p = Prior{}
	case text == "worst":
		*p = Prior{Kind: WorstPrior}
	case isBeta:
		a, b, two := strings.Cut(parameters, ",")
		x, errA := strconv.ParseFloat(strings.TrimSpace(a), 64)
		y, errB := strconv.ParseFloat(strings.TrimSpace(b), 64)
		if !two || errA != nil || errB != nil || !(x > 0 && y > 0) || math.IsInf(x, 0) || math.IsInf(y, 0) {
			d.Fail(n, "cannot be "+yamlnode.Shown(text), "write two positive numbers, such as beta:49,3")
			return
		}
		*p = Prior{Kind: BetaPrior, A: x, B: y}
	// 12/ab is no ratio, but may be the path of a file.
	case ratio && errK == nil && errM == nil:
		if k < 0 || m < 1 || k > m {
			d.Fail(n, "cannot be "+yamlnode.Shown(text), "write passes/trials, such as 19/20")
			return
		}
		*p = Prior{Kind: CountsPrior}
		p.Counts.Passes, p.Counts.Trials = k, m
	case strings.ContainsAny(text, "./"):
		*p = Prior{Kind: FilePrior, File: text}
	default:
		choices := []string{"stable", "worst", "beta:A,B", "K/N", "FILE.jsonl"}
		d.Fail(n, "has no choice "+yamlnode.Shown(text), prose.DidYouMean(text, choices))
	}
}
