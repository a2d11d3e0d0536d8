package suite

import (
	"fmt"
	"strconv"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
)

// Weighting is a prior as a design takes it.
type Weighting struct {
	sprt.Weighting
	Name    string       // what a plan calls it, such as "stable" or "19 of 20 of main.jsonl"
	History stats.Counts // passes and trials of the history; zero where the prior is none
}

// Weighting returns the prior as a design takes it. The function counts the trials of a
// history in a file; it is called for a [FilePrior] alone.
func (p Prior) Weighting(count func(file string) (stats.Counts, error)) (w Weighting, err error) {
	switch p.Kind {
	case WorstPrior:
		w.Weighting, w.Name = sprt.Worst(), p.String()
	case BetaPrior:
		w.Name = p.String()
		w.Weighting, err = sprt.Beta(p.A, p.B)
	case CountsPrior:
		w.Name, w.History = ofHistory(p.Counts), p.Counts
		w.Weighting, err = sprt.History(p.Counts)
	case FilePrior:
		if w.History, err = count(p.File); err != nil {
			return Weighting{}, err
		}
		w.Name = ofHistory(w.History) + " of " + p.File
		w.Weighting, err = sprt.History(w.History)
	// StablePrior, the zero value: what a suite without a prior has.
	default:
		w.Weighting, w.Name = sprt.Stable(), p.String()
	}
	return w, err
}

// ofHistory writes a history for people, "19 of 20"; a suite writes 19/20.
func ofHistory(c stats.Counts) string { return fmt.Sprintf("%d of %d", c.Passes, c.Trials) }

// String returns the prior as a suite writes it.
func (p Prior) String() string {
	switch p.Kind {
	case WorstPrior:
		return "worst"
	case BetaPrior:
		return "beta:" + shortest(p.A) + "," + shortest(p.B)
	case CountsPrior:
		return fmt.Sprintf("%d/%d", p.Counts.Passes, p.Counts.Trials)
	case FilePrior:
		return p.File
	}
	return "stable"
}

// shortest writes a number with the digits that bring it back.
func shortest(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
