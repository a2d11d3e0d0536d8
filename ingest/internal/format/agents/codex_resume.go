package agents

import (
	"cmp"
	"io"
	"reflect"
	"slices"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// codexThreadID is the line with which a log of a thread begins.
var codexThreadID = lazy.Regexp(`"thread_id"\s*:\s*"([^"\\]{1,128})"`)

// codexIDs hands out the threads of a file.
func codexIDs(text io.Reader, found func(id string)) error {
	return record.IDsIn(text, codexThreadID(), found)
}

// handOut hands out the trial of a thread, of which each run of codex exec resume may have a log of its own: its tokens
// are the sums of the thread so far, and so tell the order of the logs, if all are known.
func (c *codex) handOut(parts []*codexThread) error {
	if !slices.ContainsFunc(parts, func(t *codexThread) bool { return t.tokens() == 0 }) {
		slices.SortStableFunc(parts, func(a, b *codexThread) int { return cmp.Compare(a.tokens(), b.tokens()) })
	}
	last := parts[0]
	joined := []*codexThread{last}
	for _, t := range parts[1:] {
		switch {
		case t.repeats(last):
			c.in.Notes.Pass(record.RepeatedRun)
		case t.tokens() == last.tokens() && t.tokens() > 0:
			joined = append(joined, t) // nobody knows which one counts
		default:
			last.goOn(t)
			c.in.Notes.Remark("threads that were resumed are joined with what the files before have of them")
		}
	}
	for _, t := range joined {
		sum := t.total.Sum()
		if sum.HasTokens() && len(parts) == 1 {
			c.in.Notes.Remark("tokens are those of the whole thread: of earlier runs too, if this one resumed it")
		}
		t.AddTotals(sum)
		if err := c.in.EmitTrace(t.Trace); err != nil {
			return err
		}
	}
	return nil
}

// tokens is how many tokens the thread took so far; 0 is not known.
func (t *codexThread) tokens() int64 {
	sum := t.total.Sum()
	return sum.Input.Value + sum.Output.Value
}

// repeats reports whether a log says the same as another one.
func (t *codexThread) repeats(other *codexThread) bool {
	return t.tokens() == other.tokens() && reflect.DeepEqual(t.Steps, other.Steps) &&
		reflect.DeepEqual(t.Error, other.Error)
}

// goOn takes in a later log of the thread, which may hold the earlier one.
func (t *codexThread) goOn(later *codexThread) {
	if n := len(t.Steps); n > 0 && len(later.Steps) >= n && reflect.DeepEqual(t.Steps, later.Steps[:n]) {
		t.Steps = nil
	}
	t.Steps = append(t.Steps, later.Steps...)
	t.Outcome, t.Error = later.Outcome, later.Error
	if later.Output != nil {
		t.Output = later.Output
	}
	t.total.Read(later.total.Sum())
}
