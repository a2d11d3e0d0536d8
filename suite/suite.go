package suite

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
	"github.com/tribunal-dev/tribunal/trial/prices"
	"github.com/tribunal-dev/tribunal/wire/endpoint"
	"github.com/tribunal-dev/tribunal/wire/fault"
	"github.com/tribunal-dev/tribunal/wire/model"
	"github.com/tribunal-dev/tribunal/wire/script"
)

// Suite is what a tribunal.yaml says.
type Suite struct {
	File  string // the name under which it was read
	Name  string // letters, digits, dots, dashes and underscores: names of files begin with it
	Agent Agent  // the program under test
	// BaselineAgent is the program that the agent is tested against, side by side; nil where
	// there is none. It has what the agent has but for what the suite says otherwise.
	BaselineAgent *Agent
	// Variants are the programs that are tried in place of the agent, each in every scenario, in
	// their order; empty: the agent alone. Those of a matrix are all of its combinations.
	Variants    []Variant
	Test        Test      // which test decides, where a scenario does not say otherwise
	Budget      Budget    // what a run may take
	Calibrate   Calibrate // how many trials it records for a comparison of behaviour; zero: as its tests need
	Concurrency int       // trials at a time; default 4
	Order       Order     // of the trials; default interleaved
	Seed        uint64    // of the order and of the seeds of trials; default 1
	SeedGiven   bool      // the suite says so
	Judge       Place     // where its trials are judged that a fleet runs; default at the coordinator
	// LaunchJitter is how long each launch waits at most: a share of it that is drawn by the seed, uniformly. 0 is none.
	LaunchJitter time.Duration
	// Profile is the tier as which the suite was read, see [WithProfile]; "" is none.
	Profile   string
	Scenarios []Scenario // at least one, with names that differ
	Sources   []Source   // files of data that scenarios were made of, in their order

	Coverage     Coverage // what its trials are to try; see [Suite.Declared]
	Capabilities []string // everything that its scenarios are to cover
	Gate         Gate     // what a deployment needs besides the verdict

	Relations []Relation // that are claimed of pairs of executions, with names that differ

	Score     score.Axes // on which trials have points, in the order in which they are scored; nil: on none
	ScoreSpec trial.Raw  // what the suite says of them, as JSON; nil: nothing

	// Prices are those of models that the suite says; nil: those that are built in alone.
	Prices *prices.Table

	// Store is where its runs are kept: a file, with the path of the suite's folder, or the URL of a database; "" is
	// nowhere.
	Store string

	digest   string
	room     context.Context // that files are opened with which are read later; nil is any
	task     Task
	programs []startedProgram
	parts    []string // files that it includes

	references []reference
	inherited  []string // names of variables that agents and judges inherit; "*" is all
	dotenvs    []dotenv
	judgeEnv   func() variables // that judges are given; nil: none
}

// Agent is the program under test. It is started without a shell, for every trial
// anew, with a JSON object on standard input: scenario, input, trial and seed. In [SessionMode] it
// stays up, and gets such an object in a line for every trial.
type Agent struct {
	Command []string          // argv; a relative path is from the folder of the suite; ${NAME} as in Env
	Env     map[string]string // set for the agent, as it is written: ${NAME} is a variable of this process
	// EnvAllow are the variables of this process that it inherits, beside the few without which programs do
	// not start: names, beginnings such as AWS_*, or * for all.
	EnvAllow []string
	// EnvAllowGiven says that the suite says so, be it that there are none. Digests have it under its
	// earlier name.
	EnvAllowGiven bool `json:"EnvLimited"`
	// EnvFile has variables that are set for it, NAME=value in lines; its path is from the folder of the suite. See
	// [Suite.Expanded].
	EnvFile    string        `json:",omitempty"`
	Mode       Mode          `json:",omitempty"` // whether it is started for every trial, or stays up
	HTTP       *HTTP         `json:",omitempty"` // what is asked in place of a program; nil: there is a Command
	Model      *Model        `json:",omitempty"` // that is asked in place of a program; nil: none is
	Timeout    time.Duration // default 5m
	Output     string        // [OutputAuto] (default), [OutputText], [OutputTrial] or a format that is imported
	OutputFile string        // where it writes its output; "" is standard output
	// MetricsFile is where it writes what an attempt took, as [runner.Metrics]; "" is nowhere.
	MetricsFile string  `json:",omitempty"`
	Retries     Retries // of attempts that never began
	// Infrastructure is what is an error of the trial and not the agent's failure, beside a signal from
	// elsewhere and a program that it cannot find; nil is [NoOutputCause] alone. See [Agent.IsError].
	Infrastructure []Cause
	WorkingDir     string        // from the folder of the suite, which is the default
	Redact         []string      // names of variables whose values are removed from what is kept
	KeepKeys       bool          `json:",omitempty"` // what looks like a key is kept
	MaxOutputBytes int64         // default 16 MiB
	Grace          time.Duration // between asking the agent to end and killing it; default 5s
	Wire           *Wire         `json:",omitempty"` // over which it asks models; nil: as it likes
	Confine        *Confine      `json:",omitempty"` // what it may write and reach; nil: what its user may
	Config         *Config       `json:",omitempty"` // what it is configured with; nil: the suite does not say
	// Files are patterns, from the folder of the suite, of files that it consists of beside those of its command: where
	// one changes, it is another agent. They change nothing of what is run, and no digest.
	Files []string `json:"-"`
}

// HTTP is an agent that listens at an address. In URL, Headers and Body, ${NAME} stands as in Env, and the holders of
// package endpoint for values of a trial.
type HTTP struct {
	URL      string
	Method   string            // default POST
	Headers  map[string]string `json:",omitempty"`
	Body     trial.Raw         `json:",omitempty"` // JSON; nil: what a program gets on standard input
	Response Response          // where the parts of a record stand in what comes; none: it is read as Output says
	Async    *endpoint.Async   `json:",omitempty"` // how the answer is fetched later; nil: it is what comes
}

// Model is a model that is asked as an agent, and may call tools that answer as they are told. In URL, ${NAME} stands
// as in Env; in System, Prompt, Seed and the answers of tools, the holders of package endpoint for values of a trial.
type Model struct {
	Provider    model.Provider
	Name        string
	URL         string                  `json:",omitempty"` // "" is that of the provider
	KeyEnv      string                  `json:",omitempty"` // variable of the key; see [Model.KeyVariable]
	System      string                  `json:",omitempty"`
	Prompt      string                  // default {input}
	Tools       []model.Mock            `json:",omitempty"`
	MaxTurns    int                     // default 20
	Temperature trial.Optional[float64] `json:",omitzero"`
	MaxTokens   int                     `json:",omitempty"` // of an answer
	Seed        string                  `json:",omitempty"` // a number, or a holder; "" sends none
	Price       *model.Price            `json:",omitempty"`

	// Key is the value of the variable, once it is known. See [Suite.Expanded].
	Key string `json:"-"`
}

// KeyVariable is the variable that has the key; "" is none. A server of one's own gets the key of a provider only where
// it is named.
func (m *Model) KeyVariable() string { return keyVariable(m.Provider, m.URL, m.KeyEnv) }

// keyVariable is the variable that has the key of a model.
func keyVariable(provider model.Provider, url, named string) string {
	if named == "" && url == "" {
		return provider.KeyVariable()
	}
	return named
}

// Response are paths into a JSON answer, or into the events of a stream; "" is none.
type Response struct {
	Output       string `json:",omitempty"` // of a stream, the texts of all events one after the other
	Outcome      string `json:",omitempty"` // pass, fail, error, true or false
	Steps        string `json:",omitempty"` // as in a trial record
	Model        string `json:",omitempty"`
	CostUSD      string `json:",omitempty"`
	InputTokens  string `json:",omitempty"`
	OutputTokens string `json:",omitempty"`
}

// Asked reports whether there is any path.
func (r Response) Asked() bool { return r != Response{} }

// Mode says for how many trials a program is started.
type Mode string

// The modes.
const (
	ProcessMode Mode = ""        // for one, which is written process; the default
	SessionMode Mode = "session" // for many, one after the other
)

// The words that [Agent].Output may be, beside the names of formats.
const (
	OutputAuto  = "auto"  // a trial record or another known format if it is one, and else text
	OutputText  = "text"  // all of it is the output of the trial
	OutputTrial = "trial" // one trial record
)

// Retries say how often an attempt that never began, as its program could not be started, is
// made again under the same number. No other is.
type Retries struct {
	Infrastructure int           // default 2
	Backoff        time.Duration // before the first, doubled before each further; default 1s
}

// Cause is a kind of failure that a suite counts as an error of the trial.
type Cause string

// The causes that a suite may name.
const (
	NoOutputCause Cause = "no-output" // a non-zero exit code that nobody asked for, and nothing printed
	TimeoutCause  Cause = "timeout"   // the agent took longer than its timeout
	SignalCause   Cause = "signal"    // it crashed: a signal such as SIGSEGV or SIGABRT
	OutputCause   Cause = "output"    // what it wrote cannot be read
)

// IsError reports whether what has this cause is an error of the trial, and not the agent's failure.
func (a Agent) IsError(c Cause) bool {
	if a.Infrastructure == nil {
		return c == NoOutputCause
	}
	return slices.Contains(a.Infrastructure, c)
}

// Variant is one of several forms of an agent that a suite tries in turns.
type Variant struct {
	Name  string // of its own among the variants
	Agent Agent  // the suite's, with what the variant says otherwise
}

// TestName is the name of the test of a variant, such as "refund [small]", where it is a scenario's or
// the suite's without variants. An empty variant is none.
func TestName(name, variant string) string {
	if variant == "" {
		return name
	}
	return name + " [" + variant + "]"
}

// Against says which baseline a test is against, beside what [Test] says of delta, alpha and
// beta. The zero value is a test against the threshold alone.
type Against struct {
	Baseline   string  `json:",omitempty"` // a saved result; its path is from the folder of the suite
	SideBySide bool    `json:",omitempty"` // against the suite's baseline agent, in rounds
	Matched    bool    `json:",omitempty"` // in rounds whose two trials share what makes a trial hard
	Guard      float64 `json:",omitempty"` // lowest rate of the baseline for which the errors are kept; 0: chosen
	// Discordant is the largest probability, of matched pairs, that the sides differ; 0: chosen.
	Discordant float64 `json:",omitempty"`
}

// Asked reports whether a baseline is tested against.
func (a Against) Asked() bool { return a.Baseline != "" || a.SideBySide }

// Test says which test decides. With a threshold and a baseline both must hold.
type Test struct {
	// Threshold has no default, and is 0 where a baseline alone decides; delta 0.1, alpha
	// 0.05, beta 0.1.
	sprt.Hypotheses

	// Against is left out of digests where no baseline is asked for.
	Against Against `json:",omitzero"`

	// AttackSuccess is the share of attacks that may succeed, which the hypotheses are made of; 0: it is no test of an
	// attack. What bounds attacks is against no baseline.
	AttackSuccess float64 `json:",omitempty"`

	// Window is how long a run may stretch from its first trial on, with all its sessions; 0 is any time.
	Window time.Duration `json:",omitempty"`

	MaxTrials int       // 0, the default: 1.4 times the fixed sample
	Design    sprt.Kind // [sprt.OptimalKind] (default), [sprt.WaldKind] or [sprt.DensityRatioKind]
	Prior     Prior     // default stable
	By        Grouping  // default scenario

	// Of a test by suite: the rates between which nothing is promised of a scenario. One that passes From or more has not
	// collapsed, and one that passes To or less has; 0 are the defaults of [Test.Floor]. Against a baseline a scenario has
	// collapsed that lost 1 - To of its pass rate or more.
	Collapse stratified.Floor `json:",omitzero"`
	Pooled   bool             `json:",omitempty"` // by suite, no scenario is looked at by itself
}

// MostLooks is the largest number of looks that errors can be split over. It is chosen.
const MostLooks = 1000

// Split gives every test of the suite an equal part of its errors, for so many looks at the same
// question, one at least. The digest stays that of the file.
func (s *Suite) Split(looks int) {
	split := func(t *Test) {
		t.Alpha, t.Beta = t.Alpha/float64(looks), t.Beta/float64(looks)
	}
	split(&s.Test)
	for i := range s.Scenarios {
		split(&s.Scenarios[i].Test)
	}
}

// Grouping says what is tested.
type Grouping string

// The groupings.
const (
	byScenario Grouping = "scenario" // every scenario by a test of its own
	BySuite    Grouping = "suite"    // one question about all scenarios, or their trials pooled
)

// Prior is the weighting of pass rates under which an optimal design saves trials.
// Its errors hold under any. The zero value is stable.
type Prior struct {
	Kind   PriorKind    // where it comes from
	A, B   float64      // of [BetaPrior]
	Counts stats.Counts // of [CountsPrior]
	File   string       // of [FilePrior]: a recording, from the folder of the suite
}

// PriorKind says where a [Prior] comes from.
type PriorKind uint8

// The kinds of priors, as a suite writes them: stable, worst, beta:A,B, K/N or a file.
const (
	StablePrior PriorKind = iota // an agent that mostly passes
	WorstPrior                   // the rate that takes the most trials
	BetaPrior                    // a beta distribution, beta:A,B
	CountsPrior                  // K/N passes of a history
	FilePrior                    // a history in a file
)

// Budget is what a whole run may take. Unknown is without limit.
type Budget struct {
	MaxCostUSD    trial.Optional[float64] // of all attempts, in US dollars
	MaxTokens     trial.Optional[int64]   // of all attempts, in and out
	MaxDuration   time.Duration           // 0 is without limit
	MaxTrials     trial.Optional[int]     // that are launched
	PricePerTrial trial.Optional[float64] // USD, for trials that do not tell their cost
}

// Order is the order in which trials are launched.
type Order string

// The orders.
const (
	Interleaved Order = "interleaved" // a seeded random round-robin over the scenarios
	Listed      Order = "listed"      // scenario by scenario; not for a test by suite, which it would bias
)

// Place is where trials are judged that workers run.
type Place string

// The places.
const (
	atCoordinator Place = "coordinator" // where the run is
	AtWorker      Place = "worker"      // where the agent ran, with the files that it left
)

// Scenario is one thing to try.
type Scenario struct {
	Name         string        // on one line; it differs from that of every other
	Input        trial.Raw     // what the agent is given; null where the suite gives none
	Tags         []string      // words for choosing among scenarios
	Kind         ScenarioKind  // what it is to show; "" where that is not said
	Capabilities []string      // that it exercises, of those of the suite
	Floor        Floor         // what a deployment needs; the higher bar of this and the suite's holds
	Evaluate     []Evaluation  // what makes a trial pass: all of them; none: the trial says so itself
	Limits       oracle.Limits // its own, or the suite's
	// Expect is how the agent must end, beside what the evaluators ask; nothing is expected by default.
	Expect oracle.Expectation
	Faults []fault.Fault // that happen on the wire
	// ModelScript answers in place of the model, and goes before that of the wire; nil is none of its own.
	ModelScript *script.Script
	Test        Test             // the suite's, with what it overrides
	Trials      int              // exactly so many, without a sequential test; 0, the default, is sequential
	Critical    stratified.Floor // in a test by suite, what it is held to by itself; zero: what all scenarios are
	Weight      int              // in a test by suite, its trials of a round, and so its part of the mean; 0 is 1
	Place       trial.Place      // where it stands
}

// Contracts are those that a trial of the scenario must keep.
func (s *Scenario) Contracts() (all []*contract.Contract) {
	for _, e := range s.Evaluate {
		if c := contract.Of(e.Evaluator); c != nil {
			all = append(all, c)
		}
	}
	return all
}

// Evaluation is an evaluator that a suite asks for.
type Evaluation struct {
	Name      string           // by which the suite asks for it, such as "contains"
	Spec      trial.Raw        // what the suite says of it, as JSON
	Evaluator oracle.Evaluator // made of that; never nil
	Place     trial.Place      // where it stands
}

// Evaluators returns what judges a trial: that of the end, where one is expected, and the evaluators in their order.
func (s Scenario) Evaluators() []oracle.Evaluator {
	var evaluators []oracle.Evaluator
	if s.Expect.Asked() {
		evaluators = append(evaluators, s.Expect.Evaluator())
	}
	for _, e := range s.Evaluate {
		evaluators = append(evaluators, e.Evaluator)
	}
	return evaluators
}

// Judge judges a trial of the scenario, by its evaluators, its limits, and the end that it expects.
func (s Scenario) Judge(ctx context.Context, e oracle.Evidence) oracle.Judgement {
	return oracle.Judge(ctx, e, s.Evaluators(), s.Expect.Limits(s.Limits))
}

// AsksExitCode reports whether an evaluator judges the exit code of the agent, be it as a part of another one.
func (s Scenario) AsksExitCode() bool {
	const name = "exit-code"
	var asks func(value any) bool
	asks = func(value any) bool {
		switch value := value.(type) {
		case map[string]any:
			for key, part := range value {
				if key == name || asks(part) {
					return true
				}
			}
		case []any:
			return slices.ContainsFunc(value, asks)
		}
		return false
	}
	return slices.ContainsFunc(s.Evaluate, func(e Evaluation) bool {
		var spec any
		return e.Name == name || json.Unmarshal(e.Spec, &spec) == nil && asks(spec)
	})
}

// Dir returns the folder of the suite, from which its relative paths lead.
func (s *Suite) Dir() string { return filepath.Dir(s.File) }

// Resolve returns the path of a file that the suite names.
func (s *Suite) Resolve(path string) string { return resolve(s.Dir(), path) }

// resolve makes a relative path one from the folder. What is in a store is in no folder.
func resolve(dir, path string) string {
	if path == "" || filepath.IsAbs(path) || input.IsStored(path) {
		return path
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}

// Argv returns the agent's command with the path of its program resolved. The
// name of a program without a folder is left for the search path.
func (s *Suite) Argv() []string { return s.Program(s.Agent) }

// Program returns the command of any agent of the suite, as [Suite.Argv] does.
func (s *Suite) Program(a Agent) []string { return program(s.Dir(), a.Command) }

// program resolves the first word of a command, absolutely: a program is looked up
// from the folder in which it is started, not from this one.
func program(dir string, argv []string) []string {
	argv = append([]string(nil), argv...)
	if len(argv) > 0 {
		argv[0] = process.Path(dir, argv[0])
	}
	return argv
}
