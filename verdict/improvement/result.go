package improvement

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/sprt/keep"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Schema names the JSON form of a [Result].
const Schema = "tribunal/ratchet/v1"

// Basis says by what attempts are told apart.
type Basis string

// The bases.
const (
	ByCount Basis = "count" // of deterministic tests that pass
	ByPairs Basis = "pairs" // of trials, by a sequential test
)

// LoopSettings is what a loop was asked to do.
type LoopSettings struct {
	By       Basis   `json:"by"`
	Attempts int     `json:"attempts,omitempty"` // most, without what was there before; 0: no bound
	Stalled  int     `json:"stalled,omitempty"`  // it stops after so many without progress; 0: it does not
	Least    float64 `json:"least,omitempty"`    // it stops below this chance of an improvement; 0: it does not
	// By pairs: the level of the session, how it is spent, and what is asked of each attempt, whose level follows.
	Alpha    float64        `json:"alpha,omitempty"`
	Spending *keep.Spending `json:"spending,omitempty"`
	Question *keep.Question `json:"question,omitempty"`
	Sets     *Sets          `json:"sets,omitempty"`
}

// Sets are the numbers of scenarios that a session was split into, once and by a hash.
type Sets struct {
	Search  int    `json:"search"`   // seen in full by who makes the attempts
	HeldOut int    `json:"held_out"` // answer with a decision and nothing else
	Final   int    `json:"final"`    // opened once, at the end
	Digest  string `json:"digest"`   // of their names and of the seed, "sha256:" and 64 hexadecimal digits
}

// State is how far an attempt came.
type State string

// The states.
const (
	Tried    State = "tried"    // it was tested, or pairs of it were tried
	Unread   State = "unread"   // what the model answered does not parse: it is nobody's attempt
	Tampered State = "tampered" // what is protected was changed: the attempt failed
	Ended    State = "ended"    // a cap, a guard or a person ended it before it was tested
)

// Attempt is what was recorded of one.
type Attempt struct {
	Number  int    `json:"number"` // 0 is what was there before
	State   State  `json:"state"`
	Problem string `json:"problem,omitempty"` // why it was not tried, or has no report of tests
	Files   string `json:"files,omitempty"`   // digest of the files that may change
	// Outcomes has a letter for each of Result.Tests, in their order: P, F, E, and . of one that is in no report. Again
	// is the same of a second execution on the same files, with . for what was not repeated; empty: there was none.
	Outcomes string `json:"outcomes,omitempty"`
	Again    string `json:"again,omitempty"` // see Outcomes
	// By pairs: a letter for each as package keep has them, and the most that the design had.
	Pairs    string `json:"pairs,omitempty"`
	MaxPairs int    `json:"max_pairs,omitempty"` // see Pairs

	Judged *Judgement `json:"judged,omitempty"` // computed; nil in evidence
}

// Judgement is what follows of an attempt.
type Judgement struct {
	Decision keep.Decision `json:"decision"`
	// By count: its tests, without those that are known as flaky by then.
	Counts *Counts `json:"counts,omitempty"`
	Level  float64 `json:"level,omitempty"` // by pairs: the chance, at most, that one that is no better is kept
	// Champion is the number of the attempt that is the current version after it, -1 where there is none, and Best its
	// counts.
	Champion int     `json:"champion"`
	Best     *Counts `json:"best,omitempty"`
	// By pairs: how many of them broke and were mended, and of how many a side ended in an error.
	Tally *Tally `json:"tally,omitempty"`
}

// Counts are the tests of an attempt.
type Counts struct {
	Passes   int `json:"passes"`
	Failures int `json:"failures"`
	Errors   int `json:"errors"` // tests that could not be run, and those that an attempt has no report of
	Flaky    int `json:"flaky"`  // not counted: they came to two ends on the same files
}

// Tally are the pairs of an attempt.
type Tally struct {
	Pairs    int `json:"pairs"`
	Broke    int `json:"broke"`    // the champion alone passed
	Mended   int `json:"mended"`   // the attempt alone passed
	Unknowns int `json:"unknowns"` // a side ended in an error
}

// Call is one start of a program that makes, reviews or mends an attempt.
type Call struct {
	Attempt int    `json:"attempt"`
	Stage   string `json:"stage"` // "generate", "review", "rewrite" or "fix"
	Route   string `json:"route,omitempty"`
	Model   string `json:"model,omitempty"` // "" is unknown
	// Tokens and cost are nil where they are unknown.
	InputTokens  *int64          `json:"input_tokens,omitempty"`
	OutputTokens *int64          `json:"output_tokens,omitempty"`
	CostUSD      *float64        `json:"cost_usd,omitempty"`
	CostBasis    trial.CostBasis `json:"cost_basis,omitempty"`
	Lost         bool            `json:"lost,omitempty"` // it was under way when the loop was killed: what it took is unknown
}

// Part is what calls of one stage and model took.
type Part struct {
	Stage        string  `json:"stage"`
	Model        string  `json:"model,omitempty"`
	Calls        int     `json:"calls"`
	Priced       int     `json:"priced"` // of the calls, those whose cost is known
	InputTokens  int64   `json:"input_tokens"`
	OutputTokens int64   `json:"output_tokens"`
	CostUSD      float64 `json:"cost_usd"` // of those that are priced
}

// Stop is why a loop ended.
type Stop string

// The reasons of an end.
const (
	AllPass     Stop = "all-pass"
	AttemptsOut Stop = "attempts"     // as many as were asked for
	Stalled     Stop = "stalled"      // so many without progress
	Unlikely    Stop = "unlikely"     // the chance of an improvement is below the least
	CostCap     Stop = "max-cost"     // the money is used up
	TimeCap     Stop = "max-duration" // the time is used up
	Guarded     Stop = "guardrail"    // an act was forbidden
	Interrupted Stop = "interrupted"  // by a person
	Failed      Stop = "failed"       // a program could not be run
	AskedAlone  Stop = "asked"        // one attempt was asked about
)

// Evidence is what a loop recorded.
type Evidence struct {
	Name     string
	Asked    LoopSettings
	Tests    []string // names, by count
	Attempts []Attempt
	Calls    []Call
	Stop     Stop
	StopText string // such as which guardrail; may be empty
	Seed     uint64
	Version  string // of the program
	Finished string // RFC 3339; "" is unknown
}

// Result is what came of a loop.
type Result struct {
	Schema  string          `json:"schema"`  // names the JSON form
	Verdict verdict.Verdict `json:"verdict"` // see [Judge]
	// Of the process: 0 Pass, 1 Fail, 2 Inconclusive, unless the command was told otherwise.
	ExitCode int               `json:"exit_code"`
	Reasons  []verdict.Reason  `json:"reasons"`  // why the verdict is what it is, the most important first
	Warnings []verdict.Warning `json:"warnings"` // what to know before relying on it; may be empty
	Name     string            `json:"name"`
	Asked    LoopSettings      `json:"asked"`
	Stop     Stop              `json:"stop"`
	StopText string            `json:"stop_text,omitempty"`

	Tests    []string  `json:"tests,omitempty"` // names, by count
	Attempts []Attempt `json:"attempts"`        // by their numbers
	Champion int       `json:"champion"`        // number of the attempt that it ended with; -1 is none
	Averted  int       `json:"averted"`         // attempts that were worse than the current version, and did not take its place
	Flaky    []string  `json:"flaky,omitempty"` // tests that came to two ends on the same files
	// Chance is that of an improvement by another attempt: the mean of its posterior under a uniform prior.
	Chance float64 `json:"chance"`

	Calls    []Call `json:"calls"`    // in their order
	Spending []Part `json:"spending"` // by stage and model
	Seed     uint64 `json:"seed"`
	Version  string `json:"version,omitempty"`  // of the program
	Finished string `json:"finished,omitempty"` // RFC 3339
}

// Reasons and warnings of loops.
const (
	codeAllPass     verdict.Code = "ratchet-all-pass"
	codeSomeFail    verdict.Code = "ratchet-some-fail" // the loop came to its end before all passed
	codeCut         verdict.Code = "ratchet-cut"       // it was ended from outside
	codeNoChampion  verdict.Code = "ratchet-no-champion"
	codeKept        verdict.Code = "ratchet-kept"     // by pairs: an attempt took the champion's place
	codeNoneKept    verdict.Code = "ratchet-reverted" // by pairs: none did
	codeNoneDecided verdict.Code = "ratchet-undecided"

	warnFlaky    verdict.Code = "ratchet-flaky"
	warnUnread   verdict.Code = "ratchet-unread"
	warnTampered verdict.Code = "ratchet-tampered"
	warnCost     verdict.Code = "ratchet-cost-unknown"
	warnLost     verdict.Code = "ratchet-lost"
	warnUnknowns verdict.Code = "ratchet-pair-errors"
)

// Header returns what every result has.
func (r *Result) Header() verdict.Header {
	return verdict.Header{Schema: r.Schema, Judged: true, Verdict: r.Verdict, ExitCode: r.ExitCode, Reasons: r.Reasons,
		Warnings: r.Warnings}
}

// Problem says what of a saved result does not fit together, so that it could not even be shown; "" is nothing.
func (r *Result) Problem() string {
	for i, a := range r.Attempts {
		j := a.Judged
		switch {
		case j == nil:
			return fmt.Sprintf("attempts[%d].judged is missing", i)
		case r.Asked.By == ByCount && a.State == Tried && (j.Counts == nil || j.Best == nil):
			return fmt.Sprintf("attempts[%d].judged has no counts", i)
		}
	}
	return ""
}
