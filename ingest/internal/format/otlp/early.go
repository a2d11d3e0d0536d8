package otlp

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// earlyTrials are trials that are handed out before the file ends: when nothing more is said of their trace, and
// none that began before can come.
type earlyTrials struct {
	waiting  earlyHeap
	appeared int          // traces
	touched  []*otlpTrace // of the line that is read
	others   int          // traces of no agent
	seen     int64        // what was held when the line before was read
}

// earlyTrial is a trial that waits for those that began before it.
type earlyTrial struct {
	*madeTrial
	number int   // of the trace, in the order in which they appear
	bytes  int64 // that are held for it
}

// earlyHeap has the first to begin on top.
type earlyHeap []*earlyTrial

func (h earlyHeap) Len() int { return len(h) }
func (h earlyHeap) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].start, h[j].start), cmp.Compare(h[i].number, h[j].number)) < 0
}
func (h earlyHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements [heap.Interface].
func (h *earlyHeap) Push(x any) { *h = append(*h, x.(*earlyTrial)) }

// Pop implements [heap.Interface].
func (h *earlyHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return x
}

// touch notes that the line that is read says something of a trace.
func (e *earlyTrials) touch(t *otlpTrace) {
	if n := len(e.touched); n == 0 || e.touched[n-1] != t {
		e.touched = append(e.touched, t)
	}
}

// takeLine takes in the parts of a line, and hands out what is complete.
func (f *otlpFile) takeLine(l otlpLine, line int) error {
	e := f.early
	e.touched = e.touched[:0]
	// An id may be written in a way that was not foreseen, so that more was said of a trace before.
	isMore := func(p otlpPart) bool { return p.made != nil && f.traces[p.trace] != nil }
	if slices.ContainsFunc(l.parts, isMore) {
		n, err := record.DecodeNode(l.text)
		if err != nil {
			return err // not reached: it was decoded before
		}
		l.parts = otlpParts(n)
	}
	if err := f.take(l, line); err != nil {
		return err
	}
	// What the line takes is held for the traces that it is about.
	taken := f.in.Held() - e.seen
	if len(e.touched) == 0 {
		f.in.GiveBack(taken)
	}
	for _, t := range e.touched {
		t.bytes += taken / int64(len(e.touched))
	}
	from := f.in.Ends.Passed(line, f.complete)
	err := f.emitBefore(from)
	e.seen = f.in.Held()
	return err
}

// complete makes the trial of a trace of which nothing more is said.
func (f *otlpFile) complete(id string) {
	t := f.traces[id]
	if t == nil {
		return
	}
	delete(f.traces, id)
	made := t.made
	if made == nil {
		made = &madeTrial{}
		t.make(made, f.in)
	} else {
		f.notes.Add(&made.notes)
	}
	if made.trial == nil {
		f.early.others++
		f.in.GiveBack(t.bytes)
		return
	}
	heap.Push(&f.early.waiting, &earlyTrial{madeTrial: made, number: t.number, bytes: t.bytes})
}

// emitBefore hands out the trials that began before a time, and at that time if all traces that appeared are complete:
// those that appear later come after them.
func (f *otlpFile) emitBefore(from int64) error {
	isReady := func(start int64) bool {
		return start < from || start == from && len(f.traces) == 0 || from == record.Never
	}
	for w := &f.early.waiting; len(*w) > 0 && isReady((*w)[0].start); {
		x := heap.Pop(w).(*earlyTrial)
		if err := f.in.EmitTrace(x.trial); err != nil {
			return err
		}
		f.in.GiveBack(x.bytes)
	}
	return nil
}

// handOutRest hands out what is left at the end of the file.
func (f *otlpFile) handOutRest() error {
	f.in.Ends.Passed(math.MaxInt, f.complete)
	for id := range f.traces { // none, but for ids that are written in a way that was not foreseen
		f.complete(id)
	}
	for range f.early.others {
		f.notes.Pass(noAgents)
	}
	return f.emitBefore(record.Never)
}
