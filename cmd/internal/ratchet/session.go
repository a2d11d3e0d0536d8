package ratchet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/sprt/keep"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
)

// Session is a row of challengers of any harness, each tried by pairs at the level that is left for it. It is in a file
// beside the suite, and for one goroutine.
type Session struct {
	journal *journal
	begun   sessionStart
	sets    sets
	options Options
}

// sessionStart is the first line of a session.
type sessionStart struct {
	Suite string                   `json:"suite"` // its name
	Task  string                   `json:"task"`  // digest of what the sets are made of
	Seed  uint64                   `json:"seed"`
	Asked improvement.LoopSettings `json:"asked"`
}

// The errors of sessions that are there, and are not.
var (
	ErrSessionBegun = exit.New(exit.Input, "a session was begun here")
	ErrNoSession    = exit.New(exit.Input, "no session was begun here")
	ErrOtherTask    = exit.New(exit.Input, "the scenarios are others than when the session was begun")
	ErrFinalOpened  = exit.New(exit.Input, "the final set has been opened, and is opened once")
	ErrNoFinal      = exit.New(exit.Input, "there is no final set: the suite has too few scenarios")
)

// sessionFile is where the session of a suite is.
func sessionFile(s *suite.Suite) string {
	return filepath.Join(s.Dir(), ".tribunal", "ratchet", "session.jsonl")
}

// BeginSession begins a session of a suite, and splits its scenarios.
func BeginSession(s *suite.Suite, p Pairs, seed uint64, o Options) (*Session, error) {
	file := sessionFile(s)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	j, err := openJournal(file)
	if err != nil {
		return nil, err
	}
	if len(j.keys) > 0 {
		if !o.Fresh {
			return nil, errors.Join(ErrSessionBegun, j.close())
		}
		if err := j.setAside(); err != nil {
			return nil, errors.Join(err, j.close())
		}
	}
	found := &Session{journal: j, sets: split(s.Scenarios, seed), options: o}
	asked := p.asked(improvement.LoopSettings{})
	asked.Sets = found.sets.summary()
	found.begun = sessionStart{Suite: s.Name, Task: asked.Sets.Digest, Seed: seed, Asked: asked}
	if err := j.put(begunKey, found.begun); err != nil {
		return nil, errors.Join(err, j.close())
	}
	return found, nil
}

// OpenSession continues the session of a suite.
func OpenSession(s *suite.Suite, o Options) (*Session, error) {
	if _, err := os.Stat(sessionFile(s)); errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoSession
	}
	j, err := openJournal(sessionFile(s))
	if err != nil {
		return nil, err
	}
	found := &Session{journal: j, options: o}
	there, err := j.get(begunKey, &found.begun)
	if err == nil && !there {
		err = ErrNoSession
	}
	if err == nil {
		found.sets = split(s.Scenarios, found.begun.Seed)
		if found.sets.summary().Digest != found.begun.Task {
			err = ErrOtherTask
		}
	}
	if err != nil {
		return nil, errors.Join(err, j.close())
	}
	return found, nil
}

// Close lets others open the session.
func (s *Session) Close() error { return s.journal.close() }

// challenge is noted before an attempt is tried: it has its level then, whatever becomes of it.
type challenge struct {
	Champion   string `json:"champion"`
	Challenger string `json:"challenger"` // digest of it
	MaxPairs   int    `json:"max_pairs"`
}

// settlement is what became of one.
type settlement struct {
	Pairs   string   `json:"pairs"`
	CostUSD *float64 `json:"cost_usd,omitempty"`
}

// Result judges the session so far.
func (s *Session) Result(ctx context.Context) (*improvement.Result, error) { return s.result(ctx, "") }

func (s *Session) result(ctx context.Context, stop improvement.Stop) (*improvement.Result, error) {
	e := improvement.Evidence{
		Name: s.begun.Suite, Asked: s.begun.Asked, Stop: stop, Seed: s.begun.Seed, Version: s.options.Version,
		Finished: s.options.now().UTC().Format(time.RFC3339),
	}
	for number := 1; s.journal.has(fmt.Sprintf("%d/begun", number)); number++ {
		var begun challenge
		if _, err := s.journal.get(fmt.Sprintf("%d/begun", number), &begun); err != nil {
			return nil, err
		}
		a := improvement.Attempt{Number: number, State: improvement.Tried, MaxPairs: begun.MaxPairs, Files: begun.Challenger}
		var found settlement
		there, err := s.journal.get(fmt.Sprintf("%d/settled", number), &found)
		if err != nil {
			return nil, err
		}
		if a.Pairs = found.Pairs; !there {
			if a.Pairs, err = s.pairsOf(number); err != nil {
				return nil, err
			}
		}
		e.Attempts = append(e.Attempts, a)
		e.Calls = append(e.Calls, improvement.Call{Attempt: number, Stage: trialsStage, CostUSD: found.CostUSD})
	}
	return improvement.Judge(ctx, e)
}

// pairsOf are the pairs of an attempt that has not been settled.
func (s *Session) pairsOf(attempt int) (letters string, err error) {
	for number := 0; ; number++ {
		var p pair
		there, err := s.journal.get(pairKey(attempt, number), &p)
		if err != nil || !there {
			return letters, err
		}
		letters += p.End
	}
}

// kept says of attempts whether each was kept.
func kept(attempts []improvement.Attempt) (list []bool) {
	for _, a := range attempts {
		list = append(list, a.Judged.Decision == keep.Keep)
	}
	return list
}

// Bounds are what a try may take. The zero value bounds nothing.
type Bounds struct {
	MaxCostUSD float64                       // no further pair is begun after so much
	MaxTrials  trial.Optional[int]           // a pair has two
	Each       func(trials int, usd float64) // is told of what was begun after each pair; nil is nobody
}

// Try tries a challenger beside the champion on the scenarios that are held out. One that was under way when its
// session was killed is continued, where the same is asked about. One that reaches a bound is undecided.
func (s *Session) Try(ctx context.Context, champion, challenger Side, b Bounds) (*improvement.Result, error) {
	r, err := s.Result(ctx)
	if err != nil {
		return nil, err
	}
	number := len(r.Attempts)
	digest := challenger.digest()
	var last challenge
	if _, err := s.journal.get(fmt.Sprintf("%d/begun", number), &last); err != nil {
		return nil, err
	}
	if number == 0 || s.journal.has(fmt.Sprintf("%d/settled", number)) || last.Challenger != digest ||
		last.Champion != champion.digest() {
		design, err := r.Asked.Design(ctx, kept(r.Attempts), 0)
		if err != nil {
			return nil, err
		}
		number++
		last = challenge{Champion: champion.digest(), Challenger: digest, MaxPairs: design.MaxPairs()}
		if err := s.journal.put(fmt.Sprintf("%d/begun", number), last); err != nil {
			return nil, err
		}
	}
	design, err := r.Asked.Design(ctx, kept(r.Attempts[:number-1]), last.MaxPairs)
	if err != nil {
		return nil, err
	}
	c := contest{journal: s.journal, attempt: number, champion: champion, challenger: challenger,
		scenarios: s.sets.heldOut,
		seed:      s.begun.Seed, most: -1, pairs: -1}
	if b.MaxCostUSD > 0 {
		c.most = b.MaxCostUSD
	}
	if b.MaxTrials.Known {
		c.pairs = b.MaxTrials.Value / 2
	}
	if b.Each != nil {
		c.each = func(pairs int, usd float64) { b.Each(2*pairs, usd) }
	}
	letters, cost, err := c.run(ctx, design)
	if err != nil {
		return nil, err
	}
	if err := s.journal.put(fmt.Sprintf("%d/settled", number), settlement{letters, cost}); err != nil {
		return nil, err
	}
	return s.result(ctx, improvement.AskedAlone)
}

// digest identifies a side: its agent, and what its suite declares of it.
func (s Side) digest() string { return s.Suite.Digest() + " " + s.Variant }

// Final is what the final set says of both sides.
type Final struct {
	Scenarios  int          `json:"scenarios"`
	Champion   stats.Counts `json:"champion"`   // passes of trials, the errors left out
	Challenger stats.Counts `json:"challenger"` // likewise
	Broke      int          `json:"broke"`      // pairs that the champion alone passed
	Mended     int          `json:"mended"`     // pairs that the challenger alone passed
	Errors     int          `json:"errors"`     // pairs of which a side ended in an error
}

const finalKey = "final"

// OpenFinal tries both sides on each scenario of the final set so many times, once for a session: a final set may be
// analysed only once.
func (s *Session) OpenFinal(ctx context.Context, champion, challenger Side, times int) (*Final, error) {
	switch {
	case len(s.sets.final) == 0:
		return nil, ErrNoFinal
	case s.journal.has(finalKey):
		return nil, ErrFinalOpened
	}
	f := &Final{Scenarios: len(s.sets.final)}
	for i := range times {
		for k, scenario := range s.sets.final {
			number := i*len(s.sets.final) + k
			p, err := done(s.journal, fmt.Sprintf("final/%d", number), func() (pair, error) {
				r := round{scenario, drawRound(s.sets.final, s.begun.Seed, 0, number).challengerFirst}
				return tryPair(ctx, champion, challenger, r, s.begun.Seed, number)
			})
			if err != nil {
				return nil, err
			}
			f.add(keep.Pair(p.End[0]))
		}
	}
	return f, s.journal.put(finalKey, f)
}

// add counts a pair.
func (f *Final) add(p keep.Pair) {
	if p == keep.Unknown {
		f.Errors++
		return
	}
	f.Champion.Trials++
	f.Challenger.Trials++
	switch p {
	case keep.BothPassed:
		f.Champion.Passes++
		f.Challenger.Passes++
	case keep.Broke:
		f.Champion.Passes++
		f.Broke++
	case keep.Mended:
		f.Challenger.Passes++
		f.Mended++
	}
}
