package evidence

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/intraclass"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Recordings reads what a design is made from.
type Recordings struct {
	// For its streams, and for notes about the files.
	App *world.World
	// How recordings are read, as for the trials to judge.
	Reading *ReadOptions
	// "" is the only one.
	Variant string
	// "" is all of them.
	Scenario string
	// Named says what gave an option, for messages; nil is the option itself.
	Named func(option string) string
}

// Origin is what gave an option.
func (s Recordings) Origin(option string) string {
	if s.Named == nil {
		return "--" + option
	}
	return s.Named(option)
}

// ratioPattern allows blanks where people put them. A file whose name looks like that,
// "19/20" in a folder 19, has to be written ./19/20.
var ratioPattern = lazy.Regexp(`^\s*\d+\s*/\s*\d+\s*$`)

// IsRatio reports whether a text is K/N and not the name of a file.
func IsRatio(text string) bool { return ratioPattern().MatchString(text) }

// IsRate reports whether a text that should name trials is a number or a percentage, and no file of that name is there.
func IsRate(text string) bool {
	_, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil {
		return false
	}
	_, missing := os.Stat(text)
	return missing != nil
}

// ParseRatio reads the K/N that a flag gives. The error names the flag or the variable that
// gave it.
func ParseRatio(source, text string) (stats.Counts, error) {
	k, err := value.Ratio(text)
	if err != nil {
		return k, value.Refused(source, text, err)
	}
	return k, nil
}

// Counts returns passes and trials of K/N or of a recording, which a flag names, in all and by scenario.
// Trials that ended in an error are left out, with a word, which comes only after all is
// read, so that it does not break into the progress.
func (s Recordings) Counts(ctx context.Context, flag, source string) (runner.History, error) {
	h, err := s.history(ctx, flag, source)
	if err != nil {
		return h, err
	}
	noteErrors(s.App, h)
	return h, nil
}

// Groups are the scenarios of a recording whose trials come to the same.
func Groups(h runner.History) []intraclass.Group {
	return intraclass.GroupsOf(slices.Collect(maps.Values(h.Scenarios)))
}

// history is counts without the word on trials that ended in an error.
func (s Recordings) history(ctx context.Context, flag, source string) (h runner.History, err error) {
	if IsRatio(source) {
		h.Counts, err = ParseRatio(s.Origin(flag), source)
		return h, err
	}
	o := s.Reading.Options(s.Variant, trial.BasicFields)
	stream, trials := Open(ctx, s.App, []string{source}, o, Counted)
	if h, err = runner.CountHistory(source, s.ofScenario(trials)); err != nil {
		return h, Naming("variant", err)
	}
	NoteFiles(s.App, stream.Notes(), o.From)
	if flag == "baseline" {
		return h, s.RefuseStopped(ctx, stream.Notes(), source)
	}
	return h, nil
}

// RefuseStopped refuses a baseline whose trials tests stopped by their outcomes: its number of
// trials is not one that was fixed. A prior may be such: errors hold whatever it says.
func (s Recordings) RefuseStopped(ctx context.Context, notes []ingest.Notes, source string) error {
	stopped := recording.StoppedOf(app.Stops(notes, s.Variant))
	if stopped == nil {
		return nil
	}
	if s.Scenario != "" && recording.StoppedOf(stopped.Of(s.Scenario)) == nil {
		return nil
	}
	advice := "name the result of the run, which says where its tests could stop"
	if !stopped.Ended() {
		goesOn, _ := app.JournalAdvice(ctx, source)
		advice = cmp.Or(goesOn, "tribunal run --resume lets it end")
	}
	return &recording.StoppedError{Name: prose.FileName(source), Stopped: stopped, Advice: advice}
}

// ofScenario leaves out the trials of other scenarios, where one was chosen.
func (s Recordings) ofScenario(trials iter.Seq2[*trial.Trial, error]) iter.Seq2[*trial.Trial, error] {
	return func(yield func(*trial.Trial, error) bool) {
		for t, err := range trials {
			if err == nil && s.Scenario != "" && t.Scenario != s.Scenario {
				continue
			}
			if !yield(t, err) {
				return
			}
		}
	}
}
