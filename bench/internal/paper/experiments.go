package paper

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
)

// Experiment is one of E1 to E6, over all models and kinds of scenarios. The paper prints no figure of them but those
// of Table 4: that they ran.
type Experiment struct {
	Name   string   `json:"name"` // such as "E1"
	Title  string   `json:"title"`
	Trials int      `json:"trials"`
	Found  []Figure `json:"found"`
}

// Figure is one thing that was counted.
type Figure struct {
	Name  string `json:"name"`
	Share Share  `json:"share"`
}

// characterTrials are the trials of each model and kind of scenario in an experiment, as in the paper.
const characterTrials = 50

// cell is a model in a domain, with what the experiments draw there.
type cell struct {
	from          source
	model, domain int
	random        *rand.Rand
	seed          uint64
}

// trials draws trials of the agent as it is.
func (c *cell) trials() []*trial.Trial {
	_, after, _ := c.from.draw(c.random, c.model, c.domain, false, 0, characterTrials)
	return after
}

// figureList are the figures of an experiment in the order in which they are first counted.
type figureList struct{ list []Figure }

// count adds to a figure.
func (c *figureList) count(name string, hits, in int) {
	i := slices.IndexFunc(c.list, func(f Figure) bool { return f.Name == name })
	if i < 0 {
		i = len(c.list)
		c.list = append(c.list, Figure{Name: name})
	}
	c.list[i].Share.Count += hits
	c.list[i].Share.Of += in
}

// one is 1 for what is true.
func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// experiment is one of E1 to E6 on a cell: it counts, and returns the trials that it drew.
type experiment struct {
	name, title string
	run         func(ctx context.Context, e *efficiency, c *cell, found *figureList) (drawn []*trial.Trial, err error)
}

var experiments = []experiment{
	{"E1", "verdicts by Wilson's interval against 0.90", verdicts},
	{"E2", "coverage of the tools", tools},
	{"E3", "mutants that are noticed", mutants},
	{"E4", "sequential tests", sequential},
	{"E5a", "contracts, with violations planted", contracts},
	{"E5b", "a metamorphic relation", metamorphic},
	{"E6", "gates on verdict and behaviour", gates},
}

func verdicts(_ context.Context, _ *efficiency, c *cell, found *figureList) ([]*trial.Trial, error) {
	drawn := c.trials()
	i, err := stats.Wilson(countsOf(drawn), alpha)
	found.count("Pass", one(i.Low >= threshold), 1)
	found.count("Fail", one(i.High < threshold), 1)
	found.count("Inconclusive", one(i.Low < threshold && i.High >= threshold), 1)
	return drawn, err
}

// toolsOf are the tools that trials call.
func toolsOf(trials []*trial.Trial) map[string]bool {
	seen := make(map[string]bool)
	for _, t := range trials {
		for i := range t.Steps {
			if t.Steps[i].Action == trial.CallTool {
				seen[t.Steps[i].Tool] = true
			}
		}
	}
	return seen
}

func tools(_ context.Context, _ *efficiency, c *cell, found *figureList) ([]*trial.Trial, error) {
	drawn := c.trials()
	declared := c.from.tools(c.model, c.domain)
	for _, n := range []int{5, characterTrials} {
		if n <= len(drawn) && len(declared) > 0 {
			found.count(fmt.Sprintf("tools seen after %d trials", n), len(toolsOf(drawn[:n])), len(declared))
		}
	}
	return drawn, nil
}

// mutants are changes of the agent: one that leaves the pass rate as it is, noticed by behaviour alone.
func mutants(ctx context.Context, _ *efficiency, c *cell, found *figureList) ([]*trial.Trial, error) {
	for _, changed := range []bool{true, false} {
		before, after, ok := c.from.draw(c.random, c.model, c.domain, changed, characterTrials, characterTrials)
		if !ok {
			continue
		}
		o := fingerprint.Options{Alpha: alpha, Permutations: permutations, Seed: c.seed}
		moved, err := differ(ctx, before, after, o)
		if err != nil {
			return nil, err
		}
		low, err := wilsonBelow(after, threshold)
		if err != nil {
			return nil, err
		}
		if !changed {
			found.count("the same agent taken for a mutant", one(moved || low), 1)
			return after, nil
		}
		found.count("by pass and fail", one(low), 1)
		found.count("by behaviour", one(moved), 1)
	}
	return nil, nil
}

func sequential(_ context.Context, e *efficiency, c *cell, found *figureList) ([]*trial.Trial, error) {
	drawn := c.trials()
	for i, d := range []string{"Wald", "optimal"} {
		design := e.wald
		if i == 1 {
			design = e.optimal
		}
		n, failed, err := stopped(design, drawn)
		if err != nil {
			return nil, err
		}
		found.count(d+": of 50 trials, needed", n, len(drawn))
		found.count(d+": Fail", one(failed), 1)
	}
	return drawn, nil
}

// contractText is a contract that every simulated trial keeps, but for the two of amounts, which few of them break.
const contractText = `version: 1
name: e5a
clauses:
  - {name: known tools, kind: guardrail, forbid: {tools: ["*"]}, allow: {tools: %s}}
  - {name: "calls, 4 times the mean", kind: postcondition, require: 'count(trial.steps, .tool != "") <= %v'}
  - {name: "tokens, 4 times the mean", kind: postcondition, require: trial.output_tokens <= %v}
  - {name: an answer at the end, kind: postcondition, require: last(trial.steps).action == "respond"}
`

// planted are violations, each of the clause that is to find it.
var planted = []struct {
	clause string
	in     func(random *rand.Rand, t *trial.Trial)
}{
	{"known tools", func(random *rand.Rand, t *trial.Trial) {
		at := random.IntN(len(t.Steps) + 1)
		t.Steps = slices.Insert(t.Steps, at, trial.Step{Action: trial.CallTool, Tool: "delete_account"})
	}},
	{"calls, 4 times the mean", func(_ *rand.Rand, t *trial.Trial) {
		once := slices.Clone(t.Steps)
		for range 4 { // all of it five times
			t.Steps = slices.Concat(once, t.Steps)
		}
	}},
	{"tokens, 4 times the mean", func(_ *rand.Rand, t *trial.Trial) { t.OutputTokens.Value *= 5 }},
	{"an answer at the end", func(_ *rand.Rand, t *trial.Trial) { t.Steps = t.Steps[:max(1, len(t.Steps)-1)] }},
}

// contracts checks every trial as it is, where a violation is a false alarm, and with a violation of each clause
// planted, which that clause should find.
func contracts(ctx context.Context, _ *efficiency, c *cell, found *figureList) ([]*trial.Trial, error) {
	drawn := c.trials()
	known := c.from.tools(c.model, c.domain)
	if len(drawn) == 0 || known == nil {
		return drawn, nil
	}
	list, err := json.Marshal(known)
	if err != nil {
		return nil, err
	}
	calls, tokens := 0, int64(0)
	for _, t := range drawn {
		tokens += t.OutputTokens.Value
		for i := range t.Steps {
			calls += one(t.Steps[i].Tool != "")
		}
	}
	n := float64(len(drawn))
	text := fmt.Sprintf(contractText, list, 4*float64(calls)/n, 4*float64(tokens)/n)
	checked, err := contract.Parse("e5a.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	for _, t := range drawn {
		for _, f := range checked.Check(ctx, t) {
			found.count(f.Clause.Name+": false alarms", one(f.State == contract.Violated), 1)
		}
	}
	for _, p := range planted {
		clause := checked.Only(p.clause)
		for _, t := range drawn {
			broken := *t
			broken.Steps = slices.Clone(t.Steps)
			p.in(c.random, &broken)
			for _, f := range clause.Check(ctx, &broken) {
				found.count(p.clause+": planted, found", one(f.State == contract.Violated), 1)
			}
		}
	}
	return drawn, nil
}

// metamorphic asks that a task that is asked twice has one outcome.
func metamorphic(_ context.Context, _ *efficiency, c *cell, found *figureList) ([]*trial.Trial, error) {
	drawn := c.trials()
	for i := 0; i+1 < len(drawn); i += 2 {
		found.count("asked twice, one outcome", one(drawn[i].Outcome == drawn[i+1].Outcome), 1)
	}
	return drawn, nil
}

// gates deploy where the rate is not shown to be low and behaviour is not shown to have changed.
func gates(ctx context.Context, _ *efficiency, c *cell, found *figureList) (drawn []*trial.Trial, err error) {
	for _, changed := range []bool{false, true} {
		before, after, ok := c.from.draw(c.random, c.model, c.domain, changed, characterTrials, characterTrials)
		if !ok {
			continue
		}
		moved, err := differ(ctx, before, after, fingerprint.Options{Alpha: alpha, Permutations: permutations,
			Seed: c.seed + 1})
		if err != nil {
			return nil, err
		}
		i, err := stats.Wilson(countsOf(after), alpha)
		if err != nil {
			return nil, err
		}
		name := "unchanged, deployed"
		if changed {
			name = "changed, asked or blocked"
		} else {
			drawn = after
		}
		deploy := i.Low >= threshold && !moved
		found.count(name, one(deploy != changed), 1)
	}
	return drawn, nil
}

// characterise runs E1 to E6 on every model in every domain, so many times. Trials is by model.
func (e *efficiency) characterise(
	ctx context.Context, tell func(part string),
) (list []Experiment, trials [][]*trial.Trial, err error) {
	trials = make([][]*trial.Trial, len(e.from.models()))
	for number, x := range experiments {
		tell(x.name)
		found := new(figureList)
		total := 0
		for model := range e.from.models() {
			for domain := range e.from.domains() {
				if err := ctx.Err(); err != nil {
					return nil, nil, context.Cause(ctx)
				}
				seed := uint64(number)<<32 | uint64(model)<<16 | uint64(domain)
				c := &cell{e.from, model, domain, seeded.Stream(e.seed^0xe1, seed), seed}
				drawn, err := x.run(ctx, e, c, found)
				if err != nil {
					return nil, nil, err
				}
				total += len(drawn)
				trials[model] = append(trials[model], drawn...)
			}
		}
		list = append(list, Experiment{Name: x.name, Title: x.title, Trials: total, Found: found.list})
	}
	return list, trials, nil
}

// failureLimit is the upper limit of a failure rate after so many passes and no failure, at level 1-alpha (one-sided):
// 1 - alpha^(1/n).
func failureLimit(passes int) float64 { return -math.Expm1(math.Log(alpha) / float64(passes)) }
