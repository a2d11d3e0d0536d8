package record

import (
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// Usage is what one answer of a model, or a whole trial, took, where it is known.
type Usage struct {
	Input  trial.Optional[int64]   // tokens, with cached ones
	Output trial.Optional[int64]   // tokens, with those of thoughts
	Cost   trial.Optional[float64] // US dollars
	Cached trial.Optional[int64]   // tokens of the input that were read from a cache
	Writes trial.Optional[int64]   // tokens of the input that were written to a cache
}

// Add adds what is known of another usage.
func (u *Usage) Add(v Usage) {
	Add(&u.Input, v.Input)
	Add(&u.Output, v.Output)
	Add(&u.Cost, v.Cost)
	Add(&u.Cached, v.Cached)
	Add(&u.Writes, v.Writes)
}

// TakeTokens replaces the tokens by those of another usage, and keeps the cost.
func (u *Usage) TakeTokens(v Usage) {
	v.Cost = u.Cost
	*u = v
}

// SetTokens gives a step the tokens of the usage.
func (u Usage) SetTokens(s *trial.Step) {
	s.InputTokens, s.OutputTokens, s.CachedTokens, s.CacheWrites = u.Input, u.Output, u.Cached, u.Writes
}

// SetTokens sets what is known of the tokens of the trial.
func (t *Trace) SetTokens(u Usage) {
	t.InputTokens, t.OutputTokens, t.CachedTokens, t.CacheWrites = u.Input, u.Output, u.Cached, u.Writes
}

// HasTokens reports whether the tokens of either side are known.
func (u Usage) HasTokens() bool { return u.Input.Known || u.Output.Known }

// Add adds what is known; nothing known leaves the sum unknown.
func Add[T int64 | float64](sum *trial.Optional[T], x trial.Optional[T]) {
	if x.Known {
		*sum = trial.Some(sum.Value + x.Value)
	}
}

// Plus returns the sum of parts, unknown if none is known.
func Plus[T int64 | float64](parts ...trial.Optional[T]) (sum trial.Optional[T]) {
	for _, p := range parts {
		Add(&sum, p)
	}
	return sum
}

// Larger returns the larger of two numbers, of which either may be unknown.
func Larger[T int64 | float64](a, b trial.Optional[T]) trial.Optional[T] {
	if !a.Known || b.Known && b.Value > a.Value {
		return b
	}
	return a
}

// RunningTotal is the sum of figures that a log gives several times as the sums so
// far. Where one of them falls the program was started again, and counts from nothing.
type RunningTotal struct {
	before, last Usage // what programs that ended took, and what the last one did
}

// Read takes in the sums so far, and reports whether the program was started again.
func (r *RunningTotal) Read(u Usage) (again bool) {
	again = fell(r.last.Input, u.Input) || fell(r.last.Output, u.Output) || fell(r.last.Cost, u.Cost)
	if again {
		r.Restart()
	}
	r.last = Usage{
		Input: Larger(r.last.Input, u.Input), Output: Larger(r.last.Output, u.Output), Cost: Larger(r.last.Cost, u.Cost),
		Cached: Larger(r.last.Cached, u.Cached), Writes: Larger(r.last.Writes, u.Writes),
	}
	return again
}

// Restart says that the program counts from nothing.
func (r *RunningTotal) Restart() { r.before, r.last = r.Sum(), Usage{} }

// fell reports whether a sum became smaller, where both are known.
func fell[T int64 | float64](from, to trial.Optional[T]) bool {
	return from.Known && to.Known && to.Value < from.Value
}

// Sum is what all programs took.
func (r *RunningTotal) Sum() Usage {
	sum := r.before
	sum.Add(r.last)
	return sum
}

// MostUsed returns the model that wrote most, of an object of models by their names:
// the one that answered, where others only helped.
func MostUsed(models Node, outputTokens string) (model string) {
	most := int64(-1)
	for name, m := range models.Members() {
		if n := m.At(outputTokens).Count(); max(n.Value, 0) > most {
			model, most = name, n.Value
		}
	}
	return model
}

// SecondsBetween returns the seconds between two times, unknown if one is, or if the
// end comes first. It is the nearest number: that of [time.Duration.Seconds] may be off
// by its last bit.
func SecondsBetween(start, end time.Time) trial.Optional[float64] {
	if start.IsZero() || end.Before(start) {
		return trial.Optional[float64]{}
	}
	return trial.Some(float64(end.Sub(start)) / float64(time.Second))
}
