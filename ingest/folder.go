package ingest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/trial"
)

// Folder is what a folder holds.
type Folder struct {
	Files []string // regular files to read, folder by folder in the order of their names
	Other int      // regular files in no known format
	Parts int      // recordings that belong to trials whose results are read, beside or above them
}

// ListFolder finds the regular files in a folder and in the folders in it, but for those
// whose names begin with a point. Links are not followed. Those of a known format are to be read; all are, if from is
// not [Auto]. Of each file the beginning is looked at. An error is a [trial.FileError], or the cause of the context's
// end.
//
// Of a folder with the results of a benchmark, and of the folders in it, only files of the
// benchmark's own format are read: others are what the agent and the tests wrote on the way.
func ListFolder(ctx context.Context, folder string, from Format) (Folder, error) {
	var found Folder
	var formats []Format // of the files
	if info, err := os.Lstat(folder); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		folder += string(filepath.Separator) // what it points to was asked for
	}
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return cannotOpen(name, err)
		case entry.IsDir() && name != folder && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir // such as .git, and what tribunal itself keeps
		case !entry.Type().IsRegular():
			return nil
		}
		format := from
		if from == Auto {
			if format, err = knownFormat(ctx, name); err != nil {
				return err
			}
		}
		if format != Auto {
			found.Files, formats = append(found.Files, name), append(formats, format)
		} else {
			found.Other++
		}
		return nil
	})
	found.leaveParts(formats)
	return found, err
}

// leaveParts leaves out what belongs to trials whose results are read. The formats are those
// of the files.
func (f *Folder) leaveParts(formats []Format) {
	results := map[string]Format{} // by folder
	for i, name := range f.Files {
		if row := formatOf(formats[i]); row != nil && row.decoder.Results { // a mapping has no row
			results[filepath.Dir(name)] = formats[i]
		}
	}
	if len(results) == 0 {
		return
	}
	all := f.Files
	f.Files = nil
	for i, name := range all {
		if other := resultsAround(results, name); other != Auto && other != formats[i] {
			f.Parts++
			continue
		}
		f.Files = append(f.Files, name)
	}
}

// resultsAround returns the format of the results in the folder of a file, or in the nearest
// folder around it that has some.
func resultsAround(results map[string]Format, name string) Format {
	for folder := filepath.Dir(name); ; folder = filepath.Dir(folder) {
		if format, ok := results[folder]; ok {
			return format
		}
		if folder == filepath.Dir(folder) {
			return Auto
		}
	}
}

// cannotOpen is the error about a file in a folder, without its name twice.
func cannotOpen(name string, err error) error {
	problem := err.Error()
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		problem = path.Err.Error()
	}
	return &trial.FileError{File: name, Problem: "cannot be opened: " + problem, Err: err}
}

// knownFormat returns the format that a file begins in, [Auto] for none. Unlike
// [Detect] it does not take JSON for trials because it is cut or broken: among the
// files of a folder are many that are no recordings.
func knownFormat(ctx context.Context, name string) (Format, error) {
	file, err := input.Open(ctx, name)
	if err != nil {
		return Auto, cannotOpen(name, err)
	}
	defer file.Close() // opened for reading: nothing to lose
	prefix, err := io.ReadAll(io.LimitReader(file, record.PrefixBytes))
	if err != nil {
		return Auto, cannotOpen(name, err)
	}
	if prefix, err = plainPrefix(prefix); err != nil {
		return Auto, nil
	}
	format, err := detect(prefix)
	switch {
	case err != nil:
		return Auto, nil
	case format != Trials:
		return format, nil
	}
	names, _ := record.MemberNames(bytes.TrimLeft(prefix[markLength(prefix):], " \t\r\n"))
	if !slices.ContainsFunc(names, isTrialField) {
		return Auto, nil
	}
	return Trials, nil
}
