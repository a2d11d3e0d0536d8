package runs

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
	"github.com/tribunal-dev/tribunal/trial/usage"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
)

// Schema names the JSON form of a [Result].
const Schema = "tribunal/run/v1"

// Result is what a run of a suite found.
type Result struct {
	Schema  string          `json:"schema"`  // names the JSON form
	Verdict verdict.Verdict `json:"verdict"` // what the evidence allows to say
	// Of the process: 0 Pass, 1 Fail, 2 Inconclusive, unless the command was told otherwise.
	ExitCode int    `json:"exit_code"`
	Suite    string `json:"suite"`        // name
	Digest   string `json:"suite_digest"` // of the suite
	// What was asked and how it was judged; nil in results of earlier versions.
	Task *Task `json:"task,omitempty"`
	// Which scenarios of the suite were left out; nil where all of them were asked for.
	Selection *Selection `json:"selection,omitempty"`
	// What the suite said of the agent and its tests, a line each such as "agent.timeout: 1m0s".
	Settings []string `json:"settings,omitempty"`
	// The same of the agent that runs as the baseline beside it, and of each variant of the agent.
	BaselineSettings []string            `json:"baseline_settings,omitempty"`
	VariantSettings  map[string][]string `json:"variant_settings,omitempty"`
	// All tests record trials and decide nothing: the verdict is inconclusive, and the exit code 0
	// where all trials ended.
	Recorded bool `json:"recorded,omitempty"`
	// Of the tests that fail for their number, in the verdict of all; absent where there is none.
	Correction *multiplicity.Correction `json:"correction,omitempty"`
	Seed       uint64                   `json:"seed"`                  // of the order of the trials
	Version    string                   `json:"version,omitempty"`     // of the program
	Finished   string                   `json:"finished_at,omitempty"` // RFC 3339
	Commit     string                   `json:"commit,omitempty"`      // of the folder in which it ran, where one is known
	// Where the suite stands; nil where that is not known.
	Source *Source        `json:"source,omitempty"`
	Looks  *verdict.Looks `json:"looks,omitempty"` // at this task; nil where they are not counted
	// Why the verdict is what it is, the most important first.
	Reasons  []verdict.Reason  `json:"reasons"`
	Warnings []verdict.Warning `json:"warnings"` // what to know before relying on it; may be empty
	// Repeated is a run of tests that a test runner has, in executions of its command.
	Repeated bool `json:"repeated,omitempty"`
	// Scenarios that the baseline has and the run does not, sorted: they are not judged.
	Gone []string `json:"gone,omitempty"`
	// What becomes of the verdict for them: Open is no Pass, Ignored is that of the others, with a warning. "" is that
	// nobody asked, as of the tests of a test runner, and the same as Ignored.
	Missing string `json:"missing,omitempty"`
	// Scenarios that the baseline of all tests does not have, sorted: they are judged by their threshold alone.
	Added []string `json:"added,omitempty"`

	// How many trials were to be recorded; nil where the tests alone decided that.
	Calibration *Calibration `json:"calibration,omitempty"`

	// What tests with a standing are asked together, as one question for each variant.
	SuiteTests []SuiteTest `json:"suite_tests,omitempty"`

	Families  []Family  `json:"families,omitempty"` // of the tests against a baseline, each once
	Tests     []Test    `json:"scenarios"`          // each of one scenario, or of several that are pooled
	Spent     Expense   `json:"spent"`              // over all attempts that ended
	StoppedBy StopCause `json:"stopped_by"`         // why the run ended
	Budget    string    `json:"budget,omitempty"`   // which one was used up: cost, tokens, duration or trials
	// The journal that the run wrote; nil where it kept none, and in results of earlier versions.
	Journal *Journal `json:"journal,omitempty"`
	// Files of the agent or its judges that changed between the sessions of the run.
	Changed []string `json:"changed_programs,omitempty"`
	// What of the agents the suite asks to be held, and the machine of the run could not hold, with the reasons.
	Unconfined  []string    `json:"unconfined,omitempty"`
	Reliability Reliability `json:"reliability"` // of the tests together
	// By capability and kind of scenario; nil where no scenario says what it is to show.
	Conformance *Conformance `json:"conformance,omitempty"`

	// Of cost, tokens and duration, where they are known.
	Distributions   []Distribution `json:"distributions"`
	Characteristics []design.Curve `json:"characteristics"` // of the designs, each once
	// Those that did not pass first, as far as there is room.
	Trials        []Trial `json:"trials,omitempty"`
	TrialsOmitted int     `json:"trials_omitted,omitempty"` // that ended, and there was no room for
	// What the trials that ended took, overrun too, by model: of the candidate, and of the baseline in rounds beside it.
	// Nil where they tell nothing, and in results of earlier versions.
	Usage         *usage.Usage `json:"usage,omitempty"`
	BaselineUsage *usage.Usage `json:"baseline_usage,omitempty"` // see Usage
	// What guards kept from being done in the trials that ended, overrun too: of the candidate, and of the baseline in
	// rounds beside it. Nil where no guard stood before any of them, and in results of earlier versions.
	Guardrails         *guardrails.Counts `json:"guardrails,omitempty"`
	BaselineGuardrails *guardrails.Counts `json:"baseline_guardrails,omitempty"` // see Guardrails
}

// Journal says which journal a result is of, by how it stood when the result was made.
type Journal struct {
	Chain string `json:"chain"` // of its last line, as package trial/journal computes it
	Lines int    `json:"lines"` // that it had
}

// LowerRate is the largest pass rate that the test takes for too low.
func (t *Test) LowerRate() float64 {
	return sprt.Hypotheses{Threshold: t.Threshold, Delta: t.Delta}.Lower()
}

// Source says where a suite stands, for those who show what became of it beside its text.
type Source struct {
	// With slashes, from the root of the repository, or, outside of one, from the working directory.
	File string `json:"file"`
	// Of every scenario of the suite by name, from 1: those that were left out too.
	Lines map[string]int `json:"lines"`
}

// Reliability describes how well repeated trials succeed.
type Reliability struct {
	// PassHatK is, by k, the mean over the tests of the unbiased estimate of the
	// probability that k trials all pass. It allows for the stopping, which the share
	// of passes does not. It is empty while a test has not ended.
	PassHatK map[string]float64 `json:"pass_hat_k"`
	// The same with all errors as passes; nil where no test has errors.
	PassHatKErrorsPassed map[string]float64 `json:"pass_hat_k_errors_passed,omitempty"`
	CostPerSuccess       *float64           `json:"cost_per_success"` // all cost over all passes, overrun too
	Cost                 *verdict.CostView  `json:"cost,omitempty"`   // nil where none is known
}

// Test is how one test of a run ended.
type Test struct {
	Name    string          `json:"name"`              // of the scenario or the group
	Variant string          `json:"variant,omitempty"` // of the agent; empty where there are none
	Verdict verdict.Verdict `json:"verdict"`           // what the evidence allows to say
	State   State           `json:"state,omitempty"`   // of a test of a test runner; empty where it is not known
	// Quarantined says that the verdict of the test is no part of that of the run.
	Quarantined bool `json:"quarantined,omitempty"`
	// What is known of a scenario that is asked about together with others: cleared, collapsed or open. Its verdict says
	// the same, and decides nothing by itself. Empty of a test of its own.
	Standing string `json:"standing,omitempty"`
	Passes   int    `json:"passes"`  // among the judged trials, like fails and errors
	Fails    int    `json:"fails"`   // among the judged trials
	Errors   int    `json:"errors"`  // judged trials without an outcome
	Trials   int    `json:"trials"`  // judged
	Overrun  int    `json:"overrun"` // ended beyond the decision, and no part of it
	// Passes over passes and fails; nil where there are none.
	Rate *float64 `json:"rate"`
	// Why the verdict is what it is, the most important first.
	Reasons  []verdict.Reason  `json:"reasons"`
	Warnings []verdict.Warning `json:"warnings"`          // what to know before relying on it; may be empty
	Members  []Member          `json:"members,omitempty"` // the scenarios of a test of several

	// The least pass rate that is good enough, from 0 to 1. It and what belongs to it are absent
	// where a baseline alone decides, and of a recording.
	Threshold float64 `json:"threshold,omitzero"`
	// The threshold less the largest rate that is too low.
	Delta float64 `json:"delta,omitzero"`
	// Bounds the chance of a false Fail, from 0 to 1.
	Alpha float64 `json:"alpha,omitzero"`
	// How many questions of the run share an alpha, of which each test has an equal part: one against a
	// threshold and one against a baseline are two. Absent where the alpha is its own.
	Shared int `json:"alpha_shared_by,omitempty"`
	// Bounds the chance of a false Pass, from 0 to 1.
	Beta   float64       `json:"beta,omitzero"`
	Design design.Design `json:"design,omitzero"` // that decided when to stop
	// The test against a baseline; absent where there is none. Beside a threshold both must hold.
	Regression *Regression `json:"regression,omitempty"`
	// Of a test with a standing that is against a baseline: the trials of that which count; its outcomes, P, F, E, and .
	// where one did not end; and its numbers, like those of the test.
	Baseline         *Side            `json:"baseline,omitempty"`
	BaselineOutcomes string           `json:"baseline_outcomes,omitempty"`
	BaselineMeasures *Measures        `json:"baseline_measures,omitempty"`
	Estimate         *design.Estimate `json:"estimate"` // of what ended last; nil where nothing of it has, and of rounds
	// By k; empty where the test has not ended. Unbiased without errors; else with all of them as failures.
	PassHatK map[string]float64 `json:"pass_hat_k"`
	// The same with all errors as passes; nil without errors.
	PassHatKErrorsPassed map[string]float64 `json:"pass_hat_k_errors_passed,omitempty"`
	Limits               []Limit            `json:"limits"` // in the order in which they come
	// Over all its trials, overrun too; nil where nothing passed or no cost is known.
	CostPerSuccess *float64        `json:"cost_per_success"`
	Savings        *design.Savings `json:"savings,omitempty"` // nil where the test has not ended
	// Of all trials in launch order: P, F, E, and . where it did not end; the judged ones come first.
	Outcomes string `json:"outcomes"`
	// The first failures and errors, with their reasons.
	Failures []Failure `json:"failures"`
	Measures *Measures `json:"measures,omitempty"` // where the result has no room for all trials
	// What its trials that ended took, overrun too, without those of a baseline beside it; nil where they tell nothing.
	Usage *usage.Usage `json:"usage,omitempty"`
	// What guards kept from being done in the same trials; nil where none stood before any of them.
	Guardrails *guardrails.Counts `json:"guardrails,omitempty"`
	// What the same trials have on the axes of the suite, overrun too, and those of the baseline in rounds beside it; nil
	// where they were not scored.
	Axes         []score.Series `json:"axes,omitempty"`
	BaselineAxes []score.Series `json:"baseline_axes,omitempty"` // see Axes
	// How many of the answers of its judged trials had been given before, and of those of a baseline in rounds beside
	// it; nil where none is longer than a label, and in results of earlier versions.
	Answers         *verdict.Answers `json:"answers,omitempty"`
	BaselineAnswers *verdict.Answers `json:"baseline_answers,omitempty"` // see Answers
	// Of the judged trials, those that passed although few would say so: the agent ended with another exit code than 0,
	// which no evaluator asks for, or printed and did nothing, and no evaluator asks for anything. 0 in results of earlier
	// versions.
	CodePasses   int `json:"passes_with_exit_code,omitempty"`
	SilentPasses int `json:"silent_passes,omitempty"`
}

// Member is a scenario of a test of several: its judged trials.
type Member struct {
	Name   string `json:"name"`   // of the scenario
	Passes int    `json:"passes"` // among its judged trials
	Fails  int    `json:"fails"`  // among its judged trials
	Errors int    `json:"errors"` // among its judged trials
}

// Limit is a limit over all judged trials of a test.
type Limit struct {
	Name     string   `json:"name"`     // such as max_turns
	Max      float64  `json:"max"`      // the largest of the pooled scenarios
	Worst    *float64 `json:"worst"`    // nil where it is not known of any trial
	Failures int      `json:"failures"` // trials that broke it
	Unknown  int      `json:"unknown"`  // trials that do not tell what it bounds
	// "warn" of a limit that fails no trial; else empty.
	Severity string `json:"severity,omitempty"`
}

// Failure is a judged trial that did not pass.
type Failure struct {
	Scenario string `json:"scenario"` // name
	Trial    int    `json:"trial"`    // its number in its scenario
	Outcome  string `json:"outcome"`  // fail or error
	Text     string `json:"text"`     // why it did not pass
}

// Expense is what a run took, over all attempts that ended.
type Expense struct {
	CostUSD      *float64 `json:"cost_usd"`               // nil where no cost is known
	CostUnknown  int      `json:"cost_unknown,omitempty"` // attempts whose cost is not known
	InputTokens  *int64   `json:"input_tokens"`           // nil where none are known
	OutputTokens *int64   `json:"output_tokens"`          // nil where none are known
	Duration     float64  `json:"duration_s"`             // seconds, of the run, without the time between its sessions
	Trials       int      `json:"trials"`                 // that ended
	// That ended: more than the trials where some were repeated.
	Attempts int `json:"attempts"`
	// Attempts that never began and that another one replaced, by their cause such as "start".
	Repeated map[string]int `json:"repeated,omitempty"`
	// Attempts of which nothing is known but that they began. Their trials are errors, or did not end.
	Lost int `json:"lost,omitempty"`
	// Of the lost, those that the budget cut off on the wire: what they took is known, and they are among the attempts.
	Cut int `json:"cut,omitempty"`
}

// StopCause says why a run ended.
type StopCause string

// The causes of a run's end.
const (
	StoppedByDecision  StopCause = "decision"   // every test passed or failed
	StoppedByMaxTrials StopCause = "max-trials" // every test ended, one at least without a decision
	StoppedByFirstFail StopCause = "first-fail" // every variant of the agent was decided, some by one test that failed
	StoppedByRace      StopCause = "race"       // every variant of the agent left the race, or won it
	StoppedByBudget    StopCause = "budget"
	StoppedByInterrupt StopCause = "interrupt"
	StoppedByDeadline  StopCause = "deadline"
	StoppedByRecording StopCause = "end-of-recording" // there are no more recorded trials
	StoppedByErrors    StopCause = "errors"           // the agent could not be run
	StoppedByFailure   StopCause = "failure"          // the run could not go on; there is an error beside its result
)

// Evidence is what a run gathered: all that its result is computed from.
type Evidence struct {
	Suite, Digest string // name and digest of the suite
	Task          *Task  // what was asked and how it was judged; nil where it is not known
	// Selection says which scenarios of the suite were left out; nil is none.
	Selection *Selection
	Settings  []string // what the suite says of the agent and its tests, a line each
	// The same of the agent that runs as the baseline, and of the variants by their names.
	BaselineSettings []string
	VariantSettings  map[string][]string
	// Correction of the tests that fail for their number, in the verdict of all; nil is none.
	Correction *multiplicity.Correction
	Seed       uint64         // of the order of the trials
	Version    string         // of the program
	Finished   string         // RFC 3339
	Commit     string         // of the folder in which it ran; "" is not known
	Source     *Source        // where the suite stands; nil is not known
	Tests      []TestEvidence // in the order of the suite
	Spent      Expense        // over all attempts that ended
	StoppedBy  StopCause      // why the run ended
	Budget     string         // which one was used up: cost, tokens, duration or trials; else empty
	Journal    *Journal       // that holds all of it; nil where none was kept
	Changed    []string       // files of the agent or its judges that changed between the sessions
	// Unconfined is what of the agents was to be held, and was not, with the reasons.
	Unconfined []string
	// The table that estimates of costs are from; nil where there are none, or the trials brought them along.
	Prices   *verdict.Prices
	Gone     []string // scenarios that the baseline alone has, sorted
	Missing  string   // what becomes of the verdict for them; see [Result]
	Repeated bool     // see [Result]
	Added    []string // scenarios that the baseline does not have, sorted
	// What the run was calibrated by, without its counts; nil where it was not.
	Calibration *Calibration
}

// TestEvidence is one test and its trials in launch order.
type TestEvidence struct {
	Name      string   // of the scenario or the group
	Scenarios []string // names; several are pooled
	// Against the threshold, or a recording. Zero where the baseline alone decides.
	Design sprt.Design
	// Against a baseline; nil where none is asked for. Beside a design both must hold.
	Against *Against
	// Joint is the question that this test and others are asked together; nil: it has a test of its own. With it there is
	// neither a design nor a baseline of its own.
	Joint *Joint
	// Recorded are the outcomes of the baseline that a Joint is against, where that was recorded: P, F or E for each
	// trial, in the order of launch.
	Recorded string
	Variant  string // of the agent; empty where there are none
	// Shared is how many tests of the run share the alpha that was asked for: that of this one is such a
	// part of it, so that a Fail is one beside all others too. 0 is none: the alpha is its own.
	Shared int
	// Quarantined says that the test is judged and reported, and decides nothing for the run.
	Quarantined bool
	Trials      []TrialEvidence // in launch order, or of a test in rounds by round, the baseline's trial first
	// Gather returns the trials of a test that has many of them, which stand in less memory: they are asked for test by
	// test. Nil: they are in Trials.
	Gather func() []TrialEvidence

	// Of a saved result of an earlier version: its estimates are those of one way of counting errors.
	earlierEstimates bool
	// Of a saved result: what it holds beyond its trials; nil of others
	saved *Test
}

// TrialEvidence is one trial. What it cost is that of all its attempts.
type TrialEvidence struct {
	Scenario string                  // name
	Number   int                     // in its scenario, from 0
	CostUSD  trial.Optional[float64] // of all its attempts, where it is known
	Trial    *trial.Trial            // nil where it did not end
	Process  *journal.Process        // how its program ended; nil where that is not told
	// MoreSteps is how many steps it had beyond those of Trial, where that is brief; see [Brief].
	MoreSteps int
	// Usage is what the trial took of each model, where Trial is brief; nil is what Trial says.
	Usage    *usage.Trial
	Baseline bool    // of the baseline's side, in a test in rounds
	Answer   *uint64 // of [verdict.AnswerOf], where Trial is brief; nil is what Trial says
	// Kept stands for Trial, Usage and Answer of a trial that ended and is not listed; nil where these are there.
	Kept *KeptTrial
}

// Reasons and warnings of a run.
const (
	CodeRecorded     verdict.Code = "recorded"          // trials were recorded, and nothing was decided
	CodeNotEnded     verdict.Code = "not-ended"         // the run was stopped before the test ended
	codeTestsFail    verdict.Code = "tests-fail"        // of a suite
	codeTestsOpen    verdict.Code = "tests-open"        // of a suite
	CodeTestsPass    verdict.Code = "tests-pass"        // of a suite
	codeQuarantined  verdict.Code = "all-quarantined"   // no test is left that decides
	WarnFamily       verdict.Code = "family-error"      // several tests: more chances of a false Fail
	warnLimitUnknown verdict.Code = "limit-unknown"     // what a limit bounds is not known
	WarnChanged      verdict.Code = "programs-changed"  // the agent or a judge changed between sessions
	warnUnconfined   verdict.Code = "unconfined"        // agents could write or reach what they were not to
	warnLost         verdict.Code = "attempts-lost"     // attempts were running when the run was stopped
	warnPartial      verdict.Code = "partial-run"       // scenarios of the suite were left out
	warnLimitBroken  verdict.Code = "limit-broken"      // by trials that did not fail for it, as it only warns
	warnQuarantined  verdict.Code = "quarantined"       // tests are set aside, and did not pass
	warnMayLeave     verdict.Code = "may-leave"         // a test that is set aside passed
	WarnGone         verdict.Code = "gone"              // the baseline has scenarios that were not run
	WarnAdded        verdict.Code = "added"             // the baseline lacks scenarios that were run
	warnDrift        verdict.Code = "drift"             // failures lie early or late in the order of launch
	WarnRedrawn      verdict.Code = "often-repeated"    // many attempts never began and were made again
	warnExitCode     verdict.Code = "exit-code-ignored" // trials passed whose agent ended badly
	warnSilent       verdict.Code = "silent-passes"     // trials passed without any output
	// A test passed whose estimate is below its threshold: between that and the threshold less delta either
	// answer is right.
	warnBelowThreshold verdict.Code = "estimate-below-threshold"
)

// Claims are the verdicts of the tests with their intervals. Beside a test against a baseline a Fail may not be one on
// the rate.
func (r *Result) Claims() (list []verdict.Claim) {
	for i := range r.Tests {
		t := &r.Tests[i]
		path := fmt.Sprintf("scenarios[%d].", i)
		if e := t.Estimate; e != nil && t.Threshold > 0 && !(t.Regression != nil && t.Verdict == verdict.Fail) {
			list = append(list, verdict.Claim{Path: path + "estimate", Verdict: t.Verdict, Low: e.Low, High: e.High,
				Bad: t.LowerRate(), Good: t.Threshold})
		}
		if x := t.Regression; x != nil && x.Difference != nil {
			list = append(list, x.Difference.Claim(path+"regression.difference", x.Verdict, x.Delta))
		}
	}
	return list
}
