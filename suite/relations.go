package suite

import (
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/relation"
)

// Relation is a metamorphic relation that a suite claims of its agent, in some scenarios.
type Relation struct {
	relation.Relation
	Name string // letters, digits, dots, dashes and underscores, of its own in the suite
	// Agent runs the follow-up in place of the suite's; nil: the same agent does.
	Agent *Agent
	// Tools says in which order the agent of the follow-up is offered its own; "" is as they stand.
	Tools ToolsOrder
	// Evaluate makes the follow-up of a pipeline pass; nil: what the scenario has.
	Evaluate []Evaluation
	// AsksOutcome says that it is about whether executions pass, so that they are judged.
	AsksOutcome bool
	Scenarios   []string // globs of names; nil: all whose input has what it is about
	// Delta is by how much more often it must be violated than pairs of equal inputs are to matter.
	Delta float64
	// MaxViolationRate bounds the share of violations itself; unknown: nothing does.
	MaxViolationRate trial.Optional[float64]

	Spec  trial.Raw   // what the suite says of it, as JSON
	Place trial.Place // where it stands
}

// ToolsOrder is an order of the tools of an agent.
type ToolsOrder string

// The orders of follow-ups.
const (
	shuffledTools ToolsOrder = "shuffled" // by the seed of the suite, and never as they stand
	reversedTools ToolsOrder = "reversed"
)

// WithTools is the agent with its tools in another order, as its configuration says them; see [Agent.Mutated] for the
// folder.
func (a Agent) WithTools(order ToolsOrder, seed uint64, folder string) (Agent, error) {
	made, err := a.Configuration()
	if err != nil {
		return a, err
	}
	changed := made
	changed.Tools = slices.Clone(made.Tools)
	slices.Reverse(changed.Tools)
	if order == shuffledTools {
		random := rand.New(rand.NewPCG(seed, 1))
		shuffle := func() {
			random.Shuffle(len(changed.Tools), func(i, j int) {
				changed.Tools[i], changed.Tools[j] = changed.Tools[j], changed.Tools[i]
			})
		}
		shuffle()
		const most = 100 // two tools come to stand as they did every other time
		for n := 0; len(made.Changed(changed)) == 0 && n < most; n++ {
			shuffle()
		}
	}
	return a.Mutated(changed, folder)
}

// What relations are tested with where they do not say. Both are chosen.
const (
	DefaultRelationDelta = 0.2 // found within some twenty pairs where the agent is otherwise sure
	defaultMostViolated  = 0.1 // of a relation that nothing else can be compared with
)

// Pair is a relation that is tried in a scenario.
type Pair struct {
	Name     string // of both: document-order/refund
	Relation *Relation
	Scenario Scenario // whose input is the source's
}

// Pairs are the relations of the suite that match one of the globs, or any where there are none, each with those of the
// scenarios that it is about, in the order of the suite.
func (s *Suite) Pairs(globs []string, scenarios []Scenario) (pairs []Pair) {
	for i := range s.Relations {
		r := &s.Relations[i]
		if len(globs) > 0 && !matchesAny(globs, r.Name) {
			continue
		}
		for _, c := range scenarios {
			if r.about(c) {
				pairs = append(pairs, Pair{PairName(r.Name, c.Name), r, c})
			}
		}
	}
	return pairs
}

// PairName is the name of a relation and a scenario together.
func PairName(relation, scenario string) string { return relation + "/" + scenario }

// matchesAny reports whether a name matches one of the globs.
func matchesAny(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		matches, err := path.Match(glob, name)
		return matches && err == nil
	})
}

// about reports whether the relation is tried in a scenario.
func (r *Relation) about(c Scenario) bool {
	if r.Scenarios != nil {
		return matchesAny(r.Scenarios, c.Name)
	}
	return r.Fits(c.Input) == nil
}

// OfPairs is the suite whose scenarios are the pairs: a trial of each is two executions, and passes where the relation
// holds. Beside them, in rounds, run pairs of equal inputs, which are the baseline; a relation that has none is tested
// by its rate alone. Each test keeps alpha and beta.
//
// The two pairs of a round are independent, and alike where the transformation changes nothing. So at whatever rate an
// agent agrees with itself, as many rounds break as are fixed, which is what a test of matched pairs asks; and at most
// half of the rounds are discordant: 2p(1-p), or (1+δ²)/2 where the rate is lower by δ.
func (s *Suite) OfPairs(pairs []Pair, alpha, beta float64) *Suite {
	pairSuite := *s
	pairSuite.Variants, pairSuite.Calibrate, pairSuite.Gate, pairSuite.Coverage, pairSuite.Capabilities = nil,
		Calibrate{}, Gate{}, Coverage{}, nil
	pairSuite.Scenarios, pairSuite.BaselineAgent = nil, nil
	pairSuite.references = slices.Clone(s.references)
	names := map[string]bool{}
	for _, p := range pairs {
		names[p.Relation.Name] = true
	}
	for i, r := range pairSuite.references {
		if ofRelation(r.scenario) != "" && names[ofRelation(r.scenario)] {
			pairSuite.references[i].scenario = ""
		}
	}
	// Programs are looked for where a pair starts them.
	pairSuite.programs = nil
	for _, p := range s.programs {
		at := slices.IndexFunc(pairs, func(x Pair) bool {
			return p.scenario == x.Scenario.Name || ofRelation(p.scenario) == x.Relation.Name
		})
		if at >= 0 {
			p.scenario = pairs[at].Name
		}
		if at >= 0 || p.scenario == "" {
			pairSuite.programs = append(pairSuite.programs, p)
		}
	}
	task := Task{Scenarios: map[string]string{}, Parts: map[string]Parts{}}
	for _, p := range pairs {
		c := p.Scenario
		c.Name, c.Trials, c.Floor, c.Kind, c.Capabilities = p.Name, 0, Floor{}, "", nil
		c.Evaluate, c.Expect = p.Scenario.Evaluate, oracle.Expectation{}
		c.Test = p.Relation.test(alpha, beta)
		if c.Test.Against.SideBySide {
			pairSuite.BaselineAgent = &pairSuite.Agent
		}
		pairSuite.Scenarios = append(pairSuite.Scenarios, c)
		parts := s.task.Parts[p.Scenario.Name]
		parts.Evaluators = beginning([]any{parts.Evaluators, p.Relation.claim()})
		task.Parts[p.Name] = parts
		task.Scenarios[p.Name] = hash([]any{s.task.Scenarios[p.Scenario.Name], p.Relation.claim()})
	}
	task.Digest = hash(task.Scenarios)
	pairSuite.task = task
	var specs []any
	for _, p := range pairs {
		specs = append(specs, p.Name, canonical(p.Relation.Spec))
	}
	pairSuite.digest = hash([]any{"tribunal relations 1", s.digest, specs})
	pairSuite.Test = Test{By: byScenario, Design: sprt.OptimalKind}
	return &pairSuite
}

// claim is what the relation says of two executions, without where and how exactly it is tested.
func (r *Relation) claim() any {
	claim := canonical(r.Spec)
	if members, ok := claim.(map[string]any); ok {
		for _, name := range []string{"name", "scenarios", "delta", "max_violation_rate"} {
			delete(members, name)
		}
	}
	return claim
}

// test is that of a relation.
func (r *Relation) test(alpha, beta float64) Test {
	t := Test{Hypotheses: sprt.Hypotheses{Delta: r.Delta, Alpha: alpha, Beta: beta}, Design: sprt.OptimalKind,
		By: byScenario}
	if r.MaxViolationRate.Known {
		t.Threshold = 1 - r.MaxViolationRate.Value
	}
	if !r.Alone() {
		t.Against = Against{SideBySide: true, Matched: true, Discordant: (1 + r.Delta*r.Delta) / 2}
	}
	return t
}

// relationScenario stands for a scenario where what only a relation needs is noted: names of scenarios have one line.
const relationScenario = "relation\n"

// ofRelation is the relation that something is noted of; "" is none.
func ofRelation(scenario string) string {
	name, _ := strings.CutPrefix(scenario, relationScenario)
	if name == scenario {
		return ""
	}
	return name
}
