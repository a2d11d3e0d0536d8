package looks

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"

	"github.com/tribunal-dev/tribunal/suite"
)

// ErrSpent says that the looks at a task have used up its errors.
var ErrSpent = errors.New("the analyses of this task are used up")

// Share is the part of every error level that one look has. The parts of all looks at a task
// sum to at most 1: the chance that any of them errs is at most the level, however they depend
// on each other (Bonferroni 1936), and however many there will be.
type Share struct {
	Number int `json:"number"` // of the look at its task, from 1
	Of     int `json:"of"`     // it has one part in so many
}

// Spending is a look that takes its part of the errors before it is judged.
type Spending struct {
	Task     string `json:"task"`              // digest of what all looks that share a level ask about
	Evidence string `json:"evidence"`          // digest of the trials and of how they are judged
	Command  string `json:"command,omitempty"` // such as "verdict"
	At       string `json:"at,omitempty"`      // RFC 3339
	Share

	// Grew reports whether earlier evidence is the beginning of this: then it is the same look,
	// which a test that holds at any time may continue. Nil where only the same evidence is.
	Grew func(evidence string) bool `json:"-"`
	// Continues takes the part of the last look of the same command, as one that goes on does.
	Continues bool `json:"-"`
}

// Spend takes the part of the errors for a look and writes it into the ledger, beside the looks
// that [Count] counts. Of is the part that the evidence was made with, 0 leaves it to the
// ledger: look i then has 1/(i+1) of what is left, which is 1/2, 1/6, 1/12, ... 1/(i(i+1)) where
// no look has another part. A look at the same evidence is the same look, and so is one with the
// Number of an earlier one. [ErrSpent] where too little is left.
func Spend(file string, s Spending) (share Share, err error) {
	err = update(file, func(text []byte) ([]byte, error) {
		var known bool
		if share, known, err = next(spendings(text, s.Task), s); err != nil || known {
			return nil, err
		}
		s.Share = share
		return json.Marshal(s)
	})
	return share, err
}

// spendings are the looks at a task, as far as they can be read.
func spendings(text []byte, task string) (list []Spending) {
	for line := range bytes.Lines(text) {
		var s Spending
		if json.Unmarshal(line, &s) == nil && s.Task == task && s.Number > 0 && s.Of > 0 {
			list = append(list, s)
		}
	}
	return list
}

// next is the part of a look after the earlier ones, and whether it is in the ledger already.
func next(earlier []Spending, s Spending) (share Share, known bool, err error) {
	left, number := big.NewRat(1, 1), 0
	for _, e := range earlier {
		same := e.Evidence == s.Evidence && s.Evidence != "" || s.Grew != nil && e.Evidence != "" && s.Grew(e.Evidence)
		if same && s.Number == 0 {
			return e.Share, true, nil
		}
		if e.Number > number { // else another line of the same look
			number = e.Number
			left.Sub(left, big.NewRat(1, int64(e.Of)))
		}
		if e.Command == s.Command {
			share = e.Share
		}
	}
	switch {
	case s.Number > 0:
		return s.Share, false, nil
	case s.Continues && share.Number > 0:
		return share, true, nil
	case left.Sign() <= 0:
		return Share{}, false, ErrSpent
	}
	share = Share{Number: number + 1, Of: s.Of}
	if s.Of == 0 {
		// The smallest whole number that is at least (i+1)/left.
		parts := new(big.Rat).Quo(big.NewRat(int64(number)+2, 1), left)
		up := new(big.Int).Add(parts.Num(), new(big.Int).Sub(parts.Denom(), big.NewInt(1)))
		if up.Div(up, parts.Denom()); !up.IsInt64() || up.Int64() > suite.MostLooks {
			return Share{}, false, ErrSpent
		}
		share.Of = int(up.Int64())
	} else if big.NewRat(1, int64(s.Of)).Cmp(left) > 0 {
		return Share{}, false, ErrSpent
	}
	return share, false, nil
}
