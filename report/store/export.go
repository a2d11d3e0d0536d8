package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// line is a line of an export: one of its members is there. Trials follow the run that they are of.
type line struct {
	Header   *exportHeader   `json:"tribunal_store,omitempty"` // the first line
	Run      *exportedRun    `json:"run,omitempty"`
	Trial    json.RawMessage `json:"trial,omitempty"`
	Baseline *Baseline       `json:"baseline,omitempty"`
}

// exportHeader is the first line.
type exportHeader struct {
	Version int `json:"version"` // of the tables
}

// exportedRun is a run with all that is kept of it but its trials.
type exportedRun struct {
	Run
	Content string          `json:"content"`          // digest
	Kept    bool            `json:"trials_kept"`      // its trials follow; else they were pruned
	Result  *exportedResult `json:"result,omitempty"` // as it was saved
	Sums    []Tally         `json:"tallies"`          // by version and scenario
	Mean    []*Behaviour    `json:"behaviours"`       // of the parts
}

// exportedResult is a result. It is a text and no object, so that not a byte of it changes: it may be signed.
type exportedResult struct {
	Name string `json:"schema"`
	Text string `json:"text"`
}

// Export writes the runs that a query means, the earliest first, with their trials and results, and the baselines that
// consist of them, as lines of JSON that [Store.Import] reads.
func (s *Store) Export(ctx context.Context, w io.Writer, q Query) (runs int, err error) {
	out := bufio.NewWriterSize(w, 1<<16)
	write := func(l line) error {
		text, err := json.Marshal(l)
		if err != nil {
			return err
		}
		_, err = out.Write(append(text, '\n'))
		return err
	}
	if err := write(line{Header: &exportHeader{Version}}); err != nil {
		return 0, err
	}
	var list []numberedRun // each is read whole in its turn
	if err := s.again(ctx, "cannot be read", func() (err error) {
		list, err = s.find(ctx, q, 0, 0)
		return err
	}); err != nil {
		return 0, err
	}
	there := make(map[string]bool, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		r, err := s.exportRun(ctx, list[i].ID)
		if err != nil {
			return runs, err
		}
		if err := write(line{Run: r}); err != nil {
			return runs, err
		}
		var text []byte
		for t, err := range s.Trials(ctx, Query{Run: r.ID}, 0) {
			if err == nil {
				text, err = trial.Append(text[:0], t)
			}
			if err == nil {
				err = write(line{Trial: text})
			}
			if err != nil {
				return runs, err
			}
		}
		runs, there[r.ID] = runs+1, true
	}
	baselines, err := s.Baselines(ctx)
	if err != nil {
		return runs, err
	}
	for i := len(baselines) - 1; i >= 0; i-- { // revisions come in their order
		if b := baselines[i]; all(b.Runs, there) {
			if err := write(line{Baseline: &b}); err != nil {
				return runs, err
			}
		}
	}
	return runs, out.Flush()
}

// all reports whether all of the names are in a set.
func all(names []string, in map[string]bool) bool {
	for _, name := range names {
		if !in[name] {
			return false
		}
	}
	return true
}

// exportRun reads what is kept of a run.
func (s *Store) exportRun(ctx context.Context, id string) (*exportedRun, error) {
	r, err := s.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	e := &exportedRun{Run: *r}
	if r.Result != nil {
		e.Result = &exportedResult{r.Result.Name, string(r.Result.Text)}
	}
	for _, p := range r.Parts {
		e.Mean = append(e.Mean, p.Behaviour)
	}
	if e.Sums, err = s.Tallies(ctx, id); err != nil {
		return nil, err
	}
	return e, s.again(ctx, "cannot be read", func() error {
		return s.db.QueryRowContext(ctx,
			s.bind("SELECT content, (SELECT coalesce(min(CASE WHEN kept = trials THEN 1 ELSE 0 END), 1) "+
				"FROM part WHERE part.run = run.number) = 1 FROM run WHERE id = ? AND whole = 1"), id).Scan(&e.Content, &e.Kept)
	})
}

// ImportResult is what an import did.
type ImportResult struct {
	Runs  int `json:"runs"`  // that were added
	Known int `json:"known"` // that were there
}

// LineError says what is wrong with a line of an export.
type LineError struct {
	Line    int // from 1
	Problem string
	Err     error // the cause; may be nil
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d %s", e.Line, e.Problem) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// Import adds what [Store.Export] wrote. Runs whose trials are there must be what their ID says; runs that were pruned
// are taken at their word. What is there already stays as it is.
func (s *Store) Import(ctx context.Context, r io.Reader) (done ImportResult, err error) {
	in := &importer{store: s, lines: bufio.NewReaderSize(r, 1<<16)}
	first, err := in.next()
	if err != nil {
		return done, err
	}
	if first == nil || first.Header == nil {
		return done, &LineError{1, "is not the beginning of an export of a store", nil}
	}
	if v := first.Header.Version; v < 1 || v > Version {
		return done, &LineError{1, fmt.Sprintf("is of version %d of the tables, and this tribunal reads 1 to %d", v,
			Version), nil}
	}
	l, err := in.next()
	for err == nil && l != nil {
		switch {
		case l.Run != nil:
			var added AddResult
			if added, l, err = in.run(ctx, l.Run); err != nil {
				return done, err
			}
			if added.Known {
				done.Known++
			} else {
				done.Runs++
			}
			continue
		case l.Baseline != nil:
			_, err = s.SetBaseline(ctx, *l.Baseline)
		default:
			err = &LineError{in.number, "holds nothing of a store", nil}
		}
		if err == nil {
			l, err = in.next()
		}
	}
	return done, err
}

// importer reads the lines of an export.
type importer struct {
	store  *Store
	lines  *bufio.Reader
	number int
}

// mostLineBytes bounds a line: a trial of the largest trace.
const mostLineBytes = mostTraceBytes

// next reads a line; nil is the end.
func (in *importer) next() (*line, error) {
	in.number++
	var text []byte
	for {
		piece, err := in.lines.ReadSlice('\n')
		text = append(text, piece...)
		if len(text) > mostLineBytes {
			return nil, &LineError{in.number, "is longer than " + prose.ByteCount(mostLineBytes), nil}
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err == io.EOF && len(text) == 0 {
			return nil, nil
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
		break
	}
	l := new(line)
	if err := json.Unmarshal(text, l); err != nil {
		return nil, &LineError{in.number, "is no line of an export: " + prose.Reason(err.Error()), err}
	}
	return l, nil
}

// run adds a run with the trials that follow it, and returns the line behind them.
func (in *importer) run(ctx context.Context, e *exportedRun) (added AddResult, after *line, err error) {
	at := in.number
	r := e.Run
	if e.Result != nil {
		r.Result = &Result{e.Result.Name, []byte(e.Result.Text)}
	}
	// What follows the trials, or why it cannot be read.
	var behind error
	trials := iter.Seq2[*trial.Trial, error](func(yield func(*trial.Trial, error) bool) {
		for {
			if after, behind = in.next(); behind != nil {
				yield(nil, behind)
				return
			}
			if after == nil || after.Trial == nil {
				return
			}
			t, err := trial.Decode(after.Trial, trial.Options{Unjudged: true})
			if err != nil {
				yield(nil, &LineError{in.number, "holds a trial that cannot be read: " + prose.Reason(err.Error()), err})
				return
			}
			if !yield(t, nil) {
				return
			}
		}
	})
	if e.Kept {
		added, err = in.store.add(ctx, r, trials, &claim{id: e.ID})
	} else {
		added, err = in.store.add(ctx, r, trials, &claim{e.ID, e})
	}
	if errors.Is(err, errClaim) {
		err = &LineError{at, "is a run that is not what its id says", err}
	}
	return added, after, err
}

// claim is what an import says of a run.
type claim struct {
	id     string
	pruned *exportedRun // of a run without trials: its sums; else nil
}

// errClaim says that a run is not what an import says.
var errClaim = errors.New("the run is another one")

// sums are the parts of an export with their behaviours, and the tallies.
func (e *exportedRun) sums() (parts []Part, tallies []Tally) {
	parts = slices.Clone(e.Parts)
	for i := range parts[:min(len(parts), len(e.Mean))] {
		parts[i].Behaviour = e.Mean[i]
	}
	return parts, e.Sums
}
