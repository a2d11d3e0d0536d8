package suite

import (
	"net/url"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/prices"
)

// Chosen: what lies beyond them is taken for a slip.
const (
	maxConcurrency = 1024
	maxTrials      = 1_000_000
	maxScenarios   = 10_000
)

// namePattern is compiled when it is needed: its repetition takes a millisecond, which
// every command would spend at its start.
var namePattern = lazy.Regexp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// isForeign notes that a file is a suite of another tool, which init converts, and no suite with a hundred slips.
func (d *decoder) isForeign(root *yaml.Node) bool {
	if root == nil || root.Kind != yaml.MappingNode || d.Describes() {
		return false
	}
	var foreign *yaml.Node
	for i := 0; i+1 < len(root.Content); i += 2 {
		switch at := root.Content[i]; at.Value {
		case "version":
			return false
		case "graders", "config", "prompts", "tests":
			foreign = at
		}
	}
	if foreign != nil {
		d.Fail(foreign, "is what another tool tests by: it has "+foreign.Value,
			"tribunal init NEW --from "+prose.FileName(d.File)+" writes a suite of it into the folder NEW")
	}
	return foreign != nil
}

// suite reads the whole file. What a scenario inherits is read before scenarios,
// wherever it stands.
func (d *decoder) suite(root *yaml.Node) *Suite {
	s := &Suite{Agent: defaultAgent(), Test: defaultTest(), Concurrency: 4, Order: Interleaved, Seed: 1,
		Judge: atCoordinator}
	var shared scenarioDefaults
	var scenarios, baseline, variants, matrix, defaults, sets, relations, points *yaml.Node
	if d.isForeign(root) {
		return s
	}
	root = d.including(root, []string{d.File})
	if d.over != nil && root.Kind == yaml.MappingNode {
		root = d.over(d, root)
	}
	root = d.profiled(root, s)
	// Scenarios and coverage stand anywhere in the file. Scenarios are kept as a node until all that
	// they inherit is read, and so are the agents that are like the agent.
	needed := !d.Describes() // else one of two groups of keys is
	found := d.Object(root,
		key{Name: "version", Needed: needed, Advice: "write version: 1", Read: d.Whole(1, 1, func(int64) {})},
		key{Name: "name", About: "files of results are named after it", Needed: needed, Read: func(n *yaml.Node) {
			const advice = "use letters, digits, dots, dashes and underscores: files are named after it"
			if name, ok := d.Text(n); ok && d.Matches(n, name, namePattern(), advice) {
				s.Name = name
			}
		}},
		key{Name: "agent", Needed: needed, Read: d.Named("agent", func(n *yaml.Node) { d.agent(n, &s.Agent) })},
		key{Name: "wire", About: "whether the agent's requests to models go over a wire, on which " +
			"they are seen and bounded; default false", Read: func(n *yaml.Node) { d.wire(n, &s.Agent) }},
		key{Name: "baseline_agent", About: "tests run side by side with it; keys that it omits are the agent's",
			Read:  func(n *yaml.Node) { baseline = n },
			Later: d.Named("changes", func(n *yaml.Node) { d.agentOver(n, &s.Agent) })},
		key{Name: "variants", About: "tried in place of the agent; keys that they omit are the agent's",
			Read:  func(n *yaml.Node) { variants = n },
			Later: func(n *yaml.Node) { d.variantList(n, s.Agent) }},
		key{Name: "matrix", About: "variants: every combination of one of each list",
			Read:  func(n *yaml.Node) { matrix = n },
			Later: func(n *yaml.Node) { d.matrix(n, s.Agent) }},
		key{Name: "test", Read: d.Named("test", func(n *yaml.Node) {
			shared.test = n
			d.suiteTest(n, &s.Test, &shared.floor)
		})},
		key{Name: "limits", Read: func(n *yaml.Node) { d.limits(n, &shared.limits) }},
		key{Name: "defaults", About: "of every scenario", Read: func(n *yaml.Node) { defaults = n },
			Later: func(n *yaml.Node) { d.defaults(n, &shared) }},
		key{Name: includeKey, About: "files whose keys this one has too, unless it sets them; " +
			"from the folder of this file", Read: func(*yaml.Node) {}, // was read
			Later: func(*yaml.Node) {
				one := d.Line(new(string))
				d.Either(one, func(n *yaml.Node) { d.Items(n, one) })
			}},
		key{Name: "evaluators", About: "lists of evaluators by name: evaluate: NAME, or an item of a list",
			Read: func(n *yaml.Node) { sets = n }, Later: d.evaluatorSets},
		key{Name: "budget", Read: d.Named("budget", func(n *yaml.Node) { d.budget(n, &s.Budget) })},
		key{Name: "calibrate", Read: func(n *yaml.Node) { d.calibrate(n, &s.Calibrate) }},
		key{Name: "prices", About: "what tokens of models cost, over the built-in table: of trials " +
			"that tell tokens and no cost", Read: func(n *yaml.Node) { s.Prices = d.prices(n) }},
		key{Name: "store", About: "where runs are kept: a file, from the folder of the suite, or the " +
			"postgres:// URL of a database", Read: func(n *yaml.Node) { d.store(n, &s.Store) }},
		key{Name: "concurrency", About: "trials at a time; default 4",
			Read: d.Whole(1, maxConcurrency, func(x int64) { s.Concurrency = int(x) })},
		key{Name: "order", About: "default interleaved: a seeded random round-robin",
			Read: yamlnode.Word(&d.Decoder, &s.Order, Interleaved, Listed)},
		key{Name: "judge", About: "where trials are judged that a fleet runs: where the run is, the " +
			"default, or where the agent ran", Read: yamlnode.Word(&d.Decoder, &s.Judge, atCoordinator, AtWorker)},
		key{Name: "seed", About: "default 1",
			Read: d.Whole(0, 1<<53, func(x int64) { s.Seed, s.SeedGiven = uint64(x), true })},
		key{Name: "coverage", Read: func(n *yaml.Node) { d.coverage(n, &s.Coverage) }},
		key{Name: "capabilities", About: "everything that the scenarios are to cover",
			Read: d.Texts(&s.Capabilities, d.IsLine)},
		key{Name: "gate", Read: func(n *yaml.Node) { d.gate(n, &s.Gate) }},
		key{Name: "relations", About: "what must hold between two executions of the agent: tribunal run relations tries it",
			Read: func(n *yaml.Node) { relations = n }, Later: func(n *yaml.Node) { d.relations(n, s) }},
		key{Name: "score", Read: func(n *yaml.Node) { points = n }, Later: func(n *yaml.Node) { d.score(n, s) }},
		key{Name: profilesKey, About: "tiers by name, such as ci, nightly and release: their keys " +
			"replace those of the suite", Read: func(*yaml.Node) {}, // were read
			Later: func(n *yaml.Node) { d.profiles(n, root, s) }},
		key{Name: "launch_jitter", About: "each launch waits a share of it, drawn by the seed; default none",
			Read: d.Duration(&s.LaunchJitter, true)},
		key{Name: "scenarios", Needed: needed, Read: func(n *yaml.Node) { scenarios = n },
			Later: func(n *yaml.Node) { d.scenarios(n, s, shared) }},
	)
	d.Also("anyOf", []object{
		{"required", []string{"version", "name", "agent", "scenarios"},
			"properties", object{"agent", object{"anyOf", eitherOf("command", "http", "model")}}},
		{"required", []string{includeKey}},
	})
	if found == nil {
		return s
	}
	d.wireFits(s, found["wire"])
	d.otherAgents(baseline, variants, matrix, s)
	// Commands that judge remove the same values from what they print, and inherit the same.
	d.redact, d.envAllow = s.Redacted(), s.Agent.EnvAllow
	d.judgeEnv = (&Suite{File: d.File}).heldVariables(s.Agent.EnvFile)
	s.judgeEnv = d.judgeEnv
	if shared.test != nil {
		d.At("test", func() { d.checkAgainst(shared.test, &s.Test) })
	}
	if sets != nil {
		d.At("evaluators", func() { d.evaluatorSets(sets) })
	}
	if defaults != nil {
		d.At("defaults", func() { d.defaults(defaults, &shared) })
	}
	if scenarios != nil {
		d.At("scenarios", func() { d.scenarios(scenarios, s, shared) })
		d.scriptsFit(s, scenarios)
	}
	// What an axis is from is looked at only where all scenarios could be read.
	if points != nil && len(d.Problems) == 0 {
		d.At("score", func() { d.score(points, s) })
	}
	// Which scenarios a relation is about is looked at only where all of them could be read.
	if relations != nil && len(d.Problems) == 0 {
		d.At("relations", func() { d.relations(relations, s) })
	}
	d.unused(s, baseline, shared.test)
	d.answersFit(s, found["agent"])
	d.expectationsFit(s, found["agent"])
	d.confineFits(s, found["agent"])
	// A test over the suite stops when it is decided, and in this order would have seen the first
	// scenarios alone.
	if s.Test.By == BySuite && s.Order == Listed {
		d.At("order", func() {
			const advice = "scenario by scenario, the first ones would decide alone"
			d.Fail(found["order"], `cannot be "listed" in a test by suite`, advice)
		})
	}
	s.programs, s.references, s.inherited, s.dotenvs = d.programs, d.references, d.inherited, d.dotenvs
	// A suite with problems is not handed out, and has no digest.
	if len(d.Problems) == 0 {
		s.digest = digest(s, d.contracts)
		s.task = taskOf(s.Scenarios, d.contracts, d.read)
	}
	return s
}

// budget reads what a run may take. A budget of 0 dollars is refused: it would run
// nothing, and look like a limit.
func (d *decoder) budget(n *yaml.Node, b *Budget) {
	found := d.Object(n,
		key{Name: "max_cost_usd", Read: d.Amount(func(x float64) { b.MaxCostUSD = trial.Some(x) }),
			Later: d.Real(nil, "", "", yamlnode.Above(0))},
		key{Name: "max_tokens", Read: d.Whole(1, 1<<53, func(x int64) { b.MaxTokens = trial.Some(x) })},
		key{Name: "max_duration", Read: d.Duration(&b.MaxDuration, false)},
		key{Name: "max_trials", Read: d.Whole(1, maxTrials, func(x int64) { b.MaxTrials = trial.Some(int(x)) })},
		key{Name: "price_per_trial", About: "USD, for trials whose cost is unknown",
			Read: d.Amount(func(x float64) { b.PricePerTrial = trial.Some(x) })},
	)
	d.Also("description", "of a whole run")
	if at := found["max_cost_usd"]; at != nil && b.MaxCostUSD == trial.Some(0.0) {
		d.At("max_cost_usd", func() {
			d.Fail(at, "must be positive", "a budget of 0 ends a run before its first trial")
		})
	}
}

// prices reads the prices of models: a list of rows, or the name of a file of them.
func (d *decoder) prices(n *yaml.Node) (table *prices.Table) {
	var name string
	file := func(n *yaml.Node) {
		d.Line(&name)(n)
		d.Also("description", "a file of prices, from the folder of the suite")
	}
	rows := func(n *yaml.Node) { table = prices.ParseNode(&d.Decoder, d.FileOf(n), n) }
	switch {
	case d.Either(file, rows):
	case n.Kind != yaml.ScalarNode:
		rows(n)
	default:
		file(n)
	}
	if name == "" {
		return table
	}
	table, err := prices.LoadContext(d.ctx, resolve(filepath.Dir(d.FileOf(n)), name))
	if err != nil {
		d.unreadFile(n, name, "its path is from the folder of "+prose.FileName(d.FileOf(n)), err)
	}
	return table
}

// store reads where runs are kept. A password has no place in a file that is shared.
func (d *decoder) store(n *yaml.Node, name *string) {
	d.Line(name)(n)
	switch u, err := url.Parse(*name); {
	case input.IsStored(*name):
		d.Fail(n, "must be a file or the URL of a database, not a query", "such as runs.db or postgres://host/runs")
	case !strings.Contains(*name, "://"):
		*name = resolve(filepath.Dir(d.FileOf(n)), *name)
	case err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql":
		d.Fail(n, "must be a file or the URL of a database of PostgreSQL", "such as runs.db or postgres://host/runs")
	case u.User != nil:
		if _, has := u.User.Password(); has {
			d.Fail(n, "must not hold a password", "leave it to the variable PGPASSWORD, or to TRIBUNAL_STORE")
		}
	}
}

// scenarioDefaults is what a scenario has from the suite where it does not say otherwise.
type scenarioDefaults struct {
	limits   limits
	defaults defaults
	floor    float64    // of the test; 0 is none
	test     *yaml.Node // where the suite says which test decides; nil where it does not
}

// limits are limits that may be declared or not: that a limit is none is said on
// purpose.
type limits struct {
	oracle.Limits
	turns, cost bool // declared
}

const noLimit = "none"

// isNone reports whether a limit is said not to exist.
func isNone(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" && n.Value == noLimit
}

// limits reads limits over those that are inherited.
func (d *decoder) limits(n *yaml.Node, l *limits) {
	if d.Describes() {
		d.Named("limits", func(n *yaml.Node) {
			d.Either(func(*yaml.Node) { d.Takes("const", noLimit) }, func(n *yaml.Node) { d.limitKeys(n, l) })
			d.Also("description", "of every trial, over all its attempts; none says on purpose that there are none")
		})(n)
		return
	}
	if isNone(n) {
		// All are declared, as none: what was inherited is gone.
		*l = limits{turns: true, cost: true}
		return
	}
	if n.Kind == yaml.ScalarNode {
		d.Fail(n, "must be a mapping or none, not "+yamlnode.Describe(n),
			"such as limits: {max_turns: 10, max_cost_usd: 0.05}")
		l.turns, l.cost = true, true // one message is enough
		return
	}
	before := len(d.Problems)
	d.limitKeys(n, l)
	// A limit that was refused is not said to be missing as well.
	if len(d.Problems) > before {
		l.turns, l.cost = true, true
	}
}

// limitKeys reads the limits that are there.
func (d *decoder) limitKeys(n *yaml.Node, l *limits) {
	// Each limit alone may be none as well, over one that is inherited.
	orNone := func(declared *bool, clear func(), read func(*yaml.Node)) func(*yaml.Node) {
		return func(n *yaml.Node) {
			*declared = true
			if d.Either(func(*yaml.Node) { d.Takes("const", noLimit) }, read) {
				return
			}
			if isNone(n) {
				clear()
				return
			}
			read(n)
		}
	}
	d.Object(n,
		key{Name: "max_turns", Read: orNone(&l.turns, func() { l.MaxTurns = trial.Optional[int]{} },
			d.Whole(0, 1<<30, func(x int64) { l.MaxTurns = trial.Some(int(x)) }))},
		key{Name: "max_cost_usd", Read: orNone(&l.cost, func() { l.MaxCostUSD = trial.Optional[float64]{} },
			d.Amount(func(x float64) { l.MaxCostUSD = trial.Some(x) }))},
		// That of tokens need not be declared: most agents are bounded by what they cost.
		key{Name: "max_tokens", Read: orNone(new(bool), func() { l.MaxTokens = trial.Optional[int64]{} },
			d.Whole(0, trial.MaxTokens, func(x int64) { l.MaxTokens = trial.Some(x) }))},
		key{Name: "severity", About: "what a broken limit does; default fail: the trial fails",
			Read: func(n *yaml.Node) {
				var word string
				yamlnode.Word(&d.Decoder, &word, "fail", oracle.WarnSeverity)(n)
				l.Warn = word == oracle.WarnSeverity
			}},
	)
}
