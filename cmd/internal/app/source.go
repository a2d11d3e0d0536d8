package app

import (
	"os"
	"path/filepath"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Source says where a suite and its scenarios stand: as a path from the root of the repository, which is how build
// servers name files, or else from the working directory. It is nil of a suite that was read from no file.
func Source(s *suite.Suite) *runs.Source {
	name, err := filepath.Abs(s.File)
	if err != nil {
		return nil
	}
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	file := fromHere(name)
	if tree := treeOf(filepath.Dir(name)); tree != "" {
		if within, err := filepath.Rel(tree, name); err == nil {
			file = within
		}
	}
	source := &runs.Source{File: filepath.ToSlash(file), Lines: make(map[string]int, len(s.Scenarios))}
	for _, c := range s.Scenarios {
		source.Lines[c.Name] = c.Place.Line
	}
	return source
}
