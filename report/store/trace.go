package store

import (
	"crypto/sha256"
	"errors"
	"math"
	"runtime"
	"strconv"
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

// compress appends a text as it is kept.
func compress(to, text []byte) []byte { return encoder().EncodeAll(text, to) }

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
	text     []byte // of the trace; nil where there is nothing more to say, and once it is compressed
	trace    []byte // compressed; nil where there is none, and before
	digest   []byte // of the text
}

// row splits a trial. Its trace is in the batch, and not compressed yet.
func (b *batch) row(t *trial.Trial) (r row, err error) {
	r = row{
		scenario: t.Scenario, number: t.Index, outcome: t.Outcome, score: t.Score, started: string(t.StartedAt),
		duration: t.DurationSeconds, cost: t.CostUSD, in: t.InputTokens, out: t.OutputTokens, turns: t.Turns,
		calls: t.ToolCalls,
	}
	rest := *t
	var none trial.Trial
	rest.Scenario, rest.Variant, rest.Outcome, rest.StartedAt = inTrace, "", trial.Unjudged, ""
	rest.Index, rest.Score, rest.DurationSeconds, rest.CostUSD = none.Index, none.Score, none.DurationSeconds, none.CostUSD
	rest.InputTokens, rest.OutputTokens, rest.Turns, rest.ToolCalls = none.InputTokens, none.OutputTokens, none.Turns,
		none.ToolCalls
	if says(&rest) {
		from := len(b.texts)
		if b.texts, err = trial.Append(b.texts, &rest); err != nil {
			return row{}, err
		}
		r.text = b.texts[from:]
		digest := sha256.Sum256(r.text)
		r.digest = digest[:]
	}
	return r, nil
}

// compress compresses the traces of a batch.
func (b *batch) compress() {
	b.kept = b.kept[:0]
	for i := range b.trials {
		if r := &b.trials[i].row; r.text != nil {
			from := len(b.kept)
			b.kept = compress(b.kept, r.text)
			r.trace, r.text = b.kept[from:], nil
		}
	}
}

// appendTo appends what is in a row, for a digest: each value ends where the next one begins.
func (r *row) appendTo(b []byte) []byte {
	b = strconv.AppendQuote(b, r.scenario)
	b = strconv.AppendQuote(append(b, ' ', '0'+byte(r.outcome)), r.started)
	for _, n := range []trial.Optional[int]{r.number, r.turns, r.calls} {
		b = appendOptional(b, n.Known, int64(n.Value))
	}
	for _, n := range []trial.Optional[int64]{r.in, r.out} {
		b = appendOptional(b, n.Known, n.Value)
	}
	for _, x := range []trial.Optional[float64]{r.score, r.duration, r.cost} {
		b = appendOptional(b, x.Known, int64(math.Float64bits(x.Value)))
	}
	return append(append(b, r.digest...), byte(len(r.digest)), '\n')
}

// appendOptional appends a number that may be unknown.
func appendOptional(b []byte, known bool, n int64) []byte {
	if !known {
		return append(b, " -"...)
	}
	return strconv.AppendInt(append(b, ' '), n, 16)
}

// says reports whether a trial has anything but what has a column.
func says(t *trial.Trial) bool {
	return t.Error != nil || t.Model != "" || t.CostBasis != "" || t.CostAtLeast.Known || t.TokensAtLeast.Known ||
		t.CachedTokens.Known || t.CacheWrites.Known || t.ModelUsage != nil ||
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
