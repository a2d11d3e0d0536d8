package score

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
)

// Give scores a trial on all axes. A judge is asked only where the condition of its axis holds. Of a trial without a
// folder, as of a recording, an axis that looks into files keeps what the record has of it.
func (axes Axes) Give(ctx context.Context, e Evidence) *Trial {
	if len(axes) == 0 || e.Trial == nil {
		return nil
	}
	t, shares, before := &Trial{}, map[string]float64{}, Recorded(e.Trial)
	for _, a := range axes {
		f := AxisResult{Name: a.Name, From: a.From, Digest: a.Digest, Max: a.Points}
		holds, problem := true, ""
		if a.OnlyIf != nil {
			holds, problem = a.OnlyIf.holds(shares)
		}
		switch kept := before.Axis(a.Name); {
		case problem != "":
			f.Text = bounded(problem)
		case !holds:
			f.Gated, f.Points = true, new(0.0)
			f.Text = bounded("scored only if " + a.OnlyIf.String())
		case e.Folder == "" && len(a.Left()) > 0 && kept != nil && kept.Digest == a.Digest && kept.Max == a.Points:
			f = *kept
		default:
			a.give(ctx, e, &f)
		}
		if f.Points != nil {
			shares[a.Name] = *f.Points / f.Max
		}
		t.Axes = append(t.Axes, f)
	}
	return t
}

// give scores a trial on one axis.
func (a Axis) give(ctx context.Context, e Evidence, f *AxisResult) {
	if len(a.Parts) == 0 {
		share, text := a.share(ctx, e)
		f.Text = bounded(text)
		f.set(share)
		return
	}
	sum, known := 0.0, true
	for _, p := range a.Parts {
		found := p.find(ctx, e)
		if found.Level == nil {
			known = false
			if f.Text == "" {
				f.Text = bounded(found.Name + " could not be judged: " + found.Text)
			}
		} else {
			sum += *found.Level / found.Max
		}
		f.Parts = append(f.Parts, found)
	}
	if known {
		f.set(trial.Some(sum / float64(len(a.Parts))))
	}
}

// set gives the points of a share, if it is known.
func (f *AxisResult) set(share trial.Optional[float64]) {
	if share.Known {
		// A mean of ten levels is no exact number, and points are read by people.
		const digits = 1e9
		f.Points = new(math.Min(math.Round(share.Value*f.Max*digits)/digits, f.Max))
	}
}

// share is that of an axis with a source, and the evidence.
func (a Axis) share(ctx context.Context, e Evidence) (share trial.Optional[float64], text string) {
	switch a.From {
	case Tests:
		return a.tests(ctx, e)
	case Evaluators:
		return meanScore(e.Judgement.Results)
	case Contracts:
		return shareOf("clause", "kept", clauses(e.Judgement.Results))
	case Limits:
		var kept []trial.Outcome
		for _, l := range e.Judgement.Limits {
			kept = append(kept, l.Outcome)
		}
		return shareOf("limit", "kept", kept)
	}
	return share, "there is nothing to score by"
}

// tests is the share of tests that passed. A report that the agent did not leave, or left so that it cannot be read,
// has no test that passed: else leaving none would be a way out.
func (a Axis) tests(ctx context.Context, e Evidence) (share trial.Optional[float64], text string) {
	if e.Folder == "" || e.Read == nil {
		return share, "the report of the tests is where the agent ran alone"
	}
	report, err := e.Read(ctx, e.place(a.Report))
	switch {
	case ctx.Err() != nil:
		return share, "the run was stopped"
	case errors.Is(err, fs.ErrNotExist):
		return trial.Some(0.0), "the agent left no report " + prose.Excerpt(a.Report)
	case err != nil:
		return trial.Some(0.0), "the report of the tests cannot be read: " + prose.Reason(err.Error())
	}
	tests := max(report.Tests, a.Tests)
	if tests == 0 {
		return trial.Some(0.0), "the report has no test"
	}
	return trial.Some(float64(report.Passed) / float64(tests)), fmt.Sprintf("%d of %s passed", report.Passed,
		prose.Count(tests, "test"))
}

// meanScore is the mean score of evaluators.
func meanScore(results []oracle.Result) (share trial.Optional[float64], text string) {
	if len(results) == 0 {
		return share, "the scenario has no evaluator"
	}
	sum, passed := 0.0, 0
	for _, r := range results {
		if !r.Score.Known {
			return share, r.Evaluator + " could not judge: " + r.Text
		}
		if r.Outcome == trial.Pass {
			passed++
		}
		sum += r.Score.Value
	}
	return trial.Some(sum / float64(len(results))), fmt.Sprintf("%d of %s passed", passed,
		prose.Count(len(results), "evaluator"))
}

// clauses are what became of the clauses of contracts, those within other evaluators too. A clause that does not apply
// is kept.
func clauses(results []oracle.Result) (outcomes []trial.Outcome) {
	for _, r := range results {
		if r.Evaluator != contract.EvaluatorName {
			outcomes = append(outcomes, clauses(r.Parts)...)
			continue
		}
		for _, clause := range r.Parts {
			outcomes = append(outcomes, clause.Outcome)
		}
	}
	return outcomes
}

// shareOf is the share that is kept; unknown where there is nothing, or one of them is not known.
func shareOf(what, kept string, outcomes []trial.Outcome) (share trial.Optional[float64], text string) {
	if len(outcomes) == 0 {
		return share, "there is no " + what
	}
	n := 0
	for _, o := range outcomes {
		switch o {
		case trial.Pass:
			n++
		case trial.Fail:
		default:
			return share, "a " + what + " could not be judged"
		}
	}
	return trial.Some(float64(n) / float64(len(outcomes))), fmt.Sprintf("%d of %s %s", n,
		prose.Count(len(outcomes), what), kept)
}

// find looks for one part.
func (p Part) find(ctx context.Context, e Evidence) FoundPart {
	if p.Judge != nil {
		return p.judged(ctx, e.Evidence)
	}
	f := FoundPart{Name: p.Name, Max: 1}
	at, problem := "", ""
	switch {
	case len(p.Files) == 0 && len(e.Trial.Output) == 0:
		problem = "the output is not recorded"
	case len(p.Files) == 0:
		if p.Regexp.MatchString(e.Trial.Output.Text()) {
			at = "the output"
		} else if e.Truncated {
			problem = "the end of the output is missing"
		}
	case e.Folder == "":
		problem = "the files are where the agent ran alone"
	default:
		found, files, err := e.find(ctx, p.Regexp, p.Files)
		at = found
		switch {
		case err != nil:
			problem = err.Error()
		case files == 0:
			// An agent that left nothing made no mistake in it, and has no points for that.
			f.Level, f.Text = new(0.0), "the agent left no such file"
			return f
		}
	}
	if problem != "" {
		f.Text = bounded(problem)
		return f
	}
	f.Level, f.Text = new(0.0), "not found"
	if at != "" {
		f.Text = bounded("found in " + at)
	}
	if (at != "") == p.Wanted {
		f.Level = new(1.0)
	}
	return f
}

// judged asks the judge.
func (p Part) judged(ctx context.Context, e oracle.Evidence) FoundPart {
	r := p.Judge.Evaluate(ctx, e)
	f := FoundPart{Name: p.Name, Max: 1, Text: bounded(r.Text), Judge: oracle.DigestOf(p.Judge), Usage: r.Usage}
	if len(p.Levels) > 0 {
		f.Max = p.Levels[len(p.Levels)-1]
	}
	if !r.Score.Known {
		return f
	}
	// As near as scores are written.
	const near = 1e-6
	level := r.Score.Value * f.Max
	for _, l := range p.Levels {
		if math.Abs(l-level) <= near*f.Max {
			f.Level = new(l)
			return f
		}
	}
	if len(p.Levels) > 0 {
		f.Text = fmt.Sprintf("the judge says %v, which is none of the levels %v over %v", r.Score.Value, p.Levels, f.Max)
		return f
	}
	f.Level = new(level)
	return f
}
