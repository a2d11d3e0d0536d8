package relation

import (
	"context"
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
)

// Setting is a value for a place in an input.
type Setting struct {
	At    Place
	Value trial.Raw // JSON
}

// Set gives places of an input other values, such as a harder task or another limit, one after the other. Each place
// must be there.
func Set(settings ...Setting) Transform { return set(slices.Clone(settings)) }

type set []Setting

func (s set) Apply(_ context.Context, input trial.Raw, _ uint64) (trial.Raw, error) {
	var err error
	for _, x := range s {
		if input, err = x.At.Replace(input, x.Value); err != nil {
			return nil, err
		}
	}
	return input, nil
}
