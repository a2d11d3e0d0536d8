// Package tokens is what models' interfaces tell of the tokens of an answer, and the one place that knows how each of
// them does. Some count what was read from a cache in the input and some beside it, some count thoughts in the output
// and some beside it: a [Usage] has them in.
//
//	u := tokens.Anthropic.Of(members)
package tokens

import (
	"encoding/json"
	"strconv"

	"github.com/tribunal-dev/tribunal/trial"
)

// Usage are tokens. What is not told is unknown.
type Usage struct {
	Input     trial.Optional[int64] // with cached ones
	Output    trial.Optional[int64] // with those of its reasoning
	Cached    trial.Optional[int64] // of the input, that were read from a cache
	Written   trial.Optional[int64] // of the input, that were written to one
	Reasoning trial.Optional[int64] // of the output
	Odd       bool                  // a number was told that is none of tokens, such as -1: it is unknown
}

// Plus is the sum, of which that is known what both know.
func (u Usage) Plus(v Usage) Usage {
	both := func(a, b trial.Optional[int64]) trial.Optional[int64] {
		if !a.Known || !b.Known {
			return trial.Optional[int64]{}
		}
		return Sum(a, b)
	}
	return Usage{
		both(u.Input, v.Input), both(u.Output, v.Output), both(u.Cached, v.Cached), both(u.Written, v.Written),
		both(u.Reasoning, v.Reasoning), u.Odd || v.Odd,
	}
}

// Sum adds what is known, up to the most that a trial may have; unknown is what none knows.
func Sum(counts ...trial.Optional[int64]) (all trial.Optional[int64]) {
	for _, c := range counts {
		if c.Known {
			all = trial.Some(min(trial.Plus(all.Value, c.Value), trial.MaxTokens))
		}
	}
	return all
}

// Number is a number of tokens as it is told. One that no trial can have, such as -1, 1e30 or a text, is odd, and hides
// nothing of what stands beside it.
type Number struct {
	Count trial.Optional[int64]
	Odd   bool
}

// UnmarshalJSON never fails.
func (n *Number) UnmarshalJSON(text []byte) error {
	*n = Number{}
	if len(text) == 0 || string(text) == "null" {
		return nil
	}
	value, err := strconv.ParseInt(string(text), 10, 64)
	if n.Odd = err != nil || value < 0 || value > trial.MaxTokens; !n.Odd {
		n.Count = trial.Some(value)
	}
	return nil
}

// Members are those of the object in which an answer tells its tokens, by their names.
type Members map[string]json.RawMessage

// Update takes what a later part of an answer tells.
func (m *Members) Update(later Members) {
	for name, value := range later {
		if *m == nil {
			*m = Members{}
		}
		if string(value) != "null" {
			(*m)[name] = value
		}
	}
}

// number is the one at a place.
func (m Members) number(p []string) (n Number) {
	for ; len(p) > 1; p = p[1:] {
		var inner Members
		_ = json.Unmarshal(m[p[0]], &inner) // what is no object has nothing
		m = inner
	}
	_ = n.UnmarshalJSON(m[p[0]]) // which never fails
	return n
}
