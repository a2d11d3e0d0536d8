package keep

import "github.com/tribunal-dev/tribunal/internal/enum"

// Decision is what becomes of a challenger.
type Decision uint8

// The decisions. The zero value is none.
const (
	Open      Decision = iota // another pair is needed
	Keep                      // it takes the champion's place
	Revert                    // a gain is out of sight, and the current version stays
	Undecided                 // the pairs are used up, and the current version stays
)

var decisions = enum.Of[Decision]("decision", "open", "keep", "revert", "undecided")

// String returns "open", "keep", "revert" or "undecided".
func (d Decision) String() string { return decisions.String(d) }

// MarshalText writes the name.
func (d Decision) MarshalText() ([]byte, error) { return decisions.MarshalText(d) }

// UnmarshalText reads a name.
func (d *Decision) UnmarshalText(text []byte) error { return decisions.UnmarshalText(text, d) }

// Pair is how a pair ended, in the letter that stands for it in results.
type Pair byte

// The ends of a pair.
const (
	BothPassed Pair = '+'
	BothFailed Pair = '-'
	Broke      Pair = 'b' // the champion alone passed
	Mended     Pair = 'm' // the challenger alone passed
	// Unknown is a pair of which a side ended in an error, which is neither pass nor failure. It counts as one that
	// broke where a challenger is to be kept, so that a keep holds whatever the pair would have come to, and is left out
	// where one is to be reverted.
	Unknown Pair = 'e'
)

// ParsePair reads a letter; false where it is none of them.
func ParsePair(letter byte) (Pair, bool) {
	switch p := Pair(letter); p {
	case BothPassed, BothFailed, Broke, Mended, Unknown:
		return p, true
	}
	return 0, false
}

// Test is a challenger on trial.
type Test struct {
	design                         *Design
	pairs, broke, mended, unknowns int
	decision                       Decision
}

// Begin begins a test of the design.
func (d *Design) Begin() *Test { return &Test{design: d} }

// Observe takes in how a pair ended, and returns the decision. What comes after one is left out.
func (t *Test) Observe(p Pair) Decision {
	if t.decision != Open {
		return t.decision
	}
	t.pairs++
	switch p {
	case Broke:
		t.broke++
	case Mended:
		t.mended++
	case Unknown:
		t.unknowns++
	}
	switch against := t.design.Decide(t.pairs, t.broke+t.unknowns, t.mended); {
	case against == Keep:
		t.decision = Keep
	// The level is that of a test that ends here: what nothing is known of may have broken.
	case t.unknowns > 0 && against == Revert && t.design.question.Odds == 0:
		t.decision = Undecided
		if t.design.Decide(t.pairs-t.unknowns, t.broke, t.mended) == Revert {
			t.decision = Revert
		}
	case t.unknowns > 0 && t.pairs < t.design.pairs:
		if known := t.design.Decide(t.pairs-t.unknowns, t.broke, t.mended); known == Revert {
			t.decision = Revert
		}
	case t.unknowns > 0 && against != Undecided:
		t.decision = Undecided
	default:
		t.decision = against
	}
	return t.decision
}

// Decision is that so far.
func (t *Test) Decision() Decision { return t.decision }

// Counts are the pairs so far, those of them that broke and were mended, and those of which nothing is known.
func (t *Test) Counts() (pairs, broke, mended, unknowns int) {
	return t.pairs, t.broke, t.mended, t.unknowns
}
