package app

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/signature"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

// mostNameBytes bounds the name of a baseline. It is chosen.
const mostNameBytes = 100

// IsBaselineName reports whether a text can be the name of a baseline: letters, digits, dots, dashes and underscores,
// of which a dash is not the first, and no name of a saved result, which ends in .json.
func IsBaselineName(text string) bool {
	if text == "" || len(text) > mostNameBytes || text[0] == '-' || text[0] == '.' || strings.HasSuffix(text, ".json") {
		return false
	}
	return strings.IndexFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r))
	}) < 0
}

// Named returns the baseline of a name with the saved results of its runs, each of which is judged again. That the
// store has none of the name is a [trial.FileError], as of a file that does not exist; runs that cannot be read, that
// do not follow from their own outcomes or that cannot be pooled are other errors. Keys that are trusted have signed
// none of it.
func Named(
	ctx context.Context, s *store.Store, name string, trusted *signature.TrustedKeys,
) (*runs.Baseline, error) {
	all, err := s.Baselines(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, b := range all { // the last revision of a name is the first
		names = append(names, b.Name)
		if b.Name == name {
			return namedRuns(ctx, s, &b, trusted)
		}
	}
	advice := "tribunal store baseline set gives a name to runs"
	if len(names) > 0 {
		advice = prose.DidYouMean(name, slices.Compact(names))
	}
	return nil, &trial.FileError{File: name, Problem: "is no file, and no baseline of the store " +
		prose.FileName(s.String()), Advice: advice, Err: fs.ErrNotExist}
}

// namedRuns reads the runs of a baseline.
func namedRuns(
	ctx context.Context, s *store.Store, b *store.Baseline, trusted *signature.TrustedKeys,
) (*runs.Baseline, error) {
	if trusted != nil {
		return nil, &RefusedError{Problem{Text: "the baseline " + b.Name + " is in a store, which keeps no signatures",
			Advice: "name a saved result that is signed"}}
	}
	found := &runs.Baseline{Name: b.Name, Revision: b.Revision, MaxAge: b.Policy.MaxAge}
	for _, id := range b.Runs {
		run, err := StoredRun(ctx, s, id)
		if err != nil {
			return nil, err
		}
		found.Runs = append(found.Runs, runs.BaselineRun{ID: id, Result: run})
	}
	return found, found.Check()
}

// StoredRun returns the saved result of a run of a store, judged again.
func StoredRun(ctx context.Context, s *store.Store, id string) (*runs.Result, error) {
	kept, err := s.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	name := "run " + kept.ID
	if kept.Result == nil {
		return nil, &Problem{Text: name + " has no saved result",
			Advice: "a run of tribunal run, gate or store baseline record has one"}
	}
	result, err := verify.Decode(kept.Result.Text)
	if problem, ok := errors.AsType[*verify.DecodeError](err); ok {
		return nil, &Problem{Text: name + " " + problem.Problem, Advice: problem.Advice, Err: problem}
	}
	if err != nil {
		return nil, err
	}
	if _, err := Verify(ctx, name, result); err != nil {
		return nil, err
	}
	run := RunOf(result)
	if run == nil {
		return nil, &Problem{Text: name + " is no run of a suite",
			Advice: "a run of tribunal run, gate or store baseline record is one"}
	}
	return run, nil
}
