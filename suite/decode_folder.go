package suite

import (
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/dataset"
	"github.com/tribunal-dev/tribunal/internal/glob"
)

// others are the files of a folder or a pattern without those that the suite itself is written in, which may stand
// among its scenarios. A file that is named alone is read whatever it is.
func (r *scenarioReader) others(name string, files []string) []string {
	if len(files) == 1 && files[0] == name {
		return files
	}
	return slices.DeleteFunc(files, func(file string) bool {
		file = filepath.Clean(file)
		return file == filepath.Clean(r.File) || slices.Contains(r.parts, file)
	})
}

// namedByFile gives a scenario that is a file of its own, and has no name, that of the file: its path from the folder
// in which files are looked for, without the ending, such as "refund/twice" of cases/refund/twice.yaml.
func namedByFile(name, file string, row dataset.Row) {
	if !row.Alone || memberOf(row.Node, "name") != nil {
		return
	}
	relative, err := filepath.Rel(lookedForIn(name, file), file)
	if err != nil {
		return // it is said to have no name
	}
	text := filepath.ToSlash(strings.TrimSuffix(relative, filepath.Ext(relative)))
	scalar := func(value string) *yaml.Node {
		return &yaml.Node{
			Kind: yaml.ScalarNode, Tag: "!!str", Value: value, Line: row.Node.Line, Column: row.Node.Column,
		}
	}
	row.Node.Content = append(row.Node.Content, scalar("name"), scalar(text))
}

// lookedForIn is the folder that a name stands for: itself, that before the first sign of a pattern, or that of a file.
func lookedForIn(name, file string) string {
	switch {
	case filepath.Clean(name) == filepath.Clean(file):
		return filepath.Dir(file)
	case !glob.IsPattern(name):
		return name
	}
	return filepath.Dir(name[:strings.IndexAny(name, "*?[")] + "x") // of a file that would stand there
}
