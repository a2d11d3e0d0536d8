package compare

import (
	"iter"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// outcomes counts the trials of one side in a cell.
type outcomes struct{ passes, fails, errors int }

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
	groups   *groups
	shared   []uint32     // the kinds that both sides tried, each of which is a cell
	rest     *[2]outcomes // one more cell; nil is none
	clusters *[2][]outcomes
}

// cells are the outcomes of both sides, cell by cell.
func (l *scenarioLayout) cells() iter.Seq[[2]outcomes] {
	return func(yield func([2]outcomes) bool) {
		for _, kind := range l.shared {
			if !yield(l.groups.outcomes(kind)) {
				return
			}
		}
		if l.rest != nil {
			yield(*l.rest)
		}
	}
}

// size is the number of cells.
func (l *scenarioLayout) size() int {
	if l.rest != nil {
		return len(l.shared) + 1
	}
	return len(l.shared)
}

// several reports whether there is more than one group of like trials.
func (l *layout) several() bool {
	cells := 0
	for i := range l.scenarios {
		cells += l.scenarios[i].size()
	}
	return cells > 1 || len(l.scenarios) > 1 || l.clustered
}

// size is the number of groups that both sides tried, and of inputs that are clusters.
func (l *layout) size() (strata, clusters int) {
	for i := range l.scenarios {
		s := &l.scenarios[i]
		for c := range s.cells() {
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
func (l *layout) strata(s errorScores) (strata []stats.Stratum, clusters []stats.ClusterStratum) {
	for i := range l.scenarios {
		units, and := l.scenarios[i].strata(s)
		strata, clusters = append(strata, units...), append(clusters, and...)
	}
	return strata, clusters
}

// strata are those of one scenario.
func (l *scenarioLayout) strata(s errorScores) (strata []stats.Stratum, clusters []stats.ClusterStratum) {
	strata = make([]stats.Stratum, 0, l.size())
	for c := range l.cells() {
		stratum := stats.Stratum{Baseline: c[0].counts(s.baseline), Candidate: c[1].counts(s.candidate)}
		// A group that one side did not try says nothing about the difference.
		if stratum.Baseline.Trials > 0 && stratum.Candidate.Trials > 0 {
			strata = append(strata, stratum)
		}
	}
	if l.clusters == nil {
		return strata, nil
	}
	var block stats.ClusterStratum
	for _, o := range l.clusters[0] {
		if c := o.counts(s.baseline); c.Trials > 0 {
			block.Baseline = append(block.Baseline, c)
		}
	}
	for _, o := range l.clusters[1] {
		if c := o.counts(s.candidate); c.Trials > 0 {
			block.Candidate = append(block.Candidate, c)
		}
	}
	return strata, []stats.ClusterStratum{block}
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
func (l *scenarioLayout) within() bool { return l != nil && (l.size() > 1 || l.clusters != nil) }

// mixDiffers reports whether some group has a share of one side's trials that is not its share of the
// other's.
func (l *layout) mixDiffers() bool {
	var totals [2]int
	for n := range l.numbers() {
		totals[0] += n[0]
		totals[1] += n[1]
	}
	for n := range l.numbers() {
		// Shares are compared crosswise, in integers, so that no rounding makes a difference.
		if int64(n[0])*int64(totals[1]) != int64(n[1])*int64(totals[0]) {
			return true
		}
	}
	return false
}

// numbers are the numbers of trials of both sides in each group; the clusters of a scenario are one.
func (l *layout) numbers() iter.Seq[[2]int] {
	return func(yield func([2]int) bool) {
		for i := range l.scenarios {
			s := &l.scenarios[i]
			if s.clusters != nil {
				var all [2]int
				for side, list := range s.clusters {
					for _, o := range list {
						all[side] += o.trials()
					}
				}
				if !yield(all) {
					return
				}
			}
			for c := range s.cells() {
				if !yield([2]int{c[0].trials(), c[1].trials()}) {
					return
				}
			}
		}
	}
}
