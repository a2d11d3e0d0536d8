package looks

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/tribunal-dev/tribunal/trial"
)

// Prefixes are the digests of the first 1, 2, ... trials of a recording, by which a recording
// that grew is known: eight bytes of each trial. The zero value is ready for use.
type Prefixes struct {
	sum  *xxhash.Digest
	list [][]uint64 // in parts of one length, so that none is copied as they become more
	n    int
	line []byte
	told bool // something tells trials of one scenario and outcome apart

	scenarios map[string]bool
	last      string // scenario
}

// Add adds the next trial, by what tells it from others.
func (p *Prefixes) Add(t *trial.Trial) {
	if p.sum == nil {
		p.sum, p.scenarios = xxhash.New(), map[string]bool{t.Scenario: true}
	}
	if t.Scenario != p.last {
		p.scenarios[t.Scenario], p.last = true, t.Scenario
	}
	p.told = p.told || t.StartedAt != "" || t.DurationSeconds.Known || t.CostUSD.Known
	b := p.line[:0]
	for _, text := range [...]string{t.Scenario, t.Variant, string(t.StartedAt)} {
		b = append(append(b, text...), 0)
	}
	b = append(b, byte(t.Outcome))
	for _, x := range [...]trial.Optional[float64]{t.DurationSeconds, t.CostUSD, t.Score} {
		b = number(b, x.Known, math.Float64bits(x.Value))
	}
	for _, x := range [...]trial.Optional[int64]{t.InputTokens, t.OutputTokens} {
		b = number(b, x.Known, uint64(x.Value))
	}
	p.line = number(b, t.Index.Known, uint64(t.Index.Value))
	_, _ = p.sum.Write(p.line) // a hash returns no error
	if p.n%part == 0 {
		p.list = append(p.list, make([]uint64, 0, min(part, max(16, p.n))))
	}
	last := &p.list[len(p.list)-1]
	*last = append(*last, p.sum.Sum64())
	p.n++
}

// part is how many digests stand together.
const part = 1 << 13

// number appends a number as it stands in memory, and keeps one that is not known from 0.
func number(b []byte, known bool, bits uint64) []byte {
	if !known {
		return append(b, 0)
	}
	return binary.LittleEndian.AppendUint64(append(b, 1), bits)
}

// Told reports whether trials with the same outcome differ in what they took or when they
// began: recordings of outcomes alone may begin alike by chance.
func (p *Prefixes) Told() bool { return p.told }

// Scenarios are the names of those that have a trial, sorted.
func (p *Prefixes) Scenarios() []string { return slices.Sorted(maps.Keys(p.scenarios)) }

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
