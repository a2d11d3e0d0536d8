package usage

import "github.com/tribunal-dev/tribunal/trial"

// wholeAmount are the amounts that are whole numbers.
type wholeAmount uint8

const (
	input wholeAmount = iota
	output
	cached
	cacheWrites
	turns
	toolCalls
	// How many there are; not an amount.
	countedKinds
)

// amounts are what something took, as far as it is told.
type amounts struct {
	cost   trial.Optional[float64] // US dollars
	counts [countedKinds]trial.Optional[int64]
}

// none reports whether nothing is told but zeros.
func (a *amounts) none() bool {
	for _, n := range a.counts {
		if n.Value != 0 {
			return false
		}
	}
	return a.cost.Value == 0
}

// add adds what is told. The sum of what is not told stays unknown.
func (a *amounts) add(b *amounts) {
	a.cost = plus(a.cost, b.cost)
	for kind := range b.counts {
		if n := &b.counts[kind]; n.Known {
			a.counts[kind] = plus(a.counts[kind], *n)
		}
	}
}

// without makes unknown what is told elsewhere.
func (a *amounts) without(told *amounts) {
	if told.cost.Known {
		a.cost = trial.Optional[float64]{}
	}
	for kind := range told.counts {
		if told.counts[kind].Known {
			a.counts[kind] = trial.Optional[int64]{}
		}
	}
}

// plus adds a number to a sum, if it is known.
func plus[T int64 | float64](sum, x trial.Optional[T]) trial.Optional[T] {
	if !x.Known {
		return sum
	}
	return trial.Some(trial.Plus(sum.Value, x.Value))
}
