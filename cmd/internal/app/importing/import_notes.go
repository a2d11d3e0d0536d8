package importing

import (
	"context"
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// tally is what came of an import.
type tally struct {
	// One a file, in the order in which they were read.
	notes []ingest.Notes
	// Trials that were written, not those that were read.
	outcomes [4]int // by trial.Outcome
	scored   int    // trials that have a score and no outcome
}

// count notes a trial as it is written, after the rules have judged it.
func (i *tally) count(t *trial.Trial) {
	i.outcomes[t.Outcome]++
	if t.Outcome == trial.Unjudged && t.Score.Known {
		i.scored++
	}
}

// tell notes what was read, file by file and in all.
func (i *tally) tell(a *world.World, o ingest.Options) {
	evidence.NoteEach(a, i.notes)
	// Records have no place for it, and would be judged as a number of trials that was fixed.
	if s := recording.StoppedOf(app.Stops(i.notes, o.Variant)); s != nil {
		a.Notice("warning", "%s; the records do not say so: judge the journal itself", s.Sentence())
	}
	a.Notice("note", "%s", i.closing(o))
}

// closing says how many trials there are, and how to judge those that nobody did. The hint
// shows a rule by score where there are scores, else one by the last answer.
func (i *tally) closing(o ingest.Options) string {
	// The order of the words is fixed; an outcome that no trial has is left out.
	all := 0
	var parts []string
	for _, part := range []struct {
		outcome trial.Outcome
		word    string
	}{
		{trial.Pass, "passed"},
		{trial.Fail, "failed"},
		{trial.Error, "ended in an error"},
		{trial.Unjudged, "unjudged"},
	} {
		if n := i.outcomes[part.outcome]; n > 0 {
			all += n
			parts = append(parts, fmt.Sprintf("%d %s", n, part.word))
		}
	}
	text := fmt.Sprintf("trials: %d; %s", all, strings.Join(parts, ", "))
	switch {
	case i.outcomes[trial.Unjudged] == 0:
	case o.Pass.String() != "":
		text += "; the rule needs more than is known of the unjudged"
	case i.scored > 0:
		text += "; judge them by a rule, such as --pass-when 'score>=0.5'"
	default:
		text += "; judge them by a rule, such as --pass-when 'output~PATTERN'"
	}
	return text
}

// listFormats prints the formats that are read.
func listFormats(ctx context.Context, a *world.World) error {
	d := new(report.Document).Listing("", "formats", nil)
	t := d.NewTable("Formats", "format", "what it is").Names(20, "what it is")
	for _, format := range evidence.Formats() {
		// Only what can be asked for by --from is listed.
		if (ingest.Options{From: format}).Validate() == nil {
			t.Add(format, format.About())
		}
	}
	return new(deliver.Target).Show(ctx, a, nil, d)
}
