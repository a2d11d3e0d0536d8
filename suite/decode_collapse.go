package suite

import (
	"fmt"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
)

// Joint reports whether the scenarios of a suite are tested as one question: about the mean of their pass rates, and
// whether any has collapsed.
func (t Test) Joint() bool { return t.By == BySuite && !t.Pooled }

// rates reads a pair of rates.
func (d *decoder) rates(from, to *float64) func(*yaml.Node) {
	return func(n *yaml.Node) {
		d.Object(n,
			key{Name: "from", About: "the least pass rate that is good enough",
				Read: d.Inside(func(x float64) { *from = x }, "it is a pass rate")},
			key{Name: "to", About: "the largest pass rate that is too low",
				Read: d.Inside(func(x float64) { *to = x }, "it is a pass rate")},
		)
	}
}

// collapse reads rates, or none.
func (d *decoder) collapse(t *Test) func(*yaml.Node) {
	rates := d.rates(&t.Collapse.From, &t.Collapse.To)
	return func(n *yaml.Node) {
		switch {
		case d.Either(func(*yaml.Node) { d.Takes("const", "none") }, rates):
		case n.Kind == yaml.ScalarNode && n.Value == "none":
			t.Pooled = true
		case n.Kind == yaml.ScalarNode:
			d.Fail(n, "must be a mapping or none, not "+yamlnode.Describe(n), "such as collapse: {from: 0.7, to: 0.3}")
		default:
			rates(n)
		}
	}
}

// critical reads the rates that a scenario is held to by itself: true is those of the suite's test.
func (d *decoder) critical(c *stratified.Floor, t Test) func(*yaml.Node) {
	return func(n *yaml.Node) {
		c.From, c.To = t.Threshold, t.Lower()
		rates := d.rates(&c.From, &c.To)
		switch {
		case d.Either(func(*yaml.Node) { d.Takes("type", "boolean") }, rates):
		case n.Kind == yaml.ScalarNode:
			on := false
			if d.Bool(&on)(n); !on {
				*c = stratified.Floor{}
			}
		default:
			rates(n)
		}
	}
}

// checkJoint refuses what cannot be said of scenarios that are tested as one question.
func (d *decoder) checkJoint(found map[string]*yaml.Node, t *Test) {
	refuse := func(name, problem, advice string) {
		if at := found[name]; at != nil {
			d.At(name, func() { d.Fail(at, problem, advice) })
		}
	}
	const alone = "collapse: none pools the trials instead"
	if !t.Joint() {
		if t.By != BySuite {
			refuse("collapse", "is for a test by suite", "give by: suite, or omit it")
		}
		return
	}
	for _, name := range []string{"design", "prior", "guard", "discordant"} {
		refuse(name, "is not for a suite that is tested as one question", "omit it; "+alone)
	}
	from, to := t.Floor()
	switch at := found["collapse"]; {
	case at == nil:
	case to >= from:
		d.At("collapse", func() {
			d.Fail(at, fmt.Sprintf("from %v must be above to %v", from, to), "the defaults are 0.7 and 0.3")
		})
	case t.Threshold != 0 && from > t.Threshold:
		d.At("collapse", func() {
			d.Fail(at, fmt.Sprintf("from %v is above the threshold of the mean, %v", from, t.Threshold),
				"a scenario may be worse than the mean: give a lower rate")
		})
	}
}

// Floor are the rates between which nothing is promised of a scenario; see [Test]. Under a threshold below 0.7 the
// default is the threshold, and so far below it that half is left.
func (t Test) Floor() (from, to float64) {
	from, to = t.Collapse.From, t.Collapse.To
	if from == 0 {
		from = 0.7
		if t.Threshold != 0 {
			from = min(from, t.Threshold)
		}
	}
	if to == 0 {
		to = min(0.3, from/2)
	}
	return from, to
}

// checkMember refuses what a scenario cannot say of its part in a question about all.
func (d *decoder) checkMember(found map[string]*yaml.Node, c Scenario, t Test) {
	for _, name := range []string{"critical", "weight"} {
		if at := found[name]; at != nil && !t.Joint() {
			d.At(name, func() { d.Fail(at, "is for a test by suite", "test: {by: suite}, without collapse: none") })
		}
	}
	at := found["critical"]
	switch {
	case at == nil || !t.Joint() || c.Critical == (stratified.Floor{}):
	case t.Against.Asked():
		d.At("critical", func() {
			d.Fail(at, "is for a test against a threshold", "against a baseline test by scenario, or omit it")
		})
	case c.Critical.To >= c.Critical.From:
		d.At("critical", func() {
			d.Fail(at, fmt.Sprintf("from %v must be above to %v", c.Critical.From, c.Critical.To),
				"true takes the threshold, and the threshold less delta")
		})
	}
}

// Enough is how many trials to record of each of these scenarios, which are one question, for a baseline beside which a
// Pass is likely where nothing changed, if every scenario passes at a rate; 0 where that is not known.
func (t Test) Enough(scenarios []Scenario, rate float64) int {
	q, most := stratified.Question{Scenarios: len(scenarios), Delta: t.Delta, Alpha: t.Alpha, Beta: t.Beta}, 1
	for _, c := range scenarios {
		q.Weights = append(q.Weights, max(c.Weight, 1))
		most = max(most, c.Weight)
	}
	return most * q.Enough(rate)
}
