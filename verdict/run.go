package verdict

import (
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
)

// RunSchema names the JSON form of a [RunResult].
const RunSchema = "tribunal/run/v1"

// RunResult is what a run of a suite found.
type RunResult struct {
	Schema   string    `json:"schema"`
	Verdict  Verdict   `json:"verdict"`
	ExitCode int       `json:"exit_code"`
	Suite    string    `json:"suite"`
	Digest   string    `json:"suite_digest"`
	Seed     uint64    `json:"seed"`
	Version  string    `json:"version,omitempty"`     // of the program
	Finished string    `json:"finished_at,omitempty"` // RFC 3339
	Reasons  []Reason  `json:"reasons"`
	Warnings []Warning `json:"warnings"`

	Tests       []RunTest      `json:"scenarios"` // each of one scenario, or of several that are pooled
	Spent       RunSpent       `json:"spent"`
	StoppedBy   StopCause      `json:"stopped_by"`
	Budget      string         `json:"budget,omitempty"` // which one was used up: cost, tokens, duration or trials
	Reliability RunReliability `json:"reliability"`

	Distributions   []Distribution `json:"distributions"`   // of cost, tokens and duration, where they are known
	Characteristics []DesignCurve  `json:"characteristics"` // of the designs, each once
	Trials          []RunTrial     `json:"trials,omitempty"`
	TrialsOmitted   int            `json:"trials_omitted,omitempty"` // that ended, and there was no room for
}

// LowerRate is the largest pass rate that the test takes for too low.
func (t *RunTest) LowerRate() float64 { return lowerRate(t.Threshold, t.Delta) }

// RunReliability describes how well repeated trials succeed.
type RunReliability struct {
	// PassHatK is, by k, the mean over the tests of the unbiased estimate of the
	// probability that k trials all pass. It allows for the stopping, which the share
	// of passes does not. It is empty while a test has not ended.
	PassHatK       map[string]float64 `json:"pass_hat_k"`
	CostPerSuccess *float64           `json:"cost_per_success"` // all cost over all passes, overrun too
	Cost           *CostView          `json:"cost,omitempty"`
}

// RunTest is how one test of a run ended.
type RunTest struct {
	Name     string      `json:"name"`
	Verdict  Verdict     `json:"verdict"`
	Passes   int         `json:"passes"` // among the judged trials, like fails and errors
	Fails    int         `json:"fails"`
	Errors   int         `json:"errors"`
	Trials   int         `json:"trials"`  // judged
	Overrun  int         `json:"overrun"` // ended beyond the decision, and no part of it
	Rate     *float64    `json:"rate"`    // passes over passes and fails; nil where there are none
	Reasons  []Reason    `json:"reasons"`
	Warnings []Warning   `json:"warnings"`
	Members  []RunMember `json:"members,omitempty"` // the scenarios of a test of several

	Threshold      float64             `json:"threshold"`
	Delta          float64             `json:"delta"`
	Alpha          float64             `json:"alpha"`
	Beta           float64             `json:"beta"`
	Design         SequentialDesign    `json:"design"`
	Estimate       *SequentialEstimate `json:"estimate"`   // nil where the test has not ended
	PassHatK       map[string]float64  `json:"pass_hat_k"` // unbiased, by k; empty where the test has not ended
	Limits         []RunLimit          `json:"limits"`
	CostPerSuccess *float64            `json:"cost_per_success"` // over all its trials, overrun too; nil where nothing passed or no cost is known
	Savings        *SavingsView        `json:"savings,omitempty"`
	Outcomes       string              `json:"outcomes"`           // of all trials in launch order: P, F, E, and . where it did not end; the judged ones come first
	Failures       []RunFailure        `json:"failures"`           // the first failures and errors, with their reasons
	Measures       *RunMeasures        `json:"measures,omitempty"` // where the result has no room for all trials
}

// RunMember is a scenario of a test of several: its judged trials.
type RunMember struct {
	Name   string `json:"name"`
	Passes int    `json:"passes"`
	Fails  int    `json:"fails"`
	Errors int    `json:"errors"`
}

// RunLimit is a limit over all judged trials of a test.
type RunLimit struct {
	Name     string   `json:"name"`
	Max      float64  `json:"max"`
	Worst    *float64 `json:"worst"` // nil where it is not known of any trial
	Failures int      `json:"failures"`
	Unknown  int      `json:"unknown"`
}

// RunFailure is a judged trial that did not pass.
type RunFailure struct {
	Scenario string `json:"scenario"`
	Trial    int    `json:"trial"`
	Outcome  string `json:"outcome"` // fail or error
	Text     string `json:"text"`
}

// RunSpent is what a run took, over all attempts that ended.
type RunSpent struct {
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
	StoppedByErrors    StopCause = "errors" // the agent could not be run
)

// RunEvidence is what a run gathered: all that its result is computed from.
type RunEvidence struct {
	Suite, Digest string
	Seed          uint64
	Version       string
	Finished      string
	Tests         []TestEvidence
	Spent         RunSpent
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
	CodeNotEnded     Code = "not-ended"     // the run was stopped before the test ended
	CodeTestsFail    Code = "tests-fail"    // of a suite
	CodeTestsOpen    Code = "tests-open"    // of a suite
	CodeTestsPass    Code = "tests-pass"    // of a suite
	WarnFamily       Code = "family-error"  // several tests: more chances of a false Fail
	WarnLimitUnknown Code = "limit-unknown" // what a limit bounds is not known
)
