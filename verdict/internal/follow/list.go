package follow

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"math"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/sampled"
)

// List compares the trials that a result lists with those that are read, in whatever order.
type List struct {
	noMetrics bool
	judged    []recording.Observation
	left      map[string][]int // those that were not read yet, by all that is known of them
	named     map[string][]int // by scenario and number
	found     []bool
	inputs    map[uint64]uint64 // of the trials that were read, the number in the result
	hashes    map[uint64]uint64 // the way back
	seed      maphash.Seed
	first     *DifferenceError
	key       []byte
}

// NewList takes the trials of one side. The error is a [verdict.DifferenceError] of trials that cannot be.
func NewList(side *recording.SideTrials, scenarios []string, noMetrics bool) (*List, error) {
	r, err := side.Recording("", scenarios)
	if err != nil {
		return nil, err
	}
	l := &List{
		noMetrics: noMetrics, left: map[string][]int{}, named: map[string][]int{}, seed: maphash.MakeSeed(),
		inputs: map[uint64]uint64{}, hashes: map[uint64]uint64{},
	}
	for _, o := range r.Observations() {
		at := len(l.judged)
		l.judged = append(l.judged, o)
		l.left[string(l.keyOf(&o))] = append(l.left[string(l.keyOf(&o))], at)
		l.named[string(l.nameOf(&o))] = append(l.named[string(l.nameOf(&o))], at)
	}
	l.found = make([]bool, len(l.judged))
	return l, nil
}

// nameOf are scenario and number.
func (l *List) nameOf(o *recording.Observation) []byte {
	l.key = append(l.key[:0], o.Scenario...)
	l.key = append(l.key, 0)
	if o.Index.Known {
		l.key = binary.AppendVarint(l.key, int64(o.Index.Value))
	}
	return l.key
}

// keyOf is all that is known but the input.
func (l *List) keyOf(o *recording.Observation) []byte {
	key := append(l.nameOf(o), 0xff, byte(o.Outcome))
	if !l.noMetrics {
		for name, x := range o.Metrics {
			// An estimate follows from a table of prices.
			if math.IsNaN(x) || recording.MetricName(name) == recording.CostMetric && o.Basis != trial.RecordedCost {
				key = append(key, 0)
				continue
			}
			key = binary.LittleEndian.AppendUint64(append(key, 1), math.Float64bits(x))
		}
	}
	l.key = key
	return key
}

// Add takes a trial that is read.
func (l *List) Add(t *trial.Trial) {
	if l.first != nil {
		return
	}
	o := recording.Observation{
		Scenario: t.Scenario, Index: t.Index, Outcome: t.Outcome, Metrics: recording.Measure(t), Basis: t.CostBasis,
	}
	key := string(l.keyOf(&o))
	if same := l.left[key]; len(same) > 0 {
		at := same[0]
		l.left[key] = same[1:]
		l.found[at] = true
		// Which of several trials that nothing tells apart it is, no input can say.
		if o.Index.Known && len(l.named[string(l.nameOf(&o))]) == 1 && !l.sameInput(t, l.judged[at].Input) {
			l.first = &DifferenceError{Place: t.Place, Text: sampled.Name(t.Scenario, t.Index, 0) +
				": its input is another than the one that was judged"}
		}
		return
	}
	name := sampled.Name(t.Scenario, t.Index, 0)
	if !t.Index.Known {
		name = "a trial without a number"
	}
	l.first = &DifferenceError{Place: t.Place, Text: name + " was not judged"}
	for _, at := range l.named[string(l.nameOf(&o))] {
		if !l.found[at] {
			l.first.Text = name + ": " + l.differs(&l.judged[at], &o)
			break
		}
	}
}

// sameInput reports whether an input goes with the number that it has in the result: equal inputs have equal ones.
func (l *List) sameInput(t *trial.Trial, number uint64) bool {
	if len(t.Input) == 0 || number == 0 {
		return len(t.Input) == 0 && number == 0
	}
	text := []byte(t.Input)
	var compact bytes.Buffer
	if json.Compact(&compact, text) == nil {
		text = compact.Bytes()
	}
	hash := maphash.Bytes(l.seed, text)
	known, there := l.inputs[hash]
	back, taken := l.hashes[number]
	l.inputs[hash], l.hashes[number] = number, hash
	return (!there || known == number) && (!taken || back == hash)
}

// differs says what of a trial is not as it was judged.
func (l *List) differs(judged, read *recording.Observation) string {
	if judged.Outcome != read.Outcome {
		return fmt.Sprintf("the outcome is %s, and it was judged as %s", read.Outcome, judged.Outcome)
	}
	for name := range recording.AllMetrics() {
		before, now := judged.Metrics[name], read.Metrics[name]
		if math.Float64bits(before) != math.Float64bits(now) && !(math.IsNaN(before) && math.IsNaN(now)) {
			return fmt.Sprintf("%s is %s, and %s was judged", name, amount(now), amount(before))
		}
	}
	return "it is another than the one that was judged"
}

func amount(x float64) string {
	if math.IsNaN(x) {
		return "unknown"
	}
	return fmt.Sprint(x)
}

// Difference is the first one; nil where there is none.
func (l *List) Difference() error {
	if l.first != nil {
		return l.first
	}
	for at, found := range l.found {
		if !found {
			o := &l.judged[at]
			return &DifferenceError{Text: sampled.Name(o.Scenario, o.Index, 0) + " was judged, and is not there"}
		}
	}
	return nil
}
