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
)

// maxDesign is the largest number of trials of a sequential design.
const maxDesign = 20_000

// defaultTest is the test of a suite that says nothing but the threshold.
func defaultTest() Test {
	return Test{
		// Those of AgentAssay's Example 3.2 but for the threshold, which nobody can guess.
		Hypotheses: sprt.Hypotheses{Delta: 0.1, Alpha: 0.05, Beta: 0.1},
		Design:     sprt.OptimalKind,
		By:         ByScenario,
	}
}

// test reads a test over the one that is inherited. A scenario has no say in how
// trials are grouped.
func (d *decoder) test(n *yaml.Node, t *Test, ofSuite bool) {
	// Only that it is a number: together they are checked by the hypotheses themselves, at the end.
	real := func(target *float64) func(*yaml.Node) {
		return func(n *yaml.Node) {
			if x, ok := d.Number(n); ok {
				*target = x
			}
		}
	}
	keys := []key{
		{Name: "threshold", Read: real(&t.Threshold)},
		{Name: "delta", Read: real(&t.Delta)},
		{Name: "alpha", Read: real(&t.Alpha)},
		{Name: "beta", Read: real(&t.Beta)},
		{Name: "max_trials", Read: d.Whole(1, maxDesign, func(x int64) { t.MaxTrials = int(x) })},
		{Name: "design", Read: func(n *yaml.Node) {
			var word string
			switch yamlnode.Word(&d.Decoder, &word, "optimal", "wald")(n); word {
			case "optimal":
				t.Design = sprt.OptimalKind
			case "wald":
				t.Design = sprt.WaldKind
			}
		}},
		{Name: "prior", Read: func(n *yaml.Node) { d.prior(n, &t.Prior) }},
	}
	if ofSuite {
		keys = append(keys, key{Name: "by", Read: yamlnode.Word(&d.Decoder, &t.By, ByScenario, BySuite)})
	}
	before := len(d.Problems)
	found := d.Object(n, keys...)
	if ofSuite && found["threshold"] == nil || len(d.Problems) > before {
		return // scenarios may still give the threshold
	}
	d.hypotheses(n, found, t.Hypotheses)
	if found["prior"] != nil && t.Design == sprt.WaldKind {
		d.At("prior", func() {
			d.Fail(found["prior"], "shapes optimal designs", "Wald's test has none: leave one of the two out")
		})
	}
}

// hypotheses refuses what cannot be tested.
func (d *decoder) hypotheses(n *yaml.Node, found map[string]*yaml.Node, h sprt.Hypotheses) {
	refused, ok := errors.AsType[*sprt.HypothesesError](h.Validate())
	if !ok {
		return
	}
	at := n
	if found[refused.Field] != nil {
		at = found[refused.Field]
	}
	hint := ""
	// A percentage where a share is asked for is the likeliest slip.
	if refused.Value > 1 && refused.Value < 100 {
		hint = fmt.Sprintf("%v %% is %v", refused.Value, refused.Value/100)
	}
	d.At(refused.Field, func() { d.Fail(at, fmt.Sprintf("%v %s", refused.Value, refused.Problem), hint) })
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
