package cli

import (
	"context"
	"fmt"
	"regexp"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// recordings reads what a design is made from.
type recordings struct {
	app      *App
	flags    *pflag.FlagSet
	evidence *evidenceFlags
	variant  string
}

var ratioPattern = regexp.MustCompile(`^\s*\d+\s*/\s*\d+\s*$`)

// isRatio reports whether a text is K/N and not the name of a file.
func isRatio(text string) bool { return ratioPattern.MatchString(text) }

// counts returns passes and trials of K/N or of a recording, which a flag names.
// Trials that ended in an error are left out, with a word.
func (s recordings) counts(ctx context.Context, flag, source string) (stats.Counts, error) {
	if isRatio(source) {
		var k ratio
		if err := k.Set(source); err != nil {
			return stats.Counts{}, badValue(origin(s.flags, flag), s.flags.Lookup(flag), source, err)
		}
		return stats.Counts(k), nil
	}
	var tallies verdict.Tallies
	err := s.app.read(ctx, []string{source}, s.evidence.options(s.flags, s.variant, trial.BasicFields), tallies.Add)
	if err != nil {
		return stats.Counts{}, naming("variant", err)
	}
	var c stats.Counts
	errorsIn := 0
	for _, t := range tallies.List() {
		c.Passes += t.Passes
		c.Trials += t.Passes + t.Fails
		errorsIn += t.Errors
	}
	name := prose.FileName(source)
	if c.Trials == 0 {
		return c, badInput(fmt.Sprintf("%s holds no trial that passed or failed", name), "run the trials again")
	}
	if errorsIn > 0 {
		notice(s.app.Stderr, "warning", "%s: trials that ended in an error are left out, %d of %d", name, errorsIn, c.Trials+errorsIn)
	}
	return c, nil
}
