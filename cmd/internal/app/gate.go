package app

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"path/filepath"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/memory"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/signature"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// RunOf returns the run that a saved result is of, its own or that which a gate decided
// on; nil is none.
func RunOf(result verdict.Result) *runs.Result {
	switch r := result.(type) {
	case *runs.Result:
		return r
	case *gate.Result:
		return r.Run
	}
	return nil
}

// Files are where a command keeps what comes of a suite, unless somebody names other files.
type Files struct {
	Folder  string // of the others
	Journal string
	Result  string // of a run
	Gate    string // the decision of a gate
}

// FilesOf returns where what comes of a suite is kept. A partial run, of some of its scenarios, has
// files of its own: it takes the place of no whole one.
func FilesOf(s *suite.Suite, partial bool) Files {
	folder, name := filepath.Join(s.Dir(), WorkFolder), s.Name
	if partial {
		name += ".partial"
	}
	file := func(end string) string { return filepath.Join(folder, name+end) }
	return Files{folder, file(".journal.jsonl"), file(".result.json"), file(".gate.json")}
}

// is reports whether an error of that type is in the chain.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// WorkFolder is the folder of journals and results beside a suite.
const WorkFolder = ".tribunal"

// JournalTrials returns the trials of a run from its journal, test by test. They are none
// where the journal is that of another run, which says nothing of this one, and where
// there is no file although one is not required. A journal that is required and is another's is an error.
func JournalTrials(ctx context.Context, file string, required bool, run *runs.Result) ([]*trial.Trial, error) {
	history, err := ReadJournal(ctx, file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !required:
		return nil, nil
	case is[*trial.FileError](err), is[*memory.Error](err):
		return nil, err
	case err != nil:
		return nil, &Problem{Text: err.Error(), Err: err}
	// Digest and seed together say which run it is: the digest covers everything in the
	// suite that changes the trials, the seed their order and their randomness.
	case history.Header.Suite != run.Digest || history.Header.Seed != run.Seed:
		return nil, nil
	}
	// The same suite may have been run again under the same seed since.
	if err := runner.FollowsJournal(history, run); err != nil {
		if required {
			return nil, &Problem{Text: prose.FileName(file) + " is not the journal of this run: " + err.Error(), Err: err}
		}
		return nil, nil
	}
	var trials []*trial.Trial
	// In the order of the header, which is that of the suite: that of the file depends on
	// which trial happened to end first.
	for _, t := range history.Header.Tests {
		for _, scenario := range t.Scenarios {
			trials = append(trials, history.Records(t.Name, scenario)...)
		}
	}
	return trials, nil
}

// GateOptions are what a suite asks of a gate; nil asks for nothing. The baseline, the time
// and what is measured are for the caller to add. A floor that nobody set is the zero
// Floor, which asks for nothing.
func GateOptions(s *suite.Suite) gate.Options {
	g := gate.Options{Floors: map[string]gate.Floor{}}
	if s == nil {
		return g
	}
	g.Alpha, g.Beta, g.Delta, g.Correction = s.Test.Alpha, s.Test.Beta, s.Test.Delta, s.Gate.Correction
	g.Floor, g.AllowUndecided = floorOf(s.Gate.Floor), s.Gate.AllowUndecidedRegression
	g.AsksBehaviour = s.Gate.Behaviour != ""
	g.AllowIdentical, g.AllowRepeated = s.Gate.AllowIdenticalAnswers, s.Gate.AllowRepeatedAttempts
	g.MaxAge, g.MaxResultAge = gate.Age(s.Gate.OldestBaseline()), gate.Age(s.Gate.MaxAge)
	for _, c := range s.Scenarios {
		g.Floors[c.Name] = floorOf(c.Floor)
	}
	// A minimum of 0 differs from none: it asks that coverage is measured at all.
	if s.Coverage.Minimum.Known {
		g.Minimum = &s.Coverage.Minimum.Value
	}
	return g
}

// Questions are what a suite asks of pass rates, for a gate over what is no run of it.
func Questions(s *suite.Suite) (list []gate.Question) {
	variants := s.Variants
	if len(variants) == 0 {
		variants = []suite.Variant{{}}
	}
	ask := func(t suite.Test, name string, scenarios ...suite.Scenario) {
		q := gate.Question{Threshold: t.Threshold, Delta: t.Delta, Alpha: t.Alpha, Beta: t.Beta,
			Against: t.Against.Asked(), Joint: s.Test.Joint()}
		for _, c := range scenarios {
			q.Scenarios = append(q.Scenarios, c.Name)
			q.Judged = q.Judged || len(c.Evaluators()) > 0 || len(c.Limits.ByName()) > 0
		}
		for _, v := range variants {
			q.Name, q.Variant = suite.TestName(name, v.Name), v.Name
			list = append(list, q)
		}
	}
	if s.Test.By == suite.BySuite {
		ask(s.Test, s.Name, s.Scenarios...)
		return list
	}
	for _, c := range s.Scenarios {
		ask(c.Test, c.Name, c)
	}
	return list
}

// floorOf translates what a suite says of a floor; a rate that is not given is 0, which
// is no floor.
func floorOf(f suite.Floor) gate.Floor {
	return gate.Floor{Rate: f.MinPassRate.Value, Point: f.Point, AllTrials: f.AllTrials}
}

// ReadBaseline reads the saved run that a gate compares with, under the rules of a suite,
// if there is one. What cannot be read is no baseline, and for the gate to say: it may be
// the first run of all. One that does not follow from its own outcomes is an error, see [ReadVerified].
func ReadBaseline(
	ctx context.Context, file string, stdin io.Reader, s *suite.Suite, trusted *signature.TrustedKeys,
) (*gate.BaselineRun, error) {
	b := &gate.BaselineRun{File: file}
	if s != nil {
		b.MaxAge = gate.Age(s.Gate.OldestBaseline())
	}
	saved, err := ReadVerified(ctx, file, stdin, trusted)
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		return nil, refused
	}
	// With an error there is no saved result, and both calls pass the nil on.
	b.Run = gate.TestsOf(RunOf(saved))
	switch {
	case err != nil:
		b.Problem = err.Error()
	case b.Run == nil:
		b.Problem = "it is not the result of a run"
	}
	return b, nil
}

// Measure adds to the options of a gate what the trials of its run say beside their
// outcomes: their coverage of what the suite declares, and, where the suite asks for it,
// their behaviour beside that of a recording, whose trials the function reads; stopped says that
// outcomes ended the run. The function is called at most once. The seed is that of the run, so that the test of
// behaviour says the same whenever the gate is asked again.
func Measure(
	ctx context.Context, g *gate.Options, s *suite.Suite, seed uint64, stopped bool, trials []*trial.Trial,
	recording func(file string) iter.Seq2[*trial.Trial, error],
) error {
	declared, err := s.Declared()
	if err != nil {
		return err
	}
	collector, err := coverage.NewCollector(declared)
	if err != nil {
		return &Problem{Text: err.Error(), Err: err}
	}
	candidate := fingerprint.Sample{Stopped: stopped}
	// One pass over the trials serves both: they may be many.
	for _, t := range trials {
		collector.Add(t)
		candidate.Add(t)
	}
	g.Coverage = collector.Measure()
	if s.Gate.Behaviour == "" {
		return nil
	}
	var baseline fingerprint.Sample
	for t, err := range recording(s.Resolve(s.Gate.Behaviour)) {
		if err != nil {
			return err
		}
		baseline.Add(t)
	}
	g.Behaviour, err = behaviour.Compare(ctx, &baseline, &candidate, behaviour.Options{
		Alpha: g.Alpha, Beta: g.Beta, Shift: s.Gate.BehaviourShift, Seed: seed,
	})
	return err
}
