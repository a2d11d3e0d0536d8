package compare

import (
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// outcomes counts the trials of one side in a cell.
type outcomes struct{ passes, fails, errors int }

func (o *outcomes) add(outcome trial.Outcome, count int) {
	switch outcome {
	case trial.Pass:
		o.passes += count
	case trial.Fail:
		o.fails += count
	default:
		o.errors += count
	}
}

func (o outcomes) trials() int { return o.passes + o.fails + o.errors }

// counts are what is judged, with errors scored as given.
func (o outcomes) counts(s recording.ErrorScore) stats.Counts {
	c := stats.Counts{Passes: o.passes, Trials: o.passes + o.fails}
	if s != recording.ErrorsLeftOut {
		c.Trials += o.errors
	}
	if s == recording.ErrorsPass {
		c.Passes += o.errors
	}
	return c
}

// layout is which trials of both sides are compared with each other. It looks at scenarios, inputs and
// numbers of trials alone, never at outcomes: else its choice would spoil the level of the tests.
type layout struct {
	scenarios []scenarioLayout
	byInput   bool // some scenario is compared within its inputs
	clustered bool // some scenario has clusters
}

// scenarioLayout is the cells of one scenario: one, or one for each input that both sides tried; and the
// inputs that only one side tried, which are clusters where some of them were tried several times.
type scenarioLayout struct {
	name     string
	cells    [][2]outcomes
	clusters *[2][]outcomes
}

// inputsOf are the trials of a scenario by their inputs, in the order in which these appear.
type inputsOf struct {
	order []uint64
	of    map[uint64]*[2]outcomes
}

// layOut groups the trials of both sides. Inputs count where all trials of both have one.
func layOut(baseline, candidate *recording.Recording) layout {
	known := baseline.HasInputs() && candidate.HasInputs()
	at := map[string]*inputsOf{}
	var names []string
	for side, r := range []*recording.Recording{baseline, candidate} {
		for _, o := range r.Observations() {
			s := at[o.Scenario]
			if s == nil {
				s = &inputsOf{of: map[uint64]*[2]outcomes{}}
				at[o.Scenario] = s
				names = append(names, o.Scenario)
			}
			input := o.Input
			if !known {
				input = 0
			}
			if s.of[input] == nil {
				s.of[input] = &[2]outcomes{}
				s.order = append(s.order, input)
			}
			s.of[input][side].add(o.Outcome, o.Count)
		}
	}
	var l layout
	for _, name := range names {
		s := at[name].layOut(name)
		l.scenarios = append(l.scenarios, s)
		l.byInput = l.byInput || len(s.cells) > 1 || s.clusters != nil
		l.clustered = l.clustered || s.clusters != nil
	}
	return l
}

// layOut decides how the trials of a scenario are compared.
func (s *inputsOf) layOut(name string) scenarioLayout {
	l := scenarioLayout{name: name}
	var shared [][2]outcomes
	var rest [2][]outcomes
	var all [2]outcomes
	again := false
	for _, input := range s.order {
		both := *s.of[input]
		if both[0].trials() > 0 && both[1].trials() > 0 {
			shared = append(shared, both)
			continue
		}
		for side, o := range both {
			if o.trials() > 0 {
				rest[side] = append(rest[side], o)
				all[side].passes += o.passes
				all[side].fails += o.fails
				all[side].errors += o.errors
				again = again || o.trials() > 1
			}
		}
	}
	l.cells = shared
	switch {
	case len(rest[0]) == 0 && len(rest[1]) == 0:
	// One input a side is the scenario itself, worded in two ways.
	case again && (len(rest[0]) > 1 || len(rest[1]) > 1) && len(rest[0]) > 0 && len(rest[1]) > 0:
		l.clusters = &rest
	default:
		l.cells = append(l.cells, all)
	}
	return l
}

// several reports whether there is more than one group of like trials.
func (l *layout) several() bool {
	cells := 0
	for _, s := range l.scenarios {
		cells += len(s.cells)
	}
	return cells > 1 || len(l.scenarios) > 1 || l.clustered
}

// size is the number of groups that both sides tried, and of inputs that are clusters.
func (l *layout) size() (strata, clusters int) {
	for _, s := range l.scenarios {
		for _, c := range s.cells {
			if c[0].trials() > 0 && c[1].trials() > 0 {
				strata++
			}
		}
		if s.clusters != nil {
			clusters += len(s.clusters[0]) + len(s.clusters[1])
		}
	}
	return strata, clusters
}

// strata are the groups of like trials that both sides tried.
func (l *layout) strata(s scoring) (strata []stats.Stratum, clusters []stats.ClusterStratum) {
	for i := range l.scenarios {
		of, and := l.scenarios[i].strata(s)
		strata, clusters = append(strata, of...), append(clusters, and...)
	}
	return strata, clusters
}

// strata are those of one scenario.
func (l *scenarioLayout) strata(s scoring) (strata []stats.Stratum, clusters []stats.ClusterStratum) {
	for _, c := range l.cells {
		stratum := stats.Stratum{Baseline: c[0].counts(s.baseline), Candidate: c[1].counts(s.candidate)}
		// A group that one side did not try says nothing about the difference.
		if stratum.Baseline.Trials > 0 && stratum.Candidate.Trials > 0 {
			strata = append(strata, stratum)
		}
	}
	if l.clusters == nil {
		return strata, nil
	}
	var of stats.ClusterStratum
	for _, o := range l.clusters[0] {
		if c := o.counts(s.baseline); c.Trials > 0 {
			of.Baseline = append(of.Baseline, c)
		}
	}
	for _, o := range l.clusters[1] {
		if c := o.counts(s.candidate); c.Trials > 0 {
			of.Candidate = append(of.Candidate, c)
		}
	}
	return strata, []stats.ClusterStratum{of}
}

// byName returns the layouts of the scenarios.
func (l *layout) byName() map[string]*scenarioLayout {
	named := make(map[string]*scenarioLayout, len(l.scenarios))
	for i := range l.scenarios {
		named[l.scenarios[i].name] = &l.scenarios[i]
	}
	return named
}

// within reports whether a scenario is compared within its inputs; nil is a scenario that is none.
func (l *scenarioLayout) within() bool { return l != nil && (len(l.cells) > 1 || l.clusters != nil) }

// mixDiffers reports whether some group has a share of one side's trials that is not its share of the
// other's.
func (l *layout) mixDiffers() bool {
	var groups [][2]int
	var totals [2]int
	for _, s := range l.scenarios {
		cells := s.cells
		if s.clusters != nil {
			var all [2]outcomes
			for side, list := range s.clusters {
				for _, o := range list {
					all[side].passes += o.trials()
				}
			}
			cells = append([][2]outcomes{all}, cells...)
		}
		for _, c := range cells {
			n := [2]int{c[0].trials(), c[1].trials()}
			groups = append(groups, n)
			totals[0] += n[0]
			totals[1] += n[1]
		}
	}
	for _, n := range groups {
		// Shares are compared crosswise, in integers, so that no rounding makes a difference.
		if n[0]*totals[1] != n[1]*totals[0] {
			return true
		}
	}
	return false
}
