package ingest

import "github.com/tribunal-dev/tribunal/trial"

// runningTotal is the sum of figures that a log gives several times as the sums so
// far. Where one of them falls the program was started again, and counts from nothing.
type runningTotal struct {
	before, last usage // what programs that ended took, and what the last one did
}

func (r *runningTotal) read(u usage) {
	if fell(r.last.input, u.input) || fell(r.last.output, u.output) || fell(r.last.cost, u.cost) {
		r.before, r.last = r.sum(), usage{}
	}
	r.last = usage{larger(r.last.input, u.input), larger(r.last.output, u.output), larger(r.last.cost, u.cost)}
}

func fell[T int64 | float64](from, to trial.Optional[T]) bool {
	return from.Known && to.Known && to.Value < from.Value
}

func (r *runningTotal) sum() usage {
	return usage{plus(r.before.input, r.last.input), plus(r.before.output, r.last.output), plus(r.before.cost, r.last.cost)}
}

// inSeconds returns a number of milliseconds in seconds.
func inSeconds(milliseconds node) trial.Optional[float64] {
	x := milliseconds.amount()
	x.Value /= 1000
	return x
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
