package runs

import (
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
)

// Schema names the JSON form of a [Result].
const Schema = "tribunal/run/v1"

// Result is what a run of a suite found.
type Result struct {
	Schema   string            `json:"schema"`
	Verdict  verdict.Verdict   `json:"verdict"`
	ExitCode int               `json:"exit_code"`
	Suite    string            `json:"suite"`
	Digest   string            `json:"suite_digest"`
	Seed     uint64            `json:"seed"`
	Version  string            `json:"version,omitempty"`     // of the program
	Finished string            `json:"finished_at,omitempty"` // RFC 3339
	Reasons  []verdict.Reason  `json:"reasons"`
	Warnings []verdict.Warning `json:"warnings"`

	Tests       []Test      `json:"scenarios"` // each of one scenario, or of several that are pooled
	Spent       Spent       `json:"spent"`
	StoppedBy   StopCause   `json:"stopped_by"`
	Budget      string      `json:"budget,omitempty"` // which one was used up: cost, tokens, duration or trials
	Reliability Reliability `json:"reliability"`

	Distributions   []Distribution `json:"distributions"`   // of cost, tokens and duration, where they are known
	Characteristics []design.Curve `json:"characteristics"` // of the designs, each once
	Trials          []Trial        `json:"trials,omitempty"`
	TrialsOmitted   int            `json:"trials_omitted,omitempty"` // that ended, and there was no room for
}

// LowerRate is the largest pass rate that the test takes for too low.
func (t *Test) LowerRate() float64 {
	return sprt.Hypotheses{Threshold: t.Threshold, Delta: t.Delta}.Lower()
}

// Reliability describes how well repeated trials succeed.
type Reliability struct {
	// PassHatK is, by k, the mean over the tests of the unbiased estimate of the
	// probability that k trials all pass. It allows for the stopping, which the share
	// of passes does not. It is empty while a test has not ended.
	PassHatK       map[string]float64 `json:"pass_hat_k"`
	CostPerSuccess *float64           `json:"cost_per_success"` // all cost over all passes, overrun too
	Cost           *verdict.CostView  `json:"cost,omitempty"`
}

// Test is how one test of a run ended.
type Test struct {
	Name     string            `json:"name"`
	Verdict  verdict.Verdict   `json:"verdict"`
	Passes   int               `json:"passes"` // among the judged trials, like fails and errors
	Fails    int               `json:"fails"`
	Errors   int               `json:"errors"`
	Trials   int               `json:"trials"`  // judged
	Overrun  int               `json:"overrun"` // ended beyond the decision, and no part of it
	Rate     *float64          `json:"rate"`    // passes over passes and fails; nil where there are none
	Reasons  []verdict.Reason  `json:"reasons"`
	Warnings []verdict.Warning `json:"warnings"`
	Members  []Member          `json:"members,omitempty"` // the scenarios of a test of several

	Threshold      float64            `json:"threshold"`
	Delta          float64            `json:"delta"`
	Alpha          float64            `json:"alpha"`
	Beta           float64            `json:"beta"`
	Design         design.Design      `json:"design"`
	Estimate       *design.Estimate   `json:"estimate"`   // nil where the test has not ended
	PassHatK       map[string]float64 `json:"pass_hat_k"` // unbiased, by k; empty where the test has not ended
	Limits         []Limit            `json:"limits"`
	CostPerSuccess *float64           `json:"cost_per_success"` // over all its trials, overrun too; nil where nothing passed or no cost is known
	Savings        *design.Savings    `json:"savings,omitempty"`
	Outcomes       string             `json:"outcomes"`           // of all trials in launch order: P, F, E, and . where it did not end; the judged ones come first
	Failures       []Failure          `json:"failures"`           // the first failures and errors, with their reasons
	Measures       *Measures          `json:"measures,omitempty"` // where the result has no room for all trials
}

// Member is a scenario of a test of several: its judged trials.
type Member struct {
	Name   string `json:"name"`
	Passes int    `json:"passes"`
	Fails  int    `json:"fails"`
	Errors int    `json:"errors"`
}

// Limit is a limit over all judged trials of a test.
type Limit struct {
	Name     string   `json:"name"`
	Max      float64  `json:"max"`
	Worst    *float64 `json:"worst"` // nil where it is not known of any trial
	Failures int      `json:"failures"`
	Unknown  int      `json:"unknown"`
}

// Failure is a judged trial that did not pass.
type Failure struct {
	Scenario string `json:"scenario"`
	Trial    int    `json:"trial"`
	Outcome  string `json:"outcome"` // fail or error
	Text     string `json:"text"`
}

// Spent is what a run took, over all attempts that ended.
type Spent struct {
	CostUSD      *float64 `json:"cost_usd"` // nil where no cost is known
	CostUnknown  int      `json:"cost_unknown,omitempty"`
	InputTokens  *int64   `json:"input_tokens"`
	OutputTokens *int64   `json:"output_tokens"`
	Duration     float64  `json:"duration_s"` // of the run, without the time between its sessions
	Trials       int      `json:"trials"`     // that ended
	Attempts     int      `json:"attempts"`   // that ended: more than the trials where some were repeated
	Lost         int      `json:"lost,omitempty"`
}

// StopCause says why a run ended.
type StopCause string

// The causes of a run's end.
const (
	StoppedByDecision  StopCause = "decision"   // every test passed or failed
	StoppedByMaxTrials StopCause = "max-trials" // every test ended, one at least without a decision
	StoppedByBudget    StopCause = "budget"
	StoppedByInterrupt StopCause = "interrupt"
	StoppedByDeadline  StopCause = "deadline"
	StoppedByErrors    StopCause = "errors"  // the agent could not be run
	StoppedByFailure   StopCause = "failure" // the run could not go on; there is an error beside its result
)

// Evidence is what a run gathered: all that its result is computed from.
type Evidence struct {
	Suite, Digest string
	Seed          uint64
	Version       string
	Finished      string
	Tests         []TestEvidence
	Spent         Spent
	StoppedBy     StopCause
	Budget        string
}

// TestEvidence is one test and its trials in launch order.
type TestEvidence struct {
	Name      string
	Scenarios []string
	Design    sprt.Design
	Trials    []TrialEvidence
}

// TrialEvidence is one trial. What it cost is that of all its attempts.
type TrialEvidence struct {
	Scenario string
	Number   int
	CostUSD  trial.Optional[float64]
	Trial    *trial.Trial // nil where it did not end
}

// Reasons and warnings of a run.
const (
	CodeNotEnded     verdict.Code = "not-ended"     // the run was stopped before the test ended
	CodeTestsFail    verdict.Code = "tests-fail"    // of a suite
	CodeTestsOpen    verdict.Code = "tests-open"    // of a suite
	CodeTestsPass    verdict.Code = "tests-pass"    // of a suite
	WarnFamily       verdict.Code = "family-error"  // several tests: more chances of a false Fail
	WarnLimitUnknown verdict.Code = "limit-unknown" // what a limit bounds is not known
)
