package store

import (
	"encoding/json"
	"math"

	"github.com/tribunal-dev/tribunal/trial"
)

// mostColumns bounds the columns of a behaviour: names of tools are what agents say. It is chosen.
const mostColumns = 200

// otherTools counts the calls of tools beyond the bound.
const otherTools = "other tools"

// Behaviour is how the trials of a part that have steps behaved, in sums: by column how often something was done in a
// trial. What a trial did not do is 0 in it.
type Behaviour struct {
	Trials  int            `json:"trials"`  // that have steps
	Columns map[string]Sum `json:"columns"` // "steps", "failed steps", and "tool X" for calls of a tool
}

// add counts a trial.
func (b *Behaviour) add(t *trial.Trial) {
	if t.Steps == nil {
		return
	}
	b.Trials++
	counts := map[string]int{"steps": len(t.Steps), "failed steps": 0}
	for i := range t.Steps {
		if t.Steps[i].Error != "" {
			counts["failed steps"]++
		}
		if t.Steps[i].Action == trial.CallTool {
			counts["tool "+t.Steps[i].Tool]++
		}
	}
	if b.Columns == nil {
		b.Columns = make(map[string]Sum)
	}
	for _, name := range sorted(counts) {
		if _, known := b.Columns[name]; !known && len(b.Columns) >= mostColumns {
			name = otherTools
		}
		sum := b.Columns[name]
		if n := counts[name]; n > 0 {
			sum.add(float64(n))
		}
		b.Columns[name] = sum
	}
}

// mean is the mean of a column, with 0 for the trials that say nothing of it.
func (b *Behaviour) mean(name string) float64 { return b.Columns[name].Total / float64(b.Trials) }

// variance is that of a column, with divisor Trials.
func (b *Behaviour) variance(name string) float64 {
	m := b.mean(name)
	return max(0, b.Columns[name].Squares/float64(b.Trials)-m*m)
}

// Distance is how far two behaviours are apart: the root of the mean over their columns of the squared difference of
// the means, in units of the standard deviation of both together. It is 0 where they are the same, and false where one
// has no trials. A column in which no trial differs from another counts as 1 where the means differ.
func (b *Behaviour) Distance(o *Behaviour) (distance float64, ok bool) {
	if b == nil || o == nil || b.Trials == 0 || o.Trials == 0 {
		return 0, false
	}
	names := make(map[string]bool)
	for name := range b.Columns {
		names[name] = true
	}
	for name := range o.Columns {
		names[name] = true
	}
	if len(names) == 0 {
		return 0, true
	}
	var sum float64
	for _, name := range sorted(names) {
		difference := b.mean(name) - o.mean(name)
		m, n := float64(b.Trials), float64(o.Trials)
		pooled := (m*b.variance(name) + n*o.variance(name)) / (m + n)
		switch {
		case difference == 0:
		case pooled <= difference*difference:
			sum++ // far apart beside what they vary by: bounded, so that one column does not say it all
		default:
			sum += difference * difference / pooled
		}
	}
	return math.Sqrt(sum / float64(len(names))), true
}

// encode is the behaviour as it is kept; nil where it is of no trial.
func (b *Behaviour) encode() ([]byte, error) {
	if b == nil || b.Trials == 0 {
		return nil, nil
	}
	text, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	return compress(nil, text), nil
}

// behaviourOf reads what encode wrote.
func behaviourOf(kept []byte) (*Behaviour, error) {
	if len(kept) == 0 {
		return nil, nil
	}
	text, err := expand(kept)
	if err != nil {
		return nil, err
	}
	b := new(Behaviour)
	return b, json.Unmarshal(text, b)
}
