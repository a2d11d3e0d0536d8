package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/spread"
	"github.com/tribunal-dev/tribunal/trial"
)

// TrialID names a trial in a store.
type TrialID struct {
	Run      string // its whole ID
	Part     int    // of the run, from 0: the trials of one version
	Position int64  // in the part, from 0, in the order in which trials count
}

// String is the ID as [ParseTrialID] reads it: RUN/PART/POSITION.
func (id TrialID) String() string { return fmt.Sprintf("%s/%d/%d", id.Run, id.Part, id.Position) }

// ParseTrialID reads RUN/PART/POSITION; false: the text is no ID.
func ParseTrialID(text string) (id TrialID, ok bool) {
	parts := strings.Split(text, "/")
	if len(parts) != 3 || !IsRunID(parts[0]) {
		return TrialID{}, false
	}
	part, err := strconv.ParseUint(parts[1], 10, 31)
	if err != nil {
		return TrialID{}, false
	}
	position, err := strconv.ParseUint(parts[2], 10, 63)
	if err != nil {
		return TrialID{}, false
	}
	id = TrialID{parts[0], int(part), int64(position)}
	return id, id.String() == text // one way of writing it
}

// IsRunID reports whether a text may be the ID of a run, or the beginning of one: hexadecimal digits.
func IsRunID(text string) bool {
	const most = 64 // digits of a SHA-256
	return text != "" && len(text) <= most && strings.Trim(text, "0123456789abcdef") == ""
}

// KeptTrial is a trial as a store has it.
type KeptTrial struct {
	ID      TrialID
	Suite   string       // of its run
	Started time.Time    // the run; the zero time is not known
	Trial   *trial.Trial // its variant is the version
	Excerpt string       // what stands around the text that was searched for; "" where none was
}

// Search says which trials are looked for, and how long. What it names must all hold.
type Search struct {
	Query Query   // of runs and trials
	Text  string  // in what happened in a trial, in upper or lower case; "" is any
	After TrialID // goes on behind this trial; the zero value begins with the newest run
	Most  int     // trials that are found; 0 is 50
	Look  int     // trials that are looked at; 0 is 10,000, and 3,000 where a text is searched for
	Why   bool    // reads why trials did not pass: their errors, and what judged them found
}

// Matches are what a search has found.
type Matches struct {
	Trials []KeptTrial // of the newest run first, each run in the order in which its trials count
	Looked int         // trials that were looked at
	Next   TrialID     // behind which another search goes on; the zero value where there is no more
}

// What bounds one search, beside its numbers of trials. Chosen, so that it takes a fraction of a second.
const (
	mostSearchedBytes = 16 << 20 // of traces, as texts
	mostSearchedParts = 2000
	searchedRuns      = 200 // are read at once
	excerptRunes      = 60  // on either side of what was found
)

// Search looks through trials, from the newest run on, until it has found so many or has looked at so many. How long it
// takes does not grow with the store; whoever wants more goes on behind [Matches.Next].
func (s *Store) Search(ctx context.Context, what Search) (found *Matches, err error) {
	if what.Most <= 0 {
		what.Most = 50
	}
	switch {
	case what.Look > 0:
	case what.Text != "":
		what.Look = 3000 // a trace of each is expanded
	default:
		what.Look = 10_000
	}
	err = s.again(ctx, "cannot be read", func() error {
		found, err = s.search(ctx, what)
		if err == nil && what.Why {
			err = s.reasons(ctx, found.Trials)
		}
		return err
	})
	return found, err
}

// searcher is a search that is under way.
type searcher struct {
	store     *Store
	what      Search
	condition string                     // on trials t
	matches   func(scenario string) bool // nil where the condition says it
	texts     [][]byte                   // one of which is searched for, in lower case
	found     Matches
	bytes     int // of traces
	parts     int
	next      int // trials that the next statement looks at
}

// stretch are the trials of a part that are not looked at yet.
type stretch struct {
	run      *numberedRun
	part     int
	version  string
	from, to int64 // positions
}

// search is Search, tried once.
func (s *Store) search(ctx context.Context, what Search) (*Matches, error) {
	w := &searcher{store: s, what: what, texts: textsOf(what.Text), next: firstLook}
	var err error
	if w.condition, w.matches, err = s.meant(ctx, what.Query); err != nil {
		return nil, err
	}
	if o := what.Query.Outcome; o != trial.Unjudged {
		w.condition += fmt.Sprintf(" AND t.outcome = %d", o)
	}
	where, args, err := s.where(ctx, what.Query, false)
	if err != nil {
		return nil, err
	}
	if after := what.After; after.Run != "" {
		var started, number int64
		err := s.db.QueryRowContext(ctx, s.bind("SELECT started, number FROM run WHERE id = ? AND whole = 1"), after.Run).
			Scan(&started, &number)
		if err == sql.ErrNoRows {
			return nil, &Error{Store: s.name, Problem: "holds no run " + prose.Quote(after.Run) + " to go on behind"}
		}
		if err != nil {
			return nil, err
		}
		where += " AND (r.started < ? OR r.started = ? AND r.number <= ?)"
		args = append(args, started, started, number)
	}
	text := s.bind("SELECT " + runColumns + " FROM run r WHERE " + where + " ORDER BY r.started DESC, r.number DESC")
	for skip := 0; ; skip += searchedRuns {
		rows, err := s.db.QueryContext(ctx, fmt.Sprintf("%s LIMIT %d OFFSET %d", text, searchedRuns, skip), args...)
		if err != nil {
			return nil, err
		}
		runs, err := collect(rows, scanRun)
		if err != nil {
			return nil, err
		}
		stretches, err := w.stretches(ctx, runs)
		if err != nil {
			return nil, err
		}
		if full, err := w.through(ctx, stretches); err != nil || full {
			return &w.found, err
		}
		if len(runs) < searchedRuns {
			w.found.Next = TrialID{}
			return &w.found, nil
		}
	}
}

// textsOf are the forms in which a text may stand in a trace, which is JSON.
func textsOf(text string) (list [][]byte) {
	if text == "" {
		return nil
	}
	text = strings.ToLower(text)
	list = [][]byte{[]byte(text)}
	var quoted bytes.Buffer
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	if e.Encode(text) == nil {
		if in := bytes.Trim(quoted.Bytes(), "\"\n"); !bytes.Equal(in, list[0]) {
			list = append(list, in)
		}
	}
	return list
}

// stretches are what is to be looked at of runs, in the order of the runs.
func (w *searcher) stretches(ctx context.Context, runs []numberedRun) (list []stretch, err error) {
	if len(runs) == 0 {
		return nil, nil
	}
	numbers := make([]string, len(runs))
	for i := range runs {
		numbers[i] = fmt.Sprint(runs[i].number)
	}
	// The positions of what is kept of a part are those from 0 on.
	text, args := "SELECT run, part, version, kept FROM part WHERE run IN ("+strings.Join(numbers, ",")+")", []any(nil)
	if v := w.what.Query.Version; v != "" {
		text, args = text+" AND version = ?", append(args, v)
	}
	rows, err := w.store.db.QueryContext(ctx, w.store.bind(text+" ORDER BY part"), args...)
	if err != nil {
		return nil, err
	}
	parts := make(map[int64][]stretch, len(runs))
	if _, err := collect(rows, func(rows *sql.Rows) (none struct{}, err error) {
		var number int64
		var s stretch
		err = rows.Scan(&number, &s.part, &s.version, &s.to)
		parts[number] = append(parts[number], s)
		return none, err
	}); err != nil {
		return nil, err
	}
	for i := range runs {
		r := &runs[i]
		for _, s := range parts[r.number] {
			s.run = r
			if after := w.what.After; r.ID == after.Run && s.part <= after.Part {
				s.from = after.Position + 1
				if s.part < after.Part {
					s.from = s.to
				}
			}
			list = append(list, s)
		}
	}
	return list, nil
}

// What one statement looks at: few trials at first, and more where little is found. Chosen.
const (
	firstLook     = 250
	mostStretches = 500
)

// through looks through stretches, and reports whether the search has ended before their end.
func (w *searcher) through(ctx context.Context, stretches []stretch) (full bool, err error) {
	for {
		for len(stretches) > 0 && stretches[0].from >= stretches[0].to {
			stretches = stretches[1:]
			w.parts++
		}
		switch left := w.what.Look - w.found.Looked; {
		case len(stretches) == 0:
			return false, nil
		case left <= 0, w.full(), w.parts >= mostSearchedParts:
			return true, nil
		default:
			err = w.look(ctx, stretches, int64(min(left, w.next)))
		}
		if err != nil {
			return false, err
		}
		w.next *= 2
	}
}

// full reports whether no more is to be found.
func (w *searcher) full() bool {
	return len(w.found.Trials) >= w.what.Most || w.bytes > mostSearchedBytes
}

// pass notes that a stretch was looked at as far as a position.
func (w *searcher) pass(s *stretch, to int64) {
	if to > s.from {
		w.found.Looked += int(to - s.from)
		w.found.Next = TrialID{s.run.ID, s.part, to - 1}
		s.from = to
	}
}

// look looks at so many trials of stretches, or until no more is to be found.
func (w *searcher) look(ctx context.Context, stretches []stretch, most int64) error {
	var values strings.Builder
	ends := make([]int64, 0, len(stretches))
	for i := range stretches {
		if most <= 0 || i == mostStretches {
			break
		}
		s := &stretches[i]
		end := min(s.to, s.from+most)
		most -= max(0, end-s.from)
		fmt.Fprintf(&values, ", (%d, %d, %d, %d, %d)", i, s.run.number, s.part, s.from, end)
		ends = append(ends, end)
	}
	body, join, on, limit := "NULL", "", "", ""
	switch {
	case w.texts != nil:
		body, join, on = "b.body", " CROSS JOIN trace b", " AND b.digest = t.trace"
	case w.matches == nil:
		limit = fmt.Sprintf(" LIMIT %d", w.what.Most-len(w.found.Trials))
	}
	rows, err := w.store.db.QueryContext(ctx, fmt.Sprintf(`WITH s (stretch, run, part, low, high) AS (VALUES %s)
		SELECT s.stretch, t.position, c.name, t.number, t.outcome, t.score, t.started, t.duration, t.cost, t.tokens_in,
		t.tokens_out, t.turns, t.tool_calls, %s FROM s CROSS JOIN trial t CROSS JOIN scenario c%s
		WHERE t.run = s.run AND t.part = s.part AND t.position >= s.low AND t.position < s.high
		AND c.number = t.scenario%s%s ORDER BY s.stretch, t.position%s`, values.String()[2:], body, join, on, w.condition,
		limit))
	if err != nil {
		return err
	}
	defer rows.Close()
	at := 0 // stretch
	for more := true; more; {
		var some []candidate
		if some, more, err = candidates(rows); err != nil {
			return err
		}
		w.examine(some)
		for i := range some {
			c := &some[i]
			for ; at < c.stretch; at++ {
				w.pass(&stretches[at], ends[at])
			}
			w.pass(&stretches[at], c.position+1)
			if err := w.take(&stretches[at], c); err != nil || w.full() {
				return err
			}
		}
	}
	for ; at < len(ends); at++ {
		w.pass(&stretches[at], ends[at])
	}
	return rows.Err()
}

// candidate is a trial that may be one that is looked for.
type candidate struct {
	stretch  int
	position int64
	row      row
	is       bool
	excerpt  string
	bytes    int // of its trace
	err      error
}

// candidates reads some trials: as many as are examined at once, within bounds of memory. More reports whether there
// may be others.
func candidates(rows *sql.Rows) (some []candidate, more bool, err error) {
	const most, mostBytes = 64, 1 << 20 // chosen
	for bytes := 0; len(some) < most && bytes < mostBytes; {
		if !rows.Next() {
			return some, false, rows.Err()
		}
		var c candidate
		if c.position, c.row, err = scanTrial(rows, &c.stretch); err != nil {
			return nil, false, err
		}
		bytes += len(c.row.trace)
		some = append(some, c)
	}
	return some, true, nil
}

// examine finds out of some trials which are looked for, on all processors.
func (w *searcher) examine(some []candidate) {
	workers := min(runtime.GOMAXPROCS(0), len(some))
	spread.AtOnce(workers, func(first int) {
		var text []byte // used again
		for i := first; i < len(some); i += workers {
			c := &some[i]
			if c.is = w.matches == nil || w.matches(c.row.scenario); !c.is || w.texts == nil {
				continue
			}
			if text, c.err = decoder().DecodeAll(c.row.trace, text[:0]); c.err != nil {
				continue
			}
			c.bytes, c.is = len(text), false
			lower := bytes.ToLower(text)
			for _, sought := range w.texts {
				if at := bytes.Index(lower, sought); at >= 0 {
					c.is, c.excerpt = true, around(lower, text, at, len(sought))
					break
				}
			}
		}
	})
}

// take adds a trial to what was found, if it is one that is looked for.
func (w *searcher) take(s *stretch, c *candidate) error {
	w.bytes += c.bytes
	id := TrialID{s.run.ID, s.part, c.position}
	if c.err != nil {
		return &Error{Store: w.store.name, Problem: fmt.Sprintf("holds a trial that cannot be read: %s (%v)", id, c.err),
			Advice: "restore it from a copy, or export what can be read", Err: c.err}
	}
	if !c.is {
		return nil
	}
	c.row.trace = nil // the list has no room for it
	t, err := c.row.trial(s.version, trial.BasicFields)
	if err != nil {
		return err
	}
	w.found.Trials = append(w.found.Trials, KeptTrial{ID: id, Suite: s.run.Suite, Started: s.run.Started, Trial: t,
		Excerpt: c.excerpt})
	return nil
}

// mostReasonBytes bounds the trace, compressed, of which the reasons are read for a list. Chosen: a page of sixty
// trials reads 4 MB at the most.
const mostReasonBytes = 64 << 10

// reasons reads the errors and judgements of trials that did not pass, each found by its key.
func (s *Store) reasons(ctx context.Context, list []KeptTrial) error {
	var values strings.Builder
	for i, k := range list {
		if o := k.Trial.Outcome; o == trial.Fail || o == trial.Error {
			fmt.Fprintf(&values, ", (%d, '%s', %d, %d)", i, k.ID.Run, k.ID.Part, k.ID.Position)
		}
	}
	if values.Len() == 0 {
		return nil
	}
	rows, err := s.db.QueryContext(ctx, fmt.Sprintf(`WITH s (place, id, part, position) AS (VALUES %s)
		SELECT s.place, b.body FROM s CROSS JOIN run r CROSS JOIN trial t CROSS JOIN trace b
		WHERE r.id = s.id AND r.whole = 1 AND t.run = r.number AND t.part = s.part AND t.position = s.position
		AND b.digest = t.trace AND length(b.body) <= %d`, values.String()[2:], mostReasonBytes))
	if err != nil {
		return err
	}
	_, err = collect(rows, func(rows *sql.Rows) (none struct{}, err error) {
		var at int
		var r row
		if err := rows.Scan(&at, &r.trace); err != nil {
			return none, err
		}
		t, err := r.trial("", trial.BasicFields|trial.UnknownFields)
		if err == nil {
			list[at].Trial.Error, list[at].Trial.Extra = t.Error, t.Extra
		}
		return none, err
	})
	return err
}

// around is what stands around a place of a text. Where the text in lower case has another length, it is told from
// that.
func around(lower, text []byte, at, length int) string {
	if len(lower) != len(text) {
		text = lower
	}
	before, after := []rune(string(text[max(0, at-4*excerptRunes):at])),
		[]rune(string(text[at+length:min(len(text), at+length+4*excerptRunes)]))
	excerpt := string(before[max(0, len(before)-excerptRunes):]) + string(text[at:at+length]) +
		string(after[:min(len(after), excerptRunes)])
	return strings.ToValidUTF8(excerpt, "")
}

// Trial returns a trial with all that is kept of it. That there is none is an [Error].
func (s *Store) Trial(ctx context.Context, id TrialID) (k *KeptTrial, err error) {
	err = s.again(ctx, "cannot be read", func() error {
		k, err = s.trial(ctx, id)
		return err
	})
	return k, err
}

// trial is Trial, tried once.
func (s *Store) trial(ctx context.Context, id TrialID) (*KeptTrial, error) {
	none := &Error{Store: s.name, Problem: "holds no trial " + prose.Quote(id.String())}
	var number, started int64
	k := &KeptTrial{ID: id}
	var version string
	err := s.db.QueryRowContext(ctx, s.bind(`SELECT r.number, r.suite, r.started, p.version FROM run r
		JOIN part p ON p.run = r.number WHERE r.id = ? AND r.whole = 1 AND p.part = ?`), id.Run, id.Part).
		Scan(&number, &k.Suite, &started, &version)
	if err == sql.ErrNoRows {
		return nil, none
	}
	if err != nil {
		return nil, err
	}
	k.Started = timeOf(started)
	rows, err := s.db.QueryContext(ctx, s.bind(`SELECT t.position, c.name, t.number, t.outcome, t.score, t.started, t.duration,
		t.cost, t.tokens_in, t.tokens_out, t.turns, t.tool_calls, b.body FROM trial t
		JOIN scenario c ON c.number = t.scenario LEFT JOIN trace b ON b.digest = t.trace
		WHERE t.run = ? AND t.part = ? AND t.position = ?`), number, id.Part, id.Position)
	if err != nil {
		return nil, err
	}
	list, err := collect(rows, func(rows *sql.Rows) (*trial.Trial, error) {
		_, r, err := scanTrial(rows)
		if err != nil {
			return nil, err
		}
		return r.trial(version, 0)
	})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, none
	}
	k.Trial = list[0]
	return k, nil
}
