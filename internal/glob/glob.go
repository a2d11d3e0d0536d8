// Package glob finds the files that a pattern names, with ** for any number of folders.
package glob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// IsPattern reports whether a name stands for the files that it matches: it has one of *, ? and [, and no
// file has that very name. Patterns in a query of a store are the store's.
func IsPattern(name string) bool {
	if !strings.ContainsAny(name, "*?[") || input.IsStored(name) {
		return false
	}
	if _, err := os.Lstat(name); err == nil {
		return false
	}
	_, err := filepath.Match(name, "")
	return err == nil
}

// Match returns the files that a pattern matches, folder by folder in the order of their names. The signs
// are those of [filepath.Match]; ** alone between slashes is any number of folders, or at the end all files
// in them. Names that begin with a point are matched by a point alone. A folder is matched too, unless the
// pattern has **. No match is a [fault.FileError].
func Match(ctx context.Context, pattern string) ([]string, error) {
	m := &finder{ctx: ctx, seen: map[string]bool{}}
	folder := filepath.VolumeName(pattern)
	rest := pattern[len(folder):]
	if rest != "" && os.IsPathSeparator(rest[0]) {
		folder += string(filepath.Separator)
	}
	rest = strings.ReplaceAll(rest, "[!", "[^") // as shells write it
	parts := strings.FieldsFunc(rest, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
	for _, part := range parts {
		m.deep = m.deep || part == "**"
	}
	m.nearest = folder
	if err := m.below(folder, parts); err != nil {
		return nil, err
	}
	if len(m.found) == 0 {
		return nil, &fault.FileError{File: pattern, Problem: "matches no file", Advice: nearby(ctx, m.nearest)}
	}
	return m.found, nil
}

// Matches reports whether [Match] finds a file of this name once it is there. A pattern and a name that begin at
// different places are compared from the root.
func Matches(pattern, name string) bool {
	if filepath.IsAbs(pattern) != filepath.IsAbs(name) {
		var err error
		if pattern, err = filepath.Abs(pattern); err != nil {
			return false
		}
		if name, err = filepath.Abs(name); err != nil {
			return false
		}
	}
	split := func(path string) []string { return strings.Split(filepath.ToSlash(filepath.Clean(path)), "/") }
	return matchesParts(split(strings.ReplaceAll(pattern, "[!", "[^")), split(name))
}

// matchesParts compares the parts of a pattern with those of a name.
func matchesParts(pattern, name []string) bool {
	switch {
	case len(pattern) == 0 || len(name) == 0:
		return len(pattern) == len(name)
	case pattern[0] != "**":
		hit, _ := filepath.Match(pattern[0], name[0])
		hidden := strings.HasPrefix(name[0], ".") && !strings.HasPrefix(pattern[0], ".")
		return hit && !hidden && matchesParts(pattern[1:], name[1:])
	case len(pattern) > 1 && matchesParts(pattern[1:], name):
		return true
	case strings.HasPrefix(name[0], "."):
		return false
	}
	return len(name) == 1 && len(pattern) == 1 || matchesParts(pattern, name[1:])
}

// finder looks for the files of a pattern.
type finder struct {
	ctx     context.Context
	deep    bool // it has **
	found   []string
	seen    map[string]bool // ways through several ** end at the same file
	nearest string          // the last folder on the way before the first sign
}

// below matches the parts of the pattern that are left with what is in a folder; "" is the working one.
func (m *finder) below(folder string, parts []string) error {
	if m.ctx.Err() != nil {
		return context.Cause(m.ctx)
	}
	part, last := parts[0], len(parts) == 1
	if !strings.ContainsAny(part, "*?[") {
		name := filepath.Join(folder, part)
		info, err := input.Stat(m.ctx, name)
		if err != nil {
			return nil // no match
		}
		if last {
			return m.take(name, info)
		}
		if !info.IsDir() {
			return nil
		}
		if m.nearest == folder {
			m.nearest = name
		}
		return m.below(name, parts[1:])
	}
	if part == "**" && !last {
		if err := m.below(folder, parts[1:]); err != nil {
			return err
		}
	}
	entries, err := input.ReadDir(m.ctx, folderName(folder))
	if err != nil {
		return cannotOpen(folderName(folder), err)
	}
	for _, entry := range entries {
		if err := m.entry(folder, entry, parts); err != nil {
			return err
		}
	}
	return nil
}

// entry matches what is in a folder with the first part of the pattern, which has a sign.
func (m *finder) entry(folder string, entry fs.DirEntry, parts []string) error {
	part, last := parts[0], len(parts) == 1
	name := filepath.Join(folder, entry.Name())
	hidden := strings.HasPrefix(entry.Name(), ".")
	if part == "**" {
		switch {
		case hidden:
		case entry.IsDir(): // links to folders are not followed, as they may lead in a circle
			return m.below(name, parts)
		case last:
			return m.stat(name, m.take)
		}
		return nil
	}
	if hit, _ := filepath.Match(part, entry.Name()); !hit || hidden && part[0] != '.' {
		return nil
	}
	if last {
		return m.stat(name, m.take)
	}
	return m.stat(name, func(name string, info fs.FileInfo) error {
		if !info.IsDir() {
			return nil
		}
		return m.below(name, parts[1:])
	})
}

// stat follows a link. One that leads nowhere is no match.
func (m *finder) stat(name string, then func(string, fs.FileInfo) error) error {
	info, err := input.Stat(m.ctx, name)
	if err != nil {
		return nil
	}
	return then(name, info)
}

// take adds a match.
func (m *finder) take(name string, info fs.FileInfo) error {
	if !m.seen[name] && (info.Mode().IsRegular() || info.IsDir() && !m.deep) {
		m.seen[name] = true
		m.found = append(m.found, name)
	}
	return nil
}

// folderName is the name of a folder to open.
func folderName(folder string) string {
	if folder == "" {
		return "."
	}
	return folder
}

// mostNearby is how many names of a folder a hint tells.
const mostNearby = 3

// nearby says what is in a folder, to somebody who looks for a file on the way through it.
func nearby(ctx context.Context, folder string) string {
	what := "the nearest folder is " + prose.FileName(folderName(folder))
	if folder == "" {
		what = "the nearest folder is the working directory"
	}
	entries, err := input.ReadDir(ctx, folderName(folder))
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") })
	switch {
	case err != nil:
		return what
	case len(entries) == 0:
		return what + ", which is empty"
	}
	var names []string
	for i, entry := range entries {
		if i == mostNearby {
			names = append(names, fmt.Sprintf("and %d more", len(entries)-i))
			break
		}
		names = append(names, prose.FileName(entry.Name()))
	}
	return what + ", which holds " + strings.Join(names, ", ")
}

// cannotOpen is the error about a folder, without its name twice.
func cannotOpen(name string, err error) error {
	problem := err.Error()
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		problem = path.Err.Error()
	}
	return &fault.FileError{File: name, Problem: "cannot be opened: " + problem, Err: err}
}
