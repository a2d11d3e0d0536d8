package runner

import (
	"cmp"
	"os"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/fault"
	wireguard "github.com/tribunal-dev/tribunal/wire/guard"
	"github.com/tribunal-dev/tribunal/wire/mcp"
	"github.com/tribunal-dev/tribunal/wire/script"
)

// guardsOf are the guardrails of the contracts of a suite's scenarios, by their names; nil where nothing is held back.
func guardsOf(s *suite.Suite, a suite.Agent) map[string]*contract.Guards {
	if a.Wire.Guard == "" {
		return nil
	}
	folder := s.Dir()
	if a.WorkingDir != "" {
		folder = s.Resolve(a.WorkingDir)
	}
	home, _ := os.UserHomeDir() // unknown, it resolves nothing
	all := map[string]*contract.Guards{}
	for i := range s.Scenarios {
		c := &s.Scenarios[i]
		all[c.Name] = contract.Before(contract.Resolver(folder, home), c.Contracts()...)
	}
	return all
}

// scriptsOf are what answers in place of models, by the names of a suite's scenarios: either all have one, or none.
func scriptsOf(s *suite.Suite, a suite.Agent) (all map[string]*script.Script) {
	for i := range s.Scenarios {
		c := &s.Scenarios[i]
		if one := cmp.Or(c.ModelScript, a.Wire.Script); one != nil {
			if all == nil {
				all = map[string]*script.Script{}
			}
			all[c.Name] = one
		}
	}
	return all
}

// acts are those that stand on the route of an attempt: a guard judges what the agent would get, mutants change what it
// asks, and a cassette has what the server was asked and answered.
func (w *wiring) acts(r Request) (acts []wire.Act) {
	acts = w.mutating(r)
	if guards := w.guards[r.Scenario]; guards != nil && guards.Len() > 0 {
		acts = append(acts, wireguard.New(guards, w.asked.Guard))
	}
	if faults := w.faults[r.Scenario]; faults != nil {
		acts = append(acts, fault.New(faults, r.Seed))
	}
	if s := w.scripts[r.Scenario]; s != nil {
		acts = append(acts, s.Attempt(r.Seed))
	}
	return append(acts, w.taping.acts(r)...)
}

// install lets the agent's servers of tools stand on a route, until it is closed.
func (w *wiring) install(route *wire.Route) error {
	if len(w.asked.MCP) == 0 {
		return nil
	}
	_, remove, err := mcp.Install(route, w.asked.MCP)
	if err == nil {
		route.AtClose(remove)
	}
	return err
}
