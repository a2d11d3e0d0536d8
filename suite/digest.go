package suite

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/wire/fault"
	"github.com/tribunal-dev/tribunal/wire/script"
)

// Digest identifies what a trial of the suite is and how it is judged and tested,
// as "sha256:" and 64 hexadecimal digits: the agent, the scenarios with their
// evaluators, limits and tests, the content of contracts, the order and the seed; also the baseline's
// agent, variants and how trials are calibrated, where there are any. It is the same whatever
// the layout, comments and order of keys of the file, and whether a default is
// written out or not; also whatever the budget, the concurrency, retries and
// grace, which may change between a run and its continuation. Coverage and
// capabilities are no part of it: they say what to look for in the trials, and
// change none.
//
// Nor are the gate and the floors of scenarios, which judge the result of a run, the relations, which are tried by runs
// of their own, and the names of variables that are redacted.
func (s *Suite) Digest() string { return s.digest }

// digest writes what a trial is and how it is judged in one form, and returns its hash.
//
// What is hashed is the JSON of the types within: another name or order of their fields changes
// every digest, and runs that were begun before could not be continued.
func digest(s *Suite, contracts []string) string {
	type scenario struct {
		Name     string
		Input    any
		Tags     []string
		Evaluate []evaluation
		Limits   any
		Test     Test
		Trials   int
		Faults   []fault.Fault `json:",omitempty"`

		ModelScript *script.Script `json:",omitempty"`

		Critical stratified.Floor `json:",omitzero"`
		Weight   int              `json:",omitempty"`
	}
	// What may differ between a run and its continuation is set to nothing.
	lasting := func(a Agent) Agent {
		a.Retries, a.Grace, a.Redact, a.KeepKeys = Retries{}, 0, nil, false
		return a
	}
	form := struct {
		Name      string
		Agent     Agent
		By        Grouping
		Order     Order
		Seed      uint64
		Scenarios []scenario
		Contracts []string `json:",omitempty"` // the digests of their content, wherever it stands
		// A suite without them has the digest that it had before there were any.
		BaselineAgent *Agent    `json:",omitempty"`
		Variants      []Variant `json:",omitempty"`
		Calibrate     Calibrate `json:",omitzero"`
		Score         string    `json:",omitempty"`
	}{s.Name, lasting(s.Agent), s.Test.By, s.Order, s.Seed, nil, contracts, nil, nil, s.Calibrate, s.scoreDigest()}
	if s.BaselineAgent != nil {
		form.BaselineAgent = new(lasting(*s.BaselineAgent))
	}
	for _, v := range s.Variants {
		form.Variants = append(form.Variants, Variant{v.Name, lasting(v.Agent)})
	}
	for _, c := range s.Scenarios {
		form.Scenarios = append(form.Scenarios,
			scenario{c.Name, canonical(c.Input), c.Tags, evaluations(c), c.Limits, c.Test, c.Trials, c.Faults, c.ModelScript,
				c.Critical, c.Weight})
	}
	return hash(form)
}

// evaluation is an evaluator as digests hold it.
type evaluation struct {
	Name string
	Spec any
}

// evaluations are the evaluators of a scenario, behind the end that it expects; nil where there are none.
func evaluations(c Scenario) (list []evaluation) {
	if c.Expect.Asked() {
		list = append(list, evaluation{oracle.ExpectName, c.Expect})
	}
	for _, e := range c.Evaluate {
		list = append(list, evaluation{e.Name, canonical(e.Spec)})
	}
	return list
}

// hash returns "sha256:" and the hash of a value's JSON, in which maps are written in the order of
// their keys.
func hash(form any) string {
	text, err := json.Marshal(form)
	if err != nil {
		return "" // not reached: every number was found finite
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// encoded writes a document as JSON.
func encoded(document any) (trial.Raw, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(document)
	return bytes.TrimSpace(b.Bytes()), err
}

// canonical decodes a document, so that members are written in one order.
//
// Numbers stay as they are written: 1.0 and 1 are two digests, which is on the safe side.
func canonical(text trial.Raw) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return string(text)
	}
	return value
}
