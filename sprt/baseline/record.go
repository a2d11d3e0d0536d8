package baseline

import (
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
)

// Record is the saved form of a [Family]: all that it takes to compute its errors,
// p-values and intervals again. It is made by [Family.Record], and read by
// [Record.Family], which trusts nothing in it.
type Record struct {
	Delta  float64      `json:"delta"`
	Alpha  float64      `json:"alpha"`
	Beta   float64      `json:"beta"`
	Gamma  float64      `json:"gamma,omitempty"` // as [Family.Gamma]
	Sample SampleRecord `json:"sample"`
	Tiers  []TierRecord `json:"tiers"`
	// EveryRate says that the last tier is also for outcomes beyond it, as long as the errors are kept at every rate.
	EveryRate bool   `json:"every_rate,omitempty"`
	Digest    string `json:"digest"` // as [Family.Digest]
}

// TierRecord is the saved form of the boundaries that are planned for one guarded range.
type TierRecord struct {
	Low       float64 `json:"lowest_guarded"`
	High      float64 `json:"highest_guarded"`
	MaxTrials int     `json:"max_trials"`
	// Boundaries of the sample's outcomes, in their order: see codec.go.
	Boundaries string `json:"boundaries"`
}

// SampleRecord is the saved form of a [Sample]: exactly one of its fields is set.
type SampleRecord struct {
	Fixed      int            `json:"fixed,omitempty"`      // trials
	Sequential *StopsRecord   `json:"sequential,omitempty"` // where the run could stop
	Pooled     []SampleRecord `json:"pooled,omitempty"`     // none of them pooled
}

// StopsRecord is the saved form of boundaries.
type StopsRecord struct {
	MaxTrials  int    `json:"max_trials"`
	Boundaries string `json:"boundaries"`
}

// Bounds of what is read: of the runs that are pooled, and of the limits of all boundaries of a family.
const (
	mostPooled = 100
	mostLimits = 16 << 20
)

// Record returns the saved form.
func (s Sample) Record() (r SampleRecord) {
	switch {
	case s.parts != nil:
		for _, part := range s.parts {
			r.Pooled = append(r.Pooled, part.Record())
		}
	case s.sequential != nil:
		var e encoder
		e.boundaries(*s.sequential, &lists{})
		r.Sequential = &StopsRecord{s.sequential.MaxTrials(), e.text.String()}
	default:
		r.Fixed = s.outcomes[0].Trials
	}
	return r
}

// Sample reads the saved form; an error says what is wrong with it.
func (r SampleRecord) Sample() (Sample, error) {
	set := 0
	for _, is := range []bool{r.Fixed != 0, r.Sequential != nil, len(r.Pooled) > 0} {
		if is {
			set++
		}
	}
	if set != 1 {
		return Sample{}, fmt.Errorf("a sample is one of fixed, sequential and pooled, not %d of them", set)
	}
	switch {
	case r.Fixed != 0:
		return Fixed(r.Fixed)
	case r.Sequential != nil:
		b, err := r.Sequential.Limits()
		if err != nil {
			return Sample{}, err
		}
		return Sequential(b)
	}
	if len(r.Pooled) > mostPooled {
		return Sample{}, fmt.Errorf("%d runs are pooled: must be %d at most", len(r.Pooled), mostPooled)
	}
	var parts []Sample
	for _, part := range r.Pooled {
		if part.Pooled != nil {
			return Sample{}, fmt.Errorf("a pooled sample is part of another")
		}
		s, err := part.Sample()
		if err != nil {
			return Sample{}, err
		}
		parts = append(parts, s)
	}
	return Pooled(parts...)
}

// Record returns the saved form of the family.
func (f *Family) Record() Record {
	h := f.hypotheses
	r := Record{Delta: h.Delta, Alpha: h.Alpha, Beta: h.Beta, Gamma: f.gamma,
		Sample: f.sample.Record(), EveryRate: f.tier != nil, Digest: f.Digest()}
	for _, tier := range f.tiers() {
		g := tier.hypotheses.Guarded
		r.Tiers = append(r.Tiers, TierRecord{g.Low, g.High, tier.trials, tier.encoded()})
	}
	return r
}

// tiers are the families of the chain that this one ends, from the first on.
func (f *Family) tiers() (list []*Family) {
	for ; f != nil; f = f.before {
		list = append(list, f)
	}
	slices.Reverse(list)
	return list
}

// encoded is the text of the boundaries that were planned for this tier: for each outcome that has some, how
// many before it have none since the last one, and which boundaries, 0 for new ones, and k for those that were
// the k-th new ones, counted from the last.
func (f *Family) encoded() string {
	var e encoder
	var known []sprt.Boundaries
	var before lists
	last := -1
	for _, m := range f.members {
		if m.fixed {
			continue
		}
		place := f.sample.place(m.outcome)
		e.number(place - last - 1)
		last = place
		again := slices.IndexFunc(known, func(b sprt.Boundaries) bool { return same(b, m.boundaries) })
		if again >= 0 {
			e.number(len(known) - again)
			continue
		}
		e.number(0)
		e.boundaries(m.boundaries, &before)
		known = append(known, m.boundaries)
	}
	return e.text.String()
}

// same reports whether boundaries are equal.
func same(a, b sprt.Boundaries) bool {
	return slices.Equal(a.PassAtOrBelow, b.PassAtOrBelow) && slices.Equal(a.FailAtOrAbove, b.FailAtOrAbove)
}

// Family reads the saved form. It computes the digest again: an error says what is wrong
// with the record, or that it is not that of its digest. What the errors of the family
// are, [Family.Errors] computes from the boundaries alone.
func (r Record) Family() (*Family, error) {
	sample, err := r.Sample.Sample()
	if err != nil {
		return nil, fmt.Errorf("family: %w", err)
	}
	if len(r.Tiers) < 1 || len(r.Tiers) > mostTiers {
		return nil, fmt.Errorf("family: %d tiers: must be from 1 to %d", len(r.Tiers), mostTiers)
	}
	if r.Gamma != 0 && !(r.Gamma > 0 && r.Gamma < 1) {
		return nil, fmt.Errorf("family: %w", &HypothesesError{"gamma", r.Gamma, "must lie strictly between 0 and 1"})
	}
	var f *Family
	limits := 0
	for i, tier := range r.Tiers {
		h := Hypotheses{r.Delta, r.Alpha, r.Beta, stats.Interval{Low: tier.Low, High: tier.High}}
		if err := h.Validate(); err != nil {
			return nil, fmt.Errorf("family, tier %d: %w", i+1, err)
		}
		if tier.MaxTrials < 1 || tier.MaxTrials > MostTrials {
			return nil, fmt.Errorf("family, tier %d: %d trials: must be from 1 to %d", i+1, tier.MaxTrials, MostTrials)
		}
		next := &Family{hypotheses: h, sample: sample, gamma: r.Gamma, trials: tier.MaxTrials, before: f}
		if f != nil && !(tier.Low < f.hypotheses.Guarded.Low && tier.High == f.hypotheses.Guarded.High && r.Gamma > 0) {
			return nil, fmt.Errorf("family, tier %d: its guarded rates %v to %v do not hold those of the tier before, "+
				"or gamma is missing", i+1, tier.Low, tier.High)
		}
		if f != nil && tier.MaxTrials < f.trials {
			return nil, fmt.Errorf("family, tier %d: %d trials, fewer than the tier before", i+1, tier.MaxTrials)
		}
		next.settle()
		if err := next.decode(tier.Boundaries, &limits); err != nil {
			return nil, fmt.Errorf("family, tier %d: %w", i+1, err)
		}
		f = next
	}
	if r.EveryRate {
		if r.Gamma == 0 {
			return nil, fmt.Errorf("family: a guarded range that was given is not for every rate")
		}
		f = f.forEveryRate()
	}
	if digest := f.Digest(); digest != r.Digest {
		return nil, fmt.Errorf("family: its digest is %s, not %s as it says", digest, r.Digest)
	}
	return f, nil
}

// mostTiers is the most tiers that a family has.
const mostTiers = 16

// decode adds the members of a tier. Limits counts those of all tiers.
func (f *Family) decode(text string, limits *int) error {
	d := decoder{text: text}
	var known []sprt.Boundaries
	var before lists
	last := -1
	for _, m := range f.before.settledMembers() {
		f.members = append(f.members, member{m.outcome, m.boundaries, true})
	}
	defer f.sort()
	for d.at < len(d.text) && d.err == nil {
		place := last + 1 + d.size("outcomes without boundaries", 0, len(f.sample.outcomes)-last-2)
		again := d.size("boundaries back", 0, len(known))
		if d.err != nil {
			break
		}
		last = place
		if f.before != nil && f.before.settled[place] {
			d.fail("boundaries of an outcome that a tier before settled")
			break
		}
		if again == 0 {
			if *limits += 2 * f.trials; *limits > mostLimits {
				return fmt.Errorf("more than %d limits", mostLimits)
			}
			known = append(known, d.boundaries(f.trials, &before))
			again = 1
		}
		if d.err == nil {
			f.members = append(f.members, member{outcome: f.sample.outcomes[place], boundaries: known[len(known)-again]})
		}
	}
	if err := d.end(); err != nil {
		return fmt.Errorf("boundaries: %w", err)
	}
	return nil
}
