package compliance

import (
	"strconv"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Schema names the JSON form of a [Result].
const Schema = "tribunal/contract/v1"

// Result says how recorded trials keep a contract. It fails if one trial
// violates a hard clause, and is inconclusive where there is nothing to judge: no
// trials, or a clause that could be judged in none.
type Result struct {
	Schema  string          `json:"schema"`  // names the JSON form
	Verdict verdict.Verdict `json:"verdict"` // what the evidence allows to say
	// Of the process: 0 Pass, 1 Fail, 2 Inconclusive, unless the command was told otherwise.
	ExitCode     int           `json:"exit_code"`
	Contract     string        `json:"contract"`     // name
	Digest       string        `json:"digest"`       // of the contract
	Alpha        float64       `json:"alpha"`        // bounds the chance of a false Fail, from 0 to 1
	Trials       Counts        `json:"trials"`       // by the hard clauses together
	Clauses      []Clause      `json:"clauses"`      // in the order of the contract
	Satisfaction *Satisfaction `json:"satisfaction"` // null without judged trials
	// Why the verdict is what it is, the most important first.
	Reasons  []verdict.Reason  `json:"reasons"`
	Warnings []verdict.Warning `json:"warnings"` // what to know before relying on it; may be empty
}

// Header returns what every result has.
func (r *Result) Header() verdict.Header {
	return verdict.Header{
		Schema: r.Schema, Judged: true, Verdict: r.Verdict, ExitCode: r.ExitCode, Reasons: r.Reasons,
		Warnings: r.Warnings,
	}
}

// Counts counts trials by what became of the contract or of a clause in them.
type Counts struct {
	Trials       int               `json:"trials"`       // all of them
	Kept         int               `json:"kept"`         // trials that keep it
	Violated     int               `json:"violated"`     // trials that violate it
	Unjudged     int               `json:"unjudged"`     // trials that do not record what it takes
	Inapplicable int               `json:"inapplicable"` // trials that it says nothing of
	Rate         *float64          `json:"rate"`         // kept among those judged
	Interval     *verdict.Interval `json:"interval"`     // exact; holds whatever became of the unjudged
}

// Clause is what was found of a clause.
type Clause struct {
	Name     string            `json:"name"`     // in the contract
	Kind     contract.Kind     `json:"kind"`     // when it is checked
	Severity contract.Severity `json:"severity"` // what a violation does
	Counts
	Places     int         `json:"places"`     // that violate it: steps, or whole trials
	Violations []Violation `json:"violations"` // the first of them
	// The first reason why it could not be judged; empty where it could.
	Problem string `json:"problem,omitempty"`
}

// Violation is a place where a clause is violated.
type Violation struct {
	Scenario string `json:"scenario"`          // of the trial
	Variant  string `json:"variant,omitempty"` // of the trial; empty where it has none
	Trial    *int   `json:"trial"`             // its number in its scenario; nil where it has none
	Place    string `json:"place,omitempty"`   // of the trial in its file
	Step     *int   `json:"step"`              // from 0; null for the whole trial
	Tool     string `json:"tool,omitempty"`    // that was called; empty where none was
	Evidence string `json:"evidence"`          // what violates the clause
}

// Satisfaction is [contract.Satisfaction]: what is promised of the next
// trials.
type Satisfaction struct {
	contract.Promise
	Trials int     `json:"trials"`      // judged and unjudged
	Kept   int     `json:"kept"`        // trials that keep the contract
	Rate   float64 `json:"rate"`        // kept among the judged, from 0 to 1
	Low    float64 `json:"rate_low"`    // exact, at confidence 1-alpha
	Needed int     `json:"needed"`      // of k
	Chance float64 `json:"probability"` // that k further trials satisfy it, at the rate Low
	// The largest share that k further trials reach with probability 1-alpha, at the rate Low.
	Reached float64 `json:"p_reached"`
	Windows struct {
		Count     int     `json:"count"`
		Satisfied int     `json:"satisfied"`
		Worst     float64 `json:"worst"`
	} `json:"windows"` // the runs of k judged trials in the recording
}

// Reasons and warnings of contracts.
const (
	codeViolated           verdict.Code = "contract-violated"
	codeKept               verdict.Code = "contract-kept"
	codeClauseNotJudged    verdict.Code = "clause-not-judged"
	codeNotJudged          verdict.Code = "contract-not-judged"
	warnSoft               verdict.Code = "soft-clauses-violated"
	warnUnjudged           verdict.Code = "contract-unjudged-trials"
	warnClauseInapplicable verdict.Code = "clause-never-applied"
)

// Judge judges what a summary holds, with intervals at level 1-alpha; 0 is
// [verdict.DefaultAlpha].
func Judge(s *contract.Summary, alpha float64) (*Result, error) {
	if alpha == 0 {
		alpha = verdict.DefaultAlpha
	}
	r := &Result{
		Schema: Schema, Contract: s.Contract.Name, Digest: s.Contract.Digest(), Alpha: alpha,
		Clauses: []Clause{}, Warnings: []verdict.Warning{},
	}
	var err error
	if r.Trials, err = countsOf(s.Trials, alpha); err != nil {
		return nil, err
	}
	for i, t := range s.Clauses {
		// A summary has its tallies in the order of the clauses.
		clause := s.Contract.Clauses[i]
		c := Clause{
			Name:       clause.Name,
			Kind:       clause.Kind,
			Severity:   clause.Severity,
			Places:     t.Places,
			Violations: []Violation{},
			Problem:    t.Problem,
		}
		if c.Counts, err = countsOf(t, alpha); err != nil {
			return nil, err
		}
		for _, found := range t.First {
			c.Violations = append(c.Violations, violationOf(found))
		}
		r.Clauses = append(r.Clauses, c)
	}
	// A promise needs trials that were judged.
	if len(s.Sequence) > 0 {
		if r.Satisfaction, err = satisfactionOf(s, alpha); err != nil {
			return nil, err
		}
	}
	r.judge(s.Trials.Problem)
	return r, nil
}

// judge sets the verdict, its reasons and the warnings. The problem is the first reason
// why a trial could not be judged.
func (r *Result) judge(problem string) {
	// Blind clauses are those that could be judged in no trial: a Pass would say nothing of
	// them. A clause that applied to no trial is no such gap; it is told as a warning.
	var hard, soft, blind []string
	for _, c := range r.Clauses {
		switch {
		case c.Violated > 0 && c.Severity == contract.Hard:
			hard = append(hard, strconv.Quote(c.Name))
		case c.Violated > 0:
			soft = append(soft, strconv.Quote(c.Name))
		case c.Kept == 0 && c.Unjudged > 0:
			blind = append(blind, strconv.Quote(c.Name))
			r.Warnings = append(r.Warnings,
				codeClauseNotJudged.Warning("clause %s could be judged in no trial: %s", strconv.Quote(c.Name),
					c.Problem))
		case c.Kept == 0 && c.Inapplicable > 0:
			r.Warnings = append(r.Warnings, warnClauseInapplicable.Warning("clause %s applied to no trial",
				strconv.Quote(c.Name)))
		}
	}
	// A hard violation fails whatever could not be judged. Without trials nothing is known.
	t := r.Trials
	switch {
	case t.Trials == 0:
		r.Reasons = []verdict.Reason{verdict.CodeNoTrials.Reason("there are no trials")}
	case len(hard) > 0:
		r.Verdict = verdict.Fail
		r.Reasons = []verdict.Reason{codeViolated.Reason("%d of %s %s %s", t.Violated,
			prose.Count(t.Trials, "trial"), prose.Form(t.Violated, "violates", "violate"), phrase.Several("hard clause", hard))}
	case len(blind) > 0:
		r.Reasons = []verdict.Reason{codeClauseNotJudged.Reason("%s could be judged in no trial",
			phrase.Several("clause", blind))}
	case t.Kept == 0:
		r.Reasons = []verdict.Reason{codeNotJudged.Reason("the contract could be judged in none of %s",
			prose.Count(t.Trials, "trial"))}
	default:
		r.Verdict = verdict.Pass
		r.Reasons = []verdict.Reason{codeKept.Reason("%d of %s %s judged, and none violates a hard clause",
			t.Kept, prose.Count(t.Trials, "trial"), prose.Form(t.Kept, "was", "were"))}
	}
	r.ExitCode = r.Verdict.ExitCode()
	if len(soft) > 0 {
		r.Warnings = append(r.Warnings, warnSoft.Warning("violated: %s", phrase.Several("soft clause", soft)))
	}
	if t.Unjudged > 0 {
		r.Warnings = append(r.Warnings,
			warnUnjudged.Warning(
				"%d of %s could not be judged, and %s against the lower limit; the first: %s",
				t.Unjudged, prose.Count(t.Trials, "trial"), prose.Form(t.Unjudged, "counts", "count"), problem))
	}
}

// violationOf is a violation as results show it.
func violationOf(f contract.FoundViolation) Violation {
	return Violation{
		Scenario: f.Scenario, Variant: f.Variant, Trial: numberOf(f.Trial), Place: f.Place.String(),
		Step: numberOf(f.Step), Tool: f.Tool, Evidence: f.Evidence,
	}
}

// numberOf is null in JSON where the number is not known.
func numberOf(x trial.Optional[int]) *int {
	if !x.Known {
		return nil
	}
	return &x.Value
}
