package runner

import (
	"context"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
)

// judges returns a judge that asks the evaluators of the trial's scenario, and holds it to its limits. A
// program that was cut off or crashed has failed, whatever the evaluators make of what it wrote before, unless the
// scenario says how it is to end.
//
// A trial that was judged has its points from there, whatever it came to.
func judges(axes score.Axes, scenarios []suite.Scenario) Judge {
	byName := map[string]suite.Scenario{}
	for _, s := range scenarios {
		byName[s.Name] = s
	}
	return func(ctx context.Context, r Request, a *Attempt) error {
		s := byName[r.Scenario]
		evidence := oracle.Evidence{Trial: a.Trial, End: a.end}
		if a.Process != nil {
			evidence.ExitCode = trial.Some(a.Process.ExitCode)
			evidence.Truncated = a.Process.Truncated
			endedBadly(a)
		}
		judgement := s.Judge(ctx, evidence)
		// The evaluators' reasons stay in the record; the outcome and its text are those of what broke it.
		if a.Broken && a.Trial.Error != nil && !a.expects {
			judgement.Outcome = trial.Fail
			judgement.Text = a.Trial.Error.Message
		}
		if judgement.Outcome != trial.Pass && endsWithRecord(a.Trial.Output) {
			judgement.Text += "; the last line of the output looks like a trial record, which is not read behind other " +
				"text: log to standard error, or write the record to an output_file"
		}
		if err := judgement.Record(a.Trial); err != nil {
			return err
		}
		scored(ctx, axes, evidence, judgement, a.folder, r.id())
		return nil
	}
}

// endsWithRecord reports whether an output is text whose last line alone would have been read as a trial, as
// of a program that logs to its standard output.
func endsWithRecord(output trial.Raw) bool {
	if len(output) == 0 || output[0] != '"' {
		return false
	}
	text := strings.TrimSpace(output.Text())
	last := strings.LastIndexByte(text, '\n')
	if last < 0 {
		return false
	}
	record, found, err := ingest.ReadOne([]byte(text[last+1:]), ingest.Auto, "any")
	return found && err == nil && record != nil
}

// endedBadly gives a trial without an outcome of its own the one that the exit code of
// its program shows. Zero leaves the outcome open.
func endedBadly(a *Attempt) {
	if a.Trial.Outcome != trial.Unjudged || a.Process.ExitCode == 0 {
		return
	}
	a.Trial.Outcome = trial.Fail
	if a.Trial.Error == nil {
		a.Trial.Error = &trial.Cause{Type: "exit", Message: "the agent ended with " + endOf(a.Process)}
	}
}
