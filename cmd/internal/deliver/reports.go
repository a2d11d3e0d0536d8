package deliver

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/verdict"
)

// ReportFiles are what --report asks for.
type ReportFiles struct {
	// In the order in which they were given, which is that of writing.
	List []ReportFile
}

// ReportFile is one of them.
type ReportFile struct {
	format report.Format
	// As it was given.
	path string
	// Nil until open has looked at it.
	To *outfile.File
}

// Set adds a report. The text is FORMAT=FILE; the flag may be given several times, each
// time for one file.
func (f *ReportFiles) Set(text string) error {
	name, path, found := strings.Cut(text, "=")
	for _, format := range report.Formats() {
		if found && path != "" && format.String() == name {
			f.List = append(f.List, ReportFile{format: format, path: path})
			return nil
		}
	}
	if format, usual := FormatOf(text); !found && usual {
		return fmt.Errorf("must be FORMAT=FILE, such as %s=%s", format, text)
	}
	var names []string
	for _, format := range report.Formats() {
		names = append(names, format.String())
	}
	return fmt.Errorf("must be FORMAT=FILE, with one of %s", strings.Join(names, ", "))
}

// FormatOf is the format whose files usually end as the path does; false where there is none.
func FormatOf(path string) (f report.Format, usual bool) {
	name := map[string]string{
		".html": "html", ".htm": "html", ".md": "markdown", ".xml": "junit", ".json": "json", ".txt": "text",
	}[strings.ToLower(filepath.Ext(path))]
	for _, f := range report.Formats() {
		if f.String() == name {
			return f, true
		}
	}
	return report.TextFormat, false
}

// String returns the reports as they were given.
func (f *ReportFiles) String() string {
	var list []string
	for _, file := range f.List {
		list = append(list, file.format.String()+"="+file.path)
	}
	return strings.Join(list, ",")
}

// Type is the word for a value in the help.
func (f *ReportFiles) Type() string { return "FORMAT=FILE" }

// Open looks at the files before the work begins; none may be another one that the command reads or writes.
func (f *ReportFiles) Open(others ...string) error {
	for i := range f.List {
		file := &f.List[i]
		if file.path == "-" {
			hint := "name a file; tribunal report RESULT --format %s writes a saved result to standard output"
			return problem.Usage(fmt.Sprintf(hint, file.format), "--report %s=- names no file", file.format)
		}
		for _, other := range others {
			// Two names that are written differently can be compared only where the files
			// are there.
			if file.path == other || evidence.SameFile(file.path, other) {
				return problem.Usage("choose another name", "--report %s=%s is another file of the command", file.format, file.path)
			}
		}
		others = append(others, file.path)
		var err error
		if file.To, err = outfile.New("--report", file.path); err != nil {
			return err
		}
	}
	return nil
}

// Paths are the files, as they were given.
func (f *ReportFiles) Paths() (list []string) {
	for _, file := range f.List {
		list = append(list, file.path)
	}
	return list
}

// Write writes the reports of a result one by one; the first error ends it, and what is written stays.
func (f *ReportFiles) Write(ctx context.Context, a *world.World, result verdict.Result, t *Target) error {
	return f.write(ctx, a, t, ofResult(result))
}

func (f *ReportFiles) write(ctx context.Context, a *world.World, t *Target, in inFormat) error {
	for _, file := range f.List {
		o := t.TextOptions(a, file.To)
		write := func(w io.Writer) error { return in(w, file.format, o) }
		if err := a.Deliver(ctx, file.To, write); err != nil {
			return err
		}
	}
	return nil
}
