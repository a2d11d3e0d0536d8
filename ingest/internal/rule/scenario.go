package rule

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// Scenario says where the scenario of a trial is found: few formats have a
// place for it. The zero value leaves what the format says.
type Scenario struct {
	text    string
	source  scenarioSource
	key     string         // of the attribute
	pattern *regexp.Regexp // nil: the whole text
	groups  ruleGroups
}

// scenarioSource is what a rule reads the scenario from.
type scenarioSource uint8

const (
	fromFormat scenarioSource = iota
	fromPath
	fromAttribute
	fromScenario
)

// ruleGroups are the numbers of the groups of a pattern that give a part of a
// trial's identity, 0 where there is none.
type ruleGroups struct{ scenario, trial, variant int }

// ParseScenario reads a rule, as ingest.ParseScenarioRule describes it. An error is an
// [Error].
// The text after the first colon is the key or the pattern, whatever it holds.
func ParseScenario(text string) (Scenario, error) {
	if err := checkRule(text); err != nil {
		return Scenario{}, err
	}
	r := Scenario{text: text}
	kind, rest, more := strings.Cut(text, ":")
	var err error
	switch {
	case kind == "path" && !more:
		r.source = fromPath
	case kind == "path":
		r.source = fromPath
		err = r.compile(rest)
	case kind == "attribute" && more:
		r.source, r.key = fromAttribute, rest
		err = checkKey(text, rest)
	case kind == "regex" && more:
		r.source = fromScenario
		err = r.compile(rest)
	default:
		err = &Error{Rule: text, Problem: "must be path, path:PATTERN, attribute:KEY or regex:PATTERN"}
	}
	if err != nil {
		return Scenario{}, err
	}
	return r, nil
}

// compile reads the pattern and finds its groups.
// A single group without a name is the scenario, since that is what the rule is for.
func (r *Scenario) compile(pattern string) (err error) {
	if r.pattern, err = rulePattern(r.text, pattern); err != nil {
		return err
	}
	var unnamed []int
	for i, name := range r.pattern.SubexpNames() {
		switch {
		case i == 0:
		case name == "":
			unnamed = append(unnamed, i)
		case name == "scenario":
			r.groups.scenario = i
		case name == "trial":
			r.groups.trial = i
		case name == "variant":
			r.groups.variant = i
		default:
			return &Error{Rule: r.text, Problem: fmt.Sprintf("has a group named %q", name),
				Advice: "the groups may be named scenario, trial and variant"}
		}
	}
	switch {
	case r.groups.scenario > 0:
	case len(unnamed) == 1:
		r.groups.scenario = unnamed[0]
	case len(unnamed) > 1:
		return &Error{Rule: r.text, Problem: fmt.Sprintf("has %d groups, and none is named", len(unnamed)),
			Advice: "name the one that is the scenario (?P<scenario>…), or write (?:…) for the others"}
	case r.groups == ruleGroups{}:
		return &Error{Rule: r.text, Problem: "has a pattern without a group",
			Advice: "put what is the scenario in parentheses"}
	}
	return nil
}

// Attributes are the keys of the attributes that the rule looks at.
func (r Scenario) Attributes() (keys []string) {
	if r.source == fromAttribute {
		keys = append(keys, r.key)
	}
	return keys
}

// String returns the text of the rule, "" for the zero value.
func (r Scenario) String() string { return r.text }

// IsSet reports whether there is a rule.
func (r Scenario) IsSet() bool { return r.source != fromFormat }

// GivesVariant reports whether the rule has a group for the variant.
func (r Scenario) GivesVariant() bool { return r.groups.variant > 0 }

// Apply sets the scenario of the trial, and its number and variant where the rule
// gives them.
// A path has slashes on every system, so that a rule works on all.
func (r Scenario) Apply(t *trial.Trial) error {
	switch {
	case !r.IsSet():
		return nil
	case r.source == fromAttribute:
		text, ok := attributeText(t, r.key)
		if !ok || text == "" {
			return r.notFound(t, fmt.Sprintf("there is no attribute %q", prose.Excerpt(r.key)))
		}
		t.Scenario = record.Shared(record.ValidText(text))
		return nil
	case r.source == fromPath && r.pattern == nil:
		t.Scenario = record.Shared(record.FileScenario(t.Place.File))
		return nil
	case r.source == fromPath:
		return r.match(t, record.ValidText(filepath.ToSlash(t.Place.File)), "the path")
	}
	return r.match(t, t.Scenario, "the scenario")
}

// match takes the parts of the identity from the groups. A part whose group matched
// nothing stays.
// A scenario that matches an empty text is an error, a number or variant is not: those may be
// optional in the pattern.
func (r Scenario) match(t *trial.Trial, text, what string) error {
	m := r.pattern.FindStringSubmatch(text)
	if m == nil {
		return r.notFound(t, fmt.Sprintf("the pattern does not match %s %q", what, prose.Excerpt(text)))
	}
	if i := r.groups.scenario; i > 0 {
		if m[i] == "" {
			return r.notFound(t, fmt.Sprintf("its group matches nothing of %s %q", what, prose.Excerpt(text)))
		}
		t.Scenario = record.Shared(m[i])
	}
	if i := r.groups.variant; i > 0 && m[i] != "" {
		t.Variant = record.Shared(m[i])
	}
	if i := r.groups.trial; i > 0 && m[i] != "" {
		number, err := strconv.Atoi(m[i])
		if err != nil || number < 0 || slices.Contains([]byte("+-"), m[i][0]) {
			return &trial.FieldError{
				Place: t.Place, Field: "trial", Value: strconv.Quote(prose.Excerpt(m[i])),
				Problem: "is not a number from 0 on",
				Advice:  `let the group named trial match digits: (?P<trial>\d+)`,
			}
		}
		t.Index = trial.Some(number)
	}
	return nil
}

// notFound says that the rule finds nothing in a trial, and which attributes there are.
func (r Scenario) notFound(t *trial.Trial, why string) error {
	return &trial.FieldError{
		Place: t.Place, Field: "scenario", Problem: fmt.Sprintf("is not found by the rule %s: %s",
			prose.Excerpt(r.text), why),
		Advice: attributeHint(t),
	}
}
