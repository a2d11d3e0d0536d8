package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// Folder is what a folder holds.
type Folder struct {
	Files []string // regular files to read, folder by folder in the order of their names
	Other int      // regular files in no known format
}

// ListFolder finds the regular files in a folder and in the folders in it. Links are
// not followed. Those of a known format are to be read; all are, if from is not
// [Auto]. Of each file the beginning is looked at. An error is a [trial.FileError], or
// the cause of the context's end.
func ListFolder(ctx context.Context, folder string, from Format) (Folder, error) {
	var found Folder
	if info, err := os.Lstat(folder); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		folder += string(filepath.Separator) // what it points to was asked for
	}
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return cannotOpen(name, err)
		case !entry.Type().IsRegular():
			return nil
		}
		known := true
		if from == Auto {
			if known, err = isKnown(name); err != nil {
				return err
			}
		}
		if known {
			found.Files = append(found.Files, name)
		} else {
			found.Other++
		}
		return nil
	})
	return found, err
}

// cannotOpen is the error about a file in a folder, without its name twice.
func cannotOpen(name string, err error) error {
	problem := err.Error()
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		problem = path.Err.Error()
	}
	return &trial.FileError{File: name, Problem: "cannot be opened: " + problem, Err: err}
}

// isKnown reports whether a file begins as one of a known format does. Unlike
// [Detect] it does not take JSON for trials because it is cut or broken: among the
// files of a folder are many that are no recordings.
func isKnown(name string) (bool, error) {
	file, err := os.Open(name)
	if err != nil {
		return false, cannotOpen(name, err)
	}
	defer file.Close() // opened for reading: nothing to lose
	prefix, err := io.ReadAll(io.LimitReader(file, record.PrefixBytes))
	if err != nil {
		return false, cannotOpen(name, err)
	}
	if bytes.HasPrefix(prefix, []byte("\x1f\x8b")) {
		if _, err := gzip.NewReader(bytes.NewReader(prefix)); err != nil {
			return false, nil
		}
		prefix = inflatePrefix(prefix)
	}
	format, err := detect(prefix)
	if err != nil || format != Trials {
		return err == nil, nil
	}
	names, _ := record.MemberNames(bytes.TrimLeft(prefix[markLength(prefix):], " \t\r\n"))
	return slices.ContainsFunc(names, isTrialField), nil
}
