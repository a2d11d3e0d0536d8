package runner

import (
	"context"
	"iter"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
)

// History is what the trials of a recording came to, for a prior. A prior weighs rates by what an earlier
// recording showed: trials that passed, of those with an outcome.
type History struct {
	File   string         // that was read, for messages
	Counts stats.Counts   // passes, and the trials that passed or failed
	Errors int            // trials that ended in an error, which are left out
	Notes  []ingest.Notes // what there is to know of how the file was read
}

// CountHistory counts the trials of a recording, which is named for messages. A recording
// in which none passed or failed is an error: it says nothing of the pass rate. Trials that are unjudged
// count nowhere.
func CountHistory(file string, trials iter.Seq2[*trial.Trial, error]) (History, error) {
	h := History{File: file}
	for t, err := range trials {
		switch {
		case err != nil:
			return History{}, err
		case t.Outcome == trial.Pass:
			h.Counts.Passes++
			h.Counts.Trials++
		case t.Outcome == trial.Fail:
			h.Counts.Trials++
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

// readHistory reads a recording in any format, of one variant. Basic fields are enough: scenario and
// outcome, without steps and texts.
func readHistory(ctx context.Context, file string) (History, error) {
	var o ingest.Options
	o.Fields = trial.BasicFields
	stream := ingest.Open([]string{file}, o)
	h, err := CountHistory(file, stream.Trials(ctx))
	h.Notes = stream.Notes()
	return h, err
}
