package store

import (
	"crypto/sha256"
	"errors"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/tribunal-dev/tribunal/trial"
)

// mostTraceBytes bounds what a trace expands to: a store may be of others.
const mostTraceBytes = 1 << 30

var (
	encoder = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false),
			zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)))
		if err != nil {
			panic(err) // of its options alone
		}
		return e
	})
	decoder = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(mostTraceBytes))
		if err != nil {
			panic(err) // of its options alone
		}
		return d
	})
)

// compress is a text as it is kept.
func compress(text []byte) []byte { return encoder().EncodeAll(text, nil) }

// expand is the text that was compressed.
func expand(kept []byte) ([]byte, error) { return decoder().DecodeAll(kept, nil) }

// inTrace stands for the scenario of a trial in its trace, which a record of a trial must have. A trace is the same
// whichever scenario it is of.
const inTrace = "-"

// row is a trial as it is kept: what is looked for is in columns, and everything else in the trace.
type row struct {
	scenario string
	number   trial.Optional[int]
	outcome  trial.Outcome
	score    trial.Optional[float64]
	started  string
	duration trial.Optional[float64]
	cost     trial.Optional[float64]
	in, out  trial.Optional[int64]
	turns    trial.Optional[int]
	calls    trial.Optional[int]
	trace    []byte // compressed; nil where there is nothing more to say
	digest   []byte // of the trace before it is compressed
}

// rowOf splits a trial.
func rowOf(t *trial.Trial) (r row, err error) {
	r = row{
		scenario: t.Scenario, number: t.Index, outcome: t.Outcome, score: t.Score, started: string(t.StartedAt),
		duration: t.DurationSeconds, cost: t.CostUSD, in: t.InputTokens, out: t.OutputTokens, turns: t.Turns,
		calls: t.ToolCalls,
	}
	rest := *t
	var none trial.Trial
	rest.Scenario, rest.Variant, rest.Outcome, rest.StartedAt = inTrace, "", trial.Unjudged, ""
	rest.Index, rest.Score, rest.DurationSeconds, rest.CostUSD = none.Index, none.Score, none.DurationSeconds, none.CostUSD
	rest.InputTokens, rest.OutputTokens, rest.Turns, rest.ToolCalls = none.InputTokens, none.OutputTokens, none.Turns, none.ToolCalls
	if says(&rest) {
		text, err := trial.Append(nil, &rest)
		if err != nil {
			return row{}, err
		}
		digest := sha256.Sum256(text)
		r.digest, r.trace = digest[:], compress(text)
	}
	return r, nil
}

// says reports whether a trial has anything but what has a column.
func says(t *trial.Trial) bool {
	return t.Error != nil || t.Model != "" || t.CostBasis != "" || t.CachedTokens.Known || t.CacheWrites.Known ||
		t.Steps != nil || t.Input != nil || t.Output != nil || t.Attempt.Known || t.Tags != nil || t.Extra != nil
}

// trial puts a trial together again.
func (r *row) trial(version string, fields trial.Fields) (*trial.Trial, error) {
	t := new(trial.Trial)
	if r.trace != nil {
		text, err := expand(r.trace)
		if err != nil {
			return nil, errors.Join(errBroken, err)
		}
		// An outcome is needed by what decodes a record, and the true one is in its column.
		text = append([]byte(`{"outcome":"error",`), text[1:]...)
		if t, err = trial.Decode(text, trial.Options{Fields: fields}); err != nil {
			return nil, errors.Join(errBroken, err)
		}
		t.Place = trial.Place{}
	}
	t.Scenario, t.Variant, t.Outcome, t.StartedAt = r.scenario, version, r.outcome, trial.Timestamp(r.started)
	t.Index, t.Score, t.DurationSeconds, t.CostUSD = r.number, r.score, r.duration, r.cost
	t.InputTokens, t.OutputTokens, t.Turns, t.ToolCalls = r.in, r.out, r.turns, r.calls
	return t, nil
}

// errBroken says that a trace is not what was kept.
var errBroken = errors.New("a trace is broken")
