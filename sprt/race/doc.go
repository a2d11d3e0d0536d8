// Package race finds the best of several variants of a system by sequential elimination.
//
// All arms that still race have one trial in every round. A variant is dropped once it is so many passes, the lead r,
// behind the leader; the last one left is chosen (Levin and Robbins 1981, PNAS 78, 4663).
//
// With odds w = p/(1-p) of the rates, and trials that are independent,
//
//	P(the best is chosen) >= w_best^r / Σ w_i^r
//
// which Levin and Robbins conjectured and Leu and Levin (1999, Statistica Sinica 9, 879) proved; [Guarantee] is its
// value. [LeadFor] is the smallest lead with which that is 1-alpha where every other arm is worse by an odds ratio.
//
// A weaker bound needs less. Let θ be, of two arms, the share of rounds in which only the better one passes over the
// share in which only the worse one does, whatever was seen before. Then θ to the power of the lead of the worse one is
// a supermartingale, and by Ville's inequality (1939) the worse one is ever r ahead with a chance of at most θ^-r. A
// variant is dropped only where another one is r ahead of it, so that any of m arms that are worse by θ drops the best
// with a chance of at most m·θ^-r: [Bound]. It holds however the arms depend on each other within a round, in
// whichever order rounds are made up for, and whatever trials without an outcome would have come to. For independent
// trials θ is the ratio of the odds.
//
//	r, err := race.New(8, race.Rule{Lead: 8, MaxRounds: 320})
//	err = r.Observe(arm, round, trial.Pass)
//	winner, ok := r.Winner()
//
// [Exact] are the characteristics of races of few arms, [Simulate] those of any, and [FixedTrials], [Curtailed] and
// [Halving] what other ways to choose take.
package race
