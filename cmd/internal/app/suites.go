package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// FindSuite returns the suite file of the working directory or of the nearest folder
// above that has one, as a path from the working directory. It is "" where there is none.
func FindSuite() (file string, err error) {
	found, err := suite.Find(".")
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return fromHere(found), nil
}

// LoadSuite reads a suite file. A folder stands for the suite file in it.
func LoadSuite(ctx context.Context, file string) (*suite.Suite, error) {
	advice := "tribunal init writes a suite to start from"
	// A folder that cannot be looked at is left to Load, which says why.
	if info, err := input.Stat(ctx, file); err == nil && info.IsDir() {
		advice = adviceOn(file)
		file = path.Join(file, suite.FileName)
	}
	s, err := suite.LoadContext(ctx, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &trial.FileError{File: file, Problem: "does not exist", Advice: advice, Err: err}
	}
	// What is wrong within the file has its line and column already and is returned as it
	// is.
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, unreadable(file, err)
	}
	if err != nil {
		goesOn, _ := JournalAdvice(ctx, file)
		return nil, OtherFile(ctx, file, "suite", cmp.Or(goesOn, "tribunal verdict "+file+" judges it, tribunal judge SUITE "+
			file+" does so by a suite"), err)
	}
	return s, nil
}

// OtherFile says that a file which cannot be read as a suite, or the like, is a saved result or a recording, with the
// advice for a recording; the error is returned where it is neither.
func OtherFile(ctx context.Context, file, wanted, advice string, err error) error {
	if ext := path.Ext(file); ext == ".yaml" || ext == ".yml" {
		if _, missing := os.Stat(file); missing == nil && wanted == "saved result" {
			return &Problem{Text: prose.FileName(file) + " is YAML, and no saved result",
				Advice: "tribunal run SUITE saves one in .tribunal"}
		}
		return err
	}
	what := "saved result"
	if IsResult(ctx, file) {
		advice = fmt.Sprintf("tribunal report %s shows it, gate --results %[1]s decides by it, and --baseline %[1]s compares"+
			" with it", prose.FileName(file))
	} else {
		in, failed := input.Open(ctx, file)
		if failed != nil {
			return err
		}
		defer in.Close()
		what = "recording of trials"
		begins, failed := io.ReadAll(io.LimitReader(in, 1<<16))
		if format, none := ingest.Detect(begins); failed != nil || none != nil || format == ingest.Auto {
			return err
		}
	}
	return &Problem{Text: fmt.Sprintf("%s is a %s, and no %s", prose.FileName(file), what, wanted), Advice: advice}
}

// adviceOn says what might be meant by a folder without a suite: that of a folder above, whose scenarios may be here.
func adviceOn(folder string) string {
	if above, err := suite.Find(folder); err == nil {
		return "a folder stands for the suite in it; one above it is " + fromHere(above)
	}
	return "a folder stands for the suite in it, which names the files of its scenarios; tribunal init writes one to " +
		"start from"
}

// Select returns the scenarios of a suite whose name matches one of the globs and that
// have one of the tags, in the order of the suite. No globs, and no tags, are all. A glob
// is that of [path.Match], whose error is returned.
func Select(s *suite.Suite, globs, tags []string) ([]suite.Scenario, error) {
	var chosen []suite.Scenario
	for _, c := range s.Scenarios {
		// A bad glob is an error even if an earlier one has matched: it is a mistake in any
		// case.
		named := len(globs) == 0
		for _, glob := range globs {
			matches, err := path.Match(glob, c.Name)
			if err != nil {
				return nil, err
			}
			named = named || matches
		}
		// One of the tags is enough, as one of the globs is; but both, a glob and a tag,
		// are needed where both are given.
		tagged := len(tags) == 0 || slices.ContainsFunc(tags, func(tag string) bool {
			return slices.Contains(c.Tags, tag)
		})
		if named && tagged {
			chosen = append(chosen, c)
		}
	}
	return chosen, nil
}

// fromHere returns a path from the working directory, where that is possible. A relative
// path is short in messages, and the same on every machine that has the repository.
func fromHere(file string) string {
	here, err := os.Getwd()
	if err != nil {
		return file
	}
	if rel, err := filepath.Rel(here, file); err == nil {
		return rel
	}
	return file
}
