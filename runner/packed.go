package runner

import (
	"math"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// packedTrial is a judged trial that no result lists: what is counted of it, in a run of many trials.
type packedTrial struct {
	kept          runs.KeptTrial
	scenario      *scenarioRun
	cost          float64 // NaN where it is not known
	place, number uint32
}

// mostPacked is how many stand together: they are not copied as they become more.
const mostPacked = 1024

// packState is how far the trials of a test are packed.
type packState struct {
	next  int    // in launch order
	ranks [2]int // how many before it passed, and did not
	list  [][]packedTrial
	spent journal.Spend
}

// pack keeps of the trials of a test what is counted of them, where the result lists no more. What has trials that are
// asked for by their place keeps them.
func (r *run) pack(t *testRun) {
	if r.journal == nil || !r.options.Brief || r.calibration != nil || r.racing != nil || r.part != nil ||
		t.spec.inRounds() || t.beside != nil || int64(t.maxTrials()) > math.MaxUint32 {
		return
	}
	for p := &t.packing; p.next < t.test.Trials(); p.next++ {
		s := t.trials[p.next]
		kind := 0
		if s.Trial.Outcome != trial.Pass {
			kind = 1
		}
		rank := p.ranks[kind]
		p.ranks[kind]++
		// Lists have the first of each test before any has its later ones.
		before := 0
		for _, other := range r.tests {
			if before += min(other.packing.ranks[kind], rank); before >= runs.MostListed {
				break
			}
		}
		if before < runs.MostListed || s.Process != nil {
			continue
		}
		x := s.evidence()
		p.spent.Add(s.Spent)
		cost := math.NaN()
		if x.CostUSD.Known {
			cost = x.CostUSD.Value
		}
		p.add(packedTrial{runs.KeptOf(x), s.scenario, cost, uint32(s.place), uint32(s.Number)})
		t.trials[p.next], r.trials[s.at] = nil, nil
	}
}

// add adds a trial.
func (p *packState) add(s packedTrial) {
	if n := len(p.list); n == 0 || len(p.list[n-1]) == mostPacked {
		p.list = append(p.list, make([]packedTrial, 0, mostPacked))
	}
	last := &p.list[len(p.list)-1]
	*last = append(*last, s)
}

// evidence is a trial that was packed.
func (s *packedTrial) evidence() runs.TrialEvidence {
	x := runs.TrialEvidence{Scenario: s.scenario.spec.Name, Number: int(s.number), Kept: &s.kept}
	if !math.IsNaN(s.cost) {
		x.CostUSD = trial.Some(s.cost)
	}
	return x
}

// Outcomes counts the trials of a run that ended, by their outcomes.
func (r *Result) Outcomes() (counts [trial.Error + 1]int) {
	for _, record := range r.Trials {
		if record.Trial != nil {
			counts[record.Trial.Outcome]++
		}
	}
	for i := range r.packed {
		for _, part := range r.packed[i] {
			for k := range part {
				counts[part[k].kept.Outcome()]++
			}
		}
	}
	return counts
}
