package baseline

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/stats"
)

// RoundsRecord is the saved form of a [Rounds]. It is made by [Rounds.Record], and read by
// [RoundsRecord.Rounds], which trusts nothing in it.
type RoundsRecord struct {
	Matched   bool    `json:"matched,omitempty"`
	Delta     float64 `json:"delta"`
	Alpha     float64 `json:"alpha"`
	Beta      float64 `json:"beta"`
	Low       float64 `json:"lowest_guarded"` // of matched pairs the least probability of discordant ones, 0
	High      float64 `json:"highest_guarded"`
	MaxRounds int     `json:"max_rounds"`
	Stops     string  `json:"stops"`  // by rounds and events of the baseline: see rounds_record.go
	Digest    string  `json:"digest"` // as [Rounds.Digest]
}

// The stop points after n rounds are limits for each number of events of the baseline, first those of Pass and
// then those of Fail. They differ by little from those one round before: what is saved is the lengths of runs of
// equal differences. Beyond the events of the round before, a limit is expected to be higher by 1 than the last.

// Record returns the saved form.
func (r *Rounds) Record() RoundsRecord {
	var e encoder
	var pass, fail []int16
	for n := 1; n <= r.MaxRounds(); n++ {
		e.differences(r.stops.pass[n], pass, -1)
		e.differences(r.stops.fail[n], fail, 1)
		pass, fail = r.stops.pass[n], r.stops.fail[n]
	}
	h := r.hypotheses
	return RoundsRecord{r.matched, h.Delta, h.Alpha, h.Beta, h.Guarded.Low, h.Guarded.High, r.MaxRounds(),
		e.text.String(), r.Digest()}
}

// expectedLimit is what a limit is compared with: that of the round before, or one more than the last.
func expectedLimit(x int, before, list []int16, first int16) int {
	switch {
	case x < len(before):
		return int(before[x])
	case x > 0:
		return int(list[x-1]) + 1
	}
	return int(first)
}

// differences writes a list beside that of the round before. First is what the first limit of all is compared
// with.
func (e *encoder) differences(list, before []int16, first int16) {
	for x := 0; x < len(list); {
		from, difference := x, int(list[x])-expectedLimit(x, before, list, first)
		for x++; x < len(list) && int(list[x])-expectedLimit(x, before, list, first) == difference; x++ {
		}
		e.number(x - from)
		e.number(difference)
	}
}

// differences reads a list with limits from least to most.
func (d *decoder) differences(list, before []int16, first int16, least, most int) {
	for x := 0; x < len(list) && d.err == nil; {
		length := d.size("limits", 1, len(list)-x)
		difference := d.number()
		for ; length > 0 && d.err == nil; length-- {
			limit := expectedLimit(x, before, list, first) + difference
			if limit < least || limit > most {
				d.fail("a limit of %d events", limit)
				break
			}
			list[x] = int16(limit)
			x++
		}
	}
}

// Rounds reads the saved form. It computes the digest again: an error says what is wrong
// with the record, or that it is not that of its digest. What the errors of the test are,
// [Rounds.Errors] computes from the stop points alone.
func (r RoundsRecord) Rounds() (*Rounds, error) {
	h := Hypotheses{r.Delta, r.Alpha, r.Beta, stats.Interval{Low: r.Low, High: r.High}}
	check, kindOf := h.validateSides, sideKind
	if r.Matched {
		check, kindOf = h.validatePairs, matchedKind
	}
	if err := check(); err != nil {
		return nil, fmt.Errorf("test in rounds: %w", err)
	}
	if r.MaxRounds < 1 || r.MaxRounds > MostRounds {
		return nil, fmt.Errorf("test in rounds: %d rounds: must be from 1 to %d", r.MaxRounds, MostRounds)
	}
	// The part of the lattice that is looked at depends on the ends of the guarded range alone.
	k := kindOf(h, defaultFavour)
	p := newPlane(h, k, r.MaxRounds, 0, []float64{0, 1}, []float64{0.5, 0.5})
	d := decoder{text: r.Stops}
	var pass, fail []int16
	for n := 1; n <= r.MaxRounds; n++ {
		nextPass, nextFail := p.stops.pass[n], p.stops.fail[n]
		d.differences(nextPass, pass, -1, -1, p.mostY[n])
		d.differences(nextFail, fail, 1, 0, p.mostY[n]+1)
		for x := range nextPass {
			if d.err == nil && nextPass[x] >= nextFail[x] {
				d.fail("after %d rounds with %d of the baseline, pass at %d and fail at %d", n, x, nextPass[x], nextFail[x])
			}
		}
		pass, fail = nextPass, nextFail
	}
	if err := d.end(); err != nil {
		return nil, fmt.Errorf("test in rounds: stops: %w", err)
	}
	test := p.test(k, p.stops)
	if digest := test.Digest(); digest != r.Digest {
		return nil, fmt.Errorf("test in rounds: its digest is %s, not %s as it says", digest, r.Digest)
	}
	return test, nil
}
