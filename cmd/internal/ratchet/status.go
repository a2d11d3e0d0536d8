package ratchet

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/tribunal-dev/tribunal/sprt/keep"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
)

// errEnd ends a replay where its journal does.
var errEnd = errors.New("the journal ends here")

// Status is what a journal tells of a loop, also while that runs. The error is [ErrNoLoop], or that of a journal that
// cannot be read.
func Status(c *Config, o Options) (*improvement.Result, error) {
	j, err := c.begun()
	if err != nil {
		return nil, err
	}
	l := &Loop{config: c, options: o, journal: j}
	if there, err := j.get(begunKey, &l.begun); err != nil || !there {
		return nil, errors.Join(err, ErrNoLoop)
	}
	l.champion = l.begun.Start
	for number := l.first(); ; number++ {
		a, err := l.replay(number)
		if errors.Is(err, errEnd) {
			return l.result()
		}
		if err != nil {
			return nil, err
		}
		l.attempts = append(l.attempts, *a)
	}
}

// replay is an attempt as the journal has it; errEnd where it was not decided yet.
func (l *Loop) replay(number int) (*attempt, error) {
	key := attemptKey(number)
	if err := l.replaySearch(number); err != nil {
		return nil, err
	}
	a := &attempt{Attempt: improvement.Attempt{Number: number, State: improvement.Tried}}
	for _, stage := range []string{generateStage, reviewStage, rewriteStage, fixStage} {
		var r reply
		there, err := l.journal.get(key+stage+"/reply", &r)
		if err != nil {
			return nil, err
		}
		if !there {
			continue
		}
		l.calls = append(l.calls, r.Call)
		// What a review, or the mending after it, did not bring holds nothing up.
		besides := stage == reviewStage || stage == rewriteStage
		if r.Problem == "" || r.Stop != "" || len(r.Changed) > 0 || !besides {
			a.take(&r)
		}
	}
	var found decisionRecord
	switch there, err := l.journal.get(key+"decided", &found); {
	case err != nil:
		return nil, err
	case !there:
		return nil, errEnd
	}
	a.Files = found.Files
	if _, err := l.journal.get(key+"tests", &a.tests); err != nil {
		return nil, err
	}
	if _, err := l.journal.get(key+"again", &a.again); err != nil {
		return nil, err
	}
	a.again.Cases = a.repeated()
	if a.tests.Problem != "" {
		a.Problem = a.tests.Problem
	}
	if l.config.Suite == nil {
		return a, nil
	}
	var planned int
	if _, err := l.journal.get(key+"planned", &planned); err != nil {
		return nil, err
	}
	a.MaxPairs = planned
	return a, l.replayPairs(a)
}

// replaySearch takes in what the search of an attempt cost.
func (l *Loop) replaySearch(number int) error {
	var found searchRecord
	there, err := l.journal.get(attemptKey(number)+"search", &found)
	if there {
		l.calls = append(l.calls, improvement.Call{Attempt: number, Stage: searchStage, CostUSD: found.CostUSD})
	}
	return err
}

// replayPairs takes in the pairs of an attempt, and what they cost.
func (l *Loop) replayPairs(a *attempt) error {
	var b strings.Builder
	sum, known := 0.0, true
	for i := 0; ; i++ {
		var p pair
		there, err := l.journal.get(pairKey(a.Number, i), &p)
		if err != nil {
			return err
		}
		if !there {
			break
		}
		b.WriteString(p.End)
		if p.CostUSD == nil {
			known = false
		} else {
			sum += *p.CostUSD
		}
	}
	a.Pairs = b.String()
	if a.Pairs == "" {
		return nil
	}
	call := improvement.Call{Attempt: a.Number, Stage: trialsStage}
	if known {
		call.CostUSD = &sum
	}
	l.calls = append(l.calls, call)
	return nil
}

// SessionStatus is what a session came to so far, also while one of its challengers is tried.
func SessionStatus(ctx context.Context, s *suite.Suite, o Options) (*improvement.Result, error) {
	j, err := readJournal(sessionFile(s))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNoSession
	case err != nil:
		return nil, err
	}
	found := &Session{journal: j, options: o}
	if there, err := j.get(begunKey, &found.begun); err != nil || !there {
		return nil, errors.Join(err, ErrNoSession)
	}
	return found.Result(ctx)
}

// Promise is what the tests of a session do, before any is run.
type Promise struct {
	Schema    string           `json:"schema"`
	Alpha     float64          `json:"alpha"`
	Spending  keep.Spending    `json:"spending"`
	Gain      float64          `json:"gain"`
	Rate      float64          `json:"rate"`
	Scenarios int              `json:"scenarios"`
	Sets      improvement.Sets `json:"sets"`
	Rounds    []PromisedRound  `json:"rounds"`
}

// PromisedRound is what the test of one challenger does, where nothing was kept before it and the sides are
// independent.
type PromisedRound struct {
	Round    int                  `json:"round"`
	Level    float64              `json:"level"`
	MaxPairs int                  `json:"max_pairs"`
	Same     keep.Characteristics `json:"same"`   // of one that changes nothing
	Worse    keep.Characteristics `json:"worse"`  // of one that is worse by the gain
	Better   keep.Characteristics `json:"better"` // of one that is better by the gain
	// Of one that is better by the gain, where the champion's rate is lower by it than is expected.
	Lower keep.Characteristics `json:"lower"`
}

// promised are the rounds that a promise tells of. Chosen: how the tests grow with them shows.
var promised = []int{1, 2, 5, 20}

// Promise computes it.
func (s *Session) Promise(ctx context.Context) (*Promise, error) {
	asked := s.begun.Asked
	q := asked.Question.Complete()
	p := &Promise{Schema: "tribunal/ratchet-promise/v1", Scenarios: s.sets.scenarios(), Alpha: asked.Alpha,
		Spending: *asked.Spending, Gain: q.Gain, Rate: q.Rate, Sets: *asked.Sets}
	for _, round := range promised {
		design, err := asked.Design(ctx, make([]bool, round-1), 0)
		if err != nil {
			return nil, err
		}
		one := PromisedRound{Round: round, Level: design.Question().Alpha, MaxPairs: design.MaxPairs()}
		for _, point := range []struct {
			rates keep.Rates
			into  *keep.Characteristics
		}{
			{keep.Apart(q.Rate, q.Rate), &one.Same}, {keep.Apart(q.Rate, max(0, q.Rate-q.Gain)), &one.Worse},
			{keep.Apart(q.Rate, min(1, q.Rate+q.Gain)), &one.Better}, {keep.Apart(max(0, q.Rate-q.Gain), q.Rate), &one.Lower},
		} {
			if *point.into, err = design.At(ctx, point.rates); err != nil {
				return nil, err
			}
		}
		p.Rounds = append(p.Rounds, one)
	}
	return p, nil
}
