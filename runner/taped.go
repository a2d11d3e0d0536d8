package runner

import (
	"os"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/cassette"
)

// tape records what passes on a wire, or replays it.
type tape struct {
	file   string   // "" is none
	redact []string // names of variables whose values stay out of it
	env    map[string]string
	opened *cassette.Cassette // with the wire
}

// tapingOf is that of an agent of a suite.
func tapingOf(s *suite.Suite, a suite.Agent) tape {
	return tape{file: s.Resolve(a.Wire.Cassette.File), redact: s.Redacted(), env: a.Env}
}

// open opens the file, if there is one.
func (t *tape) open(asked *suite.Wire) (err error) {
	if t.file == "" || t.opened != nil {
		return nil
	}
	o := cassette.Options{
		Replay: cassette.Replay(asked.Cassette.Replay), Ignore: asked.Cassette.Ignore, Timing: asked.Cassette.Timing,
	}
	for _, key := range asked.Keys {
		o.Secrets = append(o.Secrets, key)
	}
	for _, name := range t.redact {
		o.Secrets = append(o.Secrets, os.Getenv(name), t.env[name])
	}
	t.opened, err = cassette.Open(t.file, o)
	return err
}

// acts are those that stand on the way of an attempt.
func (t *tape) acts(r Request) []wire.Act {
	if t.opened == nil {
		return nil
	}
	return []wire.Act{t.opened.Attempt(cassette.Conversation{
		Scenario: r.Scenario, Variant: r.variant(), Trial: r.Trial, Attempt: r.Attempt,
	})}
}

// failed is why something could not be recorded, if that is so.
func (t *tape) failed() error {
	if t.opened == nil {
		return nil
	}
	return t.opened.Err()
}

// close closes the file.
func (t *tape) close() {
	if t.opened != nil {
		_ = t.opened.Close() // each attempt has told already what could not be written
	}
}
