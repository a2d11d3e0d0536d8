package record

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sort"
)

// Ends knows of a file of lines, before it is decoded, where the records of each run end and when it may have begun, so
// that a run can be handed out before the file ends, and in the order in which they began all the same.
//
// It is made by [Ends.Line], line by line, and [Ends.Sort]; then [Ends.Passed] goes through the file once more.
type Ends struct {
	place map[string]int // among the runs
	runs  []runEnd
	next  int // the first of the runs that is not passed
}

// runEnd is what is known of a run.
type runEnd struct {
	id    string
	first int   // the first line that names it
	last  int   // the last one
	from  int64 // nanoseconds since 1970: it did not begin before
	rest  int64 // nor did any that ends later than those before this one
}

// Line takes in the runs that a line names, and the earliest start of what it says; [Always] is before all others.
func (e *Ends) Line(line int, ids []string, from int64) {
	if e.place == nil {
		e.place = map[string]int{}
	}
	for _, id := range ids {
		i, isKnown := e.place[id]
		if !isKnown {
			i = len(e.runs)
			e.place[id] = i
			e.runs = append(e.runs, runEnd{id: id, first: line, from: from})
		}
		e.runs[i].last = line
		e.runs[i].from = min(e.runs[i].from, from)
	}
}

// Starts that no time is before, and that none is after.
const (
	Always = math.MinInt64
	Never  = math.MaxInt64
)

// Sort ends what is taken in.
func (e *Ends) Sort() {
	e.place = nil
	slices.SortStableFunc(e.runs, func(a, b runEnd) int { return cmp.Compare(a.last, b.last) })
	earliest := int64(Never)
	for i := range slices.Backward(e.runs) {
		earliest = min(earliest, e.runs[i].from)
		e.runs[i].rest = earliest
	}
}

// Within yields the runs of which everything stands in one line. It may be asked while lines before it are passed: of
// their runs it looks at nothing that changes.
func (e *Ends) Within(line int) iter.Seq[string] {
	return func(yield func(id string) bool) {
		from := sort.Search(len(e.runs), func(i int) bool { return e.runs[i].last >= line })
		for i := from; i < len(e.runs) && e.runs[i].last == line; i++ {
			if e.runs[i].first == line && !yield(e.runs[i].id) {
				return
			}
		}
	}
}

// Passed hands out the runs of which nothing is said after the line, and that were not handed out before. It returns
// the time before which none of the others began.
func (e *Ends) Passed(line int, run func(id string)) (from int64) {
	for ; e.next < len(e.runs) && e.runs[e.next].last <= line; e.next++ {
		run(e.runs[e.next].id)
		e.runs[e.next].id = ""
	}
	if e.next == len(e.runs) {
		return Never
	}
	return e.runs[e.next].rest
}
