package store

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// Query says which runs, and which of their trials, are meant. Its zero value means all of them. What it names must all
// hold.
type Query struct {
	Run      string    // beginning of the run's ID
	Suite    string    // its name
	Kind     string    // the command that added it
	Version  string    // of the trials, or beginning of the digest of the agent
	Commit   string    // its beginning
	Branch   string    // its name
	Baseline string    // name of a baseline: its runs
	Since    time.Time // runs that started then or later
	Until    time.Time // runs that started before
	Last     int       // the latest so many runs; 0 is all

	Scenario string        // pattern of scenarios, such as refund-*
	Outcome  trial.Outcome // of the trials; [trial.Unjudged] is any

	Labels map[string]string // that the runs have

	// Own leaves out the runs that are experiments, see [IsExperiment], unless Kind asks for one of them: their agents
	// were changed on purpose, so that they say nothing of the suite's own.
	Own bool
}

// experiments are the commands that add such runs.
var experiments = []string{"mutate", "race", "relate", "conform"}

// IsExperiment reports whether a kind of run is of agents, or of inputs, that were changed on purpose.
func IsExperiment(kind string) bool { return slices.Contains(experiments, kind) }

// keys are the words of a query's text, with what follows them.
var keys = []string{
	"run", "suite", "kind", "version", "agent", "commit", "branch", "baseline", "since", "until", "last", "scenario",
	"outcome", "label.NAME",
}

// QueryError says that a text is no query.
type QueryError struct {
	Query   string // the text
	Problem string // such as `has no key "sweet"`
	Advice  string // what to do; may be ""
}

func (e *QueryError) Error() string {
	text := e.Message()
	if e.Advice != "" {
		text += "; " + e.Advice
	}
	return text
}

// Message is the error without advice.
func (e *QueryError) Message() string { return "query " + prose.Quote(e.Query) + " " + e.Problem }

// Hint says what to do about it.
func (e *QueryError) Hint() string { return e.Advice }

// ExitCode is that of wrong usage.
func (e *QueryError) ExitCode() int { return exit.Usage }

// ParseQuery reads a query such as suite=shop,agent=main,since=30d: keys with values, of which all must hold. Since and
// until are an age in hours (h), days (d) or weeks (w), a date, or a time of RFC 3339. Now is what ages are counted
// from. The empty text is all.
func ParseQuery(text string, now time.Time) (q Query, err error) {
	fail := func(problem, advice string) (Query, error) { return Query{}, &QueryError{text, problem, advice} }
	if strings.TrimSpace(text) == "" {
		return q, nil
	}
	seen := make(map[string]bool)
	for pair := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		switch {
		case !ok:
			return fail("has "+prose.Quote(pair)+", which is no key with a value",
				"write it as in suite=shop,since=30d; a run is run=ID")
		case seen[key]:
			return fail("has "+key+" twice", "")
		case value == "":
			return fail("has nothing behind "+key+"=", "")
		}
		seen[key] = true
		if problem := q.set(key, value, now); problem != "" {
			advice := ""
			if !known(key) {
				advice = "the keys are " + prose.And(keys)
			}
			return fail(problem, advice)
		}
	}
	return q, nil
}

// known reports whether a key is one.
func known(key string) bool {
	for _, k := range keys {
		if k == key {
			return true
		}
	}
	return strings.HasPrefix(key, "label.")
}

// set takes in a key, and says what is wrong with it; "" is nothing.
func (q *Query) set(key, value string, now time.Time) (problem string) {
	switch key {
	case "run":
		q.Run = value
	case "suite":
		q.Suite = value
	case "kind":
		q.Kind = value
	case "version", "agent":
		q.Version = value
	case "commit":
		q.Commit = value
	case "branch":
		q.Branch = value
	case "baseline":
		q.Baseline = value
	case "scenario":
		q.Scenario = value
	case "since", "until":
		at, ok := ParseTime(value, now)
		if !ok {
			return "has " + key + "=" + prose.Printable(value) + ", which is no age such as 30d, date or time"
		}
		if key == "since" {
			q.Since = at
		} else {
			q.Until = at
		}
	case "last":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return "has last=" + prose.Printable(value) + ", which is no number of runs"
		}
		q.Last = n
	case "outcome":
		o, ok := trial.ParseOutcome(value)
		if !ok || o == trial.Unjudged {
			return "has outcome=" + prose.Printable(value) + ", which is none of pass, fail and error"
		}
		q.Outcome = o
	default:
		name, isLabel := strings.CutPrefix(key, "label.")
		if !isLabel || name == "" {
			return "has no key " + prose.Quote(key)
		}
		if q.Labels == nil {
			q.Labels = make(map[string]string)
		}
		q.Labels[name] = value
	}
	return ""
}

// ParseTime reads an age such as 30d, 12h or 2w before now, a date, or a time of RFC 3339.
func ParseTime(text string, now time.Time) (at time.Time, ok bool) {
	if n := len(text); n > 1 {
		unit := map[byte]time.Duration{'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour,
			'm': time.Minute}[text[n-1]]
		if count, err := strconv.Atoi(text[:n-1]); unit > 0 && err == nil && count >= 0 && count <= 100_000 {
			return now.Add(-time.Duration(count) * unit), true
		}
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly, "2006-01-02T15:04:05", time.DateTime} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return at, false
}

// conditions are the parts of a statement that choose runs, in which r is a run and, where parts is set, p a part.
func (q *Query) conditions(parts bool) (where string, args []any) {
	list := []string{"r.whole = 1"}
	add := func(condition string, values ...any) {
		list, args = append(list, condition), append(args, values...)
	}
	equal := func(column, value string) {
		if value != "" {
			add("r."+column+" = ?", value)
		}
	}
	beginning := func(column, value string) {
		if value != "" {
			add("r."+column+" >= ? AND r."+column+" < ?", value, value+"\U0010ffff")
		}
	}
	beginning("id", q.Run)
	equal("suite", q.Suite)
	equal("kind", q.Kind)
	if q.Own && q.Kind == "" {
		add("r.kind NOT IN " + experimentList)
	}
	beginning("revision", q.Commit)
	equal("branch", q.Branch)
	if !q.Since.IsZero() {
		add("r.started >= ?", q.Since.UnixMicro())
	}
	if !q.Until.IsZero() {
		add("r.started < ?", q.Until.UnixMicro())
	}
	for _, name := range sorted(q.Labels) {
		add("EXISTS (SELECT 1 FROM label l WHERE l.run = r.number AND l.name = ? AND l.value = ?)", name, q.Labels[name])
	}
	switch {
	case q.Version == "":
	case parts:
		add("p.version = ?", q.Version)
	default:
		add("EXISTS (SELECT 1 FROM part p WHERE p.run = r.number AND p.version = ?)", q.Version)
	}
	return strings.Join(list, " AND "), args
}

// WithoutExperiments is the query without experiments, unless it names a run, a kind, a version or a baseline.
func (q Query) WithoutExperiments() Query {
	q.Own = q.Run == "" && q.Kind == "" && q.Version == "" && q.Baseline == ""
	return q
}

// experimentList is that of a statement.
var experimentList = "('" + strings.Join(experiments, "','") + "')"

// scenario returns whether a name is meant.
func (q *Query) scenario() (matches func(name string) bool, all bool, err error) {
	if q.Scenario == "" || q.Scenario == "*" {
		return func(string) bool { return true }, true, nil
	}
	if _, err := path.Match(q.Scenario, ""); err != nil {
		return nil, false, &QueryError{"scenario=" + q.Scenario, "has a pattern that is none", "* stands for any characters"}
	}
	return func(name string) bool {
		is, _ := path.Match(q.Scenario, name)
		return is
	}, false, nil
}

// String is the query as a text that [ParseQuery] reads.
func (q Query) String() string {
	var list []string
	add := func(key, value string) {
		if value != "" {
			list = append(list, key+"="+value)
		}
	}
	add("run", q.Run)
	add("suite", q.Suite)
	add("kind", q.Kind)
	add("version", q.Version)
	add("commit", q.Commit)
	add("branch", q.Branch)
	add("baseline", q.Baseline)
	for i, at := range []time.Time{q.Since, q.Until} {
		if !at.IsZero() {
			add([]string{"since", "until"}[i], at.UTC().Format(time.RFC3339Nano))
		}
	}
	if q.Last > 0 {
		add("last", fmt.Sprint(q.Last))
	}
	add("scenario", q.Scenario)
	if q.Outcome != trial.Unjudged {
		add("outcome", q.Outcome.String())
	}
	for _, name := range sorted(q.Labels) {
		add("label."+name, q.Labels[name])
	}
	return strings.Join(list, ",")
}
