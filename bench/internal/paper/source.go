package paper

import (
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/bench/internal/detection"
	"github.com/tribunal-dev/tribunal/bench/internal/simulation"
	"github.com/tribunal-dev/tribunal/trial"
)

// source is where trials come from: of models, each in kinds of scenarios.
type source interface {
	models() []string
	domains() []string
	// tools are those that the model is known to have in a domain, sorted; nil is not known.
	tools(model, domain int) []string
	// draw returns trials of one model in one domain: of the baseline, and of a candidate that is the same agent or a
	// changed one. There may be fewer than are asked for, of both sides; ok is false where there is no changed agent.
	draw(random *rand.Rand, model, domain int, changed bool, baseline, candidate int) (before, after []*trial.Trial,
		ok bool)
	// change says what the changed agent does otherwise.
	change(model, domain int) string
}

// The costs of 100 trials that AgentAssay's Tables 6 and 7 print, in US dollars: by model, of those of Table 4 that
// they have, and by kind of scenario.
var (
	costByModel = map[string]float64{"GPT-5.2": 0.127, "Sonnet 4.6": 0.196, "Mistral-Large-3": 0.338,
		"Llama-4-Maverick": 0}
	costByDomain = []float64{0.170, 0.372, 0.174}
)

// simulatedAgents are agents with the tokens and the latency of Table 4, the costs of Tables 6 and 7, and tools that
// are made up, as the paper names none.
type simulatedAgents struct {
	names    []string
	kinds    []string
	agents   [][]simulation.Agent // by model and domain
	distance float64
}

// paperPower is how often the paper's comparison of behaviour finds its change.
const paperPower = 0.86

// distanceOf is how large a change is that T² on four normal columns finds with the paper's power at 20 trials a side.
func distanceOf(alpha float64) (float64, error) {
	return detection.Distance(detection.Varying, 20, 20, paperPower, alpha)
}

// newSimulated makes the agents, which change by so much.
func newSimulated(distance float64) *simulatedAgents {
	s := &simulatedAgents{distance: distance}
	domains := simulation.Domains()
	mean := 0.0
	for i, d := range domains {
		s.kinds = append(s.kinds, d.Name)
		mean += costByDomain[i] / float64(len(domains))
	}
	for _, m := range simulation.Models() {
		s.names = append(s.names, m.Name)
		var row []simulation.Agent
		for i, d := range domains {
			a := m
			a.Tools = d.Tools
			a.CostUSD = costByModel[m.Name] / 100 * costByDomain[i] / mean
			row = append(row, a)
		}
		s.agents = append(s.agents, row)
	}
	return s
}

func (s *simulatedAgents) models() []string  { return s.names }
func (s *simulatedAgents) domains() []string { return s.kinds }

func (s *simulatedAgents) tools(model, domain int) (names []string) {
	for _, use := range s.agents[model][domain].Tools {
		names = append(names, use.Name)
	}
	return names
}

func (s *simulatedAgents) change(model, domain int) string {
	return simulation.ShiftOf(domain, s.agents[model][domain], s.distance).Text
}

func (s *simulatedAgents) draw(
	random *rand.Rand, model, domain int, changed bool, baseline, candidate int,
) (before, after []*trial.Trial, ok bool) {
	a := s.agents[model][domain]
	for n := range baseline {
		before = append(before, a.Trial(random, domain, n))
	}
	if changed {
		a = simulation.ShiftOf(domain, a, s.distance).Change(a)
	}
	for n := range candidate {
		after = append(after, a.Trial(random, domain, n))
	}
	return before, after, true
}
