package improvement

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt/keep"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Judge finds the champion and says what the loop came to. By count it is Pass where all tests of the champion pass,
// Fail where the loop came to its own end before, and Inconclusive where it was ended from outside. By pairs it is Pass
// where an attempt took the champion's place, Fail where each was reverted, and else Inconclusive.
//
// The error is a [verdict.DifferenceError] for attempts that do not fit together, or that of the context.
func Judge(ctx context.Context, e Evidence) (*Result, error) {
	r := &Result{
		Schema: Schema, Name: e.Name, Asked: e.Asked, Stop: e.Stop, StopText: e.StopText, Tests: e.Tests, Champion: -1,
		Attempts: []Attempt{}, Calls: append([]Call{}, e.Calls...), Spending: spendingOf(e.Calls),
		Warnings: []verdict.Warning{},
		Seed:     e.Seed, Version: e.Version, Finished: e.Finished,
	}
	var err error
	switch e.Asked.By {
	case ByCount:
		err = r.byCount(e.Attempts)
	case ByPairs:
		err = r.byPairs(ctx, e.Attempts)
	default:
		err = &verdict.DifferenceError{Path: "asked.by", Have: fmt.Sprintf("%q", e.Asked.By), Want: "count or pairs"}
	}
	if err != nil {
		return nil, err
	}
	r.Chance = r.chance()
	r.decide()
	r.ExitCode = r.Verdict.ExitCode()
	r.warn()
	return r, nil
}

// ordered refuses attempts that are not in the order of their numbers.
func ordered(i int, a Attempt, last int) error {
	if a.Number <= last || a.Number < 0 {
		return &verdict.DifferenceError{Path: fmt.Sprintf("attempts[%d].number", i), Have: fmt.Sprint(a.Number),
			Want: fmt.Sprintf("a number above %d", last)}
	}
	switch a.State {
	case Tried, Unread, Tampered, Ended:
		return nil
	}
	return &verdict.DifferenceError{Path: fmt.Sprintf("attempts[%d].state", i), Have: fmt.Sprintf("%q", a.State),
		Want: "a state of an attempt"}
}

// byCount goes through the attempts, the champion of each in turn.
func (r *Result) byCount(attempts []Attempt) error {
	k := testKnowledge{make([]bool, len(r.Tests)), make([]bool, len(r.Tests))}
	champion, last := -1, -1 // its place in the list, and the last number
	for i, a := range attempts {
		if err := ordered(i, a, last); err != nil {
			return err
		}
		if err := checkOutcomes(i, a, len(r.Tests)); err != nil {
			return err
		}
		last = a.Number
		a.Judged = &Judgement{Decision: keep.Revert, Champion: -1}
		if a.State == Tried {
			k.learn(a)
			c := k.counts(a)
			a.Judged.Counts = &c
			switch {
			case champion < 0:
				champion, a.Judged.Decision = i, keep.Keep
			default:
				best := k.counts(attempts[champion])
				if better := better(c, best); better > 0 {
					champion, a.Judged.Decision = i, keep.Keep
				} else if better < 0 {
					r.Averted++
				}
			}
		}
		if champion >= 0 {
			best := k.counts(attempts[champion])
			a.Judged.Champion, a.Judged.Best = attempts[champion].Number, &best
			r.Champion = a.Judged.Champion
		}
		r.Attempts = append(r.Attempts, a)
	}
	for i, is := range k.flaky {
		if is {
			r.Flaky = append(r.Flaky, r.Tests[i])
		}
	}
	return nil
}

// byPairs goes through the attempts, each tested at the level that the session has for it.
func (r *Result) byPairs(ctx context.Context, attempts []Attempt) error {
	if r.Asked.Question == nil || r.Asked.Spending == nil {
		return &verdict.DifferenceError{Path: "asked.question", Have: "none", Want: "what is asked of an attempt"}
	}
	var kept []bool
	last := 0
	r.Champion = 0
	for i, a := range attempts {
		if err := ordered(i, a, last); err != nil {
			return err
		}
		last = a.Number
		a.Judged = &Judgement{Decision: keep.Revert, Champion: r.Champion}
		if a.State == Tried || a.Pairs != "" {
			if a.MaxPairs < 1 {
				return &verdict.DifferenceError{Path: fmt.Sprintf("attempts[%d].max_pairs", i), Have: fmt.Sprint(a.MaxPairs),
					Want: "the most pairs of its test"}
			}
			design, err := r.Asked.Design(ctx, kept, a.MaxPairs)
			if err != nil {
				return err
			}
			if err := a.replay(i, design); err != nil {
				return err
			}
		}
		// A look that was begun has its level, whatever became of it.
		kept = append(kept, a.Judged.Decision == keep.Keep)
		switch a.Judged.Decision {
		case keep.Keep:
			r.Champion = a.Number
		case keep.Revert:
			r.Averted++
		}
		a.Judged.Champion = r.Champion
		r.Attempts = append(r.Attempts, a)
	}
	return nil
}

// Design is the test of the next attempt by pairs, after those of which each was kept or not. MaxPairs is what an
// earlier plan of the same test came to; 0 plans it.
func (a LoopSettings) Design(ctx context.Context, kept []bool, maxPairs int) (*keep.Design, error) {
	level, err := a.Spending.Next(a.Alpha, kept)
	if err != nil {
		return nil, err
	}
	q := *a.Question
	q.Alpha = level
	if maxPairs > 0 {
		q.MaxPairs = maxPairs
	}
	return keep.New(ctx, q)
}

// replay observes the pairs of an attempt.
func (a *Attempt) replay(i int, d *keep.Design) error {
	test := d.Begin()
	place := fmt.Sprintf("attempts[%d].pairs", i)
	for _, letter := range []byte(a.Pairs) {
		pair, ok := keep.ParsePair(letter)
		if !ok {
			return &verdict.DifferenceError{Path: place, Have: prose.Quote(string(letter)), Want: "a letter of a pair"}
		}
		if test.Decision() != keep.Open {
			return &verdict.DifferenceError{Path: place, Have: fmt.Sprintf("%d pairs", len(a.Pairs)),
				Want: fmt.Sprintf("no more than those that decide: %v", test.Decision())}
		}
		test.Observe(pair)
	}
	var t Tally
	t.Pairs, t.Broke, t.Mended, t.Unknowns = test.Counts()
	decision := test.Decision()
	if decision == keep.Open { // it was ended before it decided
		decision = keep.Undecided
	}
	a.Judged.Decision, a.Judged.Tally, a.Judged.Level = decision, &t, d.Question().Alpha
	return nil
}

// chance is that another attempt improves on the champion, as those after the first did: (s+1)/(n+2).
func (r *Result) chance() float64 {
	improved, tried, first := 0, 0, true
	for _, a := range r.Attempts {
		if a.State != Tried {
			continue
		}
		if first && r.Asked.By == ByCount {
			first = false
			continue
		}
		tried++
		if a.Judged.Decision == keep.Keep {
			improved++
		}
	}
	return float64(improved+1) / float64(tried+2)
}

// best is what the champion of a loop by count came to; nil where there is none.
func (r *Result) best() *Counts {
	if len(r.Attempts) == 0 {
		return nil
	}
	return r.Attempts[len(r.Attempts)-1].Judged.Best
}

// cut reports whether a loop was ended from outside.
func (s Stop) cut() bool {
	switch s {
	case AllPass, AttemptsOut, Stalled, Unlikely, AskedAlone:
		return false
	}
	return true
}

// decide gives the verdict and its reasons.
func (r *Result) decide() {
	if r.Asked.By == ByPairs {
		r.decidePairs()
		return
	}
	best := r.best()
	switch {
	case best == nil:
		r.Reasons = []verdict.Reason{codeNoChampion.Reason("no attempt could be tested%s", r.why())}
	case best.Passed():
		r.Verdict = verdict.Pass
		r.Reasons = []verdict.Reason{codeAllPass.Reason("%s with attempt %d", prose.Form(best.Tests(), "the only test passes",
			fmt.Sprintf("all %d tests pass", best.Tests())), r.Champion)}
	case r.Stop.cut():
		r.Reasons = []verdict.Reason{codeCut.Reason("%d of %s pass with attempt %d, and the loop was ended%s", best.Passes,
			prose.Count(best.Tests(), "test"), r.Champion, r.why())}
	default:
		r.Verdict = verdict.Fail
		r.Reasons = []verdict.Reason{codeSomeFail.Reason("%d of %s pass with attempt %d, the best%s", best.Passes,
			prose.Count(best.Tests(), "test"), r.Champion, r.why())}
	}
}

// decidePairs is decide for a loop by pairs.
func (r *Result) decidePairs() {
	if r.Stop == AskedAlone && len(r.Attempts) > 0 {
		r.decideLast()
		return
	}
	counts := map[keep.Decision]int{}
	for _, a := range r.Attempts {
		counts[a.Judged.Decision]++
	}
	switch {
	case counts[keep.Keep] > 0:
		r.Verdict = verdict.Pass
		r.Reasons = []verdict.Reason{codeKept.Reason("attempt %d is the current version: %d kept, %d reverted and %d "+
			"undecided%s",
			r.Champion,
			counts[keep.Keep], counts[keep.Revert], counts[keep.Undecided], r.why())}
	case counts[keep.Undecided] > 0 || len(r.Attempts) == 0:
		r.Reasons = []verdict.Reason{codeNoneDecided.Reason("the current version stays: %d reverted and %d undecided%s",
			counts[keep.Revert],
			counts[keep.Undecided], r.why())}
	default:
		r.Verdict = verdict.Fail
		r.Reasons = []verdict.Reason{codeNoneKept.Reason("the current version stays: %d reverted, a gain is out of sight%s",
			counts[keep.Revert], r.why())}
	}
}

// decideLast is the verdict on the last attempt, where it was asked about alone.
func (r *Result) decideLast() {
	a := r.Attempts[len(r.Attempts)-1]
	text := fmt.Sprintf("attempt %d was not tried", a.Number)
	if t := a.Judged.Tally; t != nil {
		text = fmt.Sprintf("attempt %d: %d of %s mended and %d broke", a.Number, t.Mended, prose.Count(t.Pairs, "pair"),
			t.Broke)
	}
	switch a.Judged.Decision {
	case keep.Keep:
		r.Verdict = verdict.Pass
		r.Reasons = []verdict.Reason{codeKept.Reason("keep: %s; one that is no better is kept with a chance of at most %s",
			text,
			phrase.Percent(a.Judged.Level))}
	case keep.Revert:
		r.Verdict = verdict.Fail
		r.Reasons = []verdict.Reason{codeNoneKept.Reason("revert: %s; a gain of %s is out of sight", text,
			phrase.Points(r.Asked.Question.Complete().Gain))}
	default:
		r.Reasons = []verdict.Reason{codeNoneDecided.Reason("undecided: %s, and the current version stays", text)}
	}
}

// why says why the loop ended, behind a sentence; "" where that goes without saying.
func (r *Result) why() string {
	text := map[Stop]string{
		AttemptsOut: "all attempts are used up", Stalled: fmt.Sprintf("%s in a row brought nothing",
			prose.Count(r.Asked.Stalled, "attempt")),
		Unlikely: "another improvement is unlikely", CostCap: "the money is used up", TimeCap: "the time is used up",
		Guarded: "a guardrail ended it", Interrupted: "it was interrupted", Failed: "a program could not be run",
	}[r.Stop]
	if text == "" {
		return ""
	}
	if r.StopText != "" {
		text += ": " + prose.Reason(r.StopText)
	}
	return "; " + text
}

// warn notes what to know before relying on the result.
func (r *Result) warn() {
	states := map[State]int{}
	unknowns := 0
	for _, a := range r.Attempts {
		states[a.State]++
		if a.Judged.Tally != nil {
			unknowns += a.Judged.Tally.Unknowns
		}
	}
	unpriced, lost := 0, 0
	for _, c := range r.Calls {
		switch {
		case c.Lost:
			lost++
		case c.CostUSD == nil:
			unpriced++
		}
	}
	add := func(n int, w verdict.Warning) {
		if n > 0 {
			r.Warnings = append(r.Warnings, w)
		}
	}
	add(len(r.Flaky), warnFlaky.Warning("%s to two ends on the same files, and %s not counted: %s",
		prose.Count(len(r.Flaky), "test")+" came", prose.Form(len(r.Flaky), "is", "are"), prose.Some(quoted(r.Flaky), 3)))
	add(states[Tampered], warnTampered.Warning("%s changed what is protected, and failed for that",
		prose.Count(states[Tampered], "attempt")))
	add(states[Unread], warnUnread.Warning("%s could not be read as files, and %s not tested",
		prose.Count(states[Unread], "answer"),
		prose.Form(states[Unread], "was", "were")))
	add(unknowns, warnUnknowns.Warning("%s ended in an error, and counted against the candidate",
		prose.Count(unknowns, "pair")))
	add(unpriced, warnCost.Warning("what %s cost is not known", prose.Count(unpriced, "call")))
	add(lost, warnLost.Warning("%s under way when the loop was killed, and what %s took is not known",
		prose.Count(lost, "call")+prose.Form(lost, " was", " were"), prose.Form(lost, "it", "they")))
}

// quoted are names in quotes.
func quoted(names []string) (list []string) {
	for _, name := range names {
		list = append(list, prose.Quote(name))
	}
	return list
}
