package ingest

import (
	"math"

	"github.com/tribunal-dev/tribunal/trial"
)

// numbering counts the trials of each scenario within its variant, for formats that
// repeat a name instead of numbering its trials. It goes on from file to file.
type numbering map[numbered]int

type numbered struct{ variant, scenario string }

// number gives the trial the next number of its scenario, unless it has one.
func (n numbering) number(t *trial.Trial) {
	key := numbered{t.Variant, t.Scenario}
	next := n[key]
	if !t.Index.Known {
		t.Index = trial.Some(next)
	}
	if t.Index.Value >= next && t.Index.Value < math.MaxInt {
		n[key] = t.Index.Value + 1
	}
}
