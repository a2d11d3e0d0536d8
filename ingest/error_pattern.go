package ingest

import (
	"regexp"

	"github.com/tribunal-dev/tribunal/trial"
)

// errorPattern finds the errors of tools that a log holds as plain text, as many
// frameworks write them. The zero value finds none.
type errorPattern struct{ pattern *regexp.Regexp }

// parseErrorPattern reads a regular expression (RE2) that may match anywhere, such as
// ^Error:. An error is a [ruleError].
func parseErrorPattern(text string) (errorPattern, error) {
	if err := checkRule(text); err != nil {
		return errorPattern{}, err
	}
	pattern, err := rulePattern(text, text)
	return errorPattern{pattern}, err
}

// String returns the pattern, "" for the zero value.
func (p errorPattern) String() string {
	if p.pattern == nil {
		return ""
	}
	return p.pattern.String()
}

func (p errorPattern) isSet() bool { return p.pattern != nil }

// apply makes errors of the calls whose output matches, and returns their number. The
// output is the message.
func (p errorPattern) apply(t *trial.Trial) (found int) {
	if !p.isSet() {
		return 0
	}
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.Action != trial.CallTool || s.Error != "" || s.Output == nil {
			continue
		}
		if text := s.Output.Text(); p.pattern.MatchString(text) {
			s.Error = stepError(text)
			found++
		}
	}
	return found
}
