package history

import (
	"cmp"
	"context"
	"slices"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/change"
	"github.com/tribunal-dev/tribunal/stats/intraclass"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/stats/sample"
)

// Segment is a part of the series in which no change was found.
type Segment struct {
	From   int     `json:"from"`   // its first point, from 0
	To     int     `json:"to"`     // the first point after it
	Trials int     `json:"trials"` // that its value is over; points, where it is over their values
	Value  float64 `json:"value"`  // the metric
	// Low and High are the limits of the value, as if the ends of the segment had been known beforehand; null where they
	// are not known.
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

// Change is where the series changes.
type Change struct {
	At         int     `json:"at"`         // the first point after it, from 0
	Earliest   int     `json:"earliest"`   // the first such point that is not ruled out
	Latest     int     `json:"latest"`     // the last one
	P          float64 `json:"p"`          // of the test that found it
	Level      float64 `json:"level"`      // that p was held against: its part of alpha
	Difference float64 `json:"difference"` // value of the segment after it less that of the one before
	// SuiteChanged says that what was asked, or how it was judged, changed where the change may be.
	SuiteChanged bool `json:"suite_changed,omitempty"`
	// Scenarios are what the trials of the segments on both sides come to, the most changed first; absent where that is
	// not known.
	Scenarios []ScenarioChange `json:"scenarios,omitempty"`
}

// ScenarioChange is one scenario before and after a change. Its test takes the place of the change as known beforehand.
type ScenarioChange struct {
	Name         string  `json:"name"`
	PassesBefore int     `json:"passes_before"`
	TrialsBefore int     `json:"trials_before"`
	PassesAfter  int     `json:"passes_after"`
	TrialsAfter  int     `json:"trials_after"`
	P            float64 `json:"p"`       // of Fisher's exact test, two-sided; 1 where one side has no trials
	Adjusted     float64 `json:"p_holm"`  // for the number of scenarios, by Holm
	Changed      bool    `json:"changed"` // the adjusted p is at most alpha
	New          bool    `json:"new"`     // it has no trials before
	Gone         bool    `json:"gone"`    // it has none after
}

// segment divides the series.
func (r *Result) segment(ctx context.Context, o Options) error {
	if r.known() == 0 {
		r.Permutations = cmp.Or(r.Permutations, 999)
		return nil
	}
	options := change.SegmentOptions{Alpha: o.Alpha, Unit: r.Unit, Permutations: o.Permutations, Seed: o.Seed}
	var found *change.Segmentation
	var err error
	if o.Metric == Rate {
		counts := make([]stats.Counts, len(r.Points))
		for i := range r.Points {
			counts[i] = r.Points[i].counts()
		}
		found, err = change.Segments(ctx, counts, options)
	} else {
		means := make([][]float64, len(r.Points))
		for i := range r.Points {
			if x := r.Points[i].Value; x != nil {
				means[i] = []float64{*x}
			}
		}
		found, err = change.SegmentMeans(ctx, means, options)
	}
	if err != nil {
		return asOption(err)
	}
	r.Permutations = found.Permutations
	for _, g := range found.Segments {
		s := Segment{From: g.From, To: g.To, Trials: g.Trials, Value: r.value(g)}
		if g.Interval != nil {
			s.Low, s.High = &g.Interval.Low, &g.Interval.High
		}
		r.Segments = append(r.Segments, s)
	}
	for i, c := range found.Changes {
		r.Changes = append(r.Changes, Change{
			At: c.At, Earliest: c.Earliest, Latest: c.Latest, P: c.P, Level: c.Level,
			Difference:   r.Segments[i+1].Value - r.Segments[i].Value,
			SuiteChanged: r.suiteChanged(c.Earliest-1, c.Latest),
		})
	}
	return nil
}

// value is that of a segment. The mean of points is added up here: what was centred and is put back again is 1e-17
// where
// all of them are 0.
func (r *Result) value(g change.Segment) float64 {
	if r.Metric == Rate {
		return g.Mean
	}
	var values []float64
	for i := g.From; i < g.To; i++ {
		if x := r.Points[i].Value; x != nil {
			values = append(values, *x)
		}
	}
	return sample.Mean(values)
}

// suiteChanged reports whether points from..to are of different tasks.
func (r *Result) suiteChanged(from, to int) bool {
	task := ""
	for i := max(from, 0); i <= to && i < len(r.Points); i++ {
		if t := r.Points[i].Task; t != "" {
			if task != "" && t != task {
				return true
			}
			task = t
		}
	}
	return false
}

// scenarios compares the scenarios on both sides of each change, and says how alike the trials of one are in the end.
func (r *Result) scenarios(ctx context.Context, source Scenarios) error {
	lists := make([][]Tally, len(r.Segments))
	for i, g := range r.Segments {
		var err error
		if lists[i], err = source(ctx, g.From, g.To); err != nil {
			return err
		}
	}
	for i := range r.Changes {
		var err error
		if r.Changes[i].Scenarios, err = compared(lists[i], lists[i+1], r.Alpha); err != nil {
			return asOption(err)
		}
	}
	if n := len(lists); n > 0 && lists[n-1] != nil {
		counts := make([]stats.Counts, len(lists[n-1]))
		for i, t := range lists[n-1] {
			counts[i] = t.Counts
		}
		r.Variation = intraclass.Of(intraclass.GroupsOf(counts), r.Alpha, r.Seed)
	}
	return nil
}

// compared are the scenarios of both sides.
func compared(before, after []Tally, alpha float64) ([]ScenarioChange, error) {
	var list []ScenarioChange
	at := map[string]int{}
	place := func(name string) *ScenarioChange {
		i, known := at[name]
		if !known {
			i = len(list)
			at[name] = i
			list = append(list, ScenarioChange{Name: name})
		}
		return &list[i]
	}
	for _, t := range before {
		s := place(t.Name)
		s.PassesBefore, s.TrialsBefore = t.Counts.Passes, t.Counts.Trials
	}
	for _, t := range after {
		s := place(t.Name)
		s.PassesAfter, s.TrialsAfter = t.Counts.Passes, t.Counts.Trials
	}
	var ps []float64
	var tested []int
	for i := range list {
		s := &list[i]
		s.P, s.Adjusted = 1, 1
		s.New, s.Gone = s.TrialsBefore == 0, s.TrialsAfter == 0
		if s.New || s.Gone {
			continue
		}
		var err error
		if s.P, err = stats.FisherTwoSided(stats.Counts{Passes: s.PassesBefore, Trials: s.TrialsBefore},
			stats.Counts{Passes: s.PassesAfter, Trials: s.TrialsAfter}); err != nil {
			return nil, err
		}
		ps, tested = append(ps, s.P), append(tested, i)
	}
	adjusted, err := multiplicity.Adjust(multiplicity.Holm, ps)
	if err != nil {
		return nil, err
	}
	for k, i := range tested {
		list[i].Adjusted = adjusted[k]
		list[i].Changed = adjusted[k] <= alpha
	}
	slices.SortStableFunc(list, func(a, b ScenarioChange) int {
		return cmp.Or(cmp.Compare(a.P, b.P), cmp.Compare(a.Name, b.Name))
	})
	return list, nil
}
