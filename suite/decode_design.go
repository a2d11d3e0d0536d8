package suite

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/sprt"
)

// maxDesign is the largest number of trials of a sequential design.
const maxDesign = 20_000

func defaultTest() Test {
	return Test{
		Hypotheses: sprt.Hypotheses{Delta: 0.1, Alpha: 0.05, Beta: 0.1},
		Design:     sprt.OptimalKind,
		By:         ByScenario,
	}
}

// test reads a test over the one that is inherited. A scenario has no say in how
// trials are grouped.
func (d *decoder) test(n *yaml.Node, t *Test, ofSuite bool) {
	real := func(target *float64) func(*yaml.Node) {
		return func(n *yaml.Node) {
			if x, ok := d.number(n); ok {
				*target = x
			}
		}
	}
	keys := []key{
		{"threshold", real(&t.Threshold)}, {"delta", real(&t.Delta)}, {"alpha", real(&t.Alpha)}, {"beta", real(&t.Beta)},
		{"max_trials", d.wholeInto(1, maxDesign, func(x int64) { t.MaxTrials = int(x) })},
		{"design", func(n *yaml.Node) {
			var word string
			switch wordOf(d, &word, "optimal", "wald")(n); word {
			case "optimal":
				t.Design = sprt.OptimalKind
			case "wald":
				t.Design = sprt.WaldKind
			}
		}},
		{"prior", func(n *yaml.Node) { d.prior(n, &t.Prior) }},
	}
	if ofSuite {
		keys = append(keys, key{"by", wordOf(d, &t.By, ByScenario, BySuite)})
	}
	before := len(d.problems)
	found := d.object(n, keys...)
	if ofSuite && found["threshold"] == nil || len(d.problems) > before {
		return // scenarios may still give the threshold
	}
	d.hypotheses(n, found, t.Hypotheses)
	if found["prior"] != nil && t.Design == sprt.WaldKind {
		d.at("prior", func() {
			d.fail(found["prior"], "shapes optimal designs", "Wald's test has none: leave one of the two out")
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
	if refused.Value > 1 && refused.Value < 100 {
		hint = fmt.Sprintf("%v %% is %v", refused.Value, refused.Value/100)
	}
	d.at(refused.Field, func() { d.fail(at, fmt.Sprintf("%v %s", refused.Value, refused.Problem), hint) })
}

// prior reads stable, worst, beta:A,B, K/N or the name of a file.
func (d *decoder) prior(n *yaml.Node, p *Prior) {
	text, ok := d.text(n)
	if !ok || !d.printable(n, text) {
		return
	}
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
			d.fail(n, "cannot be "+shown(text), "write two positive numbers, such as beta:49,3")
			return
		}
		*p = Prior{Kind: BetaPrior, A: x, B: y}
	case ratio && errK == nil && errM == nil:
		if k < 0 || m < 1 || k > m {
			d.fail(n, "cannot be "+shown(text), "write passes/trials, such as 19/20")
			return
		}
		*p = Prior{Kind: CountsPrior}
		p.Counts.Passes, p.Counts.Trials = k, m
	case strings.ContainsAny(text, "./"):
		*p = Prior{Kind: FilePrior, File: text}
	default:
		d.fail(n, "has no choice "+shown(text), didYouMean(text, []string{"stable", "worst", "beta:A,B", "K/N", "FILE.jsonl"}))
	}
}
