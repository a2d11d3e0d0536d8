package looks

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/tribunal-dev/tribunal/internal/ordinal"
	"github.com/tribunal-dev/tribunal/trial"
)

// Prefixes are the digests of the first 1, 2, ... trials of a recording, by which a recording
// that grew is known: eight bytes of each trial. The zero value is ready for use.
type Prefixes struct {
	list [][]uint64 // in parts of one length, so that none is copied as they become more
	n    int
	last uint64 // of the digests
	line []byte
	told bool // something tells trials of one scenario and outcome apart

	scenarios ordinal.Keys[string]
}

// Add adds the next trial, by what tells it from others.
func (p *Prefixes) Add(t *trial.Trial) {
	p.scenarios.Place(t.Scenario)
	p.told = p.told || t.StartedAt != "" || t.DurationSeconds.Known || t.CostUSD.Known
	known := uint64(t.Outcome)
	b := binary.LittleEndian.AppendUint64(p.line[:0], p.last) // so each digest is of all trials before
	for i, x := range [...]struct {
		known bool
		bits  uint64
	}{
		{t.DurationSeconds.Known, math.Float64bits(t.DurationSeconds.Value)},
		{t.CostUSD.Known, math.Float64bits(t.CostUSD.Value)},
		{t.Score.Known, math.Float64bits(t.Score.Value)},
		{t.InputTokens.Known, uint64(t.InputTokens.Value)},
		{t.OutputTokens.Known, uint64(t.OutputTokens.Value)},
		{t.Index.Known, uint64(t.Index.Value)},
	} {
		if x.known {
			known |= 1 << (8 + i)
			b = binary.LittleEndian.AppendUint64(b, x.bits)
		}
	}
	b = append(append(binary.LittleEndian.AppendUint64(b, known), t.Scenario...), 0)
	p.line = append(append(append(b, t.Variant...), 0), t.StartedAt...)
	p.last = xxhash.Sum64(p.line)
	if p.n%part == 0 {
		p.list = append(p.list, make([]uint64, 0, min(part, max(16, p.n))))
	}
	last := &p.list[len(p.list)-1]
	*last = append(*last, p.last)
	p.n++
}

// part is how many digests stand together.
const part = 1 << 13

// Told reports whether trials with the same outcome differ in what they took or when they
// began: recordings of outcomes alone may begin alike by chance.
func (p *Prefixes) Told() bool { return p.told }

// Scenarios are the names of those that have a trial, sorted.
func (p *Prefixes) Scenarios() []string { return slices.Sorted(slices.Values(p.scenarios.List())) }

// Trials is how many there are.
func (p *Prefixes) Trials() int { return p.n }

// Digest is that of all trials; "" without any.
func (p *Prefixes) Digest() string { return p.at(p.n) }

// Same reports whether so many trials with this digest are the first of these.
func (p *Prefixes) Same(trials int, digest string) bool {
	return trials >= 1 && trials <= p.n && p.at(trials) == digest
}

// Counted is the number of trials and their digest in one word, for a question about several recordings.
func (p *Prefixes) Counted() string { return strconv.Itoa(p.Trials()) + ":" + p.Digest() }

// Began reports whether what [Prefixes.Counted] said of an earlier recording are the first of these trials.
func (p *Prefixes) Began(earlier string) bool {
	count, digest, _ := strings.Cut(earlier, ":")
	trials, err := strconv.Atoi(count)
	return err == nil && p.Same(trials, digest)
}

func (p *Prefixes) at(trials int) string {
	if trials == 0 {
		return ""
	}
	return strconv.FormatUint(p.list[(trials-1)/part][(trials-1)%part], 16)
}
