package change

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/internal/seeded"
)

// Direction says which change of a number is looked for. The zero value is Rise.
type Direction uint8

// The directions.
const (
	Rise   Direction = iota // larger values
	Fall                    // smaller values
	Either                  // both, each with half of the weight
)

var directions = enum.Of[Direction]("direction", "rise", "fall", "either")

// String returns "rise", "fall" or "either".
func (d Direction) String() string { return directions.String(d) }

// MarshalText writes the name.
func (d Direction) MarshalText() ([]byte, error) { return directions.MarshalText(d) }

// UnmarshalText reads the name.
func (d *Direction) UnmarshalText(text []byte) error { return directions.UnmarshalText(text, d) }

// Conformal watches a stream of numbers for a change of their distribution, of which nothing is known: the
// Shiryaev-Roberts procedure on conformal p-values (Vovk, Petej, Nouretdinov, Ahlberg, Carlsson and Gammerman 2021,
// Proceedings of Machine Learning Research 152:191). A value's rank among all before it, with ties broken at random, is
// uniform and independent of the ranks before while nothing changes; bets on small ranks are multiplied, and added up
// over all trials at which the change may have come.
//
// H0: the values are exchangeable, those learnt at the beginning included. Then the first time at which the evidence
// reaches A comes after A trials on average, at least, whatever the distribution, continuous or not. A failure may
// count as 1 and a pass as 0.
//
// Values are told apart to about 1.6 %, and closer ones are ties: by this the ranks among all values before, however
// many, take bounded memory (at most 120 KiB, for values of the same size far less) and the level stays exact. Values
// of less than 1e-9 count as 0, those of more than 1e15 as that. What comes after a change joins the past, so a change
// is seen best after many trials, and may be missed in the first few.
//
// The zero value cannot be used.
type Conformal struct {
	direction Direction
	seed      uint64
	past      ranks
	sums      []float64
	recent    trialRing // p-values
}

// NewConformal returns a detector without values. The seed is that of the random order of ties.
func NewConformal(direction Direction, seed uint64) (*Conformal, error) {
	if !directions.Has(direction) {
		return nil, argument.Wrong("direction", direction, "is no direction")
	}
	d := &Conformal{direction: direction, seed: seed}
	d.sums = make([]float64, d.parts())
	return d, nil
}

func (d *Conformal) parts() int {
	if d.direction == Either {
		return 2 * len(bets)
	}
	return len(bets)
}

// Learn takes a value in that is known to come before the change, such as one of a baseline: it is not watched, and
// later values are ranked among it. NaN and infinities are refused.
func (d *Conformal) Learn(x float64) error {
	if err := checkFinite(x); err != nil {
		return err
	}
	d.past.add(x)
	return nil
}

func checkFinite(x float64) error {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return argument.Wrong("value", x, "must be finite")
	}
	return nil
}

// Add takes one more value in and returns the evidence after it. NaN and infinities are refused, and not counted.
func (d *Conformal) Add(x float64) (float64, error) {
	if err := checkFinite(x); err != nil {
		return d.Evidence(), err
	}
	above, equal := d.past.above(x)
	d.past.add(x)
	// A random number above 0 and at most 1 that the seed and the number of the value give, so that one that goes on
	// from a stored state draws the same.
	draw := seeded.Scramble(seeded.Scramble(d.seed) ^ seeded.Scramble(uint64(d.past.count)))
	u := float64(draw>>11+1) / (1 << 53)
	p := (float64(above) + u*float64(equal+1)) / float64(d.past.count)
	if d.direction == Fall {
		p = 1 - p
	}
	d.recent.add(p)
	weight := 1 / float64(len(d.sums))
	evidence := 0.0
	for i := range d.sums {
		d.sums[i] = min((d.sums[i]+weight)*d.ratio(p, i), mostEvidence)
		evidence += d.sums[i]
	}
	return evidence, nil
}

// ratio is what the i-th bet wins at a p-value.
func (d *Conformal) ratio(p float64, i int) float64 {
	if i >= len(bets) {
		return bets[i-len(bets)].wins(1 - p)
	}
	return bets[i].wins(p)
}

// bet is one on p-values below a limit: that they have more than their share. Its mean over uniform p-values is 1.
type bet struct{ limit, below, above float64 }

func (b bet) wins(p float64) float64 {
	if p < b.limit {
		return b.below
	}
	return b.above
}

// bets are those of one direction: shares of the largest values, each of which becomes more frequent by three factors
// of its odds. They are chosen by simulation.
var bets = func() (all []bet) {
	for _, limit := range []float64{0.01, 0.03, 0.1, 0.25, 0.5} {
		for _, log := range []float64{0.6, 1.2, 2.2} {
			share := limit * math.Exp(log) / (1 - limit + limit*math.Exp(log))
			all = append(all, bet{limit, share / limit, (1 - share) / (1 - limit)})
		}
	}
	return all
}()

// Evidence returns the evidence after the values so far, 0 before the first.
func (d *Conformal) Evidence() float64 {
	evidence := 0.0
	for _, x := range d.sums {
		evidence += x
	}
	return evidence
}

// Trials returns the number of values that were watched, and Learnt that of those learnt before.
func (d *Conformal) Trials() int { return d.recent.count }

// Learnt returns the number of values that were learnt and not watched.
func (d *Conformal) Learnt() int { return int(d.past.count) - d.recent.count }

// Onset says when the change came that the last values show, see [Onset].
func (d *Conformal) Onset(alpha float64) (Onset, error) {
	return d.recent.onset(alpha, len(d.sums), d.ratio)
}

// conformalState is what a detector is stored as.
type conformalState struct {
	Direction Direction `json:"direction"`
	Seed      uint64    `json:"seed"`
	Past      ranks     `json:"past"`
	Sums      []float64 `json:"sums"`
	Recent    trialRing `json:"recent"`
}

// MarshalJSON writes all that it needs to go on.
func (d *Conformal) MarshalJSON() ([]byte, error) {
	return json.Marshal(conformalState{d.direction, d.seed, d.past, d.sums, d.recent})
}

// UnmarshalJSON reads a detector that was stored. What cannot have been is an error.
func (d *Conformal) UnmarshalJSON(text []byte) error {
	var s conformalState
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	read, err := NewConformal(s.Direction, s.Seed)
	if err != nil {
		return err
	}
	if err := checkSums(s.Sums, len(read.sums)); err != nil {
		return err
	}
	if int64(s.Recent.count) > s.Past.count {
		return fmt.Errorf("%w: more values than ranks", errState)
	}
	read.past, read.sums, read.recent = s.Past, s.Sums, s.Recent
	*d = *read
	return nil
}
