package sampled

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// most is how many trials of a side are kept. Chosen: a change of one trial in two hundred is then found with a chance
// of 99 %, and both sides take some hundred kilobytes.
const most = 1000

// Fields are the fields of trials that digests are of; all of them must be read.
const Fields = trial.BasicFields | trial.TimeField | trial.StepFields | trial.InputField | trial.ContentFields |
	trial.UnknownFields

// Drawing draws the trials of the lowest ranks, which are hashes of what names a trial. The zero value has the seed 0.
type Drawing struct {
	Seed uint64

	trials int
	// Of the trials of a scenario that have no number, how many there were.
	unnumbered map[string]int
	kept       []drawnTrial
	below      uint64 // the rank from which on no trial is kept; 0 is none
	fixed      bool   // the bound is that of another drawing, and stays
}

// drawnTrial is a trial that is kept.
type drawnTrial struct {
	rank     uint64
	scenario string
	number   trial.Optional[int]
	at       int    // among those of the scenario that have no number; 0 of one that has
	input    uint64 // hash; 0 is none
	outcome  trial.Outcome
	metrics  map[recording.MetricName]float64 // those that are known
	basis    trial.CostBasis
	digest   string
	place    trial.Place
}

// Again is a drawing of the trials that another one kept.
func (s *Side) Again(seed uint64) *Drawing {
	return &Drawing{Seed: seed, below: uint64(s.Below), fixed: true}
}

// Add takes a trial, if its turn is drawn. The trial is not kept.
func (d *Drawing) Add(t *trial.Trial) {
	d.trials++
	item := drawnTrial{scenario: t.Scenario, number: t.Index}
	if !t.Index.Known {
		if d.unnumbered == nil {
			d.unnumbered = map[string]int{}
		}
		item.at = d.unnumbered[t.Scenario]
		d.unnumbered[t.Scenario]++
	}
	if len(t.Input) > 0 {
		item.input = max(seeded.Text(0, t.Input), 1)
	}
	if item.rank = item.rankBy(d.Seed); d.below != 0 && item.rank >= d.below {
		return
	}
	item.look(t)
	d.kept = append(d.kept, item)
	if len(d.kept) >= 2*most && !d.fixed {
		d.cut()
	}
}

// look keeps what a trial did.
func (d *drawnTrial) look(t *trial.Trial) {
	d.outcome, d.digest, d.place = t.Outcome, digest(t), t.Place
	if t.CostUSD.Known {
		d.basis = t.CostBasis
	}
	metrics := recording.Measure(t)
	d.metrics = map[recording.MetricName]float64{}
	for name := range recording.AllMetrics() {
		if x := metrics[name]; x == x { // NaN where it is unknown
			d.metrics[name] = x
		}
	}
}

// rankBy is a number that looks random, from 1 on, of what names the trial.
func (d *drawnTrial) rankBy(seed uint64) uint64 {
	h := seeded.Scramble(seed ^ 0x73616d706c6564)
	h = seeded.Text(h, d.scenario)
	h = seeded.Scramble(h ^ d.input)
	if d.number.Known {
		h = seeded.Scramble(h ^ uint64(d.number.Value))
	} else {
		h = seeded.Scramble(h ^ ^uint64(d.at))
	}
	return max(h, 1)
}

// cut keeps the trials of the lowest ranks.
func (d *Drawing) cut() {
	slices.SortStableFunc(d.kept, func(a, b drawnTrial) int { return cmp.Compare(a.rank, b.rank) })
	if len(d.kept) <= most || d.fixed {
		return
	}
	d.below = d.kept[most].rank
	end, _ := slices.BinarySearchFunc(d.kept, d.below,
		func(item drawnTrial, rank uint64) int { return cmp.Compare(item.rank, rank) })
	d.kept = d.kept[:end]
}

// digest is that of all of a trial but its tags, which say something about the recording rather than of what was
// judged, and an estimated cost, which follows from a table of prices.
func digest(t *trial.Trial) string {
	whole := *t
	whole.Tags = nil
	if whole.CostBasis != trial.RecordedCost {
		whole.CostUSD, whole.CostBasis = trial.Optional[float64]{}, trial.RecordedCost
	}
	text, err := trial.Append(nil, &whole)
	if err != nil {
		text = []byte(err.Error()) // of a trial that was read there is none
	}
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:digestBytes])
}

// digestBytes of SHA-256 are kept: 128 bits.
const digestBytes = 16
