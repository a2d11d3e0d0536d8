package ingest

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestDecodersSeeTheKernelAlone keeps the families of decoders from one another and
// from the rest of the project: whoever writes one need know no more.
func TestDecodersSeeTheKernelAlone(t *testing.T) {
	const module = "github.com/tribunal-dev/tribunal/"
	kernel := []string{
		"ingest/internal/record", "ingest/internal/transcript", "trial", "internal/lazy", "internal/prose",
		"internal/yamlnode",
		"trial/journal",
	}
	files, err := filepath.Glob("internal/format/*/*.go")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			if rest, ours := strings.CutPrefix(path, module); ours && !slices.Contains(kernel, rest) {
				t.Errorf("%s imports %s", name, rest)
			}
		}
	}
}
