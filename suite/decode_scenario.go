package suite

import (
	"fmt"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// maxNameBytes is chosen: names stand in tables, in files of results and in messages.
const maxNameBytes = 200

// scenarios reads the list, each over what the suite says, or files that it is made of.
func (d *decoder) scenarios(n *yaml.Node, s *Suite, shared scenarioDefaults) {
	read := &scenarioReader{decoder: d, suite: s, shared: shared, places: map[string]trial.Place{}}
	if d.Describes() {
		source := func(*yaml.Node) { d.Takes("$ref", "#/$defs/source") }
		corpus := d.Named("corpus", read.corpus)
		scenario := d.Named("scenario", func(n *yaml.Node) { d.scenario(n, s, shared) })
		d.Either(func(n *yaml.Node) {
			d.Items(n, func(n *yaml.Node) { d.Either(scenario, source, corpus) })
			d.Also("minItems", 1, "maxItems", maxScenarios)
		}, source, corpus)
		return
	}
	switch {
	case yamlnode.Has(n, fromKey):
		read.source(n)
		return
	case yamlnode.Has(n, corpusKey):
		read.corpus(n)
		return
	}
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		d.Fail(n, "must not be empty", "a verdict needs trials, and trials need a scenario")
	}
	if n.Kind == yaml.SequenceNode && len(n.Content) > maxScenarios {
		d.Fail(n, fmt.Sprintf("holds more than %d scenarios", maxScenarios), "")
		return
	}
	d.Items(n, func(item *yaml.Node) {
		switch {
		case d.Full():
		case yamlnode.Has(item, fromKey):
			read.source(item)
		case yamlnode.Has(item, corpusKey):
			read.corpus(item)
		default:
			read.scenario(item)
		}
	})
}

// scenarioReader reads scenarios, written ones and those of files, with names that differ.
type scenarioReader struct {
	*decoder
	suite  *Suite
	shared scenarioDefaults
	places map[string]trial.Place // of the names
}

// scenario reads one.
func (r *scenarioReader) scenario(item *yaml.Node) {
	scenario := r.decoder.scenario(item, r.suite, r.shared)
	r.suite.Scenarios = append(r.suite.Scenarios, scenario)
	r.read = append(r.read, len(r.contracts))
	r.unique(item, scenario.Name)
}

// unique refuses a name that is there already.
func (r *scenarioReader) unique(item *yaml.Node, name string) {
	at, twice := r.places[name]
	if twice && name != "" {
		advice := fmt.Sprintf("it stands already in line %d", at.Line)
		if at.File != r.FileOf(item) {
			advice = "it stands already in " + at.String()
		}
		r.At("name", func() { r.Fail(item, yamlnode.Shown(name)+" is given twice", advice) })
	}
	r.places[name] = r.Place(item)
}

// scenario reads a scenario over what it inherits: the test of the suite, and the
// limits, of which each must be declared here or there.
func (d *decoder) scenario(n *yaml.Node, s *Suite, shared scenarioDefaults) Scenario {
	own, floor := shared.limits, shared.floor
	c := Scenario{Input: trial.Raw("null"), Test: s.Test, Place: d.Place(n)}
	// The input is null where there is none: an agent that needs none gets that.
	before, programs, references, inherits := len(d.Problems), len(d.programs), len(d.references), true
	found := d.Object(n,
		key{Name: "name", Needed: true, Advice: "every scenario needs one", Read: d.Name(&c.Name, maxNameBytes)},
		key{Name: "input", About: "any value; the agent gets it as JSON",
			Read: func(n *yaml.Node) { c.Input = d.JSON(n) }},
		key{Name: "tags", Read: d.Texts(&c.Tags, d.IsLine)},
		key{Name: "kind", About: "what it is to show: that the agent does its work, tolerates what " +
			"breaks, or is robust to an attack", Read: yamlnode.Word(&d.Decoder, &c.Kind, ScenarioKinds()...)},
		key{Name: "capabilities", About: "that it exercises, of those of the suite",
			Read: d.Texts(&c.Capabilities, d.capability(s.Capabilities))},
		key{Name: "min_pass_rate", About: "a floor of the pass rate, which is tested; point: " +
			"compares the observed rate", Read: d.passRateInto(&c.Floor)},
		key{Name: "all_trials", About: "every trial must pass", Read: d.Bool(&c.Floor.AllTrials)},
		key{Name: "evaluate", About: "all must pass, those of the defaults too",
			Read: func(n *yaml.Node) { d.scenarioEvaluations(n, &c.Evaluate, &inherits) }},
		key{Name: "expect", About: "an end that the trial passes with, such as a timeout, in addition to evaluate",
			Read: func(n *yaml.Node) { d.expect(n, &c.Expect) }},
		key{Name: "faults", About: "what is broken on the wire: kinds, or mappings that say when and how",
			Read: func(n *yaml.Node) { d.faults(n, s, &c.Faults) }},
		key{Name: "model_script", Read: func(n *yaml.Node) { d.modelScript(n, s, &c) }},
		key{Name: "limits", Read: func(n *yaml.Node) { d.limits(n, &own) }},
		key{Name: "test", About: "overrides the suite's",
			Read: func(n *yaml.Node) { d.scenarioTest(n, &c.Test, &floor) }},
		key{Name: "critical", About: "in a test by suite: the pass rates that it is held to by itself; " +
			"true: the threshold of the suite, and that less delta", Read: d.critical(&c.Critical, s.Test)},
		key{Name: "weight", About: "in a test by suite: its trials of a round, and so its part of the mean; default 1",
			Read: d.Whole(1, 300, func(x int64) { c.Weight = int(x) })},
		key{Name: "trials", About: "exactly so many, without a sequential test",
			Read: d.Whole(1, maxTrials, func(x int64) { c.Trials = int(x) })},
	)
	if found == nil {
		return c
	}
	d.checkMember(found, c, s.Test)
	d.inherit(&c, shared.defaults, inherits)
	for i := range d.programs[programs:] {
		d.programs[programs+i].scenario = c.Name
	}
	for i := range d.references[references:] {
		d.references[references+i].scenario = c.Name
	}
	// A number of trials for each scenario contradicts a test that stops over all of them together.
	if at := found["trials"]; at != nil && s.Test.By == BySuite {
		d.At("trials", func() {
			const advice = "weight says how often a scenario is tried in a round; or test by scenario"
			d.Fail(at, "cannot be given in a test by suite", advice)
		})
	}
	// Trials that were fixed are no test that the baseline is part of.
	if at := found["trials"]; at != nil && c.Test.Against.Asked() {
		d.At("trials", func() {
			const advice = "max_trials bounds such a test; test: {baseline: none} leaves the baseline out"
			d.Fail(at, "cannot be given in a test against a baseline", advice)
		})
	}
	// What the suite says of baselines is not for a test that has none.
	if !c.Test.Against.Asked() {
		c.Test.Against = Against{}
	}
	// A rate of its own that is compared goes before the floor of the test; else the higher bar holds.
	if !c.Floor.Point && floor > c.Floor.MinPassRate.Value {
		c.Floor.MinPassRate = trial.Some(floor)
	}
	// own began as the limits of the suite, a copy; what the scenario said went over them.
	c.Limits = own.Limits
	d.limitsDeclared(n, own)
	// The hypotheses of the suite are complete or wrong where a threshold stands
	// there; without one, the scenario must bring it.
	said := shared.test != nil && (yamlnode.Has(shared.test, "threshold") || yamlnode.Has(shared.test, "baseline"))
	if c.Test.Threshold == 0 && !c.Test.Against.Asked() && len(d.Problems) == before &&
		(!said || c.Test.Against != s.Test.Against) {
		d.At("test", func() {
			d.lack(n, "threshold", "give the pass rate to hold, here or for the suite: test: {threshold: 0.9}")
		})
	}
	return c
}

// scenarioKeys are the keys of a scenario.
func scenarioKeys() []string {
	return []string{
		"name", "input", "tags", "kind", "capabilities", "min_pass_rate", "all_trials", "evaluate", "expect", "faults",
		"model_script", "limits", "test", "critical", "weight", "trials",
	}
}

// missingParts is what scenarios lack that each of them must have.
type missingParts struct {
	problem *Error // of the first that lacks it
	others  int    // that lack it too
}

// lack notes that a scenario lacks a key of the field that is being read. The same of many scenarios is one problem, at
// the first of them: it has one cause, and would hide what else is wrong.
func (d *decoder) lack(n *yaml.Node, name, advice string) {
	if d.lacks == nil {
		d.lacks = map[string]*missingParts{}
	}
	if l := d.lacks[name]; l != nil {
		l.others++
		l.problem.Problem = "is missing, here and in " + prose.Count(l.others, "other scenario")
		return
	}
	d.At(name, func() { d.lacks[name] = &missingParts{problem: d.Fail(n, "is missing", advice)} })
}

// limitsDeclared refuses limits that neither the scenario nor the suite declares: nobody said what a trial may take.
func (d *decoder) limitsDeclared(n *yaml.Node, l limits) {
	const advice = "say what a trial may take at most, for the suite or here: " +
		"limits: {max_turns: 50, max_cost_usd: 1.00}; limits: none says that there is no limit, " +
		"as where the agent tells neither"
	switch {
	case !l.turns && !l.cost:
		d.lack(n, "limits", advice)
	case !l.turns:
		d.At("limits", func() { d.lack(n, oracle.TurnLimit, advice) })
	case !l.cost:
		d.At("limits", func() { d.lack(n, oracle.CostLimit, advice) })
	}
}

// scenarioTest reads a test over the suite's, where scenarios are tested by themselves.
func (d *decoder) scenarioTest(n *yaml.Node, t *Test, floor *float64) {
	if t.By == BySuite {
		d.Fail(n, "cannot differ from the suite's in a test by suite",
			"critical holds a scenario to rates of its own; or test by scenario")
		return
	}
	before := len(d.Problems)
	found := d.test(n, t, floor)
	if len(d.Problems) > before {
		return
	}
	d.checkTest(n, found, t)
	// What the suite says of rounds is for those of its tests that run in rounds.
	if !t.Against.SideBySide && found["pairs"] == nil {
		t.Against.Matched = false
	}
	if !t.Against.Matched && found["discordant"] == nil {
		t.Against.Discordant = 0
	}
	if at := found["guard"]; at != nil && !t.Against.Asked() {
		d.At("guard", func() { d.Fail(at, guardAlone, guardAdvice) })
	}
	d.checkAgainst(n, t)
}
