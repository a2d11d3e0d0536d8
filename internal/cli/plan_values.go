package cli

import (
	"errors"
	"strconv"
)

// priorMode says what a recorded prior does.
type priorMode uint8

const (
	honestPrior       priorMode = iota // it shapes where the test stops
	densityRatioPrior                  // it counts as evidence, as AgentAssay has it
)

func (m priorMode) String() string {
	if m == densityRatioPrior {
		return "density-ratio"
	}
	return "honest"
}

// belowOne is a threshold: a level with a word on why it is not 1.
type belowOne float64

func (b *belowOne) Set(text string) error {
	if x, err := strconv.ParseFloat(text, 64); err == nil && x == 1 {
		return &refusal{
			"cannot be tested: no number of passes shows that a system never fails",
			"the nearest is a threshold such as 0.999; 0.95 takes far fewer trials",
		}
	}
	return (*level)(b).Set(text)
}

func (b *belowOne) String() string { return (*level)(b).String() }
func (b *belowOne) Type() string   { return "P" }

// amount is a number that is not negative.
type amount float64

func (a *amount) Set(text string) error {
	var x finite
	if err := x.Set(text); err != nil || x < 0 || x > 1e12 {
		return errors.New("must be a number that is not negative")
	}
	*a = amount(x)
	return nil
}

func (a *amount) String() string { return strconv.FormatFloat(float64(*a), 'g', -1, 64) }
func (a *amount) Type() string   { return "X" }

func (a amount) pointer() *float64 {
	x := float64(a)
	return &x
}
