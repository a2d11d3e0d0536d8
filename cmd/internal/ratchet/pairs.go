package ratchet

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt/keep"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
)

// The stages of what trials cost: on what is seen in full, and by pairs.
const (
	searchStage = "search"
	trialsStage = "trials"
)

// asked is what a loop by pairs was asked to do.
func (p *Pairs) asked(a improvement.LoopSettings) improvement.LoopSettings {
	a.By, a.Alpha, a.Spending = improvement.ByPairs, p.Alpha, &p.Spending
	q := p.Question.Complete()
	q.Alpha = 0 // each attempt has its own
	a.Question = &q
	return a
}

// Side is an agent as one side of a pair.
type Side struct {
	Suite   *suite.Suite
	Variant string // of the suite; "" is its agent
}

// pair is how a pair ended, as a journal has it.
type pair struct {
	End     string   `json:"end"`                // a letter of package keep
	CostUSD *float64 `json:"cost_usd,omitempty"` // of both trials; nil where it is not known
}

// tryPair runs both sides of a round, one after the other.
func tryPair(ctx context.Context, champion, challenger Side, r round, seed uint64, number int) (pair, error) {
	var outcomes [2]trial.Outcome
	cost, known := 0.0, true
	sides := [2]Side{champion, challenger}
	order := [2]int{0, 1}
	if r.challengerFirst {
		order = [2]int{1, 0}
	}
	for _, i := range order {
		asked := runner.TrialChoice{Scenario: r.scenario, Variant: sides[i].Variant, Number: number, Seed: seed}
		tried, err := runner.Try(ctx, sides[i].Suite, asked, func(string) {})
		if err != nil {
			return pair{}, err
		}
		outcomes[i] = tried.Trial.Outcome
		if c := tried.Trial.CostUSD; c.Known {
			cost += c.Value
		} else {
			known = false
		}
	}
	p := pair{End: string(ended(outcomes[0], outcomes[1]))}
	if known {
		p.CostUSD = &cost
	}
	return p, nil
}

// ended is how a pair ended, by the outcomes of its sides.
func ended(champion, challenger trial.Outcome) keep.Pair {
	switch {
	case champion != trial.Pass && champion != trial.Fail, challenger != trial.Pass && challenger != trial.Fail:
		return keep.Unknown
	case champion == challenger && champion == trial.Pass:
		return keep.BothPassed
	case champion == challenger:
		return keep.BothFailed
	case champion == trial.Pass:
		return keep.Broke
	}
	return keep.Mended
}

// pairKey is the key of a pair of an attempt.
func pairKey(attempt, number int) string {
	return fmt.Sprintf("%spair/%d", attemptKey(attempt), number)
}

// contest tries pairs until the design decides, from those that the journal has.
type contest struct {
	journal              *journal
	attempt              int
	champion, challenger Side
	scenarios            []suite.Scenario
	seed                 uint64
	most                 float64 // in US dollars, of its trials; below 0: no bound
	pairs                int     // that it may begin beyond those of the journal; below 0: no bound
	each                 func(pairs int, usd float64)
}

// run returns the letters of the pairs and what they cost; nil where that is not known. Where the money is used up
// there are fewer than decide.
func (c *contest) run(ctx context.Context, d *keep.Design) (letters string, cost *float64, err error) {
	test := d.Begin()
	sum, known, begun := 0.0, true, 0
	for number := 0; test.Decision() == keep.Open; number++ {
		if !c.journal.has(pairKey(c.attempt, number)) {
			if c.most >= 0 && sum >= c.most && number > 0 || c.pairs >= 0 && begun >= c.pairs {
				break
			}
			begun++
		}
		p, err := done(c.journal, pairKey(c.attempt, number), func() (pair, error) {
			// No two attempts have the seed of a trial in common: what varies by its seed alone is drawn anew.
			return tryPair(ctx, c.champion, c.challenger, drawRound(c.scenarios, c.seed, c.attempt, number), c.seed,
				c.attempt*keep.MostPairs+number)
		})
		if err != nil {
			return "", nil, err
		}
		end, ok := keep.Pair(0), false
		if len(p.End) == 1 {
			end, ok = keep.ParsePair(p.End[0])
		}
		if !ok {
			return "", nil, fmt.Errorf("%s: %s is no end of a pair", prose.FileName(c.journal.name), prose.Quote(p.End))
		}
		letters += p.End
		if p.CostUSD != nil {
			sum += *p.CostUSD
		} else {
			known = false
		}
		test.Observe(end)
		if c.each != nil {
			c.each(begun, sum)
		}
	}
	if known {
		cost = &sum
	}
	return letters, cost, nil
}

// tryPairs tries an attempt beside the champion on the scenarios that are held out.
func (l *Loop) tryPairs(ctx context.Context, a *attempt) error {
	champion, err := suite.Load(l.config.Path(l.config.Suite.File))
	if err != nil {
		return err
	}
	folder, remove, err := l.copied(ctx, "trials", a.files)
	if err != nil {
		return err
	}
	defer remove()
	challenger, err := suite.Load(filepath.Join(folder, filepath.FromSlash(l.config.Suite.File)))
	if err != nil {
		a.State, a.Problem = improvement.Unread, prose.Reason(err.Error())
		return nil
	}
	r, err := l.result()
	if err != nil {
		return err
	}
	var design *keep.Design
	a.MaxPairs, err = done(l.journal, attemptKey(a.Number)+"planned", func() (int, error) {
		planned, err := r.Asked.Design(ctx, kept(r.Attempts), 0)
		if err != nil {
			return 0, err
		}
		return planned.MaxPairs(), nil
	})
	if err == nil {
		design, err = r.Asked.Design(ctx, kept(r.Attempts), a.MaxPairs)
	}
	if err != nil {
		return err
	}
	contest := contest{
		journal: l.journal, attempt: a.Number, champion: Side{Suite: champion}, challenger: Side{Suite: challenger},
		scenarios: split(champion.Scenarios, l.config.Seed).heldOut, seed: l.config.Seed, most: -1, pairs: -1,
	}
	if l.config.MaxCost > 0 {
		contest.most = max(0, l.config.MaxCost-r.CostUSD())
	}
	letters, cost, err := contest.run(ctx, design)
	if err != nil {
		return err
	}
	a.Pairs = letters
	l.calls = append(l.calls, improvement.Call{Attempt: a.Number, Stage: trialsStage, CostUSD: cost})
	_, err = l.undo(folder)
	return err
}

// searchRecord is what the champion came to on the scenarios that are seen in full.
type searchRecord struct {
	Failing []testCase `json:"failing"`
	CostUSD *float64   `json:"cost_usd,omitempty"`
}

// search tries the champion once on each scenario that is seen in full, and returns those that it did not pass.
func (l *Loop) search(ctx context.Context, number int) ([]testCase, error) {
	found, err := done(l.journal, attemptKey(number)+"search", func() (searchRecord, error) {
		s, err := suite.Load(l.config.Path(l.config.Suite.File))
		if err != nil {
			return searchRecord{}, err
		}
		found, cost, known := searchRecord{Failing: []testCase{}}, 0.0, true
		for _, c := range split(s.Scenarios, l.config.Seed).search {
			tried, err := runner.Try(ctx, s, runner.TrialChoice{Scenario: c, Number: number, Seed: l.config.Seed + 1},
				func(string) {})
			if err != nil {
				return searchRecord{}, err
			}
			if x := tried.Trial.CostUSD; x.Known {
				cost += x.Value
			} else {
				known = false
			}
			if tried.Trial.Outcome != trial.Pass {
				found.Failing = append(found.Failing, testCase{
					Name: c.Name, Outcome: letter(tried.Trial.Outcome), Message: prose.CutBytes(tried.Why, mostSectionBytes),
					Output: prose.CutBytes("input: "+tried.Trial.Input.Text()+"\noutput: "+tried.Trial.Output.Text(),
						mostSectionBytes),
				})
			}
		}
		if known {
			found.CostUSD = &cost
		}
		return found, nil
	})
	if err != nil {
		return nil, err
	}
	l.calls = append(l.calls, improvement.Call{Attempt: number, Stage: searchStage, CostUSD: found.CostUSD})
	return found.Failing, nil
}

// Same reports whether two sides are one and the same agent.
func (s Side) Same(other Side) bool {
	return s.Suite.File == other.Suite.File && s.Variant == other.Variant
}
