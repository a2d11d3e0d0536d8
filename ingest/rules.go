package ingest

import (
	"errors"
	"fmt"

	"github.com/tribunal-dev/tribunal/ingest/internal/rule"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// ScenarioRule says where the scenario of a trial is found: few formats have a
// place for it. The zero value leaves what the format says.
type ScenarioRule struct{ rule rule.Scenario }

// ParseScenarioRule reads a rule:
//
//	path               the name of the file, without folder and endings
//	path:PATTERN       what a group of the pattern matches in the path of the file
//	attribute:KEY      a tag of the trial, or a field that package trial does not know
//	regex:PATTERN      what a group of the pattern matches in the format's own name
//
// The pattern is a regular expression (RE2) that may match anywhere. Its only group
// is the scenario, or the group named scenario: (?P<scenario>…). Groups named trial
// and variant give those. In a path, / stands between folders. An error is a
// [RuleError].
func ParseScenarioRule(text string) (ScenarioRule, error) {
	r, err := rule.ParseScenario(text)
	return ScenarioRule{r}, asRuleError(err)
}

// String returns the text of the rule, "" for the zero value.
func (r ScenarioRule) String() string { return r.rule.String() }

// TrialRule says where the number of a trial is found, by which it is told apart from others of its
// scenario, and paired. The zero value leaves what the format says.
type TrialRule struct{ rule rule.Number }

// ParseTrialRule reads a rule:
//
//	order              counted as they come, whatever numbers they have: for several runs, each numbered anew
//	path:PATTERN       what the group of the pattern matches in the path of the file
//	attribute:KEY      a tag of the trial, or a field that package trial does not know
//	regex:PATTERN      what the group of the pattern matches in the scenario, which loses what the pattern
//	                   matches; a scenario that it does not match stays as it is
//
// The pattern is a regular expression (RE2) that may match anywhere. Its only group, or the one
// named trial, is the number, from 0 on. An error is a [RuleError].
func ParseTrialRule(text string) (TrialRule, error) {
	r, err := rule.ParseNumber(text)
	return TrialRule{r}, asRuleError(err)
}

// String returns the text of the rule, "" for the zero value.
func (r TrialRule) String() string { return r.rule.String() }

// PassRule says when a trial passes whose format does not tell. The zero value
// judges nothing.
type PassRule struct{ rule rule.Pass }

// ParsePassRule reads a rule: conditions that are joined by and, or by or.
//
//	score>=0.5             the score; also > <= < ==
//	attribute:KEY=VALUE    a tag, or a field that package trial does not know; also
//	                       == > >= < <= for numbers, ~ for a pattern; tag:KEY is the same
//	output~PATTERN         the output matches a regular expression (RE2) anywhere
//	output=TEXT            the output is the text, white space around it aside
//	no-error               no step failed, of a run that came to its end
//	tool:NAME              the tool was called
//
// A value may stand in double quotes, and does where it holds and or or; a quote in
// it is doubled. An error is a [RuleError].
func ParsePassRule(text string) (PassRule, error) {
	r, err := rule.ParsePass(text)
	return PassRule{r}, asRuleError(err)
}

// String returns the text of the rule, "" for the zero value.
func (r PassRule) String() string { return r.rule.String() }

// ErrorPattern finds the errors of tools that a log holds as plain text, as many
// frameworks write them. The zero value finds none.
type ErrorPattern struct{ pattern rule.ErrorPattern }

// ParseErrorPattern reads a regular expression (RE2) that may match anywhere, such as
// ^Error:. An error is a [RuleError].
func ParseErrorPattern(text string) (ErrorPattern, error) {
	p, err := rule.ParseErrorPattern(text)
	return ErrorPattern{p}, asRuleError(err)
}

// String returns the pattern, "" for the zero value.
func (p ErrorPattern) String() string { return p.pattern.String() }

// RuleError says why the text of a rule cannot be used.
type RuleError struct {
	Rule    string // as it was given
	Problem string // what the rule is or does, such as "is not a rule"
	Advice  string // what a person might do about it; may be ""
}

// asRuleError makes errors about rules public.
func asRuleError(err error) error {
	if e, ok := errors.AsType[*rule.Error](err); ok {
		return (*RuleError)(e)
	}
	return err
}

// Error is the message and the hint.
func (e *RuleError) Error() string {
	if e.Advice == "" {
		return e.Message()
	}
	return e.Message() + "; " + e.Advice
}

// Message names the rule, and says what is wrong with it.
func (e *RuleError) Message() string {
	return fmt.Sprintf("rule %q %s", prose.Excerpt(e.Rule), e.Problem)
}

// Hint returns the advice.
func (e *RuleError) Hint() string { return e.Advice }

// ExitCode is that of a question that cannot be asked.
func (e *RuleError) ExitCode() int { return exit.Usage }
