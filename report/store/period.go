package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// periods are the lengths of the periods that parts are counted in, the longest last. They are chosen: a page shows a
// few hundred points, so hours do for months and days for years.
var periods = []time.Duration{time.Hour, 24 * time.Hour}

// day is the longest period, in which every part is counted.
const day = 24 * time.Hour

// period is a row of the table.
type period struct {
	length, start          int64
	suite, version, branch string
}

// periodStart is where the period of a part p begins.
func periodStart(length int64) string { return fmt.Sprintf("p.started - p.started %% %d", length) }

// periodColumns are those of the table.
const periodColumns = "length, suite, start, version, branch, runs, earliest, latest, " + sumColumns

// count counts the parts of a run that has become visible, in the order of versions, so that two that add runs do not
// wait for each other.
func (s *Store) count(ctx context.Context, tx *sql.Tx, number int64) error {
	var sums strings.Builder
	for column := range strings.SplitSeq(sumColumns, ", ") {
		fmt.Fprintf(&sums, ", %[1]s = period.%[1]s + excluded.%[1]s", column)
	}
	for _, length := range periods {
		micros := length.Microseconds()
		_, err := tx.ExecContext(ctx, s.bind(fmt.Sprintf(`INSERT INTO period (%s)
			SELECT %d, p.suite, %s, p.version, r.branch, 1, p.started, p.started, %s
			FROM part p JOIN run r ON r.number = p.run WHERE p.run = ? ORDER BY p.version
			ON CONFLICT (length, suite, start, version, branch) DO UPDATE SET runs = period.runs + 1,
			earliest = CASE WHEN excluded.earliest < period.earliest THEN excluded.earliest ELSE period.earliest END,
			latest = CASE WHEN excluded.latest > period.latest THEN excluded.latest ELSE period.latest END%s`,
			periodColumns, micros, periodStart(micros), prefixed("p.", sumColumns), sums.String())), number)
		if err != nil {
			return err
		}
	}
	return nil
}

// countedIn are the periods in which a visible run is counted.
func (s *Store) countedIn(ctx context.Context, tx *sql.Tx, number int64) (list []period, err error) {
	for _, length := range periods {
		micros := length.Microseconds()
		rows, err := tx.QueryContext(ctx, s.bind(`SELECT p.suite, `+periodStart(micros)+`, p.version, r.branch
			FROM part p JOIN run r ON r.number = p.run WHERE p.run = ? AND r.whole = 1 ORDER BY p.version`), number)
		if err != nil {
			return nil, err
		}
		some, err := collect(rows, func(rows *sql.Rows) (period, error) {
			p := period{length: micros}
			return p, rows.Scan(&p.suite, &p.start, &p.version, &p.branch)
		})
		if err != nil {
			return nil, err
		}
		list = append(list, some...)
	}
	return list, nil
}

// recount counts periods again from the parts that are left: what is taken away from a sum of fractions would leave
// rounding behind.
func (s *Store) recount(ctx context.Context, tx *sql.Tx, list []period) error {
	for _, p := range list {
		// The row is deleted first, so that others that count in it wait.
		if _, err := tx.ExecContext(ctx, s.bind(`DELETE FROM period
			WHERE length = ? AND suite = ? AND start = ? AND version = ? AND branch = ?`),
			p.length, p.suite, p.start, p.version, p.branch); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, s.bind(fmt.Sprintf(`INSERT INTO period (%s)
			SELECT %d, p.suite, %s, p.version, r.branch, count(*), min(p.started), max(p.started), %s
			FROM part p JOIN run r ON r.number = p.run
			WHERE p.suite = ? AND p.started > ? AND p.started < ? AND p.version = ? AND r.branch = ? AND r.whole = 1
			AND %[3]s = ? GROUP BY p.suite, %[3]s, p.version, r.branch`,
			periodColumns, p.length, periodStart(p.length), totals("p."))),
			p.suite, p.start-p.length, p.start+p.length, p.version, p.branch, p.start); err != nil {
			return err
		}
	}
	return nil
}

// totals are the sums of the columns of [Sums] over rows.
func totals(prefix string) string {
	var b strings.Builder
	for i, column := range strings.Split(sumColumns, ", ") {
		if i > 0 {
			b.WriteString(", ")
		}
		// A sum of whole numbers is not one of a database's integers without saying so.
		if sum := "sum(" + prefix + column + ")"; i < 4 || strings.HasSuffix(column, "_known") {
			b.WriteString("CAST(" + sum + " AS BIGINT)")
		} else {
			b.WriteString(sum)
		}
	}
	return b.String()
}

// Strand is the runs of one version of a suite on one branch.
type Strand struct {
	Suite   string    `json:"suite"`   // "" is none
	Version string    `json:"version"` // of the trials
	Branch  string    `json:"branch"`  // "" is not known
	Runs    int       `json:"runs"`
	Trials  int       `json:"trials"`
	First   time.Time `json:"first"` // when the earliest run started; the zero time is not known
	Latest  time.Time `json:"latest"`
}

// Strands returns what there are runs of, the one with the latest run first: of the suite and the kind of a query, and
// without those of which all runs are experiments where it asks so. How many runs there are is counted over all kinds.
func (s *Store) Strands(ctx context.Context, q Query) (list []Strand, err error) {
	err = s.again(ctx, "cannot be read", func() error {
		where, args := "", []any{day.Microseconds()}
		if q.Suite != "" {
			where, args = " AND suite = ?", append(args, q.Suite)
		}
		some := ""
		const exists = ` WHERE EXISTS (SELECT 1 FROM part p CROSS JOIN run r
			WHERE p.version = x.version AND p.suite = x.suite AND r.number = p.run
			AND r.branch = x.branch AND r.whole = 1 AND r.kind `
		switch {
		case q.Kind != "":
			some, args = exists+"= ?)", append(args, q.Kind)
		case q.Own:
			some = exists + "NOT IN " + experimentList + ")"
		}
		rows, err := s.db.QueryContext(ctx, s.bind(`SELECT * FROM (
			SELECT suite, version, branch, CAST(sum(runs) AS BIGINT), CAST(sum(trials) AS BIGINT), min(earliest),
			max(latest) AS last FROM period WHERE length = ?`+where+`
			GROUP BY suite, version, branch) x`+some+` ORDER BY last DESC, suite, version, branch`), args...)
		if err != nil {
			return err
		}
		list, err = collect(rows, func(rows *sql.Rows) (strand Strand, err error) {
			var first, latest int64
			err = rows.Scan(&strand.Suite, &strand.Version, &strand.Branch, &strand.Runs, &strand.Trials, &first, &latest)
			strand.First, strand.Latest = timeOf(first), timeOf(latest)
			return strand, err
		})
		return err
	})
	return list, err
}
