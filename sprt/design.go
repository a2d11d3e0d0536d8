package sprt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/tribunal-dev/tribunal/internal/enum"
)

// Kind says where a design comes from.
type Kind uint8

const (
	GivenKind        Kind = iota // boundaries that the user gave
	WaldKind                     // Wald's test
	OptimalKind                  // fewest expected trials under a weighting
	SpendingKind                 // looks that spend the errors
	DensityRatioKind             // Wald's test started from a history
	FixedKind                    // one look, at the end
	BaselineKind                 // those of package baseline for what the baseline came to
	RecordingKind                // none: trials are recorded, and nothing is decided
)

var kinds = enum.Of[Kind]("kind", "given", "wald", "optimal", "spending", "density-ratio", "fixed", "baseline",
	"recording")

// String returns "given", "wald", "optimal", "spending", "density-ratio", "fixed", "baseline" or "recording".
func (k Kind) String() string { return kinds.String(k) }

// ParseKind returns the kind with the name. Kinds have no form of their own in JSON:
// digests of suites hold their numbers.
func ParseKind(name string) (Kind, error) { return kinds.Parse(name) }

// Design is a sequential test: what it tells apart and when it stops.
type Design struct {
	Kind       Kind       // how the boundaries were found; it is no part of the digest
	Hypotheses Hypotheses // what it tells apart, and how often it may err
	Boundaries Boundaries // when it stops
}

// Digest identifies the design: "sha256:" and the hash of its hypotheses and
// boundaries. A decision that carries the digest was reached with this design.
func (d Design) Digest() string {
	text := []byte("tribunal design 1\n")
	h := d.Hypotheses
	for i, x := range [...]float64{h.Threshold, h.Delta, h.Alpha, h.Beta} {
		text = append(strconv.AppendFloat(text, x, 'g', -1, 64), "   \n"[i])
	}
	for i, pass := range d.Boundaries.PassAtOrBelow {
		text = append(strconv.AppendInt(text, int64(pass), 10), ' ')
		text = append(strconv.AppendInt(text, int64(d.Boundaries.FailAtOrAbove[i]), 10), '\n')
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Errors are the two numbers that certify a design. Couple the paths of two rates
// by common random numbers: the one with the higher rate never has more failures,
// so P(Fail) never rises and P(Pass) never falls with the rate, whatever the
// boundaries. Both hypotheses are therefore covered by their rate next to the other.
type Errors struct {
	Alpha float64 // P(Fail) at the threshold: the largest under H0
	Beta  float64 // P(Pass) at the threshold less delta: the largest under H1
}

// Errors returns the exact error probabilities of the design.
func (d Design) Errors() (Errors, error) {
	l, err := d.Boundaries.Lattice()
	if err != nil {
		return Errors{}, err
	}
	return l.errors(d.Hypotheses), nil
}

// errors are the probabilities of the wrong verdict at the two rates next to each other.
func (l *Lattice) errors(h Hypotheses) Errors {
	return Errors{Alpha: l.At(h.Threshold).Fail, Beta: l.At(h.Lower()).Pass}
}

// Within reports whether both errors are at most the targets.
func (e Errors) Within(h Hypotheses) bool { return e.Alpha <= h.Alpha && e.Beta <= h.Beta }

// checkMaxTrials returns an error unless a lattice of so many trials fits into memory.
func checkMaxTrials(n int) error {
	if n < 1 || n > mostTrials {
		return &HypothesesError{"max trials", float64(n), fmt.Sprintf("must be from 1 to %d", mostTrials)}
	}
	return nil
}
