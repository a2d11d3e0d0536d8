package evidence

import (
	"bytes"
	"context"
	"errors"
	"io/fs"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/warehouse/postgres"
	"github.com/tribunal-dev/tribunal/cmd/internal/warehouse/rows"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/trial"
)

// mostRowBytes bounds a file of rows. Chosen: a hundred thousand rows take some ten megabytes.
const mostRowBytes = 256 << 20

// Rows say which rows that a database counted are judged in place of trials.
type Rows struct {
	Files []string // names of files, or of databases with a query
}

// Take moves the databases among the names of files to those of rows: what a query gives is rows.
func (f *Rows) Take(files []string) (others []string) {
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
func (f *Rows) Given() bool { return len(f.Files) > 0 }

// Read reads the rows of one file, or asks the database.
func (f *Rows) Read(ctx context.Context, a *world.World, name string) (*rows.Rows, error) {
	if postgres.IsURL(name) {
		return postgres.Rows(ctx, name)
	}
	text, err := input.Read(ctx, name, a.Stdin, mostRowBytes, "count by scenario and variant, as tribunal import sql does")
	switch refused, is := errors.AsType[*trial.FileError](err); {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case is:
		return nil, refused
	case errors.Is(err, fs.ErrNotExist):
		return nil, &trial.FileError{File: name, Problem: "does not exist",
			Advice: "tribunal import sql prints the query whose rows go into it", Err: err}
	case err != nil:
		return nil, &trial.FileError{File: name, Problem: "cannot be read: " + problem.WithoutPath(err).Error(), Err: err}
	}
	return rows.Read(bytes.NewReader(text), name)
}

// All reads the rows of all files together.
func (f *Rows) All(ctx context.Context, a *world.World) (*rows.Rows, error) {
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
