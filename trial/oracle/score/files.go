package score

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/glob"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// How much of files is looked at. Chosen: the files of a program that an agent wrote are far below.
const (
	maxFiles     = 10_000
	maxFileBytes = 8 << 20
	maxLineBytes = 1 << 20
)

// idHolder is what the name of an attempt stands for.
const idHolder = "{id}"

// place is a path that the agent left something at.
func (e Evidence) place(name string) string {
	name = strings.ReplaceAll(name, idHolder, e.ID)
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.Folder, filepath.FromSlash(name))
}

// errManyFiles says that patterns match too many files.
var errManyFiles = fmt.Errorf("matches more than %d files", maxFiles)

// find looks for an expression in files, and returns where it is first found, as "app.py:12"; "" is nowhere. The line
// itself is not told: it may be a key that was found. The number is how many files there were.
func (e Evidence) find(
	ctx context.Context, expression *regexp.Regexp, patterns []string,
) (at string, files int, err error) {
	for _, pattern := range patterns {
		names, err := glob.Match(ctx, e.place(pattern))
		if _, none := errors.AsType[*trial.FileError](err); none {
			continue
		}
		if err != nil {
			return "", files, err
		}
		for _, name := range names {
			if ctx.Err() != nil {
				return "", files, context.Cause(ctx)
			}
			if files >= maxFiles {
				return "", files, errManyFiles
			}
			line, regular, err := findIn(name, expression)
			if err != nil {
				return "", files, err
			}
			if regular {
				files++
			}
			if line > 0 {
				return fmt.Sprintf("%s:%d", prose.Excerpt(e.relative(name)), line), files, nil
			}
		}
	}
	return "", files, nil
}

// relative is the path of a file from the folder of the agent, where it is in there.
func (e Evidence) relative(name string) string {
	if short, err := filepath.Rel(e.Folder, name); err == nil {
		return filepath.ToSlash(short)
	}
	return name
}

// findIn returns the number of the first line of a file in which an expression is found, from 1; 0 is none. What is no
// regular file, such as a pipe, is passed over.
func findIn(name string, expression *regexp.Regexp) (line int, regular bool, err error) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false, nil // it is gone by now, or no file
	}
	if info.Size() > maxFileBytes {
		return 0, true, fmt.Errorf("%s is larger than %d bytes", prose.FileName(name), maxFileBytes)
	}
	file, err := os.Open(name)
	if err != nil {
		return 0, true, fmt.Errorf("%s cannot be read", prose.FileName(name))
	}
	defer file.Close()
	return findLine(file, expression)
}

// findLine is findIn for an open file.
func findLine(r io.Reader, expression *regexp.Regexp) (line int, regular bool, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLineBytes)
	for n := 1; lines.Scan(); n++ {
		if expression.Match(lines.Bytes()) {
			return n, true, nil
		}
	}
	if lines.Err() != nil {
		return 0, true, fmt.Errorf("a line is longer than %d bytes", maxLineBytes)
	}
	return 0, true, nil
}
