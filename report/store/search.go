package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/prose"
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
		return err
	})
	return found, err
}

// searcher is a search that is under way.
type searcher struct {
	store   *Store
	what    Search
	matches func(scenario string) bool
	texts   [][]byte // one of which is searched for, in lower case
	found   Matches
	bytes   int // of traces
	parts   int
}

// search is Search, tried once.
func (s *Store) search(ctx context.Context, what Search) (*Matches, error) {
	matches, _, err := what.Query.scenario()
	if err != nil {
		return nil, err
	}
	w := &searcher{store: s, what: what, matches: matches, texts: textsOf(what.Text)}
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
		for i := range runs {
			if full, err := w.run(ctx, &runs[i]); err != nil || full {
				return &w.found, err
			}
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

// run looks through a run, and reports whether the search has ended.
func (w *searcher) run(ctx context.Context, r *numberedRun) (full bool, err error) {
	text, args := "SELECT part, version FROM part WHERE run = ?", []any{r.number}
	if v := w.what.Query.Version; v != "" {
		text, args = text+" AND version = ?", append(args, v)
	}
	after := w.what.After
	if r.ID != after.Run {
		after = TrialID{Position: -1}
	}
	text, args = text+" AND part >= ?", append(args, after.Part)
	rows, err := w.store.db.QueryContext(ctx, w.store.bind(text+" ORDER BY part"), args...)
	if err != nil {
		return false, err
	}
	type part struct {
		number  int
		version string
	}
	parts, err := collect(rows, func(rows *sql.Rows) (p part, err error) { return p, rows.Scan(&p.number, &p.version) })
	if err != nil {
		return false, err
	}
	for _, p := range parts {
		from := int64(0)
		if p.number == after.Part {
			from = after.Position + 1
		}
		if full, err := w.part(ctx, r, p.number, p.version, from); err != nil || full {
			return full, err
		}
	}
	return false, nil
}

// part looks through a part, and reports whether the search has ended.
func (w *searcher) part(
	ctx context.Context, r *numberedRun, part int, version string, from int64,
) (full bool, err error) {
	if w.parts++; w.parts > mostSearchedParts {
		return true, nil
	}
	body, join := "NULL", ""
	if w.texts != nil {
		body, join = "b.body", " LEFT JOIN trace b ON b.digest = t.trace"
	}
	rows, err := w.store.db.QueryContext(ctx, w.store.bind(fmt.Sprintf(`SELECT t.position, c.name, t.number, t.outcome, t.score,
		t.started, t.duration, t.cost, t.tokens_in, t.tokens_out, t.turns, t.tool_calls, %s FROM trial t
		JOIN scenario c ON c.number = t.scenario%s WHERE t.run = ? AND t.part = ? AND t.position >= ?
		ORDER BY t.position LIMIT %d`, body, join, w.what.Look-w.found.Looked+1)), r.number, part, from)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	for rows.Next() {
		if len(w.found.Trials) >= w.what.Most || w.found.Looked >= w.what.Look || w.bytes > mostSearchedBytes {
			return true, nil
		}
		position, found, err := scanTrial(rows)
		if err != nil {
			return false, err
		}
		id := TrialID{r.ID, part, position}
		w.found.Looked++
		w.found.Next = id
		excerpt, is, err := w.is(&found)
		if err != nil {
			return false, &Error{Store: w.store.name, Problem: fmt.Sprintf("holds a trial that cannot be read: %s (%v)", id,
				err),
				Advice: "restore it from a copy, or export what can be read", Err: err}
		}
		if !is {
			continue
		}
		found.trace = nil // the list has no room for it
		t, err := found.trial(version, trial.BasicFields)
		if err != nil {
			return false, err
		}
		w.found.Trials = append(w.found.Trials, KeptTrial{ID: id, Suite: r.Suite, Started: r.Started, Trial: t,
			Excerpt: excerpt})
	}
	return false, rows.Err()
}

// is reports whether a trial is one that is looked for, with what stands around the text.
func (w *searcher) is(r *row) (excerpt string, is bool, err error) {
	q := &w.what.Query
	if q.Outcome != trial.Unjudged && r.outcome != q.Outcome || !w.matches(r.scenario) {
		return "", false, nil
	}
	if w.texts == nil {
		return "", true, nil
	}
	if r.trace == nil {
		return "", false, nil
	}
	text, err := expand(r.trace)
	if err != nil {
		return "", false, err
	}
	w.bytes += len(text)
	lower := bytes.ToLower(text)
	for _, sought := range w.texts {
		if at := bytes.Index(lower, sought); at >= 0 {
			return around(lower, text, at, len(sought)), true, nil
		}
	}
	return "", false, nil
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
