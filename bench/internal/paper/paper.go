package paper

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/trial"
)

// Schema names the JSON form of a [Result].
const Schema = "tribunal/bench-paper/v1"

// Repetitions are those of the paper, of each approach on each model and kind of scenario.
const Repetitions = 25

// Options say what is measured.
type Options struct {
	Short bool   // five repetitions
	Long  bool   // ten times as many; Short is not set then
	Seed  uint64 // of all that is drawn
	// Recorded are trials of agents that were run; nil are simulated ones. See [Record].
	Recorded *RecordedAgents
	// Progress, if not nil, is told which of so many parts is next.
	Progress func(done, all int, part string)
}

// Result is what the experiments come to, beside what the paper prints.
type Result struct {
	Schema      string `json:"schema"`         // [Schema]
	Short       bool   `json:"short"`          // as in [Options]
	Long        bool   `json:"long,omitempty"` // as in [Options]
	Seed        uint64 `json:"seed"`
	Agents      string `json:"agents"` // "simulated", or the name of the suite that was run
	Repetitions int    `json:"repetitions"`

	Models      []Model      `json:"table_4"`
	Experiments []Experiment `json:"experiments"`
	Approaches  []Approach   `json:"table_5"` // and Figures 2 and 3
	ByModel     []Cost       `json:"table_6"` // and Figure 5
	ByDomain    []Cost       `json:"table_7"` // and Figure 4
	Changes     []string     `json:"changes"` // of behaviour, that the approaches were to find
	Pairs       int          `json:"pairs"`   // of a model and a kind of scenario
	Example     Example      `json:"example_7_1"`
	Theorem     Pipeline     `json:"theorem_7_6"`
}

// Measure runs the experiments. Equal options give equal results.
func Measure(ctx context.Context, o Options) (*Result, error) {
	r := &Result{Schema: Schema, Short: o.Short, Long: o.Long, Seed: o.Seed, Agents: "simulated", Repetitions: Repetitions}
	switch {
	case o.Short:
		r.Repetitions = 5
	case o.Long:
		r.Repetitions = 10 * Repetitions
	}
	distance, err := distanceOf(alpha)
	if err != nil {
		return nil, err
	}
	var from source = newSimulated(distance)
	if o.Recorded != nil {
		from, r.Agents = o.Recorded, o.Recorded.Name
	}
	e, err := newEfficiency(ctx, from, distance, o.Seed, r.Repetitions)
	if err != nil {
		return nil, err
	}
	all := len(experiments) + len(from.models())*len(from.domains())
	done := 0
	tell := func(part string) {
		if o.Progress != nil {
			o.Progress(done, all, part)
		}
		done++
	}
	var trials [][]*trial.Trial
	if r.Experiments, trials, err = e.characterise(ctx, tell); err != nil {
		return nil, err
	}
	for i, name := range from.models() {
		r.Models = append(r.Models, modelOf(name, trials[i]))
	}
	if err := e.measure(ctx, r, tell); err != nil {
		return nil, err
	}
	return r, e.arithmetic(r)
}

// measure is experiment E7.
func (e *efficiency) measure(ctx context.Context, r *Result, tell func(string)) error {
	var unchanged, changed []check
	byModel, byDomain := make(map[string][]check), make(map[string][]check)
	for m, model := range e.from.models() {
		if e.skipped(model) {
			continue
		}
		for d, domain := range e.from.domains() {
			tell("E7, " + model + ", " + domain)
			same, ok, err := e.run(ctx, m, d, false)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			r.Pairs++
			unchanged = append(unchanged, same...)
			byModel[model], byDomain[domain] = append(byModel[model], same...), append(byDomain[domain], same...)
			other, ok, err := e.run(ctx, m, d, true)
			if err != nil {
				return err
			}
			if ok {
				changed = append(changed, other...)
				if text := domain + ": " + e.from.change(m, d); m == 0 {
					r.Changes = append(r.Changes, text)
				}
			}
		}
	}
	r.Approaches = table5(unchanged, changed)
	for _, name := range e.from.models() {
		if checks := byModel[name]; checks != nil {
			r.ByModel = append(r.ByModel, costRow(name, checks, statedCosts(table6, name)))
		}
	}
	for _, name := range e.from.domains() {
		if checks := byDomain[name]; checks != nil {
			r.ByDomain = append(r.ByDomain, costRow(name, checks, statedCosts(table7, name)))
		}
	}
	return nil
}

// skipped are simulated models that the paper leaves out of E7.
func (e *efficiency) skipped(model string) bool {
	_, simulated := e.from.(*simulatedAgents)
	_, priced := costByModel[model]
	return simulated && !priced
}

// statedCosts is a row of a table of the paper; nil where it has none of that name.
func statedCosts(table map[string]Costs, name string) *Costs {
	if c, is := table[name]; is {
		return &c
	}
	return nil
}

// arithmetic is what no trial is drawn for.
func (e *efficiency) arithmetic(r *Result) error {
	stable, err := e.optimal.Boundaries.Characteristics(1)
	if err != nil {
		return err
	}
	atThreshold, err := e.optimal.Boundaries.Characteristics(threshold)
	if err != nil {
		return err
	}
	r.Theorem = theorem76()
	r.Example = example71(math.Ceil(stable.ExpectedTrials), atThreshold.ExpectedTrials, failureLimit(exampleTarget))
	return nil
}
