// Package proposal makes proposals for suites from recordings: limits of what a trial may take, as upper tolerance
// limits of what trials took that went well, and with [Suite] its scenarios and what all trials kept to.
//
//	var p proposal.Limits
//	for each trial { p.Add(t) }
//	text, err := p.YAML(proposal.Options{Share: 0.95, Confidence: 0.95})
package proposal

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// Limits collects what trials took. The zero value is ready to use.
type Limits struct {
	Trials int // that count
	Failed int // that failed or ended in an error, and do not count: a limit is not for those that go on and on

	scenarios map[string]bool
	values    [metricCount][]float64
}

// metric is what is limited, in the order of the proposal.
type metric uint8

const (
	turns metric = iota
	cost
	tokens
	toolCalls
	seconds
	metricCount
)

// rows say how a limit of a metric is written.
var rows = [metricCount]struct {
	name, noun string
	limit      bool // of limits; else an evaluator
}{
	{oracle.TurnLimit, "turns", true}, {oracle.CostLimit, "cost", true}, {oracle.TokenLimit, "tokens", true},
	{"tool-call-count", "calls of tools", false}, {"wall-time", "duration", false},
}

// Add counts a trial. One that nobody judged counts as well; what it does not tell is unknown, and no value.
func (l *Limits) Add(t *trial.Trial) {
	if t.Outcome == trial.Fail || t.Outcome == trial.Error {
		l.Failed++
		return
	}
	l.Trials++
	if l.scenarios == nil {
		l.scenarios = map[string]bool{}
	}
	l.scenarios[t.Scenario] = true
	add := func(m metric, x trial.Optional[float64]) {
		if x.Known {
			l.values[m] = append(l.values[m], x.Value)
		}
	}
	took := oracle.MeasuresOf(t)
	add(turns, took.Turns)
	add(cost, took.CostUSD)
	add(tokens, took.Tokens)
	add(toolCalls, took.ToolCalls)
	add(seconds, took.DurationSeconds)
}

// Options say what is promised of a limit.
type Options struct {
	Share      float64 // of trials that are to keep it, such as 0.95
	Confidence float64 // with which at least that share does
	From       string  // the recordings, for a comment
}

// FewError says that there are too few trials for any limit.
type FewError struct {
	Trials  int // that did not fail
	Telling int // of those, that tell what is told most often
	Needed  int // that would have to tell it
	Options
}

func (e *FewError) Error() string {
	return fmt.Sprintf("of %s that did not fail %d %s told what was taken, and limits that %s of trials keep, "+
		"with %s confidence, need %d",
		prose.Count(e.Trials, "trial"), e.Telling, prose.Form(e.Telling, "has", "have"), percent(e.Share),
		percent(e.Confidence),
		e.Needed)
}

// Message says what is missing.
func (e *FewError) Message() string { return e.Error() }

// Hint says what a person might do about it.
func (e *FewError) Hint() string {
	return "record more trials, or ask for less: --share 0.9 --confidence 0.9"
}

// ExitCode is that of input that cannot be used.
func (e *FewError) ExitCode() int { return exit.Input }

// YAML writes the limits as a part of a suite, which can be included in one: those of trials, and the others as a set
// of evaluators by the name of limits. What was not told often enough is a comment that says so. The error is a
// [FewError], or that of options which cannot be used.
//
// Each limit is [sample.ToleranceRank]'s, rounded up to two digits but for whole numbers of turns and calls. It holds
// by itself: that all of them hold together is less sure.
func (l *Limits) YAML(o Options) (string, error) {
	needed, err := sample.ToleranceTrials(o.Share, o.Confidence)
	if err != nil {
		return "", err
	}
	most := 0
	for _, values := range l.values {
		most = max(most, len(values))
	}
	if most < needed {
		return "", &FewError{l.Trials, most, needed, o}
	}
	var b strings.Builder
	what := prose.Count(l.Trials, "trial")
	if n := len(l.scenarios); n > 1 {
		what += " of " + prose.Count(n, "scenario")
	}
	if o.From != "" {
		what += " of " + prose.Printable(o.From)
	}
	fmt.Fprintf(&b, "# Each limit is kept by %s of trials like the %s, with %s confidence.\n", percent(o.Share), what,
		percent(o.Confidence))
	if l.Failed > 0 {
		fmt.Fprintf(&b, "# Left out: %s that did not pass.\n", prose.Count(l.Failed, "trial"))
	}
	for _, asLimits := range []bool{true, false} {
		var lines []string
		proposed := false
		for m, row := range rows {
			if row.limit != asLimits {
				continue
			}
			line, ok, err := l.line(metric(m), needed, o)
			if err != nil {
				return "", err
			}
			proposed = proposed || ok
			lines = append(lines, line)
		}
		writeBlock(&b, asLimits, proposed, lines)
	}
	return b.String(), nil
}

// writeBlock writes the limits, or the set of evaluators. A key without a value under it would be nothing.
func writeBlock(b *strings.Builder, limits, proposed bool, lines []string) {
	indent := ""
	switch {
	case proposed && limits:
		b.WriteString("limits:\n")
		indent = "  "
	case proposed:
		b.WriteString("evaluators:\n  limits: # evaluate: limits\n")
		indent = "    "
	}
	for _, line := range lines {
		if !proposed {
			line = "# " + strings.TrimPrefix(line, "# ")
		}
		b.WriteString(indent + line + "\n")
	}
}

// ProposedLimit is the limit of a metric. Amounts are turns, US dollars, tokens, calls and seconds.
type ProposedLimit struct {
	Name  string `json:"name"`  // of the limit, or of the evaluator
	Limit bool   `json:"limit"` // it is one of limits; else an evaluator
	// As a suite has it, rounded up; nil where too few trials tell it.
	Proposed *string `json:"proposed"`
	// The lowest recorded value that the promised share keeps, and which of the values it is: the Rank-th largest.
	Value   float64 `json:"value"`
	Rank    int     `json:"rank"`
	Telling int     `json:"telling"` // trials that tell it
	Median  float64 `json:"median"`  // of the values, the lower one of two
	Largest float64 `json:"largest"` // of the values
}

// Document is what YAML writes, for a program.
type Document struct {
	Schema     string          `json:"schema"`     // tribunal/limits/v1
	Share      float64         `json:"share"`      // of trials that keep each limit
	Confidence float64         `json:"confidence"` // with which at least that share does
	Trials     int             `json:"trials"`     // that count
	LeftOut    int             `json:"left_out"`   // that did not pass
	Scenarios  int             `json:"scenarios"`  // of the trials that count
	Needed     int             `json:"needed"`     // trials that must tell a metric
	Limits     []ProposedLimit `json:"limits"`     // in the order of YAML
}

// Document returns the limits with what they rest on. The errors are those of [Limits.YAML].
func (l *Limits) Document(o Options) (*Document, error) {
	if _, err := l.YAML(o); err != nil {
		return nil, err
	}
	needed, err := sample.ToleranceTrials(o.Share, o.Confidence)
	if err != nil {
		return nil, err
	}
	d := &Document{
		Schema: "tribunal/limits/v1", Share: o.Share, Confidence: o.Confidence, Trials: l.Trials, LeftOut: l.Failed,
		Scenarios: len(l.scenarios), Needed: needed,
	}
	for _, asLimits := range []bool{true, false} {
		for m, row := range rows {
			if row.limit != asLimits {
				continue
			}
			p, err := l.proposed(metric(m), needed, o)
			if err != nil {
				return nil, err
			}
			d.Limits = append(d.Limits, p)
		}
	}
	return d, nil
}

// proposed is the limit of a metric, without one where too few trials tell it.
func (l *Limits) proposed(m metric, needed int, o Options) (ProposedLimit, error) {
	values := slices.Clone(l.values[m])
	p := ProposedLimit{Name: rows[m].name, Limit: rows[m].limit, Telling: len(values)}
	if len(values) == 0 {
		return p, nil
	}
	slices.Sort(values)
	p.Median, p.Largest = values[(len(values)-1)/2], values[len(values)-1]
	if len(values) < needed {
		return p, nil
	}
	rank, err := sample.ToleranceRank(len(values), o.Share, o.Confidence)
	if err != nil {
		return p, err
	}
	p.Rank, p.Value = rank, values[len(values)-rank]
	p.Proposed = new(written(m, p.Value))
	return p, nil
}

// line is that of a metric; not ok for a comment.
func (l *Limits) line(m metric, needed int, o Options) (line string, ok bool, err error) {
	p, err := l.proposed(m, needed, o)
	if err != nil {
		return "", false, err
	}
	if p.Proposed == nil {
		why := fmt.Sprintf("%d of %s tell it, and %d are needed", p.Telling, prose.Count(l.Trials, "trial"), needed)
		if m == turns || m == cost { // a suite must declare these
			return p.Name + ": none # " + why, true, nil
		}
		return "# " + p.Name + ": " + why, false, nil
	}
	format := "%s: %s"
	if !p.Limit {
		format = "- %s: %s"
	}
	line = fmt.Sprintf(format, p.Name, *p.Proposed)
	return fmt.Sprintf("%s # the %s of %d; median %s, largest %s", line, ordinal(p.Rank), p.Telling,
		written(m, p.Median), written(m, p.Largest)), true, nil
}

// written is a value as a suite has it, rounded up.
func written(m metric, x float64) string {
	switch m {
	case turns, toolCalls:
		return strconv.FormatFloat(math.Ceil(x), 'f', 0, 64)
	case tokens:
		return upwards(math.Ceil(x))
	case seconds:
		if d, err := time.ParseDuration(upwards(x) + "s"); err == nil {
			return d.String()
		}
	}
	return upwards(x)
}

// upwards writes a number that is not negative with two digits, rounded up.
func upwards(x float64) string {
	if x == 0 {
		return "0"
	}
	exponent := int(math.Floor(math.Log10(x))) - 1
	for digits := range 3 {
		// As text, so that what is written and not a product is what is compared.
		mantissa := math.Ceil(x*math.Pow10(-exponent)-1e-9) + float64(digits)
		text := strconv.FormatFloat(mantissa*math.Pow10(exponent), 'f', max(0, -exponent), 64)
		if y, err := strconv.ParseFloat(text, 64); err == nil && y >= x {
			return trimmed(text)
		}
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// trimmed is a number without zeros at its end behind a point.
func trimmed(text string) string {
	if !strings.Contains(text, ".") {
		return text
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// ordinal is "largest", "2nd largest" and so on.
func ordinal(rank int) string {
	if rank == 1 {
		return "largest"
	}
	ending := "th"
	if tens := rank / 10 % 10; tens != 1 {
		switch rank % 10 {
		case 1:
			ending = "st"
		case 2:
			ending = "nd"
		case 3:
			ending = "rd"
		}
	}
	return strconv.Itoa(rank) + ending + " largest"
}

// percent writes a share.
func percent(x float64) string { return strconv.FormatFloat(100*x, 'g', 6, 64) + " %" }
