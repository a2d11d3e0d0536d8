package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// runRepeated says which share of the attempts was made again, and why: who reads rates should know
// what they are not of. What was lost is a warning.
func runRepeated(d *document.Document, r *runs.Result) {
	s := r.Spent
	repeated := repeatedAttempts(s)
	if repeated > 0 {
		var causes []string
		for _, cause := range slices.Sorted(maps.Keys(s.Repeated)) {
			text := repeatCause(cause)
			if len(s.Repeated) > 1 {
				text = fmt.Sprintf("%d %s", s.Repeated[cause], text)
			}
			causes = append(causes, text)
		}
		d.FactLine("repeated", fmt.Sprintf("%d of %s (%.0f%%): %s", repeated, prose.Count(s.Attempts, "attempt"),
			100*float64(repeated)/float64(s.Attempts), strings.Join(causes, ", ")))
	}
	if s.Lost > 0 {
		d.Fact("lost", prose.Count(s.Lost, "attempt"))
	}
	if s.Cut > 0 {
		d.FactLine("cut off", prose.Count(s.Cut,
			"attempt")+" by the budget, on the wire: what was asked is paid for, and no "+
			"failure of the agent")
	}
	// A result of today tells of each of them; see [runs.Expense].
	if redrawn := s.Attempts - s.Trials - repeated - s.Cut; redrawn > 0 {
		text := fmt.Sprintf("%s made again by an earlier version, whatever broke off before: the errors of the tests "+
			"do not hold", wereAttempts(redrawn))
		d.Notes = append(d.Notes, text)
		d.TextLine("warning", text)
	}
	runErrorsHint(d, r)
}

// repeatedAttempts is how many attempts another one replaced.
func repeatedAttempts(s runs.Expense) (n int) {
	for _, k := range s.Repeated {
		n += k
	}
	return n
}

// wereAttempts is such as "1 attempt was".
func wereAttempts(n int) string {
	if n == 1 {
		return "1 attempt was"
	}
	return prose.Count(n, "attempt") + " were"
}

// repeatCause says why an attempt was made again.
func repeatCause(cause string) string {
	switch cause {
	case "start":
		return "could not be started"
	case "provider":
		return "turned away by the provider"
	case "stopped":
		return "stopped before they began"
	}
	return safe.Text(cause)
}

// runCrashes says how crashes count, and which key of the suite changes that, where a trial crashed.
func runCrashes(d *document.Document, r *runs.Result) {
	silent, signal := false, false
	for _, t := range r.Trials {
		p := t.Process
		if p == nil || !t.Judged || r.Repeated {
			continue
		}
		silent = silent || t.Outcome == trial.Error.String() && t.Output == "" && p.ExitCode > 0 &&
			!process.NotFound(p.ExitCode)
		signal = signal || t.Outcome == trial.Fail.String() && p.Signal != ""
	}
	if silent {
		d.Line("crashes", "a crash without an answer is an error, and no failure of the agent; with agent: "+
			"{infrastructure: []} in the suite it is a failure")
	}
	if signal {
		d.Line("crashes", "a crash by a signal is a failure of the agent; with agent: {infrastructure: [no-output, "+
			"signal]} in the suite it is an error")
	}
}

// runErrorsHint says what to do where errors left a test open.
func runErrorsHint(d *document.Document, r *runs.Result) {
	var names []string
	errors, trials := 0, 0
	ofSuite := slices.ContainsFunc(r.SuiteTests, func(t runs.SuiteTest) bool {
		return t.Verdict == verdict.Inconclusive && hasReason(t.Reasons, verdict.CodeErrorsMatter)
	})
	for _, t := range r.Tests {
		if t.Verdict == verdict.Inconclusive && hasReason(t.Reasons, verdict.CodeErrorsMatter) || ofSuite && t.Errors > 0 {
			names = append(names, shorten(d, t.Name, 24))
			errors, trials = errors+t.Errors, trials+t.Trials
		}
	}
	if tests := len(names); tests > 0 {
		if ofSuite {
			tests = 1
		}
		text := "%s: %s of %s left the %s undecided; remove their cause and run again with --fresh"
		if !r.Repeated {
			text += ", and with --new-agent if no file of agent or judges changed"
		}
		d.TextLinef("hint", text, prose.Some(names, 3), prose.Count(errors, "error"), prose.Count(trials, "trial"),
			prose.Form(tests, "test", "tests"))
	}
}
