package ingest

import (
	"context"

	"github.com/tribunal-dev/tribunal/internal/glob"
)

// IsPattern reports whether a name stands for the files that it matches: it has one of *, ? and [, and no
// file has that very name.
func IsPattern(name string) bool { return glob.IsPattern(name) }

// Match returns the files that a pattern matches, folder by folder in the order of their names. The signs
// are those of [filepath.Match]; ** alone between slashes is any number of folders, or at the end all files
// in them. Names that begin with a point are matched by a point alone. A folder is matched too, unless the
// pattern has **, and stands for what [ListFolder] finds in it. No match is a [trial.FileError].
func Match(ctx context.Context, pattern string) ([]string, error) { return glob.Match(ctx, pattern) }

// Matches reports whether [Match] finds a file of this name once it is there. A pattern and a name that begin at
// different places are compared from the root.
func Matches(pattern, name string) bool { return glob.Matches(pattern, name) }
