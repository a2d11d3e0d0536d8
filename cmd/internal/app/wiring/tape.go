package wiring

import (
	"io"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/wire/cassette"
)

// openCassette opens the cassette; nil where there is none.
func (r *Setup) openCassette(a *world.World, secrets []string) (*cassette.Cassette, error) {
	switch {
	case r.Cassette == "" && (r.Replay != "" || r.Ignore != nil || r.Timing):
		return nil, problem.Usage("such as --cassette agent.cassette", "--replay, --ignore and --timing are of a cassette")
	case r.Cassette == "":
		return nil, nil
	case r.Replay != "" && r.Replay != string(cassette.Strict) && r.Replay != string(cassette.OrRecord):
		return nil, problem.Usage("strict or or-record", "--replay cannot be %q", r.Replay)
	case r.Replay == "" && (r.Ignore != nil || r.Timing):
		return nil, problem.Usage("such as --replay strict", "--ignore and --timing are of a replay")
	}
	c, err := cassette.Open(r.Cassette, cassette.Options{
		Replay: cassette.Replay(r.Replay), Ignore: r.Ignore, Timing: r.Timing, Secrets: secrets,
	})
	if err != nil {
		return nil, problem.Unavailable(err.Error(), "")
	}
	if note := c.Note(); note != "" {
		if _, err := io.WriteString(a.Stderr, "wire: "+note+"\n"); err != nil {
			return nil, err
		}
	}
	return c, nil
}
