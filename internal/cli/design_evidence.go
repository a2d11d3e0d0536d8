package cli

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
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

// counts returns passes and trials of K/N or of a recording, which a flag names.
// Trials that ended in an error are left out, with a word, which comes only after all is
// read, so that it does not break into the progress.
func (s recordings) counts(ctx context.Context, flag, source string) (stats.Counts, error) {
	if isRatio(source) {
		return parseRatio(s.flags, flag, source)
	}
	o := s.evidence.options(s.flags, s.variant, trial.BasicFields)
	stream, trials := s.app.open(ctx, []string{source}, o)
	h, err := runner.CountHistory(source, trials)
	if err != nil {
		return stats.Counts{}, naming("variant", err)
	}
	s.app.noteFiles(stream.Notes(), o.From)
	s.app.noteErrors(h)
	return h.Counts, nil
}
