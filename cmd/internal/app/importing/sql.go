package importing

import (
	"fmt"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/warehouse"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
)

// SQLRequest asks for the query by which a database counts trials.
type SQLRequest struct {
	warehouse.Query
	PassScore    trial.Optional[float64] // from which a score passes
	Measures     []string                // further columns, as NAME=COLUMN or the column alone
	Since, Until string                  // an age, a date or a time; "" is any
	Given        value.GivenOptions      // the options that were given
}

// SQL prints the query, and asks no database.
func SQL(a *world.World, r SQLRequest) error {
	for _, needed := range []struct{ name, hint string }{
		{"dialect", "one of " + strings.Join(dialectWords(), ", ")}, {"table", "such as --table analytics.trials"},
	} {
		if !r.Given.Has(needed.name) {
			return problem.Usage(needed.hint, "--%s is missing", needed.name)
		}
	}
	q := r.Query
	if r.PassScore.Known {
		q.PassScore = &r.PassScore.Value
	}
	for _, period := range []struct {
		name, text string
		into       *time.Time
	}{{"since", r.Since, &q.Since}, {"until", r.Until, &q.Until}} {
		if period.text == "" {
			continue
		}
		at, ok := store.ParseTime(period.text, a.Now())
		if !ok {
			return problem.Usage("such as 30d, 12h, 2026-11-01 or 2026-11-01T12:00:00Z", "%s %q is no age, date or time",
				r.Given.Origin(period.name), period.text)
		}
		*period.into = at
	}
	for _, measure := range r.Measures {
		name, column, both := strings.Cut(measure, "=")
		if !both {
			column = name
		}
		q.Measures = append(q.Measures, warehouse.Measure{Name: name, Column: column})
	}
	text, err := q.SQL()
	if err != nil {
		if e, ok := err.(*warehouse.Error); ok {
			return problem.Usage(e.Hint(), "%s", e.Message())
		}
		return err
	}
	_, err = fmt.Fprint(a.Out, text)
	return err
}

func dialectWords() (list []string) {
	for _, d := range warehouse.Dialects() {
		list = append(list, d.String())
	}
	return list
}
