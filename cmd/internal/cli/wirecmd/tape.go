package wirecmd

import (
	"io"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/wire/cassette"
)

// tapeFlags are those of a cassette.
type tapeFlags struct {
	file, replay string
	ignore       []string
	timing       bool
}

func (f *tapeFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.file, "cassette", "", "record what passes to `FILE`, or replay it with --replay")
	flags.StringVar(&f.replay, "replay", "", "answer from the cassette: `strict` (all) or or-record (what is there)")
	flags.StringSliceVar(&f.ignore, "ignore", nil,
		"`PATH` of a member that does not tell requests apart, such as metadata.user_id; may be given again")
	flags.BoolVar(&f.timing, "timing", false, "replayed answers take the time that they took")
}

// open opens the cassette; nil where there is none.
func (f *tapeFlags) open(a *world.World, secrets []string) (*cassette.Cassette, error) {
	switch {
	case f.file == "" && (f.replay != "" || f.ignore != nil || f.timing):
		return nil, problem.Usage("such as --cassette agent.cassette", "--replay, --ignore and --timing are of a cassette")
	case f.file == "":
		return nil, nil
	case f.replay != "" && f.replay != string(cassette.Strict) && f.replay != string(cassette.OrRecord):
		return nil, problem.Usage("strict or or-record", "--replay cannot be %q", f.replay)
	case f.replay == "" && (f.ignore != nil || f.timing):
		return nil, problem.Usage("such as --replay strict", "--ignore and --timing are of a replay")
	}
	c, err := cassette.Open(f.file, cassette.Options{
		Replay: cassette.Replay(f.replay), Ignore: f.ignore, Timing: f.timing, Secrets: secrets,
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
