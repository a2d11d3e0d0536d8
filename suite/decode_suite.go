package suite

import (
	"regexp"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/oracle"
	"github.com/tribunal-dev/tribunal/trial"
)

const (
	maxConcurrency = 1024
	maxTrials      = 1_000_000
	maxScenarios   = 10_000
)

// namePattern is compiled when it is needed: its repetition takes a millisecond, which
// every command would spend at its start.
var namePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`) })

// suite reads the whole file. What a scenario inherits is read before scenarios,
// wherever it stands.
func (d *decoder) suite(root *yaml.Node) *Suite {
	s := &Suite{Agent: defaultAgent(), Test: defaultTest(), Concurrency: 4, Order: Interleaved, Seed: 1}
	var shared limits
	var scenarios, test *yaml.Node
	found := d.object(root,
		key{"version", d.wholeInto(1, 1, func(int64) {})},
		key{"name", func(n *yaml.Node) {
			if name, ok := d.text(n); ok && d.pattern(namePattern(), "use letters, digits, dots, dashes and underscores: files are named after it")(n, name) {
				s.Name = name
			}
		}},
		key{"agent", func(n *yaml.Node) { d.agent(n, &s.Agent) }},
		key{"test", func(n *yaml.Node) { test = n; d.test(n, &s.Test, true) }},
		key{"limits", func(n *yaml.Node) { d.limits(n, &shared) }},
		key{"budget", func(n *yaml.Node) { d.budget(n, &s.Budget) }},
		key{"concurrency", d.wholeInto(1, maxConcurrency, func(x int64) { s.Concurrency = int(x) })},
		key{"order", wordOf(d, &s.Order, Interleaved, Listed)},
		key{"seed", d.wholeInto(0, 1<<53, func(x int64) { s.Seed = uint64(x) })},
		key{"coverage", func(n *yaml.Node) { d.coverage(n, &s.Coverage) }},
		key{"capabilities", d.textsInto(&s.Capabilities, d.printable)},
		key{"gate", func(n *yaml.Node) { d.gate(n, &s.Gate) }},
		key{"scenarios", func(n *yaml.Node) { scenarios = n }},
	)
	if found == nil {
		return s
	}
	for _, name := range []string{"version", "name", "agent", "scenarios"} {
		if found[name] == nil {
			d.missing(root, name, map[string]string{"version": "write version: 1"}[name])
		}
	}
	d.redact = s.Agent.Redact
	if scenarios != nil {
		d.at("scenarios", func() { d.scenarios(scenarios, s, shared, test) })
	}
	if s.Test.By == BySuite && s.Order == Listed {
		d.at("order", func() {
			d.fail(found["order"], `cannot be "listed" in a test by suite`, "scenario by scenario, the first ones would decide alone")
		})
	}
	if len(d.problems) == 0 {
		s.digest = digest(s, d.contracts)
	}
	return s
}

func (d *decoder) budget(n *yaml.Node, b *Budget) {
	found := d.object(n,
		key{"max_cost_usd", d.amountInto(func(x float64) { b.MaxCostUSD = trial.Some(x) })},
		key{"max_tokens", d.wholeInto(1, 1<<53, func(x int64) { b.MaxTokens = trial.Some(x) })},
		key{"max_duration", d.durationInto(&b.MaxDuration, false)},
		key{"max_trials", d.wholeInto(1, maxTrials, func(x int64) { b.MaxTrials = trial.Some(int(x)) })},
		key{"price_per_trial", d.amountInto(func(x float64) { b.PricePerTrial = trial.Some(x) })},
	)
	if at := found["max_cost_usd"]; at != nil && b.MaxCostUSD == trial.Some(0.0) {
		d.at("max_cost_usd", func() { d.fail(at, "must be positive", "a budget of 0 ends a run before its first trial") })
	}
}

// limits are limits that may be declared or not: that a limit is none is said on
// purpose.
type limits struct {
	oracle.Limits
	turns, cost bool // declared
}

const noLimit = "none"

func isNone(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" && n.Value == noLimit
}

// limits reads limits over those that are inherited.
func (d *decoder) limits(n *yaml.Node, l *limits) {
	if isNone(n) {
		*l = limits{turns: true, cost: true}
		return
	}
	if n.Kind == yaml.ScalarNode {
		d.fail(n, "must be a mapping or none, not "+describe(n), "")
		l.turns, l.cost = true, true // one message is enough
		return
	}
	orNone := func(declared *bool, clear func(), read func(*yaml.Node)) func(*yaml.Node) {
		return func(n *yaml.Node) {
			*declared = true
			if isNone(n) {
				clear()
				return
			}
			read(n)
		}
	}
	before := len(d.problems)
	d.object(n,
		key{"max_turns", orNone(&l.turns, func() { l.MaxTurns = trial.Optional[int]{} },
			d.wholeInto(0, 1<<30, func(x int64) { l.MaxTurns = trial.Some(int(x)) }))},
		key{"max_cost_usd", orNone(&l.cost, func() { l.MaxCostUSD = trial.Optional[float64]{} },
			d.amountInto(func(x float64) { l.MaxCostUSD = trial.Some(x) }))},
	)
	if len(d.problems) > before {
		l.turns, l.cost = true, true
	}
}
