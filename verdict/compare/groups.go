package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Groups are counts and sums of both sides, which a comparison is computed from where no trial is known.
type Groups struct {
	Baseline  []recording.Group `json:"baseline"`  // by scenario and input, in the order of the recording
	Candidate []recording.Group `json:"candidate"` // likewise
}

// ColumnChange compares the means of a measure of behaviour of which only sums are known, within scenarios. P is
// two-sided, PAdjusted Holm's over all columns.
type ColumnChange struct {
	Name       string     `json:"name"`       // such as steps, or tool.search
	Baseline   Summary    `json:"baseline"`   // over its trials, whatever their outcome
	Candidate  Summary    `json:"candidate"`  // likewise
	Difference MeanChange `json:"difference"` // of the means, candidate minus baseline
	P          float64    `json:"p"`          // two-sided; 1 where it cannot be computed
	PAdjusted  float64    `json:"p_adjusted"` // after Holm's correction over all columns
	Changed    bool       `json:"changed"`    // PAdjusted is at most its share of the level; see [Family]
}

// mostGroups bounds the groups of both sides that a result holds. Chosen: they take a few megabytes.
const mostGroups = 20_000

// groupsOf is nil where a side has trials, or the groups are too many.
func groupsOf(baseline, candidate *recording.Recording) *Groups {
	b, c := baseline.Groups(), candidate.Groups()
	if b == nil || c == nil || len(b)+len(c) > mostGroups {
		return nil
	}
	return &Groups{Baseline: b, Candidate: c}
}

// recordings are those that the groups are of. They are checked first: a document may claim anything.
func (g *Groups) recordings(names [2]string) (both [2]*recording.Recording, err error) {
	if n := len(g.Baseline) + len(g.Candidate); n > mostGroups {
		return both, &verdict.DifferenceError{
			Path: "groups", Have: prose.Count(n, "group"), Want: fmt.Sprintf("at most %d", mostGroups),
		}
	}
	for i, side := range [2]struct {
		path   string
		groups []recording.Group
	}{{"groups.baseline", g.Baseline}, {"groups.candidate", g.Candidate}} {
		if both[i], err = recording.OfGroups(names[i], side.groups); err != nil {
			return both, within(side.path, err)
		}
		// No judge writes a group twice.
		if len(both[i].Groups()) != len(side.groups) {
			return both, &verdict.DifferenceError{
				Path: side.path, Have: "one scenario and input twice", Want: "each of them once",
			}
		}
	}
	return both, nil
}

// within puts the path of a list before that of a member, which begins with its place.
func within(path string, err error) error {
	if d, ok := errors.AsType[*verdict.DifferenceError](err); ok {
		return &verdict.DifferenceError{Path: path + d.Path, Have: d.Have, Want: d.Want}
	}
	return err
}

// sums are the groups of like trials of both sides: those of a scenario, and within it of an input that both sides
// tried.
type sums struct{ groups [][2][]*recording.Group }

// sums returns nil where a side knows its trials.
func (c *comparer) sums() *sums {
	sides := [2]*recording.Recording{c.baseline, c.candidate}
	if sides[0].Groups() == nil || sides[1].Groups() == nil {
		return nil
	}
	byInput := sides[0].HasInputs() && sides[1].HasInputs()
	var tried [2]map[[2]string]bool
	for side, r := range sides {
		tried[side] = map[[2]string]bool{}
		for i := range r.Groups() {
			g := &r.Groups()[i]
			tried[side][[2]string{g.Scenario, g.Input}] = true
		}
	}
	s := &sums{}
	known := map[[2]string]int{}
	for side, r := range sides {
		for i := range r.Groups() {
			g := &r.Groups()[i]
			key := [2]string{g.Scenario, g.Input}
			if !byInput || !tried[0][key] || !tried[1][key] {
				key[1] = ""
			}
			at, there := known[key]
			if !there {
				at = len(s.groups)
				known[key] = at
				s.groups = append(s.groups, [2][]*recording.Group{})
			}
			s.groups[at][side] = append(s.groups[at][side], g)
		}
	}
	return s
}

// strata are the sums of a measure by group of like trials.
func (s *sums) strata(moments func(*recording.Group) sample.Moments) []sample.MomentStratum {
	strata := make([]sample.MomentStratum, len(s.groups))
	for i, both := range s.groups {
		for _, g := range both[0] {
			strata[i].Baseline = strata[i].Baseline.Plus(moments(g))
		}
		for _, g := range both[1] {
			strata[i].Candidate = strata[i].Candidate.Plus(moments(g))
		}
	}
	return strata
}

func (s *sums) metric(name recording.MetricName) []sample.MomentStratum {
	return s.strata(func(g *recording.Group) sample.Moments { return g.Metrics[name] })
}

// ofSums compares the means of a metric of which only sums are known.
func (m *Metric) ofSums(baseline, candidate *recording.Recording, strata []sample.MomentStratum, o Options) {
	m.Test = SumsTest
	m.Baseline, m.Candidate, m.Difference, m.P = compareSums(strata, baseline, candidate, o)
	for _, s := range strata {
		if s.Baseline.N > 0 && s.Candidate.N > 0 {
			m.Strata++
		}
	}
}

// compareSums compares the means within groups of like trials.
func compareSums(strata []sample.MomentStratum, baseline, candidate *recording.Recording, o Options) (
	before, after Summary, d MeanChange, p float64,
) {
	var all [2]sample.Moments
	pairs, shared := true, 0
	for _, s := range strata {
		all[0], all[1] = all[0].Plus(s.Baseline), all[1].Plus(s.Candidate)
		if s.Baseline.N > 0 && s.Candidate.N > 0 {
			shared++
			pairs = pairs && s.Baseline.N+s.Candidate.N == 2
		}
	}
	summary := func(m sample.Moments, r *recording.Recording) Summary {
		return Summary{Known: m.N, Trials: r.Len(), Mean: m.Mean(), Total: m.Sum}
	}
	before, after = summary(all[0], baseline), summary(all[1], candidate)
	d = MeanChange{Method: SumsTest, Level: 1 - o.Alpha, ByPairs: pairs && shared > 0}
	// P is 1 where the test cannot be computed, as of values.
	p = 1
	r, err := sample.CompareMoments(strata, o.Alpha)
	if err == nil {
		p = r.P
	}
	if d.Value = r.Difference; math.IsNaN(d.Value) {
		d.Value = after.Mean - before.Mean
	}
	d.addRatio(before.Mean, after.Mean)
	if i := r.Interval; i != nil {
		d.Low, d.High = new(i.Low), new(i.High)
	}
	return before, after, d, p
}

// columns are the measures of behaviour that both sides tell, sorted.
func (c *comparer) columns() []string {
	other := c.candidate.Columns()
	return slices.DeleteFunc(c.baseline.Columns(), func(name string) bool { return !slices.Contains(other, name) })
}

// addColumns compares the measures of behaviour one by one: sums tell nothing of how they go together.
func (c *comparer) addColumns(result *Result) {
	names, sums := c.columns(), c.sums()
	if len(names) == 0 || sums == nil {
		return
	}
	var ps []float64
	for _, name := range names {
		if c.ctx.Err() != nil {
			return
		}
		change := ColumnChange{Name: name}
		strata := sums.strata(func(g *recording.Group) sample.Moments { return g.Columns[name] })
		change.Baseline, change.Candidate, change.Difference, change.P = compareSums(strata, c.baseline, c.candidate,
			c.options)
		result.Columns = append(result.Columns, change)
		ps = append(ps, change.P)
	}
	adjusted, err := multiplicity.Adjust(multiplicity.Holm, ps)
	for i := range result.Columns {
		change := &result.Columns[i]
		if change.PAdjusted = 1; err == nil {
			change.PAdjusted = adjusted[i]
		}
		change.Changed = change.PAdjusted <= c.each()
	}
}

// warnOfSums says what groups cannot tell.
func (c *comparer) warnOfSums(result *Result, add func(verdict.Warning)) {
	if c.baseline.Groups() == nil || c.candidate.Groups() == nil {
		return
	}
	text := "counts and sums stand for the trials: no medians, no permutation tests, no test of all behaviour at once"
	if !c.baseline.HasInputs() || !c.candidate.HasInputs() {
		text += ", and trials are not told apart by input"
	}
	add(warnOfSums.Warning("%s; these need the trials", text))
	var changed []string
	for _, change := range result.Columns {
		if change.Changed {
			changed = append(changed, change.Name)
		}
	}
	if len(changed) > 0 {
		add(WarnColumnsChanged.Warning("the behaviour changed, whatever the pass rates did: %s",
			phrase.Names(changed)))
	}
}
