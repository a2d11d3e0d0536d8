package mutants

import (
	"maps"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
)

// score scores all mutants, those of each class and those of each operator.
func (r *Result) score() {
	classes, operators := parts{}, parts{}
	for _, m := range r.Mutants {
		r.Score.count(m.Fate)
		classes.of(m.Class).count(m.Fate)
		operators.of(m.Operator).count(m.Fate)
	}
	sampled, alpha := r.Asked.Space > len(r.Mutants), r.Asked.Alpha
	if r.Asked.Edition < chanceEdition || r.Asked.Family { // all mutants together keep alpha
		alpha = 0
	}
	r.Score.measure(sampled, alpha)
	r.Classes, r.Operators = classes.measured(sampled, alpha), operators.measured(sampled, alpha)
}

// parts are scores by name, in the order in which they came.
type parts []*Part

func (p *parts) of(name string) *Part {
	for _, part := range *p {
		if part.Name == name {
			return part
		}
	}
	part := &Part{Name: name}
	*p = append(*p, part)
	return part
}

// measured returns the parts, measured.
func (p parts) measured(sampled bool, alpha float64) []Part {
	list := []Part{}
	for _, part := range p {
		part.measure(sampled, alpha)
		list = append(list, *part)
	}
	return list
}

// count takes in a mutant.
func (s *Score) count(f Fate) {
	s.Mutants++
	if f.Killed() {
		s.Killed++
	}
	switch f {
	case KilledByVerdict:
		s.ByVerdict++
	case KilledByRate:
		s.ByRate++
	case KilledByBehaviour:
		s.ByBehavior++
	case Survived:
		s.Survived++
	case Equivalent:
		s.Equivalent++
	case Undecided:
		s.Undecided++
	case Inert:
		s.Inert++
	}
}

// measure works out the score, which is Equation 22, or 24 where some operators were chosen; its limits for whatever
// the undecided are: killed, survived or equivalent; and the interval where the mutants are a sample. Their lower ends
// are those without the kills that chance explains, by mutants that change nothing, each of which is killed with alpha
// at most; 0 is never.
func (s *Score) measure(sampled bool, alpha float64) {
	s.ByChance = chanceKills(s.Mutants-s.Inert, alpha)
	certain := max(0, s.Killed-s.ByChance)
	if n := s.Killed + s.Survived; n > 0 {
		score := float64(s.Killed) / float64(n)
		s.Score = &score
		if sampled {
			// No error is possible: the counts are those of a sample, and the level is a constant.
			if i, err := stats.ClopperPearson(stats.Counts{Passes: s.Killed, Trials: n}, 0.05); err == nil {
				s.Interval = &verdict.Interval{Low: i.Low, High: i.High}
			}
			least, err := stats.ClopperPearson(stats.Counts{Passes: certain, Trials: n}, 0.05)
			if err == nil && certain < s.Killed {
				s.Interval.Low = least.Low
			}
		}
	}
	if n := s.Killed + s.Survived + s.Undecided; n > 0 {
		low, high := float64(certain)/float64(n), float64(s.Killed+s.Undecided)/float64(n)
		s.Low, s.High = &low, &high
	}
}

// luck reports whether chance alone explains all kills.
func (s *Score) luck() bool { return s.Killed > 0 && s.Killed <= s.ByChance }

// chanceKills is the largest number of kills that chance reaches with a probability of more than 5 %, where none of so
// many mutants changes anything and each is killed with the probability alpha.
func chanceKills(mutants int, alpha float64) int {
	if alpha <= 0 {
		return 0
	}
	b := dist.Binomial{N: mutants, P: alpha}
	tail := 0.0
	for k := mutants; k > 0; k-- {
		if tail += b.Prob(k); tail > 0.05*(1+1e-9) {
			return k
		}
	}
	return 0
}

// sensors finds the lines of the prompt that mutants changed without being killed. Mutants that are undecided or never
// reached the agent say nothing of a line.
func (r *Result) sensors(prompt map[int]string) {
	tried, sensed := map[int][]string{}, map[int]bool{}
	for _, m := range r.Mutants {
		for _, line := range m.Lines {
			switch {
			case m.Fate.Killed():
				sensed[line] = true
			case m.Fate == Survived || m.Fate == Equivalent:
				tried[line] = append(tried[line], m.ID)
			}
		}
	}
	for _, line := range slices.Sorted(maps.Keys(tried)) {
		if !sensed[line] {
			r.Unsensed = append(r.Unsensed, Line{Number: line, Text: prompt[line], Mutants: tried[line]})
		}
	}
}

// cost compares the trials of the mutants with those of fixed sampling.
func (r *Result) cost() {
	for _, m := range r.Mutants {
		r.Cost.Trials += m.Trials
	}
	r.Cost.Fixed = len(r.Mutants) * len(r.Tests) * r.Asked.Fixed
	sigma := float64(r.Cost.Trials) / float64(r.Cost.Fixed)
	r.Cost.Savings = 1 - sigma
	if r.Asked.Known > 0 {
		reduction := 1 - float64(r.Asked.Operators)/float64(r.Asked.Known)*sigma
		r.Cost.Reduction = &reduction
	}
}

// theorem works out the bound of Theorem 5.1. Its scale is the mean drop of the mutants that count.
func (r *Result) theorem() {
	if r.Score.Score == nil {
		return
	}
	sum, n := 0.0, 0
	for _, m := range r.Mutants {
		if (m.Fate.Killed() || m.Fate == Survived) && m.Drop != nil {
			sum += math.Max(*m.Drop, 0)
			n++
		}
	}
	if n == 0 || sum == 0 {
		return
	}
	a := &Adequacy{Score: *r.Score.Score, Delta: r.Asked.Delta, Scale: sum / float64(n)}
	a.Bound = adequacyBound(a.Score, a.Delta, a.Scale)
	r.Theorem51 = a
}

// adequacyBound is Equation 23 of AgentAssay, the bound of Theorem 5.1: tau (1 - exp(-delta/scale)).
func adequacyBound(tau, delta, scale float64) float64 { return tau * -math.Expm1(-delta/scale) }

// Claims are the verdict on the score with its limits, and with the interval where the mutants are a sample.
func (r *Result) Claims() (list []verdict.Claim) {
	least, s := r.Asked.FailUnder, r.Score
	if least == nil {
		return nil
	}
	if s.Low != nil {
		list = append(list, verdict.Claim{Path: "score", Verdict: r.Verdict, Low: *s.Low, High: *s.High,
			Bad: *least, Good: *least})
	}
	if s.Interval != nil {
		list = append(list, verdict.Claim{Path: "score.interval", Verdict: r.Verdict, Low: s.Interval.Low,
			High: s.Interval.High, Bad: *least, Good: *least})
	}
	return list
}
