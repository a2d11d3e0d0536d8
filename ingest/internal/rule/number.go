package rule

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// Number says where the number of a trial is found. The zero value leaves what the format says.
type Number struct {
	text    string
	order   bool           // they are counted
	key     string         // of the attribute; "" is none
	path    bool           // the pattern is for the path, not for the scenario
	pattern *regexp.Regexp // nil: none
	group   int            // of the pattern
}

// ParseNumber reads a rule; see package ingest.
func ParseNumber(text string) (Number, error) {
	if err := checkRule(text); err != nil {
		return Number{}, err
	}
	r := Number{text: text}
	kind, rest, more := strings.Cut(text, ":")
	var err error
	switch {
	case kind == "order" && !more:
		r.order = true
	case kind == "attribute" && more:
		r.key = rest
		err = checkKey(text, rest)
	case kind == "path" && more:
		r.path = true
		err = r.compile(rest)
	case kind == "regex" && more:
		err = r.compile(rest)
	default:
		err = &Error{Rule: text, Problem: "must be order, path:PATTERN, attribute:KEY or regex:PATTERN"}
	}
	if err != nil {
		return Number{}, err
	}
	return r, nil
}

// compile reads a pattern, and finds the group that is the number: the only one, or that named trial.
func (r *Number) compile(pattern string) (err error) {
	if r.pattern, err = rulePattern(r.text, pattern); err != nil {
		return err
	}
	if r.group = r.pattern.SubexpIndex("trial"); r.group > 0 {
		return nil
	}
	if n := r.pattern.NumSubexp(); n != 1 {
		return &Error{Rule: r.text, Problem: fmt.Sprintf("has a pattern with %s", prose.Count(n, "group")),
			Advice: `put the number in the only parentheses, (\d+), or name them (?P<trial>\d+)`}
	}
	r.group = 1
	return nil
}

// String returns the text of the rule.
func (r Number) String() string { return r.text }

// IsSet reports whether there is a rule.
func (r Number) IsSet() bool { return r.text != "" }

// Counts reports whether trials are numbered as they come, whatever number they have.
func (r Number) Counts() bool { return r.order }

// Attributes are the attributes that the rule asks for.
func (r Number) Attributes() (keys []string) {
	if r.key != "" {
		keys = append(keys, r.key)
	}
	return keys
}

// Apply gives a trial its number. What a pattern matches in the scenario is left out of it, since it is not the
// scenario's; a scenario that it does not match keeps its name and what number it has.
func (r Number) Apply(t *trial.Trial) error {
	switch {
	case r.order:
		t.Index = trial.Optional[int]{}
	case r.key != "":
		text, found := attributeText(t, r.key)
		if !found {
			return r.refuse(t, fmt.Sprintf("there is no attribute %q", prose.Excerpt(r.key)))
		}
		return r.take(t, text)
	case r.path:
		path := record.ValidText(filepath.ToSlash(t.Place.File))
		m := r.pattern.FindStringSubmatch(path)
		if m == nil {
			return r.refuse(t, fmt.Sprintf("the pattern does not match the path %q", prose.Excerpt(path)))
		}
		return r.take(t, m[r.group])
	case r.pattern != nil:
		at := r.pattern.FindStringSubmatchIndex(t.Scenario)
		if at == nil || at[2*r.group] < 0 {
			return nil
		}
		name := t.Scenario[:at[0]] + t.Scenario[at[1]:]
		if name == "" {
			return r.refuse(t, fmt.Sprintf("the pattern leaves nothing of the scenario %q", prose.Excerpt(t.Scenario)))
		}
		if err := r.take(t, t.Scenario[at[2*r.group]:at[2*r.group+1]]); err != nil {
			return err
		}
		t.Scenario = record.Shared(name)
	}
	return nil
}

// take reads the number.
func (r Number) take(t *trial.Trial, text string) error {
	number, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return &trial.FieldError{
			Place: t.Place, Field: "trial", Value: strconv.Quote(prose.Excerpt(text)), Problem: "is not a number from 0 on",
			Advice: "the rule for numbers finds it there: " + prose.Excerpt(r.text),
		}
	}
	t.Index = trial.Some(int(number))
	return nil
}

func (r Number) refuse(t *trial.Trial, problem string) error {
	return &trial.FieldError{Place: t.Place, Field: "trial", Problem: "is not found: " + problem,
		Advice: "the rule is " + prose.Excerpt(r.text)}
}
