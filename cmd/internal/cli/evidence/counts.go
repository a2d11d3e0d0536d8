package evidence

import (
	"bytes"
	"context"
	"errors"
	"io/fs"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/warehouse/postgres"
	"github.com/tribunal-dev/tribunal/cmd/internal/warehouse/rows"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/trial"
)

// countsFlag names files of rows that a database counted.
const countsFlag = "counts"

// mostRowBytes bounds a file of rows. Chosen: a hundred thousand rows take some ten megabytes.
const mostRowBytes = 256 << 20

// CountsFlags say which rows are judged in place of trials.
type CountsFlags struct {
	Files []string // names of files, or of databases with a query
}

// Register registers the flags.
func (f *CountsFlags) Register(flags *pflag.FlagSet, use string) {
	flags.StringArrayVar(&f.Files, countsFlag, nil, use)
}

// Take moves the databases among the names of files to those of rows: what a query gives is rows.
func (f *CountsFlags) Take(files []string) (others []string) {
	for _, name := range files {
		if postgres.IsURL(name) {
			f.Files = append(f.Files, name)
		} else {
			others = append(others, name)
		}
	}
	return others
}

// Given reports whether there are rows.
func (f *CountsFlags) Given() bool { return len(f.Files) > 0 }

// Check refuses what goes by trials, whose flags are named, and a file beside rows.
func (f *CountsFlags) Check(a *base.App, flags *pflag.FlagSet, files []string, others ...string) error {
	if len(files) > 0 {
		return problem.Usage("give either rows or trials", "--counts does not go with files of trials, such as %s", files[0])
	}
	for _, name := range others {
		if base.Typed(flags, name) {
			return problem.Usage("give the trials themselves, or leave it out",
				"--%s needs trials, and --counts has counts of them",
				name)
		}
	}
	for _, name := range f.Files {
		// What a guest names is a file within its folder, and no host.
		if postgres.IsURL(name) && a.Guest != nil {
			return problem.Usage("name a file", "databases are not asked here")
		}
	}
	var names []string
	for _, name := range f.Files {
		if !postgres.IsURL(name) {
			names = append(names, name)
		}
	}
	return CheckNames(names, false)
}

// Read reads the rows of one file, or asks the database.
func (f *CountsFlags) Read(ctx context.Context, a *base.App, name string) (*rows.Rows, error) {
	if postgres.IsURL(name) {
		return postgres.Rows(ctx, name)
	}
	text, err := input.Read(ctx, name, a.Stdin, mostRowBytes, "count by scenario and variant, as tribunal sql does")
	switch refused, is := errors.AsType[*trial.FileError](err); {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case is:
		return nil, refused
	case errors.Is(err, fs.ErrNotExist):
		return nil, &trial.FileError{File: name, Problem: "does not exist",
			Advice: "tribunal sql prints the query whose rows go into it", Err: err}
	case err != nil:
		return nil, &trial.FileError{File: name, Problem: "cannot be read: " + problem.WithoutPath(err).Error(), Err: err}
	}
	return rows.Read(bytes.NewReader(text), name)
}

// All reads the rows of all files together.
func (f *CountsFlags) All(ctx context.Context, a *base.App) (*rows.Rows, error) {
	var all *rows.Rows
	for _, name := range f.Files {
		more, err := f.Read(ctx, a, name)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = more
		} else {
			all.Append(more)
		}
	}
	return all, nil
}

// OnlyForFiles refuses flags that say how files are read where there are none. A
// variable may be there for other runs.
func OnlyForFiles(flags *pflag.FlagSet, names []string) error {
	for _, name := range names {
		if flags.Changed(name) && base.Origin(flags, name) == "--"+name {
			return problem.Usage("leave it out", "--%s says how files are read, and counts are given instead of files", name)
		}
	}
	return nil
}
