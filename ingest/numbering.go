package ingest

import (
	"math"

	"github.com/tribunal-dev/tribunal/trial"
)

// numbering counts the trials of each scenario within its variant, for formats that
// repeat a name instead of numbering its trials. It goes on from file to file.
type numbering struct {
	next map[numberKey]int
	runs map[numberKey]*runNumbers
	file int // that is read
}

type numberKey struct{ variant, scenario string }

// runNumbers are the numbers of a scenario in logs that number their trials within a run, so
// that several runs have the same ones.
type runNumbers struct {
	earlier map[int]digest // by the number that was handed out, of the files before
	here    map[int]digest // of the file that is read
	file    int            // that is read
	shift   int            // from the file's own numbers
}

func newNumbering() *numbering {
	return &numbering{next: map[numberKey]int{}, runs: map[numberKey]*runNumbers{}}
}

// number gives the trial the next number of its scenario, unless it has one.
func (n *numbering) number(t *trial.Trial) {
	key := numberKey{t.Variant, t.Scenario}
	next := n.next[key]
	if !t.Index.Known {
		t.Index = trial.Some(next)
	}
	if t.Index.Value >= next && t.Index.Value < math.MaxInt {
		n.next[key] = t.Index.Value + 1
	}
}

// numberOfRun does so for a trial whose number counts within the run that a file records: a
// number that an earlier file has goes on from there, and isMoved is true. One that says the
// same as the trial of that number keeps it, and is found to be recorded twice.
func (n *numbering) numberOfRun(t *trial.Trial, content digest) (isMoved bool) {
	key := numberKey{t.Variant, t.Scenario}
	r := n.runs[key]
	if r == nil {
		r = &runNumbers{earlier: map[int]digest{}, here: map[int]digest{}, file: n.file}
		n.runs[key] = r
	}
	if r.file != n.file {
		for number, content := range r.here {
			r.earlier[number] = content
		}
		clear(r.here)
		r.file, r.shift = n.file, 0
	}
	if t.Index.Known && t.Index.Value <= math.MaxInt-r.shift {
		own := t.Index.Value
		other, isTaken := r.earlier[own+r.shift]
		if isTaken && other != content {
			// Numbers from 1 go on as numbers from 0 do.
			if r.shift = n.next[key] - min(own, 1); own > math.MaxInt-r.shift {
				r.shift = 0
			}
		}
		t.Index.Value = own + r.shift
		isMoved = r.shift > 0
	}
	n.number(t)
	r.here[t.Index.Value] = content
	return isMoved
}
