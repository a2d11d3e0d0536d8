package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// filesOf returns the files to read: for a folder those in it that are in a known format, or
// all of them where a format is named.
func (a *App) filesOf(ctx context.Context, args []string, o ingest.Options) (files []string, err error) {
	seen := map[string]bool{}
	for _, arg := range args {
		list := []string{arg}
		// What is not there is found when it is read, with a better message.
		if info, err := os.Stat(arg); arg != "-" && err == nil && info.IsDir() {
			if list, err = a.folder(ctx, arg, formatOfFiles(o)); err != nil {
				return nil, err
			}
		}
		for _, name := range list {
			// Only what a folder adds can be caught here: files that are named twice were
			// refused by check.
			if seen[plainPath(name)] && !o.AllowDuplicates {
				return nil, usage("its trials would count twice; --allow-duplicates lets them",
					"%s is named, and so is a folder that holds it", name)
			}
			seen[plainPath(name)] = true
			files = append(files, name)
		}
	}
	return files, nil
}

// formatOfFiles is the format that all files are read in, Auto where each shows its own.
func formatOfFiles(o ingest.Options) ingest.Format {
	if o.Map != "" {
		return ingest.Mapped // as with any format that is named, every file is read
	}
	return o.From
}

// plainPath is one of the names of a file, the same for several ways to write it.
// Links are not followed: two links to a file are two names.
func plainPath(name string) string {
	if path, err := filepath.Abs(name); err == nil {
		return path
	}
	return filepath.Clean(name)
}

// folder returns the files of a folder that are in a known format, and notes how
// many others there are.
func (a *App) folder(ctx context.Context, name string, from ingest.Format) ([]string, error) {
	folder, err := ingest.ListFolder(ctx, name, from)
	if err != nil {
		return nil, err
	}
	// An empty output with exit code 0 would look like a folder of no trials.
	if len(folder.Files) == 0 {
		return nil, &trial.FileError{
			File: name, Problem: fmt.Sprintf("holds no file in a known format, and %d others", folder.Other),
			Advice: "tribunal import --list-formats lists the formats; --from FORMAT reads every file as one",
		}
	}
	var left []string
	if folder.Other > 0 {
		left = append(left, fmt.Sprintf("files in no known format (%d)", folder.Other))
	}
	if folder.Parts > 0 {
		left = append(left, fmt.Sprintf("recordings of trials whose results are read (%d)", folder.Parts))
	}
	if len(left) > 0 {
		notice(a.Stderr, "note", "%s: files to read: %d; left out: %s", prose.FileName(name), len(folder.Files),
			strings.Join(left, ", "))
	}
	return folder.Files, nil
}
