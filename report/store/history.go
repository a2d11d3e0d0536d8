package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// Point is a run of a history, or several that follow each other.
type Point struct {
	From  time.Time // when the first of its runs started; the zero time is not known
	Until time.Time // when the last one started
	Runs  int
	// Of the last of its runs; "" is not known.
	ID, Commit, Branch, Task, Agent string
	Sums                                       // of all of its runs
	Behaviour                       *Behaviour // of the last of its runs; nil where there is none, or none was asked for
}

// HistoryOptions say what a history has. The zero value is every run, without behaviour.
type HistoryOptions struct {
	Most      int  // points, about: of more runs, those that follow each other are taken together; 0 is no bound
	Behaviour bool // is wanted: it is read and decoded for each point
	// Apart is how many runs are read one by one to be taken together, at most; of more, the sums of whole hours or days
	// are read. 0 is 4,000, some milliseconds.
	Apart int
}

// defaultApart is that of [HistoryOptions.Apart].
const defaultApart = 4000

// hourly is for how many days a history of many runs is read by hours.
const hourly = 90

// History returns the runs that a query means, the earliest first: as points of one run each where they are few enough,
// or of as many runs each, the last one of what is left. Of more than some thousand runs of one version and suite, of
// which no more is asked than a branch and a time, points are of equal times, in whole hours or days, and but few
// sums are read. Of a scenario, the sums are over its trials.
func (s *Store) History(ctx context.Context, q Query, o HistoryOptions) (list []Point, err error) {
	err = s.again(ctx, "cannot be read", func() error {
		list, err = s.history(ctx, q, o)
		return err
	})
	return list, err
}

// history is History, tried once.
func (s *Store) history(ctx context.Context, q Query, o HistoryOptions) ([]Point, error) {
	byPeriod := o.Most > 0 && q.countedByPeriod()
	if byPeriod && q.Own {
		some, err := s.experimented(ctx, q)
		if err != nil {
			return nil, err
		}
		byPeriod = !some // in periods they are counted with the others
	}
	if byPeriod {
		span, err := s.span(ctx, q)
		if err != nil {
			return nil, err
		}
		if span.runs > max(cmp.Or(o.Apart, defaultApart), o.Most) {
			list, err := s.byPeriod(ctx, q, span, o)
			if err == nil {
				err = s.describe(ctx, q, o, list)
			}
			return list, err
		}
	}
	if o.Most > 0 {
		src, err := s.source(ctx, q)
		if err != nil {
			return nil, err
		}
		var runs int
		if err := s.db.QueryRowContext(ctx, s.bind("SELECT count(DISTINCT r.number)"+src.from+src.where), src.args...).
			Scan(&runs); err != nil {
			return nil, err
		}
		if each := (runs + o.Most - 1) / o.Most; each > 1 {
			list, err := s.together(ctx, q, each)
			if err == nil {
				err = s.describe(ctx, q, o, list)
			}
			return list, err
		}
	}
	return s.apart(ctx, q, o)
}

// experimented reports whether there are experiments with a suite.
func (s *Store) experimented(ctx context.Context, q Query) (some bool, err error) {
	for _, kind := range experiments {
		var n int
		if err := s.db.QueryRowContext(ctx, s.bind(`SELECT count(*) FROM (SELECT 1 FROM run WHERE whole = 1 AND kind = ?
			AND suite = ? LIMIT 1) x`), kind, q.Suite).Scan(&n); err != nil || n > 0 {
			return n > 0, err
		}
	}
	return false, nil
}

// source is what points are read from: tables, in which r is a run and p a part, the one whose columns are summed up,
// and
// conditions.
type source struct {
	from, sums, where string
	args              []any
}

// source is that of a query.
func (s *Store) source(ctx context.Context, q Query) (src source, err error) {
	// CROSS JOIN keeps SQLite from beginning with the parts of a version, of which there may be very many.
	src = source{from: " FROM run r CROSS JOIN part p", sums: "p."}
	where, args, err := s.where(ctx, q, true)
	if err != nil {
		return src, err
	}
	src.where, src.args = " WHERE p.run = r.number AND "+where, args
	if q.Last > 0 {
		last, args, err := s.where(ctx, q, false)
		if err != nil {
			return src, err
		}
		src.where += fmt.Sprintf(" AND r.number IN (SELECT r.number FROM run r WHERE %s ORDER BY r.started DESC, r.number "+
			"DESC LIMIT %d)",
			last, q.Last)
		src.args = append(src.args, args...)
	}
	matches, all, err := q.scenario()
	if err != nil || all {
		return src, err
	}
	rows, err := s.db.QueryContext(ctx, "SELECT number, name FROM scenario ORDER BY number")
	if err != nil {
		return src, err
	}
	numbers := []string{"-1"} // is none, so that the list is never empty
	_, err = collect(rows, func(rows *sql.Rows) (none struct{}, err error) {
		var number int64
		var name string
		if err = rows.Scan(&number, &name); err == nil && matches(name) {
			numbers = append(numbers, fmt.Sprint(number))
		}
		return none, err
	})
	src.byScenario("t.scenario IN (" + strings.Join(numbers, ",") + ")")
	return src, err
}

// byScenario sums up trials by scenario, those of a condition.
func (src *source) byScenario(condition string) {
	src.from += " CROSS JOIN tally t"
	src.where += " AND t.run = p.run AND t.part = p.part AND " + condition
	src.sums = "t."
}

// apart returns every run as a point.
func (s *Store) apart(ctx context.Context, q Query, o HistoryOptions) (list []Point, err error) {
	src, err := s.source(ctx, q)
	if err != nil {
		return nil, err
	}
	behaviour := "NULL"
	if o.Behaviour && q.Scenario == "" {
		behaviour = "p.behaviour"
	}
	rows, err := s.db.QueryContext(ctx, s.bind("SELECT r.number, r.started, r.id, r.revision, r.branch, r.task, r.agent, "+
		behaviour+", "+prefixed(src.sums, sumColumns)+src.from+src.where+" ORDER BY r.started, r.number, p.part"),
		src.args...)
	if err != nil {
		return nil, err
	}
	last := int64(-1)
	_, err = collect(rows, func(rows *sql.Rows) (none struct{}, err error) {
		p := Point{Runs: 1}
		var number, started int64
		var kept []byte
		if err = rows.Scan(append([]any{&number, &started, &p.ID, &p.Commit, &p.Branch, &p.Task, &p.Agent, &kept},
			p.into()...)...); err != nil {
			return none, err
		}
		// Of several versions or scenarios a run has several rows.
		if number == last {
			list[len(list)-1].Plus(p.Sums)
			return none, nil
		}
		last = number
		p.From, p.Until = timeOf(started), timeOf(started)
		p.Behaviour, err = behaviourOf(kept)
		list = append(list, p)
		return none, err
	})
	return list, err
}

// together returns points of so many runs each.
func (s *Store) together(ctx context.Context, q Query, each int) ([]Point, error) {
	src, err := s.source(ctx, q)
	if err != nil {
		return nil, err
	}
	rows, err := s.db.QueryContext(ctx, s.bind(fmt.Sprintf(`SELECT place, min(started), max(started), count(DISTINCT number), %s
		FROM (SELECT r.number, r.started, (dense_rank() OVER (ORDER BY r.started, r.number) - 1) / %d AS place, %s%s%s) x
		GROUP BY place ORDER BY place`, totals(""), each, prefixed(src.sums, sumColumns), src.from, src.where)), src.args...)
	if err != nil {
		return nil, err
	}
	return collect(rows, scanPoint)
}

// scanPoint reads a point of several runs, without what is of one of them.
func scanPoint(rows *sql.Rows) (p Point, err error) {
	var place, first, latest int64
	err = rows.Scan(append([]any{&place, &first, &latest, &p.Runs}, p.into()...)...)
	p.From, p.Until = timeOf(first), timeOf(latest)
	return p, err
}

// countedByPeriod reports whether the table of periods says all that a query asks.
func (q *Query) countedByPeriod() bool {
	return q.Suite != "" && q.Version != "" && q.Run == "" && q.Kind == "" && q.Commit == "" && q.Baseline == "" &&
		q.Last == 0 && (q.Scenario == "" || q.Scenario == "*") && len(q.Labels) == 0
}

// span is where the runs of a query are, by whole days.
type span struct {
	runs          int
	first, latest int64 // in microseconds, of those whose time is known
}

// ofPeriods is the condition on periods of a length.
func ofPeriods(length time.Duration, q Query) (where string, args []any) {
	where, args = "length = ? AND suite = ? AND version = ?", []any{length.Microseconds(), q.Suite, q.Version}
	if q.Branch != "" {
		where, args = where+" AND branch = ?", append(args, q.Branch)
	}
	return where, args
}

// span finds it; days at the ends count as a whole.
func (s *Store) span(ctx context.Context, q Query) (whole span, err error) {
	where, args := ofPeriods(day, q)
	if !q.Since.IsZero() {
		where, args = where+" AND latest >= ?", append(args, q.Since.UnixMicro())
	}
	if !q.Until.IsZero() {
		where, args = where+" AND earliest < ?", append(args, q.Until.UnixMicro())
	}
	var runs, first, latest sql.NullInt64
	err = s.db.QueryRowContext(ctx, s.bind(`SELECT CAST(sum(runs) AS BIGINT), min(CASE WHEN earliest > 0 THEN earliest END),
		max(latest) FROM period WHERE `+where), args...).Scan(&runs, &first, &latest)
	return span{int(runs.Int64), first.Int64, latest.Int64}, err
}

// byPeriod returns points of equal times. What is of no whole period, at the ends of the time that is asked for, is
// read
// from its runs, and so are runs whose time is not known.
func (s *Store) byPeriod(ctx context.Context, q Query, whole span, o HistoryOptions) ([]Point, error) {
	length := day
	if whole.latest-whole.first < (hourly * day).Microseconds() {
		length = time.Hour
	}
	size := length.Microseconds()
	from, until := whole.first-whole.first%size, whole.latest-whole.latest%size+size
	since := !q.Since.IsZero() && q.Since.UnixMicro() > from
	if since {
		from = (q.Since.UnixMicro() + size - 1) / size * size
	}
	cut := !q.Until.IsZero() && q.Until.UnixMicro() < until
	if cut {
		until = q.Until.UnixMicro() / size * size
	}
	if until <= from {
		return s.together(ctx, q, (whole.runs+o.Most-1)/o.Most)
	}
	var list []Point
	edge := func(since, before time.Time) error {
		part := q
		part.Since, part.Until = since, before
		some, err := s.together(ctx, part, 1<<31-1)
		list = append(list, some...)
		return err
	}
	var err error
	switch {
	case since:
		err = edge(q.Since, time.UnixMicro(from))
	case q.Since.IsZero():
		err = edge(time.Time{}, time.UnixMicro(from)) // those whose time is not known
	}
	if err != nil {
		return nil, err
	}
	count := (until - from) / size
	each := (count + int64(o.Most) - 1) / int64(o.Most) * size
	where, args := ofPeriods(length, q)
	rows, err := s.db.QueryContext(ctx, s.bind(fmt.Sprintf(`SELECT (start - %[1]d) / %[2]d, min(earliest), max(latest),
		CAST(sum(runs) AS BIGINT), %[3]s FROM period WHERE %[4]s AND start >= ? AND start < ?
		GROUP BY (start - %[1]d) / %[2]d ORDER BY 1`, from, each, totals(""), where)), append(args, from, until)...)
	if err != nil {
		return nil, err
	}
	some, err := collect(rows, scanPoint)
	if err != nil {
		return nil, err
	}
	list = append(list, some...)
	if cut {
		err = edge(time.UnixMicro(until), q.Until)
	}
	return list, err
}

// describe fills in what is of the last run of each point.
func (s *Store) describe(ctx context.Context, q Query, o HistoryOptions, list []Point) error {
	if len(list) == 0 {
		return nil
	}
	q.Last = 0 // the points say which runs there are
	where, args, err := s.where(ctx, q, true)
	if err != nil {
		return err
	}
	at := make(map[int64][]*Point, len(list))
	times := make([]string, len(list))
	for i := range list {
		started := micro(list[i].Until)
		at[started], times[i] = append(at[started], &list[i]), fmt.Sprint(started)
	}
	behaviour := "NULL"
	if o.Behaviour && q.Scenario == "" {
		behaviour = "p.behaviour"
	}
	rows, err := s.db.QueryContext(ctx, s.bind("SELECT r.started, r.id, r.revision, r.branch, r.task, r.agent, "+behaviour+
		" FROM run r CROSS JOIN part p WHERE p.run = r.number AND "+where+" AND r.started IN ("+strings.Join(times, ",")+
		") ORDER BY r.started, r.number"), args...)
	if err != nil {
		return err
	}
	kept := make(map[int64][]byte, len(list))
	if _, err := collect(rows, func(rows *sql.Rows) (none struct{}, err error) {
		var started int64
		var run Run
		var body []byte
		if err = rows.Scan(&started, &run.ID, &run.Commit, &run.Branch, &run.Task, &run.Agent, &body); err == nil {
			for _, p := range at[started] {
				p.ID, p.Commit, p.Branch, p.Task, p.Agent = run.ID, run.Commit, run.Branch, run.Task, run.Agent
			}
			kept[started] = body
		}
		return none, err
	}); err != nil {
		return err
	}
	for i := range list {
		if list[i].Behaviour, err = behaviourOf(kept[micro(list[i].Until)]); err != nil {
			return err
		}
	}
	return nil
}

// Scenarios returns what the trials of all runs that a query means come to, by scenario, in the order in which they
// were
// seen first.
func (s *Store) Scenarios(ctx context.Context, q Query) (list []Tally, err error) {
	err = s.again(ctx, "cannot be read", func() error {
		src, err := s.source(ctx, q)
		if err != nil {
			return err
		}
		if src.sums == "p." {
			src.byScenario("1 = 1")
		}
		rows, err := s.db.QueryContext(ctx, s.bind("SELECT x.name, "+totals("x.")+" FROM (SELECT c.number, c.name, "+
			prefixed("t.", sumColumns)+src.from+" CROSS JOIN scenario c"+src.where+" AND c.number = t.scenario) x "+
			"GROUP BY x.number, x.name ORDER BY x.number"), src.args...)
		if err != nil {
			return err
		}
		list, err = collect(rows, func(rows *sql.Rows) (t Tally, err error) {
			t.Version = q.Version
			return t, rows.Scan(append([]any{&t.Scenario}, t.into()...)...)
		})
		return err
	})
	return list, err
}

// Plus adds the trials of another behaviour; nil is of none.
func (b *Behaviour) Plus(o *Behaviour) {
	if o == nil {
		return
	}
	if b.Columns == nil {
		b.Columns = make(map[string]Sum)
	}
	b.Trials += o.Trials
	for name, sum := range o.Columns {
		all := b.Columns[name]
		all.plus(sum)
		b.Columns[name] = all
	}
}
