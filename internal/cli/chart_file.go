package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
)

// chartFile returns where --chart sends a drawing. It must be none of the inputs, and
// not where the result goes.
func chartFile(flags *pflag.FlagSet, path string, inputs []string, to *outputFile) (*outputFile, error) {
	// The flag or the variable, whichever the person has to change.
	chart := origin(flags, "chart")
	if !strings.EqualFold(filepath.Ext(path), ".svg") {
		return nil, usage("such as "+flags.Name()+".svg", "%s %q: the drawing is SVG, and its name must end in .svg",
			chart, path)
	}
	drawing, err := newFileBeside(chart, path, inputs)
	if err != nil {
		return nil, err
	}
	// Both paths have their symbolic links followed, where the files exist.
	if to != nil && to.path == drawing.path {
		return nil, usage("choose another name", "%s and --output name the same file", chart)
	}
	return drawing, nil
}
