package site

import (
	"net/url"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
)

// Filter is what is asked of a list, as it stands in an address. A field that is empty asks for nothing.
type Filter struct {
	Suite    string // its name
	Kind     string // the command that added a run
	Version  string // of the trials
	Commit   string // its beginning
	Branch   string // its name
	Baseline string // its name
	Run      string // its ID, or the beginning
	Since    string // an age such as 30d, a date or a time
	Until    string // likewise
	Scenario string // a pattern, such as refund-*
	Outcome  string // pass, fail or error
	Text     string // in what happened in a trial
}

// mostFilterBytes bounds a value. Chosen: names are shorter.
const mostFilterBytes = 500

// fields are the names of the fields in an address.
func (f *Filter) fields() []struct {
	name string
	at   *string
} {
	return []struct {
		name string
		at   *string
	}{
		{"suite", &f.Suite}, {"kind", &f.Kind}, {"version", &f.Version}, {"commit", &f.Commit}, {"branch", &f.Branch},
		{"baseline", &f.Baseline}, {"run", &f.Run}, {"since", &f.Since}, {"until", &f.Until}, {"scenario", &f.Scenario},
		{"outcome", &f.Outcome}, {"text", &f.Text},
	}
}

// FilterError says that a list cannot be asked for so.
type FilterError struct{ Problem, Advice string }

// Error is the problem.
func (e *FilterError) Error() string { return e.Problem }

// Hint says what to write.
func (e *FilterError) Hint() string { return e.Advice }

// ExitCode is that of wrong usage.
func (e *FilterError) ExitCode() int { return exit.Usage }

// ReadFilter reads the filter of an address.
func ReadFilter(values url.Values) (f Filter, err error) {
	for _, x := range f.fields() {
		*x.at = strings.TrimSpace(values.Get(x.name))
		if len(*x.at) > mostFilterBytes {
			return Filter{}, &FilterError{x.name + " is too long", "a part of it may do"}
		}
	}
	return f, nil
}

// Query is the query that the filter asks.
func (f Filter) Query(now time.Time) (q store.Query, err error) {
	q = store.Query{Run: f.Run, Suite: f.Suite, Kind: f.Kind, Version: f.Version, Commit: f.Commit, Branch: f.Branch,
		Baseline: f.Baseline, Scenario: f.Scenario}
	for _, x := range []struct {
		name, text string
		at         *time.Time
	}{{"since", f.Since, &q.Since}, {"until", f.Until, &q.Until}} {
		if x.text == "" {
			continue
		}
		at, ok := store.ParseTime(x.text, now)
		if !ok {
			return q, &FilterError{x.name + " " + prose.Quote(x.text) + " is no age, date or time", "such as 30d or 2026-03-01"}
		}
		*x.at = at
	}
	if f.Run != "" && !store.IsRunID(f.Run) {
		return q, &FilterError{"run " + prose.Quote(f.Run) + " is no ID of a run", "it has digits and the letters a to f"}
	}
	if f.Outcome != "" {
		outcome, ok := trial.ParseOutcome(f.Outcome)
		if !ok || outcome == trial.Unjudged {
			return q, &FilterError{"outcome " + prose.Quote(f.Outcome) + " is none of pass, fail and error", ""}
		}
		q.Outcome = outcome
	}
	return q, nil
}

// Address is that of a list with this filter, and with further parameters, each a name and a value.
func (f Filter) Address(path string, more ...string) string {
	values := url.Values{}
	for _, x := range f.fields() {
		if *x.at != "" {
			values.Set(x.name, *x.at)
		}
	}
	for i := 0; i+1 < len(more); i += 2 {
		values.Set(more[i], more[i+1])
	}
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

// Asked is what the filter asks for, such as "suite shop, since 30d"; "" is nothing.
func (f Filter) Asked() string {
	var parts []string
	for _, x := range f.fields() {
		if *x.at != "" {
			parts = append(parts, x.name+" "+*x.at)
		}
	}
	return strings.Join(parts, ", ")
}
