package rule

import (
	"regexp"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// ErrorPattern finds the errors of tools that a log holds as plain text, as many
// frameworks write them. The zero value finds none.
type ErrorPattern struct{ pattern *regexp.Regexp }

// ParseErrorPattern reads a regular expression (RE2) that may match anywhere, such as
// ^Error:. An error is an [Error].
func ParseErrorPattern(text string) (ErrorPattern, error) {
	if err := checkRule(text); err != nil {
		return ErrorPattern{}, err
	}
	pattern, err := rulePattern(text, text)
	return ErrorPattern{pattern}, err
}

// String returns the pattern, "" for the zero value.
func (p ErrorPattern) String() string {
	if p.pattern == nil {
		return ""
	}
	return p.pattern.String()
}

// IsSet reports whether there is a pattern.
func (p ErrorPattern) IsSet() bool { return p.pattern != nil }

// Apply makes errors of the calls whose output matches, and returns their number. The
// output is the message.
// A step that has an error, or no output, stays what it is.
func (p ErrorPattern) Apply(t *trial.Trial) (found int) {
	if !p.IsSet() {
		return 0
	}
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.Action != trial.CallTool || s.Error != "" || s.Output == nil {
			continue
		}
		if text := s.Output.Text(); p.pattern.MatchString(text) {
			s.Error = record.StepError(text)
			found++
		}
	}
	return found
}
