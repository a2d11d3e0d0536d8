package suitefile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/signature"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Baselines looks up baselines by their names, each once: to read one takes judging its runs again.
type Baselines struct {
	app     *world.World
	store   app.StoreChoice
	suite   *suite.Suite // whose store is used where none is named; nil is that which is found
	trusted *signature.TrustedKeys
	known   map[string]*runs.Baseline
}

// NewBaselines are those of the store that is chosen.
func NewBaselines(
	a *world.World, from app.StoreChoice, s *suite.Suite, trusted *signature.TrustedKeys,
) *Baselines {
	return &Baselines{a, from, s, trusted, map[string]*runs.Baseline{}}
}

// Find returns the baseline of a name; nil where the text is a file, or can be no name, or no store is named.
func (b *Baselines) Find(ctx context.Context, name string) (*runs.Baseline, error) {
	if known := b.known[name]; known != nil {
		return known, nil
	}
	if !IsBaselineName(name) {
		return nil, nil
	}
	s, err := b.store.Open(ctx, b.app, b.suite, true)
	if failed, ok := errors.AsType[*store.Error](err); ok && errors.Is(failed, fs.ErrNotExist) {
		// The first run of all makes it.
		return nil, &trial.FileError{File: name, Problem: "is no file, and the " + failed.Message(), Advice: failed.Hint(),
			Err: fs.ErrNotExist}
	}
	if err != nil || s == nil {
		return nil, err
	}
	defer s.Close()
	found, err := app.Named(ctx, s, name, b.trusted)
	if err == nil {
		b.known[name] = found
	}
	return found, err
}

// IsBaselineName reports whether a text is the name of a baseline: it can be one, and no file is called so.
func IsBaselineName(text string) bool {
	if !app.IsBaselineName(text) {
		return false
	}
	_, err := os.Lstat(text)
	return errors.Is(err, fs.ErrNotExist)
}

// BaselineFile is what a suite names as a baseline: a file, by its path from the suite's folder, or a name.
func BaselineFile(s *suite.Suite, text string) string {
	file := s.Resolve(text)
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) && app.IsBaselineName(text) {
		return text
	}
	return file
}

// AgainstNamed says what something is compared with: a file, or the runs of a name, of which the oldest ended then; b
// may be nil, and finished "".
func AgainstNamed(file string, b *runs.Baseline, finished string) string {
	what := "against " + prose.FileName(file)
	if b != nil {
		what += fmt.Sprintf(", revision %d of %s", b.Revision, prose.Count(len(b.Runs), "run"))
	}
	if finished != "" {
		what += ", finished " + finished
	}
	return what
}

// WarnOfAge warns of the runs of a name that are older than they may be; b may be nil.
func WarnOfAge(a *world.World, file string, b *runs.Baseline, finished string) {
	if b == nil || b.MaxAge == 0 {
		return
	}
	if at, err := time.Parse(time.RFC3339, finished); err != nil || a.Now().Sub(at) > b.MaxAge {
		a.Notice("warning", "the baseline %s is older than the %s that it may be, so a gate does not deploy by it",
			prose.FileName(file), phrase.Age(b.MaxAge))
	}
}
