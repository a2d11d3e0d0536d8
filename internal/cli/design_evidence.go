package cli

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/app"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/variation"
)

// recordings reads what a design is made from.
type recordings struct {
	// For its streams, and for notes about the files.
	app   *App
	flags *pflag.FlagSet
	// How recordings are read, as for the trials to judge.
	evidence *evidenceFlags
	// "" is the only one.
	variant string
	// "" is all of them.
	scenario string
}

// ratioPattern allows blanks where people put them. A file whose name looks like that,
// "19/20" in a folder 19, has to be written ./19/20.
var ratioPattern = lazy.Regexp(`^\s*\d+\s*/\s*\d+\s*$`)

// isRatio reports whether a text is K/N and not the name of a file.
func isRatio(text string) bool { return ratioPattern().MatchString(text) }

// parseRatio reads the K/N that a flag gives. The error names the flag or the variable that
// gave it.
func parseRatio(flags *pflag.FlagSet, flag, text string) (stats.Counts, error) {
	var k ratio
	if err := k.Set(text); err != nil {
		return stats.Counts{}, badValue(origin(flags, flag), flags.Lookup(flag), text, err)
	}
	return stats.Counts(k), nil
}

// counts returns passes and trials of K/N or of a recording, which a flag names, in all and by scenario.
// Trials that ended in an error are left out, with a word, which comes only after all is
// read, so that it does not break into the progress.
func (s recordings) counts(ctx context.Context, flag, source string) (runner.History, error) {
	h, err := s.history(ctx, flag, source)
	if err != nil {
		return h, err
	}
	s.app.noteErrors(h)
	return h, nil
}

// groups are the scenarios of a recording whose trials come to the same.
func groups(h runner.History) []variation.Group {
	return variation.GroupsOf(slices.Collect(maps.Values(h.Scenarios)))
}

// history is counts without the word on trials that ended in an error.
func (s recordings) history(ctx context.Context, flag, source string) (h runner.History, err error) {
	if isRatio(source) {
		h.Counts, err = parseRatio(s.flags, flag, source)
		return h, err
	}
	o := s.evidence.options(s.flags, s.variant, trial.BasicFields)
	stream, trials := s.app.open(ctx, []string{source}, o, counted)
	if h, err = runner.CountHistory(source, s.ofScenario(trials)); err != nil {
		return h, naming("variant", err)
	}
	s.app.noteFiles(stream.Notes(), o.From)
	if flag == "baseline" {
		return h, s.refuseStopped(stream.Notes(), source)
	}
	return h, nil
}

// refuseStopped refuses a baseline whose trials tests stopped by their outcomes: its number of
// trials is not one that was fixed. A prior may be such: errors hold whatever it says.
func (s recordings) refuseStopped(notes []ingest.Notes, source string) error {
	stopped := recording.StoppedOf(app.Stops(notes, s.variant))
	if stopped == nil {
		return nil
	}
	if s.scenario != "" && recording.StoppedOf(stopped.Of(s.scenario)) == nil {
		return nil
	}
	return &recording.StoppedError{Name: prose.FileName(source), Stopped: stopped,
		Advice: "name the result of the run, which knows where its tests could stop"}
}

// ofScenario leaves out the trials of other scenarios, where one was chosen.
func (s recordings) ofScenario(trials iter.Seq2[*trial.Trial, error]) iter.Seq2[*trial.Trial, error] {
	return func(yield func(*trial.Trial, error) bool) {
		for t, err := range trials {
			if err == nil && s.scenario != "" && t.Scenario != s.scenario {
				continue
			}
			if !yield(t, err) {
				return
			}
		}
	}
}
