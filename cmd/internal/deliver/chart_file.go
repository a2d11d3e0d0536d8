package deliver

import (
	"path/filepath"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
)

// ChartFile returns where --chart sends a drawing. It must be none of the inputs, and
// not where the result goes. chart is what named it, for messages.
func ChartFile(chart, command, path string, inputs []string, to *outfile.File) (*outfile.File, error) {
	if !strings.EqualFold(filepath.Ext(path), ".svg") {
		return nil, problem.Usage("such as "+command+".svg", "%s %q: the drawing is SVG, and its name must end in .svg",
			chart, path)
	}
	drawing, err := NewFileBeside(chart, path, inputs)
	if err != nil {
		return nil, err
	}
	// Both paths have their symbolic links followed, where the files exist.
	if to != nil && to.Path == drawing.Path {
		return nil, problem.Usage("choose another name", "%s and --output name the same file", chart)
	}
	return drawing, nil
}
