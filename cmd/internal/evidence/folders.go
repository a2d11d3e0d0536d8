package evidence

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/glob"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// FilesOf returns the files to read: for a folder those in it that are in a known format, or
// all of them where a format is named; for a pattern those that it matches.
func FilesOf(ctx context.Context, a *world.World, args []string, o ingest.Options) (files []string, err error) {
	seen := map[string]bool{}
	for _, arg := range args {
		list, err := filesNamed(ctx, a, arg, o)
		if err != nil {
			return nil, err
		}
		for _, name := range list {
			// Only what folders and patterns add can be caught here: files that are named twice
			// were refused by check.
			if seen[plainPath(name)] && !o.AllowDuplicates {
				return nil, problem.Usage("its trials would count twice; --allow-duplicates lets them",
					"%s is named twice: by itself, in a folder or by a pattern", name)
			}
			seen[plainPath(name)] = true
			files = append(files, name)
		}
	}
	return files, nil
}

// filesNamed returns the files that one name stands for.
func filesNamed(ctx context.Context, a *world.World, arg string, o ingest.Options) (files []string, err error) {
	names := []string{arg}
	// The shell expands patterns that are not quoted, but none with **, and not on every system.
	if glob.IsPattern(arg) {
		if names, err = glob.Match(ctx, arg); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		list := []string{name}
		// What is not there is found when it is read, with a better message.
		if info, err := os.Stat(name); name != "-" && err == nil && info.IsDir() {
			if list, err = folder(ctx, a, name, formatOfFiles(o)); err != nil {
				return nil, err
			}
		}
		files = append(files, list...)
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
func folder(ctx context.Context, a *world.World, name string, from ingest.Format) ([]string, error) {
	folder, err := ingest.ListFolder(ctx, name, from)
	if err != nil {
		return nil, err
	}
	// An empty output with exit code 0 would look like a folder of no trials.
	if len(folder.Files) == 0 {
		if folder.Other == 0 {
			return nil, &trial.FileError{File: name, Problem: "is a folder without files", Advice: "name that of recordings"}
		}
		return nil, &trial.FileError{
			File: name, Problem: fmt.Sprintf("holds no file in a known format, and %s", prose.Count(folder.Other, "other")),
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
		a.Notice("note", "%s: files to read: %d; left out: %s", prose.FileName(name), len(folder.Files),
			strings.Join(left, ", "))
	}
	return folder.Files, nil
}

// FolderOf returns the folder that a file, or what a pattern matches, lies in. What a store keeps lies in none, and
// is that of the working directory.
func FolderOf(name string) string {
	if input.IsStored(name) {
		return "."
	}
	folder := filepath.Dir(name)
	for glob.IsPattern(folder) {
		folder = filepath.Dir(folder)
	}
	return folder
}

// Spared refuses to write what the next call of the command would read as one of its inputs: into a pattern, and into a
// folder of which every file is read. Of other folders what is no recording is left out.
func Spared(flag string, to *outfile.File, args []string, every bool) error {
	if to == nil {
		return nil
	}
	for _, arg := range args {
		in := ""
		switch {
		case arg == "-":
		case glob.IsPattern(arg) && glob.Matches(arg, to.Path):
			in = "is one of the files of " + prose.FileName(arg)
		case every && isWithin(arg, to.Path):
			in = "lies in the folder " + prose.FileName(arg) + ", every file of which is read"
		}
		if in != "" {
			return problem.Usage("write it elsewhere: the next call would take it for a recording", "%s %s %s", flag,
				prose.FileName(to.Path), in)
		}
	}
	return nil
}

// isWithin reports whether a path leads into a folder, and not into one in it that is left out for its name.
func isWithin(folder, path string) bool {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return false
	}
	// Links on the way to both are followed, as they were in the path of the output.
	whole := func(path string) string {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		return plainPath(path)
	}
	rest, err := filepath.Rel(whole(folder), filepath.Join(whole(filepath.Dir(path)), filepath.Base(path)))
	if err != nil || !filepath.IsLocal(rest) {
		return false
	}
	parts := strings.Split(filepath.ToSlash(rest), "/")
	for _, part := range parts[:len(parts)-1] {
		if strings.HasPrefix(part, ".") {
			return false
		}
	}
	return true
}
