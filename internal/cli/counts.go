package cli

import (
	"bytes"
	"context"
	"errors"
	"io/fs"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/warehouse/postgres"
	"github.com/tribunal-dev/tribunal/internal/warehouse/rows"
	"github.com/tribunal-dev/tribunal/trial"
)

// countsFlag names files of rows that a database counted.
const countsFlag = "counts"

// mostRowBytes bounds a file of rows. Chosen: a hundred thousand rows take some ten megabytes.
const mostRowBytes = 256 << 20

// countsFlags say which rows are judged in place of trials.
type countsFlags struct {
	files []string // names of files, or of databases with a query
}

func (f *countsFlags) register(flags *pflag.FlagSet, use string) {
	flags.StringArrayVar(&f.files, countsFlag, nil, use)
}

// take moves the databases among the names of files to those of rows: what a query gives is rows.
func (f *countsFlags) take(files []string) (others []string) {
	for _, name := range files {
		if postgres.IsURL(name) {
			f.files = append(f.files, name)
		} else {
			others = append(others, name)
		}
	}
	return others
}

// given reports whether there are rows.
func (f *countsFlags) given() bool { return len(f.files) > 0 }

// check refuses what goes by trials, whose flags are named, and a file beside rows.
func (f *countsFlags) check(a *App, flags *pflag.FlagSet, files []string, others ...string) error {
	if len(files) > 0 {
		return usage("give either rows or trials", "--counts does not go with files of trials, such as %s", files[0])
	}
	for _, name := range others {
		if typed(flags, name) {
			return usage("give the trials themselves, or leave it out", "--%s needs trials, and --counts has counts of them",
				name)
		}
	}
	for _, name := range f.files {
		// What a guest names is a file within its folder, and no host.
		if postgres.IsURL(name) && a.guest != nil {
			return usage("name a file", "databases are not asked here")
		}
	}
	var names []string
	for _, name := range f.files {
		if !postgres.IsURL(name) {
			names = append(names, name)
		}
	}
	return checkNames(names, false)
}

// read reads the rows of one file, or asks the database.
func (f *countsFlags) read(ctx context.Context, a *App, name string) (*rows.Rows, error) {
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
		return nil, &trial.FileError{File: name, Problem: "cannot be read: " + withoutPath(err).Error(), Err: err}
	}
	return rows.Read(bytes.NewReader(text), name)
}

// all reads the rows of all files together.
func (f *countsFlags) all(ctx context.Context, a *App) (*rows.Rows, error) {
	var all *rows.Rows
	for _, name := range f.files {
		more, err := f.read(ctx, a, name)
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
