package wiring

import (
	"sync"

	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/cassette"
	"github.com/tribunal-dev/tribunal/wire/fault"
	"github.com/tribunal-dev/tribunal/wire/script"
)

// passage is what requests pass on their way, and where they go.
type passage struct {
	options  wire.Options
	limits   wire.Limits
	guards   []wire.Act
	faults   []fault.Fault
	cassette *cassette.Cassette // nil is none
	script   *script.Script     // nil: servers are asked
	seed     uint64
	close    func() error // what is recorded; it may be called again
}

// passage opens what is read and recorded.
func (r *Setup) passage(a *world.World) (p *passage, err error) {
	if err := r.checkScript(); err != nil {
		return nil, err
	}
	if err := r.Pricing.Load(nil); err != nil {
		return nil, err
	}
	p = &passage{limits: r.limits(), seed: r.Seed, close: func() error { return nil }}
	if p.guards, err = r.guards(a.Opening); err != nil {
		return nil, err
	}
	if p.faults, err = r.parseFaults(); err != nil {
		return nil, err
	}
	if p.options, err = r.options(a); err != nil {
		return nil, err
	}
	if p.script, err = r.loadScript(); err != nil {
		return nil, err
	}
	if p.script != nil {
		p.options = script.Wire(p.options)
	}
	if p.cassette, err = r.openCassette(a, keySecrets(p.options)); err != nil {
		return nil, err
	}
	if p.cassette != nil {
		p.close = sync.OnceValue(p.cassette.Close)
	}
	return p, nil
}

// acts stand on the way of one trial, by its number from 0: a guard judges what the program would get, and a cassette
// has what the server answered.
func (p *passage) acts(scenario string, number int) []wire.Act {
	acts := append([]wire.Act{}, p.guards...)
	seed := p.seed + uint64(number)
	if p.faults != nil {
		acts = append(acts, fault.New(p.faults, seed))
	}
	if p.cassette != nil {
		acts = append(acts, p.cassette.Attempt(cassette.Conversation{Scenario: scenario, Trial: number}))
	}
	if p.script != nil {
		acts = append(acts, p.script.Attempt(seed))
	}
	return acts
}
