package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Tests holds every test that applies. All are one-sided against "the candidate is
// worse", but for NonInferiority, and for figures that are named two-sided.
//
// In JSON it is one object: the tests of [stats.Tests] are members of it by their
// names, each an object of its p-value "p" and its further figures.
type Tests struct {
	// Rates are the tests that could have decided, in the order of [stats.Tests].
	Rates []TestOfRates
	// CMH is nil with fewer than two scenarios that both sides tried.
	CMH *CMH
	// NonInferiority is the test of "worse by delta or more": a small p-value says that
	// the candidate is not. It is nil without trials.
	NonInferiority *PValue
}

// TestOfRates is what one of the tests of [stats.Tests] gave.
type TestOfRates struct {
	Test stats.Test // which test it is
	stats.TestResult
}

// PValue is the result of a test without a statistic of its own.
type PValue struct {
	P float64 `json:"p"` // one-sided
}

// value is an error where there is no p-value.
func (p *PValue) value() (float64, error) {
	if p == nil {
		return 1, verdict.ErrNoOutcomes
	}
	return p.P, nil
}

// Of returns what a test gave, and false where it did not apply.
func (t *Tests) Of(test stats.Test) (stats.TestResult, bool) {
	for _, r := range t.Rates {
		if r.Test == test {
			return r.TestResult, true
		}
	}
	return stats.TestResult{}, false
}

// add keeps the order of [stats.Tests], in which it is called: the order of the JSON.
func (t *Tests) add(test stats.Test, result stats.TestResult) {
	t.Rates = append(t.Rates, TestOfRates{test, result})
}

// leaveOutLater leaves out the tests that a saved result does not hold because they were
// not there when it was written. Those of [stats.Tests] up to McNemar's always were.
func (t *Tests) leaveOutLater(saved *Tests) {
	t.Rates = slices.DeleteFunc(t.Rates, func(r TestOfRates) bool {
		_, there := saved.Of(r.Test)
		return !there && r.Test > stats.McNemarTest
	})
}

// The members that are no tests of [stats.Tests].
const (
	cmhMember            = "cochran_mantel_haenszel"
	stratifiedMember     = "stratified_exact" // what older results call "stratified"
	nonInferiorityMember = "noninferiority"
)

// member is a member of a JSON object.
type member struct {
	name  string
	value any
}

// members are those of the JSON object, in their order.
func (t Tests) members() (list []member) {
	for _, r := range t.Rates {
		list = append(list, member{r.Test.String(), r})
	}
	if t.CMH != nil {
		list = append(list, member{cmhMember, t.CMH})
	}
	if t.NonInferiority != nil {
		list = append(list, member{nonInferiorityMember, t.NonInferiority})
	}
	return list
}

// members has the p-value first and then the test's own figures; the test's name is that
// of the member that holds it.
func (r TestOfRates) members() []member {
	list := []member{{"p", r.P}}
	for _, f := range r.Figures {
		list = append(list, member{f.Name, f.Value})
	}
	return list
}

// Members returns the members of the JSON object: the parts by which two results are
// compared.
func (t Tests) Members() map[string]any { return byName(t.members()) }

// Members returns the members of the JSON object.
func (r TestOfRates) Members() map[string]any { return byName(r.members()) }

// byName forgets the order, which no comparison of two results needs.
func byName(list []member) map[string]any {
	values := map[string]any{}
	for _, m := range list {
		values[m.name] = m.value
	}
	return values
}

// MarshalJSON writes the tests that there are.
func (t Tests) MarshalJSON() ([]byte, error) { return object(t.members()) }

// MarshalJSON writes the p-value and the figures.
func (r TestOfRates) MarshalJSON() ([]byte, error) { return object(r.members()) }

// object writes members in their order.
func object(list []member) ([]byte, error) {
	text := bytes.NewBufferString("{")
	for i, m := range list {
		if i > 0 {
			text.WriteByte(',')
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(text, "%q:%s", m.name, value)
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}

// UnmarshalJSON reads what MarshalJSON wrote. It is strict: a member that is no known
// test is an error.
func (t *Tests) UnmarshalJSON(text []byte) error {
	// The tests are read in the order of stats.Tests, whatever the order of the document:
	// so two results that hold the same are the same.
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	*t = Tests{}
	if text, there := members[stratifiedMember]; there && members[stats.StratifiedTest.String()] == nil {
		members[stats.StratifiedTest.String()] = text
		delete(members, stratifiedMember)
	}
	for _, test := range stats.Tests() {
		text, there := members[test.String()]
		delete(members, test.String())
		if !there || string(text) == "null" {
			continue
		}
		r := TestOfRates{Test: test}
		if err := r.UnmarshalJSON(text); err != nil {
			return fmt.Errorf("%s: %w", test, err)
		}
		t.Rates = append(t.Rates, r)
	}
	// What is left must be one of the other members.
	others := map[string]any{
		cmhMember: &t.CMH, nonInferiorityMember: &t.NonInferiority,
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		into, known := others[name]
		if !known {
			return fmt.Errorf("unknown test %q", name)
		}
		d := json.NewDecoder(bytes.NewReader(members[name]))
		d.DisallowUnknownFields()
		if err := d.Decode(into); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// UnmarshalJSON reads the p-value and the figures, in their order. It does not set
// which test they are of.
func (r *TestOfRates) UnmarshalJSON(text []byte) error {
	// A map for "p", and the tokens once more for the order of the figures.
	var numbers map[string]float64
	if err := json.Unmarshal(text, &numbers); err != nil {
		return err
	}
	r.TestResult = stats.TestResult{P: numbers["p"]}
	decoder := json.NewDecoder(bytes.NewReader(text))
	// The opening brace.
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		var value float64
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		if name != "p" {
			r.Figures = append(r.Figures, stats.Figure{Name: fmt.Sprint(name), Value: value})
		}
	}
	return nil
}
