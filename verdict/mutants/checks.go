package mutants

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// ChecksSchema names the JSON form of [Checks].
const ChecksSchema = "tribunal/mutation-checks/v1"

// Check is an evaluator of a suite that was changed, and what recorded trials came to with it.
type Check struct {
	Scenario  string `json:"scenario"`
	Evaluator string `json:"evaluator"` // its name, such as "contains"
	Place     string `json:"place"`     // where it stands
	Change    string `json:"change"`    // such as "deleted"
	// Of the recorded trials of the scenario, in their order: P, F and E.
	Before string `json:"before"`
	After  string `json:"after"`
	// Trials whose outcome changes; 0 is a check that no recorded trial would miss.
	Changed int `json:"changed"`
}

// Checks says which evaluators of a suite recorded trials would miss: those whose change changes no outcome are not
// tried by what was recorded, or repeat what others say. It costs nothing: no agent runs.
type Checks struct {
	Schema  string          `json:"schema"`  // names the JSON form
	Verdict verdict.Verdict `json:"verdict"` // on the score, where one is asked for; else Pass
	// Of the process: 0 Pass, 1 Fail, 2 Inconclusive, unless the command was told otherwise.
	ExitCode  int               `json:"exit_code"`
	Reasons   []verdict.Reason  `json:"reasons"`
	Warnings  []verdict.Warning `json:"warnings"`
	Suite     string            `json:"suite"`  // its name
	Digest    string            `json:"digest"` // of the suite
	FailUnder *float64          `json:"fail_under,omitempty"`
	Trials    int               `json:"trials"` // recorded, of the scenarios
	Changes   int               `json:"changes"`
	Noticed   int               `json:"noticed"` // changes that change the outcome of a trial
	Score     *float64          `json:"score"`   // noticed over changes; nil where there are none
	Checks    []Check           `json:"checks"`  // in the order of the suite
	Untried   []string          `json:"untried"` // scenarios without a recorded trial
}

// Reasons and warnings of changed evaluators.
const (
	codeChecks    verdict.Code = "checks-noticed"
	codeChecksLow verdict.Code = "checks-unnoticed" // fewer than were asked for
	codeNoChecks  verdict.Code = "no-checks"        // nothing was changed, or no trial is there
	warnUntried   verdict.Code = "untried-scenarios"
)

// JudgeChecks judges changed evaluators by the outcomes before and after. Scenarios that have no trial are untried.
func JudgeChecks(suite, digest string, checks []Check, untried []string, trials int, failUnder *float64) *Checks {
	r := &Checks{Schema: ChecksSchema, Suite: suite, Digest: digest, FailUnder: failUnder, Trials: trials,
		Checks:   []Check{},
		Warnings: []verdict.Warning{}, Untried: append([]string{}, untried...)}
	for _, c := range checks {
		c.Changed = 0
		for i := range min(len(c.Before), len(c.After)) {
			if c.Before[i] != c.After[i] {
				c.Changed++
			}
		}
		r.Changes++
		if c.Changed > 0 {
			r.Noticed++
		}
		r.Checks = append(r.Checks, c)
	}
	text := fmt.Sprintf("%d of %s of evaluators %s noticed by %s", r.Noticed, prose.Count(r.Changes, "change"),
		prose.Form(r.Noticed, "is", "are"), prose.Count(trials, "recorded trial"))
	if r.Changes > 0 {
		score := float64(r.Noticed) / float64(r.Changes)
		r.Score = &score
	}
	switch {
	case r.Score == nil:
		r.Reasons = []verdict.Reason{codeNoChecks.Reason("no evaluator could be changed for which there is a recorded trial")}
		if failUnder == nil {
			r.Verdict = verdict.Pass
		}
	case failUnder != nil && *r.Score < *failUnder:
		r.Verdict = verdict.Fail
		r.Reasons = []verdict.Reason{codeChecksLow.Reason("%s: %s, below the %s asked for", text, phrase.Percent(*r.Score),
			phrase.Percent(*failUnder))}
	default:
		r.Verdict = verdict.Pass
		r.Reasons = []verdict.Reason{codeChecks.Reason("%s: %s", text, phrase.Percent(*r.Score))}
	}
	r.ExitCode = r.Verdict.ExitCode()
	if len(untried) > 0 {
		r.Warnings = append(r.Warnings, warnUntried.Warning("no trial is recorded of %s: %s",
			prose.Count(len(untried), "scenario"),
			phrase.First(untried)))
	}
	return r
}

// Header returns what every result has.
func (r *Checks) Header() verdict.Header {
	return verdict.Header{Schema: r.Schema, Judged: r.FailUnder != nil, Verdict: r.Verdict, ExitCode: r.ExitCode,
		Reasons: r.Reasons, Warnings: r.Warnings}
}

// Rejudge counts again from the outcomes.
func (r *Checks) Rejudge(context.Context) (*rejudged.Result, error) {
	trials := map[string]int{}
	for i, c := range r.Checks {
		place := fmt.Sprintf("checks[%d]", i)
		switch n, known := trials[c.Scenario]; {
		case len(c.Before) != len(c.After) || known && n != len(c.Before):
			return nil, &verdict.DifferenceError{Path: place + ".after", Have: fmt.Sprintf("%d trials", len(c.After)),
				Want: fmt.Sprintf("%d, as before and of the other checks of the scenario", len(c.Before))}
		case strings.Trim(c.Before+c.After, "PFE") != "":
			return nil, &verdict.DifferenceError{Path: place, Have: "other outcomes", Want: "P, F and E"}
		case slices.Contains(r.Untried, c.Scenario):
			return nil, &verdict.DifferenceError{Path: "untried", Have: fmt.Sprintf("%q", c.Scenario),
				Want: "a scenario without checks"}
		}
		trials[c.Scenario] = len(c.Before)
	}
	sum := 0
	for _, n := range trials {
		sum += n
	}
	if sum > r.Trials {
		return nil, &verdict.DifferenceError{Path: "trials", Have: fmt.Sprint(r.Trials),
			Want: fmt.Sprintf("at least %d", sum)}
	}
	again := JudgeChecks(r.Suite, r.Digest, r.Checks, r.Untried, r.Trials, r.FailUnder)
	again.Schema = r.Schema // that of an earlier version is read as well
	return &rejudged.Result{
		Again:   again,
		Given:   []string{"suite", "digest", "fail_under", "trials"},
		Skipped: []string{"checks.evaluator", "checks.place", "checks.change"},
	}, nil
}
