package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/internal/app"
	"github.com/tribunal-dev/tribunal/internal/signature"
	"github.com/tribunal-dev/tribunal/store"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/named"
)

// storeOf is the store of a command: by its flag, where it has one, or else by the variable of the flag.
func (a *App) storeOf(flags *pflag.FlagSet) *storeFlags {
	if flag := flags.Lookup(storeFlag); flag != nil {
		return &storeFlags{name: flag.Value.String()}
	}
	return &storeFlags{name: a.Env.get(environmentName(storeFlag))}
}

// baselines looks up baselines by their names, each once: to read one takes judging its runs again.
type baselines struct {
	app     *App
	store   *storeFlags
	suite   *suite.Suite // whose store is used where none is named; nil is that which is found
	trusted *signature.Trusted
	known   map[string]*named.Baseline
}

// baselines are those of the store of a command.
func (a *App) baselines(flags *pflag.FlagSet, s *suite.Suite, trusted *signature.Trusted) *baselines {
	return &baselines{a, a.storeOf(flags), s, trusted, map[string]*named.Baseline{}}
}

// find returns the baseline of a name; nil where the text is a file, or can be no name, or no store is named.
func (b *baselines) find(ctx context.Context, name string) (*named.Baseline, error) {
	if known := b.known[name]; known != nil {
		return known, nil
	}
	if !isBaselineName(name) {
		return nil, nil
	}
	s, err := b.store.open(ctx, b.app, b.suite, true)
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

// isBaselineName reports whether a text is the name of a baseline: it can be one, and no file is called so.
func isBaselineName(text string) bool {
	if !app.IsBaselineName(text) {
		return false
	}
	_, err := os.Lstat(text)
	return errors.Is(err, fs.ErrNotExist)
}

// baselineFile is what a suite names as a baseline: a file, by its path from the suite's folder, or a name.
func baselineFile(s *suite.Suite, text string) string {
	file := s.Resolve(text)
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) && app.IsBaselineName(text) {
		return text
	}
	return file
}
