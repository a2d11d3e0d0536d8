package ingest

import (
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

const (
	mostLabels   = 64   // of a trial
	longestLabel = 1000 // bytes
	labelDepth   = 4    // how deep objects are looked into
)

// label keeps the named members of an object as tags, under their own names.
func (t *trace) label(n node, names ...string) {
	for _, name := range names {
		t.labelAs(name, n.at(name))
	}
}

// labelAs keeps a text as a tag, cut where it is long, while there is room.
func (t *trace) labelAs(name string, value node) {
	text := value.text()
	if _, ok := t.Tag(name); text == "" || name == "" || !ok && len(t.Tags) >= mostLabels {
		return
	}
	if len(text) > longestLabel {
		text = strings.ToValidUTF8(text[:longestLabel], "")
	}
	setTag(&t.Trial, name, text)
}

// labelAll keeps all texts of an object as tags, those of objects in it under a
// dotted path.
func (t *trace) labelAll(prefix string, n node) {
	if strings.Count(prefix, ".") >= labelDepth {
		return
	}
	for name, value := range n.members() {
		if value.isObject() {
			t.labelAll(prefix+name+".", value)
			continue
		}
		t.labelAs(prefix+name, value)
	}
}

// runningTotal is a figure that a log gives several times as the sum so far. Where it
// falls the program was started again, and counts from nothing.
type runningTotal[T int64 | float64] struct {
	known  bool
	before T // what programs that ended before took
	last   T
}

func (c *runningTotal[T]) read(x trial.Optional[T]) {
	if !x.Known {
		return
	}
	if x.Value < c.last {
		c.before += c.last
	}
	c.known, c.last = true, x.Value
}

func (c *runningTotal[T]) sum() trial.Optional[T] {
	return trial.Optional[T]{Known: c.known, Value: c.before + c.last}
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

// notUnderstood is why an event of another tool's log gave nothing.
const notUnderstood = "events that are not understood"

// withoutCall is why a result gave nothing.
const withoutCall = "results without their call"
