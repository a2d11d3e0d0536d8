package compare

import (
	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// MissingPolicy says what becomes of scenarios that one side alone tried. The zero value is MissingOpen.
type MissingPolicy uint8

const (
	// MissingOpen gives no Pass where the candidate lacks scenarios of the baseline: of what was not tried nothing is
	// known.
	MissingOpen MissingPolicy = iota
	// MissingIgnore judges what both sides tried, and warns of the rest.
	MissingIgnore
)

var missings = enum.Of[MissingPolicy]("way with missing scenarios", runs.MissingOpen, runs.MissingIgnored)

// String returns "open" or "ignore".
func (m MissingPolicy) String() string { return missings.String(m) }

// MarshalText writes the name.
func (m MissingPolicy) MarshalText() ([]byte, error) { return missings.MarshalText(m) }

// UnmarshalText reads the name.
func (m *MissingPolicy) UnmarshalText(text []byte) error { return missings.UnmarshalText(text, m) }

// OneSidedCounts counts the scenarios that one side alone tried.
type OneSidedCounts struct {
	Gone   int           `json:"gone"`    // scenarios that the baseline alone tried
	Added  int           `json:"added"`   // those that the candidate alone tried
	Policy MissingPolicy `json:"missing"` // what becomes of them
}

// oneSidedNames are the names of scenarios that one side alone tried.
type oneSidedNames struct{ gone, added []string }

// any reports whether there are some.
func (s *oneSidedNames) any() bool { return len(s.gone)+len(s.added) > 0 }

// oneSided is what a result says of them; nil where both sides tried all.
func (s *oneSidedNames) oneSided(policy MissingPolicy) *OneSidedCounts {
	if !s.any() {
		return nil
	}
	return &OneSidedCounts{Gone: len(s.gone), Added: len(s.added), Policy: policy}
}

// warnings name them.
func (s *oneSidedNames) warnings() (list []verdict.Warning) {
	if n := len(s.gone); n > 0 {
		list = append(list, warnGone.Warning("the candidate did not try %s of the baseline: %s",
			prose.Count(n, "scenario"), phrase.Names(s.gone)))
	}
	if n := len(s.added); n > 0 {
		list = append(list, warnAdded.Warning("the baseline did not try %s of the candidate: %s",
			prose.Count(n, "scenario"), phrase.Names(s.added)))
	}
	return list
}

// takeBack makes a Pass Inconclusive where the candidate lacks scenarios of the baseline.
func (s *oneSidedNames) takeBack(v *verdict.Verdict, reasons *[]verdict.Reason) {
	if *v != verdict.Pass || len(s.gone) == 0 {
		return
	}
	*v = verdict.Inconclusive
	n := len(s.gone)
	*reasons = append([]verdict.Reason{CodeMissing.Reason(
		"the candidate did not try %s of the baseline (%s), so nothing is known of %s", prose.Count(n, "scenario"),
		phrase.Names(s.gone), prose.Form(n, "it", "them"))}, *reasons...)
}

// sides are the scenarios that one side alone tried; none in results of earlier versions, and where no scenario is
// named.
func (c *comparer) sides() (s oneSidedNames) {
	if c.options.unsided || len(c.rows) < 2 {
		return s
	}
	for i := range c.rows {
		row := c.row(i)
		switch before, after := tried(row[0]), tried(row[1]); {
		case before && !after:
			s.gone = append(s.gone, row[0].Scenario)
		case after && !before:
			s.added = append(s.added, row[0].Scenario)
		}
	}
	return s
}

// tried reports whether a scenario has a trial.
func tried(t verdict.Tally) bool { return t.Passes+t.Fails+t.Errors > 0 }

// addSides says which scenarios one side alone tried, and takes back a Pass of which the candidate lacks some.
func (c *comparer) addSides(result *Result) {
	s := c.sides()
	result.OneSided = s.oneSided(c.options.Missing)
	if c.options.Missing == MissingOpen {
		s.takeBack(&result.Verdict, &result.Reasons)
	}
	result.Warnings = append(result.Warnings, s.warnings()...)
}

// addUnrun takes back a Pass where errors of the candidate stand for tests that did not run.
func (c *comparer) addUnrun(result *Result) {
	if result.Verdict == verdict.Pass && c.options.unrun > 0 && c.options.Errors != verdict.ExcludeErrors {
		result.Verdict = verdict.Inconclusive
		result.Reasons = append([]verdict.Reason{verdict.Tally{Unrun: c.options.unrun}.UnrunReason()}, result.Reasons...)
	}
}

// ignored reports whether a scenario of the list is one that one side alone tried, which is left out.
func (c *comparer) ignored(i int) bool {
	row := c.row(i)
	return c.options.Missing == MissingIgnore && !c.options.unsided && tried(row[0]) != tried(row[1])
}

// asked are the policy of a saved result, and whether it has none, as those of earlier versions.
func (s *OneSidedCounts) asked() (policy MissingPolicy, unsided bool) {
	if s == nil {
		return MissingOpen, true
	}
	return s.Policy, false
}
