package fingerprint

import "math/rand/v2"

// permutation assigns sides to the trials of a pool, in each scenario as many as it
// has. The rows of a scenario are reordered so that its first few are the picked
// side: the side with fewer trials, whose sum is the shorter one.
//
// Sums over the other side follow from those over the picked one, since residuals add up to 0 in a
// scenario: the fewer trials are added, the faster.
type permutation struct {
	strata          []stratum
	picked          []int // trials to pick in each scenario
	pickedCandidate bool  // the picked side is the candidate's
	rows            []int // places in the pool; a scenario keeps its range, with the picked side first
}

// permutation returns the one that was observed.
func (p *pool) permutation() *permutation {
	r := &permutation{strata: p.strata, pickedCandidate: p.pickedCandidate()}
	for _, s := range p.strata {
		if r.pickedCandidate {
			r.picked = append(r.picked, s.candidate)
		} else {
			r.picked = append(r.picked, s.baseline)
		}
	}
	r.rows = make([]int, len(p.values))
	// Two fingers: what is picked is written from the front, the rest from behind it.
	for k, s := range r.strata {
		front := s.from
		back := s.from + r.picked[k]
		for i := s.from; i < s.to; i++ {
			if p.side[i] == r.pickedCandidate {
				r.rows[front] = i
				front++
			} else {
				r.rows[back] = i
				back++
			}
		}
	}
	return r
}

// pickedCandidate says whether the candidate's side is the one that permutations pick.
func (p *pool) pickedCandidate() bool {
	baseline, candidate := p.sides()
	return candidate <= baseline
}

// shuffle assigns sides at random: all assignments are equally likely, whatever the
// one before. It is the shuffle of Fisher and Yates, ended after the picked trials: the rest needs no
// order.
func (r *permutation) shuffle(random *rand.Rand) {
	for k, s := range r.strata {
		for i := s.from; i < s.from+r.picked[k]; i++ {
			j := i + random.IntN(s.to-i)
			r.rows[i], r.rows[j] = r.rows[j], r.rows[i]
		}
	}
}

// total counts the assignments, if there are at most limit. False says that there are more.
func (r *permutation) total(limit int) (int, bool) {
	total := 1
	for k, s := range r.strata {
		ways := 1 // C(n, picked), product by product: each is a whole number
		for i := range min(r.picked[k], s.to-s.from-r.picked[k]) {
			ways = ways * (s.to - s.from - i) / (i + 1)
			if ways > limit {
				return 0, false
			}
		}
		if total *= ways; total > limit {
			return 0, false
		}
	}
	return total, true
}

// each calls visit with every assignment once, until that returns false. It reports
// whether it came to the end.
func (r *permutation) each(visit func() bool) bool { return r.eachFrom(0, visit) }

// eachFrom goes through the assignments of the scenarios from the k-th on.
//
// Choices are listed in lexicographic order (Knuth, The Art of Computer Programming 4A, 7.2.1.3): the last
// index that can rise does, and those after it follow on. The scenarios are nested loops by recursion.
func (r *permutation) eachFrom(k int, visit func() bool) bool {
	if k == len(r.strata) {
		return visit()
	}
	s, m := r.strata[k], r.picked[k]
	n := s.to - s.from
	chosen := make([]int, m) // which trials of the scenario are picked, rising
	for i := range chosen {
		chosen[i] = i
	}
	for {
		r.assign(s, chosen)
		if !r.eachFrom(k+1, visit) {
			return false
		}
		i := m - 1
		for i >= 0 && chosen[i] == n-m+i {
			i--
		}
		// The last choice of this scenario: the one before in the recursion goes on.
		if i < 0 {
			return true
		}
		chosen[i]++
		for i++; i < m; i++ {
			chosen[i] = chosen[i-1] + 1
		}
	}
}

// assign picks the chosen trials of a scenario. It writes all rows of the scenario, so it does not matter
// how they stood before.
func (r *permutation) assign(s stratum, chosen []int) {
	next := 0
	back := s.from + len(chosen)
	for i := range s.to - s.from {
		if next < len(chosen) && chosen[next] == i {
			r.rows[s.from+next] = s.from + i
			next++
		} else {
			r.rows[back] = s.from + i
			back++
		}
	}
}

// baselineRows yields the rows that count to the baseline's side. It is an iterator; separating events ask
// for the baseline whatever side is picked.
func (r *permutation) baselineRows(yield func(int) bool) {
	for k, s := range r.strata {
		rows := r.rows[s.from+r.picked[k] : s.to]
		if !r.pickedCandidate {
			rows = r.rows[s.from : s.from+r.picked[k]]
		}
		for _, row := range rows {
			if !yield(row) {
				return
			}
		}
	}
}
