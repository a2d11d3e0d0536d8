package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
)

// maxReportBytes bounds a report of tests that an agent left. It is chosen.
const maxReportBytes = 64 << 20

// folder is where the program works, and leaves its files.
func (a *CommandAgent) folder() string { return a.Command.Dir }

// worksIn returns the folder of an agent that is a program; "" of another one.
func worksIn(a Agent) string {
	if program, ok := a.(interface{ folder() string }); ok {
		return program.folder()
	}
	return ""
}

// reportsOf are the reports of tests that trials of the suite are scored by.
func reportsOf(s *suite.Suite) (files []string) {
	for _, a := range s.Score {
		if a.Report != "" {
			files = append(files, a.Report)
		}
	}
	return files
}

// removeReports removes what an earlier attempt left: it is not this one's.
func removeReports(files []string, folder string, r Request) {
	for _, file := range files {
		if folder != "" {
			os.Remove(filepath.Join(folder, strings.ReplaceAll(file, idHolder, r.id())))
		}
	}
}

// scored gives a trial that was judged its points. Without a folder, as of a recording, what the agent left is not
// there to be looked at.
func scored(
	ctx context.Context, axes score.Axes, e oracle.Evidence, j oracle.Judgement, folder, id string,
) {
	if len(axes) == 0 {
		return
	}
	found := axes.Give(ctx, score.Evidence{Evidence: e, Judgement: j, Folder: folder, ID: id, Read: readReport})
	found.Record(e.Trial)
}

// readReport counts the tests of a report, in any format that is imported.
func readReport(ctx context.Context, file string) (score.Report, error) {
	var report score.Report
	info, err := os.Lstat(file)
	if err != nil {
		return report, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxReportBytes {
		return report, fmt.Errorf("it is no regular file of at most %d bytes", maxReportBytes)
	}
	o := ingest.Options{AllowDuplicates: true, AllVariants: true}
	o.Unjudged, o.Fields = true, trial.BasicFields
	for t, err := range ingest.Open([]string{file}, o).Trials(ctx) {
		if err != nil {
			return score.Report{}, err
		}
		report.Tests++
		if t.Outcome == trial.Pass {
			report.Passed++
		}
	}
	return report, nil
}
