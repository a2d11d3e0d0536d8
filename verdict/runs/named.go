package runs

import (
	"fmt"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
)

// Baseline is a name, and the saved runs that it stands for: others are compared with them, pooled where they are
// several. How each run was sampled is kept, so that a test against all of them together has the errors that it says.
type Baseline struct {
	Name     string        // or that of a file, of a saved result that has no other name
	Revision int           // of the name, from 1; 0 is a file
	MaxAge   time.Duration // after which it is no baseline any more; 0 is any
	Runs     []BaselineRun // at least one
}

// BaselineRun is a run of a baseline.
type BaselineRun struct {
	ID     string // "" is the one of a file
	Result *Result
}

// First is the result of the first run. Of what was asked and how it was judged it says the same as the others, once
// [Baseline.Check] has found so.
func (b *Baseline) First() *Result { return b.Runs[0].Result }

// Finished is when the run that is the oldest ended, RFC 3339; "" where one does not say it. The age of a baseline is
// that of its oldest trials.
func (b *Baseline) Finished() string {
	oldest, text := time.Time{}, ""
	for _, r := range b.Runs {
		at, err := time.Parse(time.RFC3339, r.Result.Finished)
		if err != nil {
			return ""
		}
		if text == "" || at.Before(oldest) {
			oldest, text = at, r.Result.Finished
		}
	}
	return text
}

// Source says where the trials come from, for the result of a test against them.
func (b *Baseline) Source() BaselineSource {
	s := BaselineSource{File: b.Name, Finished: b.Finished(), Revision: b.Revision, MaxAge: b.MaxAge.Seconds()}
	if task := b.First().Task; task != nil {
		s.Task = task.Digest
	}
	for _, r := range b.Runs {
		if r.ID != "" {
			s.Runs = append(s.Runs, r.ID)
		}
	}
	return s
}

// PoolError says why runs are no baseline together.
type PoolError struct {
	Name    string // of the baseline
	Problem string
	Advice  string // what to do about it
}

func (e *PoolError) Error() string { return e.Message() + "; " + e.Advice }

// Message is the error without advice.
func (e *PoolError) Message() string {
	return "the baseline " + prose.FileName(e.Name) + " " + e.Problem
}

// Hint says what to do about it.
func (e *PoolError) Hint() string { return e.Advice }

// ExitCode is that of input that cannot be used.
func (e *PoolError) ExitCode() int { return exit.Input }

// mostRuns bounds the runs of a baseline: of more a test against them could not be read back.
const mostRuns = 100

// Check refuses runs that were not asked the same or judged alike, and a run that is there twice: its trials would
// count twice. One run is a baseline whatever it says.
func (b *Baseline) Check() error {
	fail := func(advice, format string, args ...any) error {
		return &PoolError{b.Name, fmt.Sprintf(format, args...), advice}
	}
	switch {
	case len(b.Runs) == 0:
		return fail("give it some", "has no runs")
	case len(b.Runs) > mostRuns:
		return fail("take the latest ones", "has %d runs, and %d are the most", len(b.Runs), mostRuns)
	}
	first := b.Runs[0]
	for i, r := range b.Runs[1:] {
		if slices.ContainsFunc(b.Runs[:i+1], func(o BaselineRun) bool { return o.ID == r.ID }) {
			return fail("name each run once", "has the run %s twice", r.ID)
		}
		before, after := first.Result.Task, r.Result.Task
		if before == nil || after == nil {
			return fail("take one run, or record again", "has a run that does not say what it asked, which cannot be "+
				"pooled with others")
		}
		if before.Digest == after.Digest {
			continue
		}
		d := after.Since(before)
		var parts []string
		for _, part := range []struct {
			text  string
			names []string
		}{{"", d.Changed}, {"only " + r.ID + " has ", d.Added}, {"only " + first.ID + " has ", d.Removed}} {
			if len(part.names) > 0 {
				parts = append(parts, part.text+prose.Some(part.names, mostNamed))
			}
		}
		if parts == nil {
			parts = []string{"the digest of the task"}
		}
		return fail("take runs of one task",
			"cannot pool the runs %s and %s, which were not asked the same or judged alike: %s",
			first.ID, r.ID, prose.And(parts))
	}
	return nil
}

// mostNamed is how many scenarios a message names.
const mostNamed = 8

// Recorded returns what the tests of a name in all runs give as a baseline together. The errors are those of
// [BaselineOf] and [pool].
func (b *Baseline) Recorded(test string) (RecordedTest, error) {
	return b.Each(func(r *Result) (RecordedTest, error) { return BaselineOf(r, test) })
}

// Each is what a function finds in each run, together.
func (b *Baseline) Each(read func(*Result) (RecordedTest, error)) (RecordedTest, error) {
	var list []RecordedTest
	for _, r := range b.Runs {
		found, err := read(r.Result)
		if err != nil {
			if len(b.Runs) > 1 {
				err = &inRun{r.ID, err}
			}
			return RecordedTest{}, err
		}
		list = append(list, found)
	}
	return pool(list...)
}

// inRun says which run an error is about.
type inRun struct {
	id  string
	err error
}

func (e *inRun) Error() string { return "run " + e.id + ": " + e.err.Error() }

// Unwrap returns the cause.
func (e *inRun) Unwrap() error { return e.err }

// pool returns what several runs of one agent give as a baseline together: the sums of what they came to, and of all
// their numbers of trials and failures the distribution, see [baseline.Pooled]. The errors of the runs are failures in
// all of them, or passes in all of them: these are the two extremes of what the baseline may have come to.
func pool(list ...RecordedTest) (RecordedTest, error) {
	if len(list) == 1 {
		return list[0], nil
	}
	var all RecordedTest
	var samples []baseline.Sample
	for _, r := range list {
		samples = append(samples, r.Sample)
		all.Errors += r.Errors
		all.Outcome, all.Worst = together(all.Outcome, r.Outcome), together(all.Worst, r.Worst)
		all.Counted = all.Counted.Plus(r.Counts())
	}
	var err error
	all.Sample, err = baseline.Pooled(samples...)
	return all, err
}

// together adds up two outcomes.
func together(a, b baseline.Outcome) baseline.Outcome {
	return baseline.Outcome{Trials: a.Trials + b.Trials, Failures: a.Failures + b.Failures}
}
