package suggest

import (
	"fmt"
	"math"
	"strings"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/internal/arbitrary"
	"github.com/tribunal-dev/tribunal/trial"
)

// boundaries proposes the recorded input that came nearest to each limit that no call came to, moved to it. Of a tool
// that was never called it is a task that takes the tool.
func (f *finding) boundaries() {
	for _, b := range f.Coverage.Boundaries.Untouched {
		f.Missing = append(f.Missing, b.String())
	}
	for _, b := range f.Coverage.Boundaries.Untouched {
		if f.full() {
			return
		}
		nearest, recorded, known := f.nearestTo(b)
		argument, ok := b.Reach(f.Declared.Boundaries[b.Tool][b.Parameter], trial.Raw(raw(recorded, known)))
		if !ok {
			f.note("%s is too long for an input", b)
			continue
		}
		value := decoded(argument)
		why := fmt.Sprintf("no call of %s came to %s %s", quoted(b.Tool), quoted(b.Parameter), cut(b.Limit(), 60))
		var input any
		if nearest == nil {
			given := map[string]any{}
			if !strings.ContainsAny(b.Parameter, ".[") {
				given[b.Parameter] = value
			}
			t := f.template(b.Tool, given)
			nearest = t.like
			input = asking(t.input(), t.text, t.arguments)
			why += ", and none was made: a task that takes it"
			if len(given) == 0 {
				input, _ = moved(input, b.Tool, b.Parameter, nil, value)
			}
		} else {
			var how string
			input, how = moved(nearest.input, b.Tool, b.Parameter, recorded, value)
			if known {
				why += fmt.Sprintf("; the nearest, of %s, had %s", quoted(nearest.Scenario), excerpt(recorded))
			} else {
				why += fmt.Sprintf("; no recorded one has it, and the input is that of %s", quoted(nearest.Scenario))
			}
			why += ": " + how
		}
		f.scenario(coverage.BoundaryDimension, b.String(), why, nearest, input,
			map[string]any{"must-call": []string{b.Tool}})
	}
}

// raw is a value as JSON, nil for one that is not known.
func raw(value any, known bool) []byte {
	if !known {
		return nil
	}
	return arbitrary.Encoded(value)
}

// nearestTo returns the trial whose call of the tool came nearest to a limit, with the argument; known is false where
// no call has one. Of equally near ones the first that passed counts.
func (f *finding) nearestTo(b coverage.Boundary) (nearest *Sample, recorded any, known bool) {
	best := math.Inf(1)
	for _, s := range f.Samples.list {
		for _, c := range s.calls {
			if c.tool != b.Tool {
				continue
			}
			argument, has := at(c.arguments, b.Parameter)
			off := math.MaxFloat64 // beyond all that are known
			if has {
				off = min(b.Distance(trial.Raw(arbitrary.Encoded(argument))), math.MaxFloat64)
			}
			if off < best || off == best && s.Passed && !nearest.Passed {
				best, nearest, recorded, known = off, s, argument, has
			}
		}
	}
	return nearest, recorded, known
}
