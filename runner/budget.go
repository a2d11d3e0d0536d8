package runner

import (
	"time"

	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// Budget limits what a run may take. Each launch must fit beside what is spent and
// what the trials in flight will take, at the mean so far. Zero fields limit nothing.
type Budget struct {
	MaxCostUSD  float64       // of all attempts, in all sessions
	MaxTokens   int64         // input and output, of all attempts
	MaxDuration time.Duration // without the time between sessions
	MaxTrials   int           // launched, errors and overrun too

	// PricePerTrial in USD is the cost of every attempt that does not tell its own.
	// Without it a trial of unknown cost ends a run under MaxCostUSD with an
	// error.
	PricePerTrial float64
}

// Limit is a part of a [Budget].
type Limit uint8

// The parts. The zero value is none of them.
const (
	noLimit       Limit = iota
	costLimit           // MaxCostUSD
	tokenLimit          // MaxTokens
	durationLimit       // MaxDuration
	trialLimit          // MaxTrials
)

var limits = enum.Of[Limit]("limit", "", "cost", "tokens", "duration", "trials")

// String returns "", "cost", "tokens", "duration" or "trials".
func (l Limit) String() string { return limits.String(l) }

// MarshalText writes the limit's name.
func (l Limit) MarshalText() ([]byte, error) { return limits.MarshalText(l) }

// ledger is what a run has taken.
type ledger struct {
	budget   Budget
	spent    journal.Spend
	lost     int            // attempts that began and whose end is not known
	told     int            // of them, those whose spend is known all the same
	repeated map[string]int // attempts that another one replaced, by their cause
	inFlight int            // attempts
	launched int            // trials
	before   time.Duration  // of earlier sessions
	start    time.Time      // of this one
}

// repeat counts an attempt that is made again.
func (l *ledger) repeat(cause string) {
	if l.repeated == nil {
		l.repeated = map[string]int{}
	}
	l.repeated[cause]++
}

// elapsed is the time of all sessions, without that between them.
func (l *ledger) elapsed() time.Duration { return l.before + time.Since(l.start) }

// refuses returns the limit that one more attempt would break; fresh says that it is
// the first of a trial. What an attempt will take is not known before: it is taken for
// the mean of those that ended, and the attempts in flight for as much each.
func (l *ledger) refuses(fresh bool) Limit {
	b, s := l.budget, l.spent
	began := s.Attempts - s.Unstarted // the others say nothing of what an attempt takes
	knownCosts, knownTokens := began-s.CostUnknown, began-s.TokensUnknown
	switch {
	case fresh && b.MaxTrials > 0 && l.launched >= b.MaxTrials:
		return trialLimit
	case b.MaxDuration > 0 && l.elapsed()+mean(s.Duration, began) > b.MaxDuration:
		return durationLimit
	case b.MaxCostUSD > 0 && l.exceeds(s.CostUSD, knownCosts, s.CostUnknown, b.PricePerTrial, b.MaxCostUSD):
		return costLimit
	case b.MaxTokens > 0 && l.exceeds(float64(s.Tokens()), knownTokens, s.TokensUnknown, 0, float64(b.MaxTokens)):
		return tokenLimit
	}
	return noLimit
}

// mean is the duration of one of n attempts, 0 where there are none.
func mean(d time.Duration, n int) time.Duration {
	if n == 0 {
		return 0
	}
	return d / time.Duration(n)
}

// exceeds reports whether one more attempt breaks a limit, as far as can be told.
// Attempts of unknown amount count as the mean of the others. While nothing at all is
// known, one attempt at a time finds out.
func (l *ledger) exceeds(spent float64, known, unknown int, price, limit float64) bool {
	each := price
	if known > 0 {
		each = spent / float64(known)
	} else if price == 0 {
		return l.inFlight > 0
	}
	// Attempts that were lost were paid for, as far as anybody knows.
	total := spent + float64(unknown+l.lost-l.told+l.inFlight+1)*each
	return total > limit*(1+1e-9) // 10 times 0.1 is within 1
}
