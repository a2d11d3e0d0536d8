package mutants

import (
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Schema names the JSON form of a [Result].
const Schema = "tribunal/mutation/v1"

// Mutant is a change of the agent, as the campaign made it.
type Mutant struct {
	ID       string `json:"id"`                 // such as "M17", of its own in the campaign
	Key      string `json:"key"`                // the same in campaigns that have more or other mutants
	Operator string `json:"operator"`           // such as "prompt.drop"
	Class    string `json:"class"`              // prompt, tool, model, context, orchestration or result
	Paper    string `json:"paper,omitempty"`    // its name in AgentAssay, where it is one of the twelve there
	Severity string `json:"severity,omitempty"` // subtle, moderate or severe
	Site     string `json:"site"`               // what was changed, such as "line 12: Never refund ..."
	Diff     string `json:"diff,omitempty"`     // unified
	// Lines of the prompt that it changes, from 1; empty of another class.
	Lines []int `json:"lines,omitempty"`
	// How many trials it is seen to have reached; nil where that is not looked at, as of a change in a file.
	Applied *int `json:"applied,omitempty"`
}

// Options say how a campaign is judged.
type Options struct {
	Levels
	// FailUnder is the least score that is good enough, from 0 to 1; nil asks for none, and the result has no verdict.
	FailUnder *float64 `json:"fail_under,omitempty"`
	// Space is how many mutants the chosen operators make; 0: those of the campaign are all of them.
	Space int `json:"space,omitempty"`
	// Operators are how many the campaign used, and Known how many there are.
	Operators int `json:"operators,omitempty"`
	Known     int `json:"known_operators,omitempty"`
	// Fixed is how many trials of each test of each mutant the campaign is compared with; 0 is [DefaultFixed].
	Fixed int `json:"fixed_trials,omitempty"`
	// Edition is that of the rules; [Judge] sets it to that of today. Campaigns that do not say it are of the first, in
	// which every kill counted.
	Edition int `json:"edition,omitempty"`
}

// Editions of the rules.
const (
	chanceEdition  = 2 // the first in which the limits of a score allow for mutants that are killed by chance
	unaskedEdition = 3 // the first in which a score of which nothing is required is never Inconclusive
)

// DefaultFixed is the number of trials that AgentAssay's mutation analysis gives each mutant and scenario.
const DefaultFixed = 50

// Campaign is what was gathered.
type Campaign struct {
	Suite  string // its name
	Digest string // of the suite
	// Original is the run of the suite on the agent as it is. It must pass.
	Original *runs.Result
	// Run has the tests of all mutants: those of each mutant have its ID as their variant, and are against recorded
	// trials of the original.
	Run     *runs.Result
	Mutants []Mutant
	// Behaviour of each mutant beside that of the original, by ID; none where it was not compared.
	Behaviour map[string]*behaviour.Comparison
	// Sensors of mutants that survived, by ID.
	Sensors map[string][]Sensor
	// Prompt are the lines of the prompt that mutants change, by their numbers, for those that no mutant killed.
	Prompt  map[int]string
	Options Options
}

// Fate is what became of a mutant.
type Fate string

// The fates of mutants.
const (
	KilledByVerdict   Fate = "killed by verdict"   // a test of the suite fails, and more often than on the original
	KilledByRate      Fate = "killed by rate"      // it passes less often than the original
	KilledByBehaviour Fate = "killed by behaviour" // where that was asked to kill
	Survived          Fate = "survived"            // its tests pass, and it is another agent
	Equivalent        Fate = "equivalent"          // presumed: no drop, and no change of behaviour was detected
	Undecided         Fate = "undecided"           // trials or money ran out, or there were errors
	Inert             Fate = "inert"               // the change never reached the agent
)

// Killed reports whether the suite noticed.
func (f Fate) Killed() bool {
	return f == KilledByVerdict || f == KilledByRate || f == KilledByBehaviour
}

// Result says how good a suite is.
type Result struct {
	Schema  string          `json:"schema"`  // names the JSON form
	Verdict verdict.Verdict `json:"verdict"` // on the score, where one is asked for; else Pass
	// Of the process: 0 Pass, 1 Fail, 2 Inconclusive, unless the command was told otherwise.
	ExitCode int               `json:"exit_code"`
	Reasons  []verdict.Reason  `json:"reasons"`  // why the verdict is what it is, the most important first
	Warnings []verdict.Warning `json:"warnings"` // what to know before relying on it; may be empty
	Suite    string            `json:"suite"`    // its name
	Digest   string            `json:"digest"`   // of the suite
	Asked    Options           `json:"asked"`    // what the rest is judged by

	Score Score `json:"score"` // of all mutants
	// Of the mutants of each class and operator, in the order of the campaign.
	Classes   []Part `json:"classes"`
	Operators []Part `json:"operators"`

	Mutants []JudgedMutant `json:"mutants"` // in the order of the campaign
	Tests   []Test         `json:"tests"`   // in the order of the suite
	// Lines of the prompt that mutants changed, and of which none was killed: rules without a sensor.
	Unsensed []Line `json:"unsensed_lines"`
	Cost     Cost   `json:"cost"`
	// Theorem51 is the bound of AgentAssay's Theorem 5.1; nil where there is no score or no impact.
	Theorem51 *Adequacy `json:"theorem_5_1"`

	Original *runs.Result `json:"original"` // the run of the suite on the agent as it is
	Run      *runs.Result `json:"run"`      // the tests of the mutants
}

// Score is Equation 22 of AgentAssay, of some mutants.
type Score struct {
	Mutants    int `json:"mutants"`    // all of them, like the counts below
	Killed     int `json:"killed"`     // by any way
	ByVerdict  int `json:"by_verdict"` // among the killed
	ByRate     int `json:"by_rate"`
	ByBehavior int `json:"by_behaviour"`
	Survived   int `json:"survived"`
	Equivalent int `json:"equivalent"`
	Undecided  int `json:"undecided"`
	Inert      int `json:"inert"`
	// So many kills chance explains with a probability of more than 5 %, where no mutant changes anything.
	ByChance int `json:"by_chance,omitempty"`
	// Killed over killed and survived; nil where there are none.
	Score *float64 `json:"score"`
	// The least and the largest that it is, whatever the undecided mutants are, and without the kills that chance
	// explains for the least; nil where there are none.
	Low  *float64 `json:"score_low"`
	High *float64 `json:"score_high"`
	// Exact (Clopper and Pearson), at 95 %, of the score of all mutants that the operators make, where those of the
	// campaign are drawn from them; else nil.
	Interval *verdict.Interval `json:"interval"`
}

// Part is the score of the mutants of a class or an operator.
type Part struct {
	Name string `json:"name"`
	Score
}

// JudgedMutant is what became of a mutant.
type JudgedMutant struct {
	Mutant
	Fate   Fate     `json:"fate"`
	By     []string `json:"killed_by"` // tests that failed, in the order of the suite
	Why    string   `json:"why"`       // in words
	Trials int      `json:"trials"`    // that were run of it
	// Of the pass rate, over its tests, the largest drop below the original that was seen; negative is a rise. Nil
	// without trials.
	Drop      *float64              `json:"largest_drop"`
	Behaviour *behaviour.Comparison `json:"behaviour,omitempty"` // beside the original's; nil where it was not compared
	Sensors   []Sensor              `json:"sensors,omitempty"`   // what would have killed it, where that was asked for
}

// Sensor is an evaluator that tells a mutant that survived from the original, as it was tried on the trials of both.
type Sensor struct {
	Test     string  `json:"test"`      // whose scenario lacks it
	YAML     string  `json:"evaluator"` // for its list evaluate, such as "must-call: ask_manager"
	Original Tally   `json:"original"`
	Mutant   Tally   `json:"mutant"`
	P        float64 `json:"p"` // exact, that the mutant passes it as often; for all that were tried
}

// Tally counts the trials that pass an evaluator.
type Tally struct {
	Passes int `json:"passes"`
	Trials int `json:"trials"`
}

// Test is what a test of the suite did for the score.
type Test struct {
	Name  string   `json:"name"`
	Alpha float64  `json:"alpha"`  // its part of a mutant's
	Kills []string `json:"kills"`  // IDs of the mutants that it failed
	Alone int      `json:"alone"`  // among them, those that no other test failed
	Own   string   `json:"design"` // of the suite: optimal, wald, ...
}

// Line is a line of the prompt.
type Line struct {
	Number  int      `json:"line"` // from 1
	Text    string   `json:"text"`
	Mutants []string `json:"mutants"` // IDs of those that changed it
}

// Cost says what the campaign took.
type Cost struct {
	Trials  int     `json:"trials"` // of mutants, overrun too
	Fixed   int     `json:"fixed"`  // trials of fixed sampling: mutants x tests x the trials of each
	Savings float64 `json:"savings"`
	// Equation 25 of AgentAssay, 1 - gamma sigma: gamma is the share of the operators that were used, and sigma the
	// share of the trials of fixed sampling. Nil where it is not known how many operators there are.
	Reduction *float64 `json:"equation_25"`
}

// Adequacy is AgentAssay's Theorem 5.1: a suite with score tau finds a regression of impact delta with probability
// tau (1 - exp(-delta/delta_0)) or more. It holds as far as its assumptions do: that a regression is made of such
// changes as the operators make (the coupling effect), and that these are found independently.
type Adequacy struct {
	Score float64 `json:"tau"`
	Delta float64 `json:"delta"`   // of the pass rate
	Scale float64 `json:"delta_0"` // the mean drop of the mutants that are not equivalent
	Bound float64 `json:"bound"`   // Equation 23
}

// Reasons and warnings of campaigns.
const (
	codeScore       verdict.Code = "mutation-score"          // as it was asked to be, or without a demand
	codeScoreLow    verdict.Code = "mutation-score-low"      // below what was asked for
	codeScoreOpen   verdict.Code = "mutation-score-open"     // mutants that are not decided could change the answer
	codeNoScore     verdict.Code = "no-mutation-score"       // no mutant was killed or survived
	warnByChance    verdict.Code = "kills-by-chance"         // how many kills chance explains
	warnIdle        verdict.Code = "idle-tests"              // tests that killed no mutant
	warnUnsensed    verdict.Code = "unsensed-lines"          // of the prompt
	warnInert       verdict.Code = "inert-mutants"           // changes that never reached the agent
	warnNoBehaviour verdict.Code = "behaviour-not-looked-at" // equivalence rests on pass rates alone
)

// Header returns what every result has.
func (r *Result) Header() verdict.Header {
	// Where no score is required nothing passes or fails.
	return verdict.Header{Schema: r.Schema, Judged: r.Asked.FailUnder != nil, Verdict: r.Verdict, ExitCode: r.ExitCode,
		Reasons: r.Reasons, Warnings: r.Warnings}
}
