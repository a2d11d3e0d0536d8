package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// AddResult says what came of adding a run.
type AddResult struct {
	ID       string // of the run
	Known    bool   // it was there, and nothing changed
	Replaced bool   // it took the place of an earlier one of the same key
	Trials   int
}

// What goes into a store at a time, at most: others that write wait for so many trials, and so much of traces is in
// memory. Both are chosen.
const (
	batchTrials = 2000
	batchBytes  = 16 << 20
)

// abandoned is how long after its last trials an unfinished run is taken for one whose program is gone.
const abandoned = time.Hour

// Add adds a run with its trials, in their order; a trial without a variant is of version "agent". The run is there
// once Add has returned, and not before, whatever ends the program. The same run again changes nothing. What the store
// keeps of the trials is not the caller's: the sequence may use its memory again. An error of the sequence ends it and
// is returned as it is.
func (s *Store) Add(ctx context.Context, r Run, trials iter.Seq2[*trial.Trial, error]) (AddResult, error) {
	return s.add(ctx, r, trials, nil)
}

// add is Add of a run that an import says something of; nil says nothing.
func (s *Store) add(ctx context.Context, r Run, trials iter.Seq2[*trial.Trial, error], c *claim) (AddResult, error) {
	if err := r.check(s); err != nil {
		return AddResult{}, err
	}
	a := addition{store: s, run: r, claim: c, digest: sha256.New(), parts: make(map[string]*partSums),
		numbers: make(map[string]int64)}
	if err := a.begin(ctx); err != nil {
		return AddResult{}, err
	}
	added, err := a.all(ctx, trials)
	if err != nil {
		// Nobody sees it, and what is left is cleared away by who adds the next one.
		clearing, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.patience)
		defer cancel()
		_ = s.again(clearing, "", func() error { return s.inside(clearing, a.drop) })
	}
	return added, err
}

// DefaultVersion is that of trials which name no variant.
const DefaultVersion = "agent"

// addition is a run that is being added.
type addition struct {
	store  *Store
	run    Run
	claim  *claim
	number int64     // of its row
	digest hash.Hash // over what is in it
	names  []string  // of the parts, in their order
	parts  map[string]*partSums
	count  int
	first  time.Time // of the trials
	// Of the scenarios that were written with a batch: what is asked of the store once need not be asked again.
	numbers map[string]int64
	line    []byte // scratch
}

// partSums is a part that is being added.
type partSums struct {
	number    int
	position  int64
	sums      Sums
	behaviour Behaviour
	tallies   map[string]*Sums
	scenarios []string // of the tallies, in their order
}

// begin makes the row of the run, which nobody sees yet, and clears away what others have abandoned.
func (a *addition) begin(ctx context.Context) error {
	s := a.store
	return s.again(ctx, "cannot be written to", func() error {
		return s.inside(ctx, func(tx *sql.Tx) error {
			now := time.Now()
			if err := s.clear(ctx, tx, now.Add(-abandoned)); err != nil {
				return err
			}
			return tx.QueryRowContext(ctx, s.bind(`INSERT INTO run (whole, touched, id, content, kind, suite, task, agent,
				revision, branch, build, started, added, judgement, details)
				VALUES (0, ?, '', '', '', '', '', '', '', '', '', 0, 0, '', '') RETURNING number`), now.UnixMicro()).Scan(&a.number)
		})
	})
}

// clear deletes what is left of runs that were never finished.
func (s *Store) clear(ctx context.Context, tx *sql.Tx, before time.Time) error {
	rows, err := tx.QueryContext(ctx, s.bind("SELECT number FROM run WHERE whole = 0 AND touched < ?"), before.UnixMicro())
	if err != nil {
		return err
	}
	numbers, err := collect(rows, func(rows *sql.Rows) (n int64, err error) { return n, rows.Scan(&n) })
	for _, number := range numbers {
		if err := s.remove(ctx, tx, number); err != nil {
			return err
		}
	}
	return err
}

// remove deletes a run with all that is of it alone.
func (s *Store) remove(ctx context.Context, tx *sql.Tx, number int64) error {
	counted, err := s.countedIn(ctx, tx, number)
	if err != nil {
		return err
	}
	for _, table := range []string{"trial", "tally", "part", "result", "label"} {
		if _, err := tx.ExecContext(ctx, s.bind("DELETE FROM "+table+" WHERE run = ?"), number); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, s.bind("DELETE FROM run WHERE number = ?"), number); err != nil {
		return err
	}
	return s.recount(ctx, tx, counted)
}

// drop deletes the run that is not finished.
func (a *addition) drop(tx *sql.Tx) error {
	return a.store.remove(context.Background(), tx, a.number)
}

// pendingTrial is a trial of a batch, with its place.
type pendingTrial struct {
	part     int
	position int64
	row      row
}

// batch is what is written at once. Its memory is used again.
type batch struct {
	trials     []pendingTrial
	texts      []byte         // of their traces
	kept       []byte         // these, compressed
	compressed sync.WaitGroup // done once they are
	traces     []any          // rows of the table, one after the other
	rows       []any          // likewise of trials
}

// all adds the trials and finishes the run. While a batch is written, others are compressed and read.
func (a *addition) all(ctx context.Context, trials iter.Seq2[*trial.Trial, error]) (AddResult, error) {
	const most = 4 // batches. Chosen: one is read, one is written, and two wait or are compressed
	batches, spare, written := make(chan *batch, most), make(chan *batch, most), make(chan error, 1)
	for range most {
		spare <- new(batch)
	}
	go func() {
		defer close(written)
		failed := false
		for b := range batches {
			b.compressed.Wait()
			if failed {
				continue
			}
			if err := a.flush(ctx, b); err != nil {
				failed = true
				written <- err
			}
			b.trials, b.texts = b.trials[:0], b.texts[:0]
			spare <- b
		}
	}()
	err := a.read(trials, batches, spare, written)
	close(batches)
	// Nothing goes on behind the caller's back.
	for failed := range written {
		err = cmp.Or(err, failed)
	}
	if err != nil {
		return AddResult{}, err
	}
	return a.finish(ctx)
}

// read hands the trials to who writes them, batch by batch, until that ends with an error.
func (a *addition) read(
	trials iter.Seq2[*trial.Trial, error], batches chan<- *batch, spare <-chan *batch, written <-chan error,
) error {
	b := <-spare
	send := func() error {
		b.compressed.Go(b.compress)
		batches <- b
		select {
		case b = <-spare:
			return nil
		case err := <-written:
			return err
		}
	}
	for t, err := range trials {
		if err != nil {
			return err
		}
		if err := a.take(t, b); err != nil {
			return err
		}
		if len(b.trials) == batchTrials || len(b.texts) >= batchBytes {
			if err := send(); err != nil {
				return err
			}
		}
	}
	return send()
}

// take counts a trial.
func (a *addition) take(t *trial.Trial, b *batch) error {
	r, err := b.row(t)
	if err != nil {
		return err
	}
	version := t.Variant
	if version == "" {
		version = DefaultVersion
	}
	if strings.ContainsRune(version+t.Scenario, 0) || !utf8.ValidString(version+t.Scenario) {
		return &Error{Store: a.store.name, Advice: "rename it",
			Problem: "takes no name that is no text: " + prose.Quote(t.Scenario) + " of version " + prose.Quote(version)}
	}
	part := a.parts[version]
	if part == nil {
		part = &partSums{number: len(a.names), tallies: make(map[string]*Sums)}
		a.names, a.parts[version] = append(a.names, version), part
	}
	tally := part.tallies[t.Scenario]
	if tally == nil {
		tally = new(Sums)
		part.tallies[t.Scenario], part.scenarios = tally, append(part.scenarios, t.Scenario)
	}
	part.sums.add(t)
	part.behaviour.add(t)
	tally.add(t)
	if at, err := t.StartedAt.Time(); err == nil && (a.first.IsZero() || at.Before(a.first)) {
		a.first = at
	}
	b.trials = append(b.trials, pendingTrial{part.number, part.position, r})
	part.position++
	a.count++
	a.line = r.appendTo(strconv.AppendQuote(a.line[:0], version))
	a.digest.Write(a.line)
	return nil
}

// flush writes a batch. It may be tried again: what is there already stays.
func (a *addition) flush(ctx context.Context, b *batch) error {
	if len(b.trials) == 0 {
		return nil
	}
	s := a.store
	fresh := make(map[string]int64)
	for i := range b.trials {
		if scenario := b.trials[i].row.scenario; a.numbers[scenario] == 0 {
			fresh[scenario] = 0
		}
	}
	err := s.again(ctx, "cannot be written to", func() error {
		return s.inside(ctx, func(tx *sql.Tx) error {
			if err := s.numbered(ctx, tx, fresh); err != nil {
				return err
			}
			b.fill(a.number, func(scenario string) int64 { return max(a.numbers[scenario], fresh[scenario]) })
			if err := s.insertMany(ctx, tx, "trace (digest, body)", traceTypes, b.traces); err != nil {
				return err
			}
			if err := s.insertMany(ctx, tx, `trial (run, part, position, scenario, number, outcome, score, started, duration,
				cost, tokens_in, tokens_out, turns, tool_calls, trace)`, trialTypes, b.rows); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, s.bind("UPDATE run SET touched = ? WHERE number = ?"), time.Now().UnixMicro(),
				a.number)
			return err
		})
	})
	if err == nil { // else they may have gone with the transaction
		maps.Copy(a.numbers, fresh)
	}
	return err
}

// fill makes the rows of a batch.
func (b *batch) fill(run int64, numberOf func(scenario string) int64) {
	b.traces, b.rows = b.traces[:0], b.rows[:0]
	byDigest := make([]*row, 0, len(b.trials))
	for i := range b.trials {
		p := &b.trials[i]
		r := &p.row
		if r.trace != nil {
			byDigest = append(byDigest, r)
		}
		b.rows = append(b.rows, run, p.part, p.position, numberOf(r.scenario), optional(r.number), int(r.outcome),
			optional(r.score), null(r.started), optional(r.duration), optional(r.cost), optional(r.in), optional(r.out),
			optional(r.turns), optional(r.calls), r.digest)
	}
	// Their index is gone through once, from its beginning to its end.
	slices.SortFunc(byDigest, func(x, y *row) int { return bytes.Compare(x.digest, y.digest) })
	for i, r := range byDigest {
		if i == 0 || !bytes.Equal(r.digest, byDigest[i-1].digest) {
			b.traces = append(b.traces, r.digest, r.trace)
		}
	}
}

// What PostgreSQL calls the types of the columns.
var (
	traceTypes = []string{"bytea", "bytea"}
	trialTypes = []string{"bigint", "integer", "bigint", "bigint", "bigint", "smallint", "double precision", "text",
		"double precision", "double precision", "bigint", "bigint", "bigint", "bigint", "bytea"}
)

// optional is a value for the database; nil is unknown.
func optional[T any](o trial.Optional[T]) any {
	if !o.Known {
		return nil
	}
	return o.Value
}

// null is a text for the database; nil where it is empty.
func null(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// insert adds rows of so many columns, and leaves those that are there.
func (s *Store) insert(ctx context.Context, tx *sql.Tx, into string, columns int, values []any) error {
	const block = 100 // rows of a statement, which is prepared once. Chosen: of more, as of fewer, each row takes longer
	if most := block * columns; len(values) > most {
		statement, err := tx.PrepareContext(ctx, s.insertion(into, columns, block))
		if err != nil {
			return err
		}
		for ; err == nil && len(values) >= most; values = values[most:] {
			_, err = statement.ExecContext(ctx, values[:most]...)
		}
		if err := errors.Join(err, statement.Close()); err != nil {
			return err
		}
	}
	if len(values) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, s.insertion(into, columns, len(values)/columns), values...)
	return err
}

// insertMany adds rows of columns that PostgreSQL calls so, and leaves those that are there.
func (s *Store) insertMany(ctx context.Context, tx *sql.Tx, into string, types []string, values []any) error {
	if s.dialect != postgres {
		return s.insert(ctx, tx, into, len(types), values)
	}
	// A list a column, and not a parameter a value, which the server would plan one by one.
	arrays, lists := make([]any, len(types)), make([]string, len(types))
	for i, t := range types {
		column := make([]any, 0, len(values)/len(types))
		for at := i; at < len(values); at += len(types) {
			column = append(column, values[at])
		}
		arrays[i], lists[i] = column, fmt.Sprintf("$%d::%s[]", i+1, t)
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO "+into+" SELECT * FROM unnest("+strings.Join(lists, ", ")+
		") ON CONFLICT DO NOTHING", arrays...)
	return err
}

// insertion is the statement of insert.
func (s *Store) insertion(into string, columns, rows int) string {
	var b strings.Builder
	b.WriteString("INSERT INTO " + into + " VALUES ")
	n := 0
	for i := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		for j := range columns {
			n++
			b.WriteByte("(,"[min(j, 1)])
			b.WriteString(s.dialect.parameter(n))
		}
		b.WriteByte(')')
	}
	b.WriteString(" ON CONFLICT DO NOTHING")
	return b.String()
}

// numbered fills in the numbers of scenarios. They are taken in the order of their names, so that two that add the same
// do not wait for each other.
func (s *Store) numbered(ctx context.Context, tx *sql.Tx, numbers map[string]int64) error {
	for _, name := range sorted(numbers) {
		var n int64
		err := tx.QueryRowContext(ctx, s.bind("SELECT number FROM scenario WHERE name = ?"), name).Scan(&n)
		if err == sql.ErrNoRows {
			if _, err = tx.ExecContext(ctx, s.bind("INSERT INTO scenario (name) VALUES (?) ON CONFLICT DO NOTHING"),
				name); err != nil {
				return err
			}
			err = tx.QueryRowContext(ctx, s.bind("SELECT number FROM scenario WHERE name = ?"), name).Scan(&n)
		}
		if err != nil {
			return err
		}
		numbers[name] = n
	}
	return nil
}

// finish makes the run visible, unless it is there already.
func (a *addition) finish(ctx context.Context) (added AddResult, err error) {
	s, r := a.store, a.run
	if r.Started.IsZero() {
		r.Started = a.first
	}
	r.Started = timeOf(micro(r.Started)) // as it is kept
	content, err := a.content(&r)
	if err != nil {
		return AddResult{}, err
	}
	id := r.Key
	if id == "" {
		id = content
	} else {
		id = idOfKey(id)
	}
	if c := a.claim; c != nil {
		if c.pruned != nil {
			id, content = c.id, c.pruned.Content
		} else if id != c.id {
			return AddResult{}, errClaim
		}
	}
	err = s.again(ctx, "cannot be written to", func() error {
		return s.inside(ctx, func(tx *sql.Tx) error {
			added = AddResult{ID: id, Trials: a.count}
			return a.settle(ctx, tx, &r, content, &added)
		})
	})
	if err == nil {
		a.analyze(ctx)
	}
	return added, err
}

// analyze lets PostgreSQL count what is in its tables, whenever there are twice as many runs: else how it looks for
// something is planned for empty tables until it counts by itself, which it may be set up not to do.
func (a *addition) analyze(ctx context.Context) {
	const least = 64 // runs; chosen
	if n := a.number; a.store.dialect == postgres && n >= least && n&(n-1) == 0 {
		// The run is there, whatever comes of this.
		_, _ = a.store.db.ExecContext(ctx, "ANALYZE (SKIP_LOCKED) run, part, tally, label, period, trial")
	}
}

// content is the digest of what is in a run. Labels, and when it was added, are not.
func (a *addition) content(r *Run) (string, error) {
	content := struct {
		Kind, Suite, Task, Agent, Commit, Branch, Build, Verdict string
		Started                                                  time.Time
		Stops                                                    any
		Result                                                   *Result
	}{r.Kind, r.Suite, r.Task, r.Agent, r.Commit, r.Branch, r.Build, r.Verdict, r.Started.UTC(), r.Stops, r.Result}
	text, err := json.Marshal(content)
	a.digest.Write(text)
	return hex.EncodeToString(a.digest.Sum(nil)[:16]), err
}

// details are what of a run is looked at and not looked for.
type details struct {
	Key     string          `json:"key,omitempty"`
	Changed []string        `json:"changed,omitempty"`
	Stops   json.RawMessage `json:"stops,omitempty"`
}

// settle decides what becomes of the run: it is known, takes the place of another, or is new.
func (a *addition) settle(ctx context.Context, tx *sql.Tx, r *Run, content string, added *AddResult) error {
	s := a.store
	if s.dialect == postgres {
		// Two that add the same run at the same time wait for each other.
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtext($1))", added.ID); err != nil {
			return err
		}
	}
	var number int64
	var before string
	err := tx.QueryRowContext(ctx, s.bind("SELECT number, content FROM run WHERE id = ? AND whole = 1"),
		added.ID).Scan(&number, &before)
	switch {
	case err == sql.ErrNoRows:
	case err != nil:
		return err
	case number == a.number:
		return nil // tried again, and it was done
	case before == content, a.claim != nil: // what is there may be later than what is imported

		added.Known = true
		return s.remove(ctx, tx, a.number)
	default:
		added.Replaced = true
		if err := s.remove(ctx, tx, number); err != nil {
			return err
		}
	}
	return a.write(ctx, tx, r, content, added.ID)
}

// write writes what is known of the run at its end.
func (a *addition) write(ctx context.Context, tx *sql.Tx, r *Run, content, id string) error {
	s := a.store
	d := details{Key: r.Key, Changed: r.Changed}
	if r.Stops != nil {
		text, err := json.Marshal(r.Stops)
		if err != nil {
			return err
		}
		d.Stops = text
	}
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	parts, tallies := a.sums()
	pruned := a.claim != nil && a.claim.pruned != nil
	if pruned {
		parts, tallies = a.claim.pruned.sums()
	}
	if err := a.writeSums(ctx, tx, r, parts, tallies, !pruned); err != nil {
		return err
	}
	if r.Result != nil {
		if err := s.insert(ctx, tx, "result (run, name, body)", 3,
			[]any{a.number, r.Result.Name, compress(nil, r.Result.Text)}); err != nil {
			return err
		}
	}
	for _, name := range sorted(r.Labels) {
		if err := s.insert(ctx, tx, "label (run, name, value)", 3, []any{a.number, name, r.Labels[name]}); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, s.bind(`UPDATE run SET whole = 1, id = ?, content = ?, kind = ?, suite = ?, task = ?,
		agent = ?, revision = ?, branch = ?, build = ?, started = ?, added = ?, judgement = ?, details = ? WHERE number = ?`),
		id, content, r.Kind, r.Suite, r.Task, r.Agent, r.Commit, r.Branch, r.Build, micro(r.Started), time.Now().UnixMicro(),
		r.Verdict, string(text), a.number)
	if err != nil {
		return err
	}
	return s.count(ctx, tx, a.number)
}

// sums are the parts of the trials that were taken, and their tallies, in the order in which they were seen.
func (a *addition) sums() (parts []Part, tallies []Tally) {
	for _, version := range a.names {
		p := a.parts[version]
		parts = append(parts, Part{version, p.sums, &p.behaviour})
		for _, scenario := range p.scenarios {
			tallies = append(tallies, Tally{version, scenario, *p.tallies[scenario]})
		}
	}
	return parts, tallies
}

// writeSums writes parts and tallies of a run whose trials are kept, or are gone. [errClaim] says that a tally is of no
// part.
func (a *addition) writeSums(ctx context.Context, tx *sql.Tx, r *Run, parts []Part, tallies []Tally, kept bool) error {
	s := a.store
	numbers, at := make(map[string]int64), make(map[string]int)
	for _, t := range tallies {
		numbers[t.Scenario] = 0
	}
	if err := s.numbered(ctx, tx, numbers); err != nil {
		return err
	}
	var partRows, tallyRows []any
	for i, p := range parts {
		at[p.Version] = i
		behaviour, err := p.Behaviour.encode()
		if err != nil {
			return err
		}
		trials := 0
		if kept {
			trials = p.Trials
		}
		partRows = append(append(partRows, a.number, i, p.Version, r.Suite, micro(r.Started)), p.values()...)
		partRows = append(partRows, behaviour, trials)
	}
	for _, t := range tallies {
		part, is := at[t.Version]
		if !is {
			return errClaim
		}
		tallyRows = append(append(tallyRows, a.number, part, numbers[t.Scenario]), t.values()...)
	}
	if err := s.insert(ctx, tx, partColumns, 7+sumCount, partRows); err != nil {
		return err
	}
	return s.insert(ctx, tx, tallyColumns, 3+sumCount, tallyRows)
}

// The columns of [Sums], in the order of its values.
const (
	sumColumns = "trials, passes, failures, errors, cost_known, cost, cost_squares, seconds_known, seconds, " +
		"seconds_squares, " +
		"tokens_known, tokens, tokens_squares, turns_known, turns, turns_squares, calls_known, calls, calls_squares"
	sumCount = 19

	partColumns  = "part (run, part, version, suite, started, " + sumColumns + ", behaviour, kept)"
	tallyColumns = "tally (run, part, scenario, " + sumColumns + ")"
)

// values are the sums for the database.
func (s *Sums) values() []any {
	list := []any{s.Trials, s.Passes, s.Failures, s.Errors}
	for _, m := range s.metrics() {
		list = append(list, m.Known, m.Total, m.Squares)
	}
	return list
}

// into are where the database puts the sums.
func (s *Sums) into() []any {
	list := []any{&s.Trials, &s.Passes, &s.Failures, &s.Errors}
	for _, m := range s.metrics() {
		list = append(list, &m.Known, &m.Total, &m.Squares)
	}
	return list
}

// micro is a time as it is kept; 0 is not known.
func micro(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// timeOf is the time that was kept.
func timeOf(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// bind writes the parameters of a statement, each ?, as the database calls them.
func (s *Store) bind(query string) string {
	if s.dialect == sqlite {
		return query
	}
	var b strings.Builder
	n := 0
	for piece := range strings.SplitSeq(query, "?") {
		if n > 0 {
			b.WriteString(s.dialect.parameter(n))
		}
		b.WriteString(piece)
		n++
	}
	return b.String()
}

// collect reads all rows.
func collect[T any](rows *sql.Rows, scan func(*sql.Rows) (T, error)) (list []T, err error) {
	defer rows.Close()
	for rows.Next() {
		value, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	return list, rows.Err()
}
