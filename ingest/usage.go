package ingest

import (
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// usage is what one answer of a model, or a whole trial, took, where it is known.
type usage struct {
	input  trial.Optional[int64]   // tokens, with cached ones
	output trial.Optional[int64]   // tokens, with those of thoughts
	cost   trial.Optional[float64] // US dollars
}

// add adds what is known of another usage.
func (u *usage) add(v usage) {
	add(&u.input, v.input)
	add(&u.output, v.output)
	add(&u.cost, v.cost)
}

// hasTokens reports whether the tokens of either side are known.
func (u usage) hasTokens() bool { return u.input.Known || u.output.Known }

// add adds what is known; nothing known leaves the sum unknown.
func add[T int64 | float64](sum *trial.Optional[T], x trial.Optional[T]) {
	if x.Known {
		*sum = trial.Some(sum.Value + x.Value)
	}
}

// plus returns the sum of parts, unknown if none is known.
func plus[T int64 | float64](parts ...trial.Optional[T]) (sum trial.Optional[T]) {
	for _, p := range parts {
		add(&sum, p)
	}
	return sum
}

// larger returns the larger of two numbers, of which either may be unknown.
func larger[T int64 | float64](a, b trial.Optional[T]) trial.Optional[T] {
	if !a.Known || b.Known && b.Value > a.Value {
		return b
	}
	return a
}

// runningTotal is the sum of figures that a log gives several times as the sums so
// far. Where one of them falls the program was started again, and counts from nothing.
type runningTotal struct {
	before, last usage // what programs that ended took, and what the last one did
}

// read takes in the sums so far.
func (r *runningTotal) read(u usage) {
	if fell(r.last.input, u.input) || fell(r.last.output, u.output) || fell(r.last.cost, u.cost) {
		r.before, r.last = r.sum(), usage{}
	}
	r.last = usage{larger(r.last.input, u.input), larger(r.last.output, u.output), larger(r.last.cost, u.cost)}
}

func fell[T int64 | float64](from, to trial.Optional[T]) bool {
	return from.Known && to.Known && to.Value < from.Value
}

// sum is what all programs took.
func (r *runningTotal) sum() usage {
	sum := r.before
	sum.add(r.last)
	return sum
}

// mostUsed returns the model that wrote most, of an object of models by their names:
// the one that answered, where others only helped.
func mostUsed(models node, outputTokens string) (model string) {
	most := int64(-1)
	for name, m := range models.members() {
		if n := m.at(outputTokens).count(); max(n.Value, 0) > most {
			model, most = name, n.Value
		}
	}
	return model
}

// secondsBetween returns the seconds between two times, unknown if one is, or if the
// end comes first. It is the nearest number: that of [time.Duration.Seconds] may be off
// by its last bit.
func secondsBetween(start, end time.Time) trial.Optional[float64] {
	if start.IsZero() || end.Before(start) {
		return trial.Optional[float64]{}
	}
	return trial.Some(float64(end.Sub(start)) / float64(time.Second))
}
