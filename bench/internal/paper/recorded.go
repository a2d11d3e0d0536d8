package paper

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// RecordedAgents are trials of the agents of a suite: its variants stand for the models, its scenarios for the kinds of
// scenarios. Repetitions draw from them without replacement within each.
type RecordedAgents struct {
	Name   string // of the suite
	Spent  float64
	agents []string // the variants, or the agent alone
	kinds  []string
	cells  [][][]*trial.Trial // by agent and scenario
}

// RecordOptions say how the agents of a suite are run.
type RecordOptions struct {
	Trials      int     // of each scenario of each variant, at least 20
	MaxCostUSD  float64 // of all of them; 0 is no limit
	Concurrency int     // 0 is 1
	Seed        uint64
	Resume      bool // continue what was begun and not finished
	// Progress is told how many trials have ended, of how many; nil is told nothing.
	Progress func(done, all int)
	// Interrupt stops launching when it is closed; it may be nil.
	Interrupt <-chan struct{}
}

// LeastTrials are needed of each scenario of each variant: two halves of ten.
const LeastTrials = 20

// Errors of [Record].
var (
	ErrFewTrials  = fmt.Errorf("fewer than %d trials of a scenario cannot be divided into two sides", LeastTrials)
	ErrUnfinished = errors.New("the trials are not all there")
)

// Record runs the agents of a suite and returns their trials. What they do is journalled beside the suite, in
// .tribunal/NAME.paper.jsonl: killed at any moment, it is continued by Resume, and the budget is that of all
// sessions. [ErrUnfinished] says that a limit or an interrupt ended it.
func Record(ctx context.Context, file string, o RecordOptions) (*RecordedAgents, error) {
	if o.Trials < LeastTrials {
		return nil, ErrFewTrials
	}
	s, err := suite.LoadContext(ctx, file)
	if err != nil {
		return nil, err
	}
	options, err := runner.Prepare(ctx, s, s.Scenarios, runner.PrepareOptions{Record: o.Trials})
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(s.Dir(), ".tribunal")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	options.Seed, options.Concurrency, options.Resume = o.Seed, o.Concurrency, o.Resume
	options.Interrupt = o.Interrupt
	if o.MaxCostUSD > 0 {
		options.Budget.MaxCostUSD = o.MaxCostUSD
	}
	options.Journal = filepath.Join(folder, s.Name+".paper.jsonl")
	all, ended := 0, make(map[string]int)
	for _, t := range options.Tests {
		all += o.Trials * len(t.Scenarios)
	}
	options.Progress = func(p runner.Progress) {
		ended[p.Test] = p.Trials
		if o.Progress != nil {
			sum := 0
			for _, n := range ended {
				sum += n
			}
			o.Progress(sum, all)
		}
	}
	if _, err := runner.Run(ctx, options); err != nil {
		return nil, err
	}
	history, err := journal.Read(options.Journal)
	if err != nil {
		return nil, err
	}
	r := recordedOf(s, history)
	for a := range r.agents {
		for k := range r.kinds {
			if n := len(r.cells[a][k]); n < o.Trials {
				return nil, fmt.Errorf("%w: %s has %d of %d trials of %s", ErrUnfinished, r.agents[a], n, o.Trials, r.kinds[k])
			}
		}
	}
	return r, nil
}

// Read returns the trials of a recording: its variants stand for the models, its scenarios for the kinds of scenarios.
func Read(ctx context.Context, file string) (*RecordedAgents, error) {
	r := &RecordedAgents{Name: strings.TrimSuffix(filepath.Base(file), ".jsonl.gz")}
	for t, err := range ingest.Open([]string{file}, ingest.Options{AllVariants: true}).Trials(ctx) {
		if err != nil {
			return nil, err
		}
		a, k := numberOf(&r.agents, t.Variant), numberOf(&r.kinds, t.Scenario)
		for len(r.cells) < len(r.agents) {
			r.cells = append(r.cells, nil)
		}
		for len(r.cells[a]) <= k {
			r.cells[a] = append(r.cells[a], nil)
		}
		r.cells[a][k] = append(r.cells[a][k], t.Clone())
	}
	for a := range r.cells {
		for k := range r.kinds {
			if k >= len(r.cells[a]) || len(r.cells[a][k]) < LeastTrials {
				return nil, fmt.Errorf("%w: %s of %s", ErrFewTrials, r.kinds[k], r.agents[a])
			}
		}
	}
	return r, nil
}

// numberOf is the place of a name in a list, at the end of which it is put where it is not there.
func numberOf(list *[]string, name string) int {
	i := slices.Index(*list, name)
	if i < 0 {
		i, *list = len(*list), append(*list, name)
	}
	return i
}

// recordedOf sorts the trials of a journal.
func recordedOf(s *suite.Suite, h *journal.History) *RecordedAgents {
	r := &RecordedAgents{Name: s.Name, Spent: h.Spent.CostUSD}
	for _, v := range s.Variants {
		r.agents = append(r.agents, v.Name)
	}
	if len(r.agents) == 0 {
		r.agents = []string{""}
	}
	byName := make(map[[2]string]*[]*trial.Trial)
	for a := range r.agents {
		r.cells = append(r.cells, make([][]*trial.Trial, len(s.Scenarios)))
		for k, c := range s.Scenarios {
			byName[[2]string{r.agents[a], c.Name}] = &r.cells[a][k]
		}
	}
	for _, c := range s.Scenarios {
		r.kinds = append(r.kinds, c.Name)
	}
	for _, t := range h.Trials {
		if list := byName[[2]string{t.Launch.Variant, t.Launch.Scenario}]; list != nil && t.Record != nil {
			*list = append(*list, t.Record)
		}
	}
	if len(s.Variants) == 0 {
		r.agents = []string{"agent"}
	}
	return r
}

func (r *RecordedAgents) models() []string  { return r.agents }
func (r *RecordedAgents) domains() []string { return r.kinds }

// tools are those that any trial called.
func (r *RecordedAgents) tools(model, domain int) []string {
	return sortedNames(toolsOf(r.cells[model][domain]))
}

func (r *RecordedAgents) change(model, domain int) string {
	return "another variant, " + r.agents[(model+1)%len(r.agents)]
}

// draw divides the trials of a scenario at random. The changed agent is the next variant.
func (r *RecordedAgents) draw(
	random *rand.Rand, model, domain int, changed bool, baseline, candidate int,
) (before, after []*trial.Trial, ok bool) {
	own := shuffled(random, r.cells[model][domain])
	if changed {
		if len(r.agents) < 2 {
			return nil, nil, false
		}
		other := shuffled(random, r.cells[(model+1)%len(r.agents)][domain])
		return own[:min(baseline, len(own))], other[:min(candidate, len(other))], true
	}
	if baseline+candidate > len(own) {
		candidate = len(own) * candidate / (baseline + candidate)
		baseline = min(baseline, len(own)-candidate)
	}
	return own[:baseline], own[baseline : baseline+candidate], true
}

// shuffled is a list in a random order.
func shuffled(random *rand.Rand, list []*trial.Trial) []*trial.Trial {
	list = append([]*trial.Trial{}, list...)
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
