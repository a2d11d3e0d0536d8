package web

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/report/site"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// mostCompared is the number of trials of a run that are read to be compared; of more, their counts are. Chosen, so
// that it takes a second.
const mostCompared = 5000

// compare shows two runs compared, or lets them be chosen.
func (s *Server) compare(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	c := site.Choice{
		Baseline:  strings.TrimSpace(r.URL.Query().Get("baseline")),
		Candidate: strings.TrimSpace(r.URL.Query().Get("candidate")),
	}
	status := http.StatusOK
	if c.Baseline != "" && c.Candidate != "" {
		document, back, err := s.compared(ctx, c.Baseline, c.Candidate)
		if err == nil {
			return s.writeDocument(w, document, "/compare", back...)
		}
		p := problemOf(err)
		status, c.Problem, c.Hint = p.status, p.text, p.hint
	}
	var err error
	if c.List, err = s.options.Store.Runs(ctx, store.Query{}, 0, choices); err != nil {
		return err
	}
	return s.write(w, status, site.Page{Title: "Compare", Here: "/compare", Content: c})
}

// compared compares two runs, with links to both.
func (s *Server) compared(ctx context.Context, baseline, candidate string) (*report.Document, []site.Link, error) {
	var sides [2]*store.Run
	var back []site.Link
	for i, id := range []string{baseline, candidate} {
		var err error
		if sides[i], err = s.named(ctx, id); err != nil {
			return nil, nil, err
		}
		back = append(back, site.Run{Run: sides[i]}.LinkAs([]string{"Baseline", "Candidate"}[i]))
	}
	if sides[0].ID == sides[1].ID {
		return nil, nil, &problem{http.StatusBadRequest, "both are the same run", "choose two"}
	}
	var result verdict.Result
	var err error
	if sides[0].Stops != nil || sides[1].Stops != nil {
		result, err = s.comparedEnds(ctx, sides)
	} else {
		result, err = s.comparedTrials(ctx, sides)
	}
	if err != nil {
		return nil, nil, err
	}
	document, err := report.HTMLFormat.Build(result, report.Options{})
	if ends, is := result.(*compare.Ends); is && err == nil {
		explain(document, ends, sides[1])
	}
	return document, back, err
}

// explain adds why trials of the candidate failed, of the scenarios that passed less often than with the baseline.
func explain(d *report.Document, r *compare.Ends, candidate *store.Run) {
	if candidate.Result == nil || len(candidate.Result.Text) > mostReason {
		return
	}
	own, err := documentOf(candidate)
	if err != nil {
		return // the page of the run says why
	}
	fell := map[string]verdict.Verdict{}
	for _, row := range r.Scenarios {
		if row.Difference != nil && *row.Difference < 0 {
			fell[row.Name] = row.Verdict
		}
	}
	for _, f := range slices.Concat(own.Findings, own.Undecided, own.Passed) {
		v, is := fell[f.Test]
		if !is {
			continue
		}
		// What the candidate's own report says of it may be beside another baseline.
		f.Sentence = "passed less often than with the baseline"
		if f.Verdict = v; v == verdict.Pass { // what got worse has no tick
			f.Verdict = verdict.Inconclusive
		}
		told := false
		for i := range d.Findings {
			if x := &d.Findings[i]; x.Name == f.Name {
				f.Sentence, f.Verdict = x.Sentence, x.Verdict
				*x, told = f, true
			}
		}
		if !told {
			d.Findings = append(d.Findings, f)
		}
	}
	for _, t := range own.Trials {
		if _, is := fell[t.Test]; is {
			d.Trials = append(d.Trials, t)
		}
	}
}

// comparedTrials compares runs whose numbers of trials were fixed.
func (s *Server) comparedTrials(ctx context.Context, sides [2]*store.Run) (verdict.Result, error) {
	var both [2]*recording.Recording
	for i, run := range sides {
		r := &recording.Recording{Name: nameOf(run)}
		n := 0
		for _, p := range run.Parts {
			n += p.Trials
		}
		var err error
		if n > mostCompared {
			err = s.counts(ctx, run, r)
		} else {
			err = s.trials(ctx, run, r)
		}
		if err != nil {
			return nil, err
		}
		both[i] = r
	}
	return compare.Judge(ctx, both[0], both[1], compare.Options{Seed: 1})
}

// comparedEnds compares runs by where their tests ended: a number of trials that follows from the outcomes is not
// compared as if it were fixed.
func (s *Server) comparedEnds(ctx context.Context, sides [2]*store.Run) (verdict.Result, error) {
	var both [2]compare.EndsSide
	delta := 0.0 // that of the candidate's suite, if it is known
	for i, run := range sides {
		if run.Result != nil {
			result, err := resultOf(run)
			if err != nil {
				return nil, err
			}
			if saved := app.RunOf(result); saved != nil {
				both[i] = compare.EndsOfRun(nameOf(run), saved)
				delta = app.TestSetting(saved, "delta")
				continue
			}
		}
		r := &recording.Recording{Name: nameOf(run)}
		if err := s.trials(ctx, run, r); err != nil {
			return nil, err
		}
		both[i] = compare.EndsOfTrials(r)
	}
	return compare.JudgeEnds(ctx, both[0], both[1], compare.EndsOptions{Delta: delta})
}

// counts adds the counts of a run, by scenario.
func (s *Server) counts(ctx context.Context, run *store.Run, r *recording.Recording) error {
	tallies, err := s.options.Store.Tallies(ctx, run.ID)
	if err != nil {
		return err
	}
	for _, t := range tallies {
		r.AddCount(t.Scenario, trial.Pass, t.Passes)
		r.AddCount(t.Scenario, trial.Fail, t.Failures)
		r.AddCount(t.Scenario, trial.Error, t.Errors)
	}
	return nil
}

// trials adds the trials of a run.
func (s *Server) trials(ctx context.Context, run *store.Run, r *recording.Recording) error {
	n := 0
	fields := trial.BasicFields | trial.TimeField | trial.StepFields | trial.InputField | trial.ContentFields
	for t, err := range s.options.Store.Trials(ctx, store.Query{Run: run.ID}, fields) {
		if err != nil {
			return err
		}
		if n++; n > mostCompared {
			return &problem{http.StatusBadRequest, "these runs have too many trials to be compared here",
				"tribunal compare takes as many as there are"}
		}
		r.Add(t)
	}
	r.StoppedBy(run.Stops...)
	return nil
}

// nameOf names a side.
func nameOf(run *store.Run) string {
	name := "run " + run.ID[:min(len(run.ID), 12)]
	if len(run.Parts) == 1 && run.Parts[0].Version != "" && run.Parts[0].Version != store.DefaultVersion {
		name += " of " + run.Parts[0].Version
	}
	return name
}
