package relations

import (
	"github.com/tribunal-dev/tribunal/trial/relation"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Schema names the JSON form of a [Result].
const Schema = "tribunal/relations/v1"

// Claim is a relation as the suite claims it.
type Claim struct {
	Name   string          `json:"name"` // of its own in the suite
	Kind   relation.Kind   `json:"kind"`
	Family relation.Family `json:"family"`
	Paper  string          `json:"paper"` // its name in AgentAssay
	Text   string          `json:"claim"` // in a sentence
	// Alone says that it has no controls: the share of violations itself is tested.
	Alone bool `json:"alone,omitempty"`
	// Delta is the smallest excess of violations that matters, from 0 to 1.
	Delta float64 `json:"delta"`
	// MaxViolationRate bounds the share of violations itself, from 0 to 1; nil bounds nothing.
	MaxViolationRate *float64 `json:"max_violation_rate,omitempty"`
}

// Options say how relations are judged.
type Options struct {
	// Alpha bounds the chance that any relation is called violated, in any scenario, of an agent that violates none, from
	// 0 to 1.
	Alpha float64 `json:"alpha"`
	// Beta bounds, for each test, the chance of a Pass although the excess is delta.
	Beta float64 `json:"beta"`
	// Baseline is the file of the earlier result whose follow-ups take the place of controls; empty: there is none.
	Baseline string `json:"baseline,omitempty"`
	// Recorded is how many follow-ups of each relation were run to be a baseline, which decides nothing; 0: they were
	// tested.
	Recorded int `json:"recorded_pairs,omitempty"`
}

// Pair names a relation in a scenario, and the test of a run that is about both.
type Pair struct {
	Test, Relation, Scenario string
}

// Evidence is what was gathered by a run.
type Evidence struct {
	Suite  string // its name
	Digest string // of the suite
	Claims []Claim
	Pairs  []Pair // one for each test of the run, in its order
	// Run has a test for each pair, whose trials pass where the relation holds.
	Run      *runs.Result
	Examples map[string][]Example // of violations, by the names of tests
	Vacuous  map[string]int       // judged follow-ups in which there was nothing to compare, likewise
	Options  Options
}

// Result says which relations hold.
type Result struct {
	Schema  string          `json:"schema"`  // names the JSON form
	Verdict verdict.Verdict `json:"verdict"` // Fail where one is violated, Pass where all hold
	// Of the process: 0 Pass, 1 Fail, 2 Inconclusive, unless the command was told otherwise.
	ExitCode int               `json:"exit_code"`
	Reasons  []verdict.Reason  `json:"reasons"`  // why the verdict is what it is, the most important first
	Warnings []verdict.Warning `json:"warnings"` // what to know before relying on it; may be empty
	Suite    string            `json:"suite"`    // its name
	Digest   string            `json:"digest"`   // of the suite
	Asked    Options           `json:"asked"`    // what the rest is judged by

	Relations []JudgedRelation `json:"relations"` // in the order of the suite
	Pairs     int              `json:"pairs"`     // that were judged, controls too

	Run      *runs.Result    `json:"run,omitempty"`      // that tried them; nil where pairs were recorded
	Recorded []RecordedPairs `json:"recorded,omitempty"` // the pairs that were recorded; empty after a run
}

// JudgedRelation is what became of a relation.
type JudgedRelation struct {
	Claim
	Verdict   verdict.Verdict `json:"verdict"`   // Fail where one of its scenarios fails, Pass where all pass
	Scenarios []Cell          `json:"scenarios"` // in the order of the suite
}

// Cell is a relation in one scenario.
type Cell struct {
	Scenario string           `json:"scenario"`
	Verdict  verdict.Verdict  `json:"verdict"`
	Reasons  []verdict.Reason `json:"reasons"`   // why, the most important first
	FollowUp Rate             `json:"follow_up"` // of source and follow-up
	// Of equal inputs, or of an earlier version; nil of a relation that is tested alone.
	Control *Rate   `json:"control,omitempty"`
	Excess  *Excess `json:"excess,omitempty"` // of follow-ups over controls; nil where it is not known
	// The p-value against "follow-ups violate it no more often than controls", exact; nil where it is not known.
	P       *float64  `json:"p,omitempty"`
	Vacuous int       `json:"vacuous,omitempty"` // follow-ups in which there was nothing to compare
	Example []Example `json:"examples"`          // of pairs that violate it, as far as they are shown
}

// Rate is how often pairs of a kind violate a relation.
type Rate struct {
	Pairs      int      `json:"pairs"`      // judged
	Violations int      `json:"violations"` // among them
	Errors     int      `json:"errors"`     // among them: nobody knows
	Rate       *float64 `json:"rate"`       // violations over pairs without an error; nil where there are none
	// Limits of the rate at 95 %, exact, whatever the errors would have been: after a run they hold whenever it stopped
	// (a confidence sequence), of recorded pairs they are those of Clopper and Pearson.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Excess is by how much more often follow-ups violate a relation than controls do.
type Excess struct {
	Estimate float64 `json:"estimate"` // median-unbiased after a run, else the difference of both shares
	Level    float64 `json:"level"`    // confidence of the interval, from 0 to 1
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// Example is a pair that violates a relation, with its texts cut.
type Example struct {
	Trial    int    `json:"trial"` // its number in the scenario
	Source   Half   `json:"source"`
	FollowUp Half   `json:"follow_up"`
	Why      string `json:"why"`
}

// Half is one execution of an example.
type Half struct {
	Input   string `json:"input"`
	Output  string `json:"output"`
	Outcome string `json:"outcome,omitempty"`
}

// RecordedPairs are the pairs of a relation in a scenario that were recorded: P where the relation holds, F where it is
// violated, and E where nobody knows.
type RecordedPairs struct {
	Relation  string    `json:"relation"`
	Scenario  string    `json:"scenario"`
	FollowUps string    `json:"follow_ups"`
	Controls  string    `json:"controls,omitempty"`
	Shared    int       `json:"shared,omitempty"` // sources that both a follow-up and a control have
	Vacuous   int       `json:"vacuous,omitempty"`
	Examples  []Example `json:"examples,omitempty"`
}

// Reasons and warnings of relations.
const (
	codeViolated     verdict.Code = "relation-violated"      // more often than the agent disagrees with itself
	codeMoreViolated verdict.Code = "relation-more-violated" // than by an earlier version: Proposition 6.1
	codeRateHigh     verdict.Code = "violation-rate-high"    // the share of violations is above its bound
	codeHolds        verdict.Code = "relation-holds"         // an excess of delta is excluded
	codeRateLow      verdict.Code = "violation-rate-low"     // a share that is higher than its bound by delta is excluded
	codeOpen         verdict.Code = "relation-open"          // neither is shown
	// the agent disagrees with itself so often that it says nothing
	codeNoise   verdict.Code = "relation-noise"
	codeVacuous verdict.Code = "relation-vacuous" // there never was anything to compare

	codePairsRecorded verdict.Code = "pairs-recorded" // nothing was decided

	codeSomeViolated verdict.Code = "relations-violated" // of all
	codeAllHold      verdict.Code = "relations-hold"     // of all
	codeSomeOpen     verdict.Code = "relations-open"     // of all

	warnNothingCompared verdict.Code = "nothing-compared"  // pairs that held because there was nothing to compare
	warnSharedSources   verdict.Code = "shared-sources"    // of recorded follow-ups and controls: they are not independent
	warnNoControls      verdict.Code = "no-controls"       // recorded pairs without any
	warnPairErrors      verdict.Code = "pairs-with-errors" // nobody knows whether the relation holds
)

// Header returns what every result has.
func (r *Result) Header() verdict.Header {
	return verdict.Header{Schema: r.Schema, Judged: r.Asked.Recorded == 0, Verdict: r.Verdict, ExitCode: r.ExitCode,
		Reasons:  r.Reasons,
		Warnings: r.Warnings}
}
