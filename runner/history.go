package runner

import (
	"context"
	"iter"
	"os"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/glob"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
)

// History is what the trials of a recording came to, for a prior. A prior weighs rates by what an earlier
// recording showed: trials that passed, of those with an outcome.
type History struct {
	File   string       // that was read, for messages
	Counts stats.Counts // passes, and the trials that passed or failed
	// Passes, and the trials that passed or failed, of each scenario that has any.
	Scenarios map[string]stats.Counts
	Errors    int            // trials that ended in an error, which are left out
	Notes     []ingest.Notes // what there is to know of how the file was read
}

// CountHistory counts the trials of a recording, which is named for messages. A recording
// in which none passed or failed is an error: it says nothing of the pass rate. Trials that are unjudged
// count nowhere.
func CountHistory(file string, trials iter.Seq2[*trial.Trial, error]) (History, error) {
	h := History{File: file, Scenarios: map[string]stats.Counts{}}
	for t, err := range trials {
		switch {
		case err != nil:
			return History{}, err
		case t.Outcome == trial.Pass || t.Outcome == trial.Fail:
			counts := h.Scenarios[t.Scenario]
			counts.Trials++
			h.Counts.Trials++
			if t.Outcome == trial.Pass {
				counts.Passes++
				h.Counts.Passes++
			}
			h.Scenarios[t.Scenario] = counts
		case t.Outcome == trial.Error:
			h.Errors++
		}
	}
	if h.Counts.Trials == 0 {
		return History{}, &trial.FileError{
			File: file, Problem: "holds no trial that passed or failed", Advice: "run the trials again",
		}
	}
	return h, nil
}

// readHistory reads a recording in any format, of one variant: a file, a folder or a pattern. Basic fields are enough:
// scenario and outcome, without steps and texts.
func readHistory(ctx context.Context, file string) (History, error) {
	var o ingest.Options
	o.Fields = trial.BasicFields
	files, err := filesOf(ctx, file)
	if err != nil {
		return History{}, err
	}
	stream := ingest.Open(files, o)
	h, err := CountHistory(file, stream.Trials(ctx))
	h.Notes = stream.Notes()
	return h, err
}

// filesOf returns the files that a name stands for.
func filesOf(ctx context.Context, name string) (files []string, err error) {
	names := []string{name}
	if glob.IsPattern(name) {
		if names, err = glob.Match(ctx, name); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || !info.IsDir() {
			files = append(files, name)
			continue
		}
		folder, err := ingest.ListFolder(ctx, name, ingest.Auto)
		if err != nil {
			return nil, err
		}
		if len(folder.Files) == 0 {
			return nil, &trial.FileError{File: name, Problem: "holds no file in a known format",
				Advice: "tribunal import --list-formats lists the formats"}
		}
		files = append(files, folder.Files...)
	}
	return files, nil
}
