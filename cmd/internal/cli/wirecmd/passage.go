package wirecmd

import (
	"sync"

	"github.com/spf13/pflag"

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

// passage makes it of the flags, and opens what is read and recorded.
func (f *wireFlags) passage(a *world.World, flags *pflag.FlagSet) (p *passage, err error) {
	if err := f.checkScript(flags); err != nil {
		return nil, err
	}
	if err := f.pricing.Load(nil); err != nil {
		return nil, err
	}
	p = &passage{limits: f.limits(flags), seed: uint64(f.script.seed), close: func() error { return nil }}
	if p.guards, err = f.tools.acts(); err != nil {
		return nil, err
	}
	if p.faults, err = f.parseFaults(); err != nil {
		return nil, err
	}
	if p.options, err = f.options(a); err != nil {
		return nil, err
	}
	if p.script, err = f.script.load(); err != nil {
		return nil, err
	}
	if p.script != nil {
		p.options = script.Wire(p.options)
	}
	if p.cassette, err = f.tape.open(a, f.keySecrets(p.options)); err != nil {
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
