package runs

import (
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/verdict"
)

// warnQuarantined says which tests are set aside and did not pass, and which of them passed and may leave.
func (r *Result) warnQuarantined() {
	var held, free []string
	for i := range r.Tests {
		switch t := &r.Tests[i]; {
		case !t.Quarantined || t.recorded():
		case t.Verdict == verdict.Pass:
			free = append(free, t.Name)
		default:
			held = append(held, t.Name+" ("+t.Verdict.String()+")")
		}
	}
	if len(held) > 0 {
		r.Warnings = append(r.Warnings, warnQuarantined.Warning("%s %s quarantined and no part of the verdict: %s",
			prose.Count(len(held), r.noun()), prose.Form(len(held), "is", "are"), phrase.First(held)))
	}
	if len(free) > 0 {
		r.Warnings = append(r.Warnings, warnMayLeave.Warning("%s and may leave the quarantine: %s",
			prose.Count(len(free), r.noun())+prose.Form(len(free), " meets", " meet")+" what is asked",
			phrase.First(free)))
	}
}

// warnOtherScenarios says which scenarios the baseline has and the run does not, and the other way round.
func (r *Result) warnOtherScenarios() {
	if len(r.Gone) > 0 {
		r.Warnings = append(r.Warnings, WarnGone.Warning("%s of the baseline %s not run: %s",
			prose.Count(len(r.Gone), r.noun()), prose.Form(len(r.Gone), "was", "were"), phrase.First(r.Gone)))
	}
	if len(r.Added) > 0 {
		r.Warnings = append(r.Warnings, WarnAdded.Warning(
			"%s not in the baseline, and judged by the threshold alone: %s",
			prose.Count(len(r.Added), r.noun())+prose.Form(len(r.Added), " is", " are"), phrase.First(r.Added)))
	}
}

// What becomes of the verdict where the baseline has scenarios that were not run.
const (
	MissingOpen    = "open"
	MissingIgnored = "ignore"
)

// CodeGone is that of a run that would pass but for scenarios that only its baseline has.
const CodeGone verdict.Code = "scenarios-missing"

// checkAside compares what is said of scenarios that are set aside or new with the tests: one that is new was tested
// against no baseline, and one that is gone not at all.
func (r *Result) checkAside() error {
	for _, name := range r.Added {
		at := slices.IndexFunc(r.Tests, func(t Test) bool { return t.Name == name })
		if at < 0 || r.Tests[at].Regression != nil {
			return &verdict.DifferenceError{Path: "added", Have: fmt.Sprintf("%q", prose.Excerpt(name)),
				Want: "scenarios with a test, and none against the baseline"}
		}
	}
	if r.Missing != "" && r.Missing != MissingOpen && r.Missing != MissingIgnored {
		return &verdict.DifferenceError{Path: "missing", Have: fmt.Sprintf("%q", prose.Excerpt(r.Missing)),
			Want: MissingOpen + " or " + MissingIgnored}
	}
	ran := r.Ran()
	for _, name := range r.Gone {
		if slices.Contains(ran, name) {
			return &verdict.DifferenceError{Path: "gone", Have: fmt.Sprintf("%q", prose.Excerpt(name)),
				Want: "scenarios without a test"}
		}
	}
	return nil
}
