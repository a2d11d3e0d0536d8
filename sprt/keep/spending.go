package keep

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/enum"
)

// Spending says which level each challenger of a session has. The zero value is Bonferroni's.
type Spending uint8

// The ways of spending.
const (
	// Bonferroni gives the i-th challenger alpha 6/(pi² i²), which sum to alpha: the chance that a session keeps anything
	// that is no better is at most alpha, for any number of challengers.
	Bonferroni Spending = iota
	// LORD is LORD++ (Ramdas, Yang, Wainwright and Jordan 2017, NeurIPS 30), with half of alpha to begin with: the
	// expected share of false ones among what a session keeps is at most alpha, if each test's chance of a false keep is
	// at most its level whatever came before it. Each keep earns new level.
	LORD
)

var spendings = enum.Of[Spending]("way of spending", "bonferroni", "lord++")

// String returns "bonferroni" or "lord++".
func (s Spending) String() string { return spendings.String(s) }

// MarshalText writes the name.
func (s Spending) MarshalText() ([]byte, error) { return spendings.MarshalText(s) }

// UnmarshalText reads a name.
func (s *Spending) UnmarshalText(text []byte) error { return spendings.UnmarshalText(text, s) }

// Next is the level of the next challenger of a session at level alpha, from what became of those before it: whether
// each was kept. The error is a [QuestionError].
func (s Spending) Next(alpha float64, kept []bool) (float64, error) {
	if !(alpha > 0 && alpha < 1) {
		return 0, &QuestionError{"alpha", "must lie strictly between 0 and 1"}
	}
	i := len(kept) + 1
	if s == Bonferroni {
		return alpha * 6 / (math.Pi * math.Pi * float64(i) * float64(i)), nil
	}
	// Equation 4 of the paper: the first keep gives back what was not begun with, each later one all of alpha.
	begun := alpha / 2
	level, found := begun*share(i), 0
	for j, was := range kept {
		if !was {
			continue
		}
		earned := alpha
		if found == 0 {
			earned = alpha - begun
		}
		found++
		level += earned * share(i-j-1)
	}
	return level, nil
}

// share is the sequence gamma of Javanmard and Montanari (2018, Annals of Statistics 46:526), log(max(t,2)) over
// t exp(sqrt(log t)), with the constant of the R package onlineFDR; it sums to 0.976.
func share(t int) float64 {
	const constant = 0.07720838
	x := float64(t)
	return constant * math.Log(math.Max(x, 2)) / (x * math.Exp(math.Sqrt(math.Log(x))))
}
