package race

import (
	"math"

	"github.com/tribunal-dev/tribunal/sprt/race"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Schema names the JSON form of a [Result].
const Schema = "tribunal/race/v1"

// Incumbent is the name of the agent that the variants are to replace, among the arms.
const Incumbent = "agent"

// Options say how a race is judged.
type Options struct {
	// Alpha bounds the chance that the chosen one is worse than the best by Delta or more, and that of a winner that is
	// called worse than the current version although it is not, each from 0 to 1.
	Alpha float64 `json:"alpha"`
	// Beta bounds the chance that a winner passes although it is worse than the current version by Delta.
	Beta float64 `json:"beta"`
	// Delta is the largest difference of rates that does not matter, from 0 to 1.
	Delta float64 `json:"delta"`
	// Rate is what the best passes at least, such as the incumbent, from 0 to 1; 0: nothing is known of it.
	Rate float64 `json:"rate,omitempty"`
	// Lead is how many passes an arm must be behind to be dropped.
	Lead int `json:"lead"`
	// MaxRounds is after how many rounds nothing more is tried.
	MaxRounds int `json:"max_rounds"`
	// Worth is that of one point of the pass rate in USD; 0: it is not known.
	Worth float64 `json:"worth_usd,omitempty"`
}

// rule is how the arms race.
func (o Options) rule() race.Rule {
	return race.Rule{Lead: o.Lead, MaxRounds: o.MaxRounds, Worth: o.Worth}
}

// Entrant is an arm with what is known of its trials beside their outcomes.
type Entrant struct {
	Name    string   // of the variant; [Incumbent] is the first
	CostUSD *float64 // of a trial, on average; nil: it is not known
	Seconds *float64 // that a trial takes, on average; nil: it is not known
	Price   *float64 // by which the race went; nil: by none
}

// Evidence is what was gathered by a race.
type Evidence struct {
	Suite  string // its name
	Digest string // of the suite
	Arms   []Entrant
	// Run has a test for each arm, in their order, whose trials are the rounds.
	Run *runs.Result
	// Confirmation is the winner against the current version, side by side on new trials; nil: it was not run.
	Confirmation *runs.Result
	Options      Options
}

// Result says which variant is best.
type Result struct {
	Schema  string          `json:"schema"`  // names the JSON form
	Verdict verdict.Verdict `json:"verdict"` // Pass where a variant takes the place of the incumbent, Fail where that stays
	// Of the process: 0 Pass, 1 Fail, 2 Inconclusive, unless the command was told otherwise.
	ExitCode int               `json:"exit_code"`
	Reasons  []verdict.Reason  `json:"reasons"`         // why the verdict is what it is, the most important first
	Warnings []verdict.Warning `json:"warnings"`        // what to know before relying on it; may be empty
	Suite    string            `json:"suite"`           // its name
	Digest   string            `json:"digest"`          // of the suite
	Asked    Options           `json:"asked"`           // what the rest is judged by
	Looks    *verdict.Looks    `json:"looks,omitempty"` // at this task; nil where they are not counted

	OddsRatio float64 `json:"odds_ratio"` // that delta comes to, and that the lead is for
	// Guarantee is the probability, at least, that the best is chosen where all others are worse by the odds ratio.
	Guarantee float64 `json:"guarantee"`

	End    race.End `json:"end,omitempty"`    // how the race ended; absent where it was stopped
	Chosen string   `json:"chosen,omitempty"` // the arm that won; absent where none did
	Rounds int      `json:"rounds"`           // judged
	Trials int      `json:"trials"`           // that count in the race, of all arms
	Rest   *Rest    `json:"rest,omitempty"`   // where the race ended as going on was not worth it

	Arms []Arm `json:"arms"` // the incumbent first, and the others in the order of the suite

	Run *runs.Result `json:"run"` // the race
	// Of the winner against the current version; nil where the incumbent won, and where it was not run.
	Confirmation *runs.Result  `json:"confirmation,omitempty"`
	Confirmed    *Confirmation `json:"confirmed,omitempty"` // what it came to; nil without one
}

// Rest is what was left to gain and to pay where a race ended for that.
type Rest struct {
	Gain    float64 `json:"gain"`     // in rates from 0 to 1, at most, on average
	CostUSD float64 `json:"cost_usd"` // of the fewest trials that might have ended the race
}

// Standing is what became of an arm.
type Standing string

// The standings.
const (
	Chosen  Standing = "chosen"
	Left    Standing = "left"    // when the race ended
	Dropped Standing = "dropped" // it was behind by the lead
	Waiting Standing = "waiting" // for its price, when the race ended
)

// Arm is what became of an arm.
type Arm struct {
	Name     string   `json:"name"`
	Standing Standing `json:"standing"`
	Trials   int      `json:"trials"` // that count in the race
	Passes   int      `json:"passes"` // among them, like fails and errors
	Fails    int      `json:"fails"`
	Errors   int      `json:"errors"`
	// Passes over passes and fails; nil where there are none. That of the winner is too high: it was chosen for it.
	Rate    *float64 `json:"rate"`
	Round   int      `json:"dropped_after,omitempty"` // round after which it was dropped; absent where it was not
	By      string   `json:"dropped_by,omitempty"`    // the leader then
	Behind  int      `json:"behind"`                  // passes behind the leader at the end, or when it was dropped
	CostUSD *float64 `json:"cost_usd"`                // of a trial, on average; nil: it is not known
	Seconds *float64 `json:"duration_s"`              // of a trial, on average; nil: it is not known
	Price   *float64 `json:"price_usd,omitempty"`     // by which the race went; nil: by none
	// No other arm is at least as good in rate, cost and duration and better in one, as far as they are known.
	Front bool    `json:"front"`
	Path  []Point `json:"path"` // how far behind it was, at some of the rounds
}

// Point is how many passes an arm was behind the leader after a round.
type Point struct {
	Round  int `json:"round"`
	Behind int `json:"behind"`
}

// Confirmation is what the winner came to on new trials, beside the incumbent.
type Confirmation struct {
	Winner    Rate `json:"winner"`
	Incumbent Rate `json:"incumbent"`
}

// Rate is how often an arm passes, with limits at 95 %, exact, that hold whenever the trials ended and whatever their
// errors would have been.
type Rate struct {
	Trials int      `json:"trials"`
	Passes int      `json:"passes"` // among them
	Errors int      `json:"errors"` // among them
	Rate   *float64 `json:"rate"`   // passes over trials without an error; nil where there are none
	Low    float64  `json:"low"`
	High   float64  `json:"high"`
}

// Reasons and warnings of races.
const (
	codeChosen      verdict.Code = "race-chosen"      // a variant won, and is not worse than the current one on new trials
	codeIncumbent   verdict.Code = "race-incumbent"   // the incumbent won
	codeWorse       verdict.Code = "race-worse"       // the winner is worse than the current version on new trials
	codeOpen        verdict.Code = "race-open"        // the confirmation is
	codeUnconfirmed verdict.Code = "race-unconfirmed" // it was not run
	codeLeft        verdict.Code = "race-left"        // the rounds are used up
	codeStopped     verdict.Code = "race-stopped"     // the run ended before the race did
	codeNotWorth    verdict.Code = "race-not-worth"   // going on costs more than it may gain: beside the others

	warnRaceErrors  verdict.Code = "race-errors"      // trials without an outcome
	warnRateLower   verdict.Code = "race-rate-lower"  // the current version passes less often than was given
	warnNoPrices    verdict.Code = "race-no-prices"   // a point has a worth, and a trial no price
	warnSpecialists verdict.Code = "race-specialists" // arms that pass in different scenarios
)

// Header returns what every result has.
func (r *Result) Header() verdict.Header {
	return verdict.Header{Schema: r.Schema, Judged: true, Verdict: r.Verdict, ExitCode: r.ExitCode, Reasons: r.Reasons,
		Warnings: r.Warnings}
}

// Risk bounds the errors of the verdict: a Pass errs where the winner is worse than the best or than the current
// version by delta, a Fail where the incumbent is worse than the best by delta, or the winner is called worse although
// it is not.
func (r *Result) Risk() verdict.Risk {
	return verdict.Risk{Bound: true, FalsePass: math.Min(1, r.Asked.Alpha+r.Asked.Beta),
		FalseFail: math.Min(1, 2*r.Asked.Alpha)}
}

// Look counts this race after earlier looks at the same task with the same variants. The verdict stays what it is.
func (r *Result) Look(earlier []verdict.Look, declared int, compared string) {
	r.Looks = verdict.NewLooks(earlier, declared, r.Risk())
	r.Looks.Compared = compared
	r.Warnings = append(r.Warnings, r.Looks.Warnings()...)
}

// Claims are the verdict with the difference of the winner's rate and the incumbent's that the intervals of both leave.
// Where the incumbent won the race, the verdict has none beside it.
func (r *Result) Claims() []verdict.Claim {
	c := r.Confirmed
	if c == nil {
		return nil
	}
	return []verdict.Claim{{Path: "confirmed", Verdict: r.Verdict, Low: c.Winner.Low - c.Incumbent.High,
		High: c.Winner.High - c.Incumbent.Low, Bad: -r.Asked.Delta}}
}
