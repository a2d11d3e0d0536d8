package results

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// DiffRequest asks how two results differ, or two trials of them.
type DiffRequest struct {
	// Files or folders as compare reads them, or saved results; or one trial of each, as FILE:N or FILE:SCENARIO#N.
	Sides   [2]string
	Reading evidence.ReadOptions
}

// Diff prints what differs, as text. It judges nothing: compare says what is more than chance.
func Diff(ctx context.Context, a *world.World, r DiffRequest) error {
	var both [2]*diffSide
	for i, name := range r.Sides {
		file, which := splitTrial(name)
		s := &diffSide{name: file, which: which, sums: map[recording.MetricName]amountSum{}, tools: map[string]int{}}
		if err := s.read(ctx, a, r.Reading); err != nil {
			return err
		}
		if which != "" && s.chosen == nil {
			hint := "FILE:N is the Nth trial of a file, and FILE:SCENARIO#N trial N of a scenario"
			if s.trials == 0 {
				hint = "it holds counts alone: name the recording that was judged"
			}
			return problem.BadInput(fmt.Sprintf("%s has no trial %s", prose.FileName(file), prose.Printable(which)), hint)
		}
		both[i] = s
	}
	if (both[0].which == "") != (both[1].which == "") {
		return problem.Usage("name a trial of each side, such as a.jsonl:3 b.jsonl:7, or none",
			"diff takes two results or two trials, and there is one of each")
	}
	p := &running.TriedPage{Screen: world.NewScreen(a.Out.Stream, a.Env, a.TerminalWidth)}
	if both[0].which != "" {
		diffTrials(p, both)
	} else {
		diffResults(p, both)
	}
	_, err := io.Copy(a.Out, &p.Text)
	return err
}

// splitTrial splits FILE:WHICH. The name of a file may have colons: what is there is a file.
func splitTrial(name string) (file, which string) {
	at := strings.LastIndexByte(name, ':')
	if _, err := os.Stat(name); err == nil || at < 0 {
		return name, ""
	}
	if _, err := os.Stat(name[:at]); err != nil {
		return name, ""
	}
	return name[:at], name[at+1:]
}

// diffSide is what is known of one side.
type diffSide struct {
	name, which string
	chosen      *trial.Trial // that which names
	tallies     []verdict.Tally
	trials      int // whose amounts are known below
	sums        map[recording.MetricName]amountSum
	tools       map[string]int // calls, by the name of the tool
}

// amountSum is an amount over the trials that tell it.
type amountSum struct {
	total float64
	known int
}

// read reads the trials of one side.
func (s *diffSide) read(ctx context.Context, a *world.World, o evidence.ReadOptions) error {
	if app.IsResult(ctx, s.name) {
		return s.readResult(ctx, a)
	}
	places := map[string]int{}
	return evidence.Read(ctx, a, []string{s.name}, o.Options("", 0), evidence.Kept, func(t *trial.Trial) {
		at, known := places[t.Scenario]
		if !known {
			at = len(s.tallies)
			places[t.Scenario], s.tallies = at, append(s.tallies, verdict.Tally{Scenario: t.Scenario})
		}
		switch t.Outcome {
		case trial.Pass:
			s.tallies[at].Passes++
		case trial.Fail:
			s.tallies[at].Fails++
		default:
			s.tallies[at].Errors++
		}
		s.add(t)
	})
}

// readResult takes the trials that a saved result of a run lists, and its counts, which are of all.
func (s *diffSide) readResult(ctx context.Context, a *world.World) error {
	result, err := app.ReadResult(ctx, s.name, a.Stdin)
	if err != nil {
		return err
	}
	if err := verified(ctx, a, s.name, result); err != nil {
		return err
	}
	if rates := ratesOf(result); rates != nil {
		s.countRates(rates)
		return nil
	}
	run := app.RunOf(result)
	if run == nil {
		return problem.BadInput(prose.FileName(s.name)+" holds no trials of a run",
			"tribunal report diff takes results of run, gate and verdict, and recordings; tribunal report shows others")
	}
	for i := range run.Tests {
		t := &run.Tests[i]
		s.tallies = append(s.tallies, verdict.Tally{Scenario: t.Name, Passes: t.Passes, Fails: t.Fails, Errors: t.Errors})
	}
	for i := range run.Trials {
		if t := &run.Trials[i]; !t.Baseline {
			s.add(trialOf(t))
		}
	}
	if run.TrialsOmitted > 0 {
		a.Notice("note", "%s lists %d of its %d trials: amounts and tools are of these", prose.FileName(s.name),
			len(run.Trials), len(run.Trials)+run.TrialsOmitted)
	}
	return nil
}

// ratesOf are the rates of a verdict, its own or that which a gate decided on; nil is none.
func ratesOf(result verdict.Result) *verdict.ThresholdResult {
	switch r := result.(type) {
	case *verdict.ThresholdResult:
		return r
	case *gate.Result:
		return r.Rates
	}
	return nil
}

// countRates takes the counts of a verdict, which lists no trials.
func (s *diffSide) countRates(r *verdict.ThresholdResult) {
	for _, c := range r.Scenarios {
		t := verdict.Tally{Scenario: c.Name, Passes: c.Passes, Fails: c.Trials - c.Passes, Errors: c.Errors}
		if r.Errors == verdict.FailErrors { // they are among the trials
			t.Fails -= c.Errors
		}
		s.tallies = append(s.tallies, t)
	}
}

// trialOf is a listed trial of a run as a record.
func trialOf(t *runs.Trial) *trial.Trial {
	r := &trial.Trial{Scenario: t.Scenario, Index: trial.Some(t.Trial)}
	r.Outcome, _ = trial.ParseOutcome(t.Outcome)
	if t.CostUSD != nil {
		r.CostUSD = trial.Some(*t.CostUSD)
	}
	if t.Duration != nil {
		r.DurationSeconds = trial.Some(*t.Duration)
	}
	if t.InputTokens != nil {
		r.InputTokens = trial.Some(*t.InputTokens)
	}
	if t.OutputTokens != nil {
		r.OutputTokens = trial.Some(*t.OutputTokens)
	}
	r.Output = trial.RawString(t.Output)
	for _, x := range t.Steps {
		step := trial.Step{Action: trial.Action(x.Action), Tool: x.Tool, Error: x.Error,
			Arguments: trial.Raw(x.Arguments)} // shown as they are written, and cut they are no JSON any more
		if x.Output != "" {
			step.Output = trial.RawString(x.Output)
		}
		r.Steps = append(r.Steps, step)
	}
	return r
}

// add takes a trial in.
func (s *diffSide) add(t *trial.Trial) {
	s.trials++
	if s.chosen == nil && s.which != "" && names(s.which, t, s.trials) {
		s.chosen = t
	}
	for i, x := range recording.Measure(t) {
		if !math.IsNaN(x) {
			sum := s.sums[recording.MetricName(i)]
			s.sums[recording.MetricName(i)] = amountSum{sum.total + x, sum.known + 1}
		}
	}
	for _, x := range t.Steps {
		if x.Tool != "" {
			s.tools[x.Tool]++
		}
	}
}

// names reports whether a text names a trial: by its place in the file from 1, by its scenario and number, or by its
// scenario, whose first it is then.
func names(which string, t *trial.Trial, place int) bool {
	if n, err := strconv.Atoi(which); err == nil {
		return n == place
	}
	return which == t.Scenario || t.Index.Known && which == fmt.Sprintf("%s#%d", t.Scenario, t.Index.Value)
}

// diffResults prints which scenarios changed and by how much, and what changed of amounts and tools.
func diffResults(p *running.TriedPage, both [2]*diffSide) {
	before, after := verdict.Pool("", both[0].tallies), verdict.Pool("", both[1].tallies)
	p.Linef("%s -> %s", prose.FileName(both[0].name), prose.FileName(both[1].name))
	p.Linef("pass rate %s -> %s (%s -> %s trials)", rateOf(before), rateOf(after), passedOf(before), passedOf(after))
	diffScenarios(p, both)
	diffAmounts(p, both)
	diffTools(p, both)
	p.Linef("\ntribunal compare says which of these changes are more than chance.")
}

// rateOf is the pass rate of a tally, as a person writes it.
func rateOf(t verdict.Tally) string {
	if t.Passes+t.Fails == 0 {
		return "none"
	}
	return phrase.Rate(float64(t.Passes) / float64(t.Passes+t.Fails))
}

// passedOf is passes of trials.
func passedOf(t verdict.Tally) string {
	text := fmt.Sprintf("%d of %d", t.Passes, t.Passes+t.Fails)
	if t.Errors > 0 {
		text += fmt.Sprintf(" and %s", prose.Count(t.Errors, "error"))
	}
	return text
}

// mostDiffRows is how many rows of a list are shown. Chosen, for a screen.
const mostDiffRows = 12

// diffRow is a line of a list, and by how much it changed, which orders the list.
type diffRow struct {
	name, change string
	size         float64
}

// printRows prints the first of the rows, those that changed most first.
func printRows(p *running.TriedPage, title string, rows []diffRow) {
	if len(rows) == 0 {
		return
	}
	slices.SortStableFunc(rows, func(a, b diffRow) int { return cmp.Compare(b.size, a.size) })
	p.Linef("\n%s", title)
	width := 0
	for i := range rows {
		rows[i].name = prose.Printable(prose.CutRunes(rows[i].name, 40))
		width = max(width, len(rows[i].name))
	}
	for _, r := range rows[:min(len(rows), mostDiffRows)] {
		p.Linef("  %-*s  %s", width, r.name, r.change)
	}
	if more := len(rows) - mostDiffRows; more > 0 {
		p.Linef("  and %d more", more)
	}
}

// diffScenarios lists the scenarios whose pass rate changed, those that fell most first, and those of one side alone.
func diffScenarios(p *running.TriedPage, both [2]*diffSide) {
	after := map[string]verdict.Tally{}
	for _, t := range both[1].tallies {
		after[t.Scenario] = t
	}
	var rows []diffRow
	same := 0
	for _, b := range both[0].tallies {
		k, there := after[b.Scenario]
		delete(after, b.Scenario)
		switch {
		case !there:
			rows = append(rows, diffRow{b.Scenario, passedOf(b) + " -> not there", 0})
		case rateOf(b) == rateOf(k) && b.Errors == k.Errors:
			same++
		default:
			row := diffRow{name: b.Scenario, change: passedOf(b) + " -> " + passedOf(k)}
			if n, m := b.Passes+b.Fails, k.Passes+k.Fails; n > 0 && m > 0 {
				row.size = float64(b.Passes)/float64(n) - float64(k.Passes)/float64(m)
				row.change += fmt.Sprintf(" (%s)", signedPoints(-row.size))
			}
			rows = append(rows, row)
		}
	}
	for _, k := range both[1].tallies {
		if _, alone := after[k.Scenario]; alone {
			rows = append(rows, diffRow{k.Scenario, "not there -> " + passedOf(k), 0})
		}
	}
	printRows(p, "scenarios", rows)
	if same > 0 {
		p.Linef("\n%s as before", prose.Count(same, "scenario"))
	}
}

// signedPoints is a difference of rates in points.
func signedPoints(x float64) string {
	sign := ""
	if x > 0 {
		sign = "+"
	} else if x < 0 {
		sign = "-"
	}
	return sign + phrase.Points(math.Abs(x))
}

// diffAmounts lists what a trial costs and takes.
func diffAmounts(p *running.TriedPage, both [2]*diffSide) {
	var rows []diffRow
	for m := range recording.AllMetrics() {
		b, k := both[0].sums[m], both[1].sums[m]
		if b.known == 0 || k.known == 0 {
			continue
		}
		before, after := b.total/float64(b.known), k.total/float64(k.known)
		row := diffRow{name: metricLabel(m),
			change: m.WithUnit(significant(before)) + " -> " + m.WithUnit(significant(after))}
		if before > 0 {
			// A change that rounds to none has no sign.
			if percent := math.Round(100 * (after/before - 1)); percent != 0 {
				row.change += fmt.Sprintf(" (%+.0f%%)", percent)
			} else {
				row.change += " (0%)"
			}
		}
		rows = append(rows, row)
	}
	printRows(p, "a trial, on average", rows)
}

// metricLabel names a metric as a person does.
func metricLabel(m recording.MetricName) string {
	switch m {
	case recording.CostMetric:
		return "cost"
	case recording.DurationMetric:
		return "time"
	}
	return strings.ReplaceAll(m.String(), "_", " ")
}

// significant writes three significant digits, and all of a larger whole number.
func significant(x float64) string {
	if x == 0 || math.Abs(x) >= 100 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	text := strconv.FormatFloat(x, 'f', max(2-int(math.Floor(math.Log10(math.Abs(x)))), 0), 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// diffTools lists the tools that a trial called more or less often.
func diffTools(p *running.TriedPage, both [2]*diffSide) {
	all := map[string]bool{}
	for _, s := range both {
		for name := range s.tools {
			all[name] = true
		}
	}
	var rows []diffRow
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		each := func(s *diffSide) float64 { return float64(s.tools[name]) / float64(max(s.trials, 1)) }
		before, after := each(both[0]), each(both[1])
		if before == after {
			continue
		}
		row := diffRow{name, fmt.Sprintf("%s -> %s", significant(before), significant(after)),
			math.Abs(after - before)}
		switch {
		case before == 0:
			row.change += " (new)"
		case after == 0:
			row.change += " (no longer called)"
		}
		rows = append(rows, row)
	}
	printRows(p, "calls of tools in a trial", rows)
}
