package savings

import (
	"context"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
)

// Schema is the schema of [Result].
const Schema = "tribunal/bench-savings/v1"

// What every method is asked: AgentAssay's Example 3.2.
const (
	threshold      = 0.90
	delta          = 0.10
	alpha          = 0.05
	beta           = 0.10
	mostTrials     = 152  // trials of an optimal design
	paperTrials    = 100  // trials of the paper's baseline
	historyTrials  = 100  // trials of a history
	baselineTrials = 1000 // trials of a stored baseline
	storedTraces   = 100  // traces of a stored baseline
)

func hypotheses() sprt.Hypotheses {
	return sprt.Hypotheses{Threshold: threshold, Delta: delta, Alpha: alpha, Beta: beta}
}

// passRates are the true pass rates of the tables.
var passRates = [...]float64{1, .95, .90, .85, .80}

// Options say how much is measured.
type Options struct {
	Short  bool   // simulate less
	Long   bool   // ten times as many runs; Short is not set then
	Seed   uint64 // of all that is simulated
	Runs   int    // simulated for each figure of behaviour; 0 is what Short and Long say
	Curves bool   // compute [Result.Curves] too
	// Progress, if not nil, is told which of so many parts is next.
	Progress func(done, all int, part string)
}

// Result is what sequential tests save, beside the error rates at which they save it.
// What is not named as simulated is exact.
type Result struct {
	Schema     string     `json:"schema"`         // [Schema]
	Short      bool       `json:"short"`          // as in [Options]
	Long       bool       `json:"long,omitempty"` // as in [Options]
	Seed       uint64     `json:"seed"`           // as in [Options]
	Hypotheses Hypotheses `json:"hypotheses"`     // what every method is asked
	// Fixed is the smallest fixed number of trials that keeps both errors; savings are
	// against it, and against the paper's 100.
	Fixed      int         `json:"fixed_trials"`
	PaperFixed int         `json:"paper_fixed_trials"`          // 100, the trials of AgentAssay's baseline
	Floors     Bounds      `json:"floors"`                      // below which no valid test can go
	Methods    []Method    `json:"methods"`                     // in the order of the tables
	Known      []Behaviour `json:"behaviour_of_known_distance"` // simulated
	Kinds      []Kind      `json:"kinds"`                       // money, and simulated behaviour
	Suites     []Suite     `json:"suites"`                      // simulated

	Curves []Curve `json:"-"` // expected trials at every pass rate, to draw; nil where not asked for
}

// Hypotheses are the two hypotheses, and how often a test may err.
type Hypotheses struct {
	Threshold float64 `json:"threshold"` // the pass rate at which a system is good, from 0 to 1
	Delta     float64 `json:"delta"`     // the drop below the threshold that matters, as a difference of rates
	Alpha     float64 `json:"alpha"`     // P(Fail) at the threshold, at most
	Beta      float64 `json:"beta"`      // P(Pass) at the threshold less delta, at most
}

// Bounds are what no test of at most MaxTrials trials with these errors that
// always decides can go below.
type Bounds struct {
	MaxTrials int     `json:"max_trials"` // of the tests that the bounds are about
	Rates     []Bound `json:"rates"`      // in the order of the rates of a [Method]
}

// Bound is the lower bound at one pass rate.
type Bound struct {
	P              float64 `json:"p"`               // the true pass rate
	ExpectedTrials float64 `json:"expected_trials"` // no test has fewer
}

// Method is a test and what it does, exactly.
type Method struct {
	Name      string  `json:"name"`            // for programs, such as "optimal-right-history"
	Title     string  `json:"title"`           // for tables
	Text      string  `json:"text"`            // what it is, a sentence
	Exact     bool    `json:"exact"`           // nothing of it is simulated: always so far
	FalseFail float64 `json:"false_fail"`      // P(Fail) at the threshold
	FalsePass float64 `json:"false_pass"`      // P(Pass) at the threshold less delta
	Within    bool    `json:"within_targets"`  // both are at most alpha and beta
	Power     float64 `json:"power"`           // P(Fail) at the threshold less delta
	MaxTrials *int    `json:"max_trials"`      // nil: none
	Behaviour bool    `json:"tests_behaviour"` // it compares behaviour too

	Rates []Rate `json:"rates"` // from a pass rate of 1 down
}

// Rate is what a method does at one pass rate.
type Rate struct {
	P              float64 `json:"p"`               // the true pass rate
	ExpectedTrials float64 `json:"expected_trials"` // mean number of trials at the end
	Trials95       int     `json:"trials_95"`       // 95 % of the tests end within
	Pass           float64 `json:"pass"`            // probability of a Pass; the three add up to 1
	Fail           float64 `json:"fail"`            // of a Fail
	Inconclusive   float64 `json:"inconclusive"`    // of an end without a verdict

	// The savings are 1 less the expected trials over those of a fixed number: 0.5 is
	// half of the trials, and below 0 more are taken.
	SavingFixed float64 `json:"saving_against_fixed"`
	SavingPaper float64 `json:"saving_against_paper_fixed"` // against the paper's 100
}

// Kind is a kind of scenario: the costs, and the behaviour, which is simulated.
type Kind struct {
	Name        string      `json:"name"`                           // such as "e-commerce"
	CostUSD     float64     `json:"cost_per_trial_usd"`             // mean
	Tokens      float64     `json:"tokens_per_trial"`               // mean, of the output
	Calls       float64     `json:"calls_per_trial"`                // mean, of all tools
	CostOfFixed float64     `json:"cost_of_fixed_trials_usd"`       // of [Result.Fixed] trials
	CostOfPaper float64     `json:"cost_of_paper_fixed_trials_usd"` // of [Result.PaperFixed] trials
	Rows        []Row       `json:"rows"`                           // every method at every pass rate
	Behaviour   []Behaviour `json:"behaviour"`                      // at every pass rate; at 1 alone in the short form
}

// Row is a method at a pass rate, in money.
type Row struct {
	Method  string  `json:"method"`   // the name of a [Method]
	P       float64 `json:"p"`        // the true pass rate
	CostUSD float64 `json:"cost_usd"` // of the expected trials
	// Found is the chance to find a change of behaviour that leaves the pass rate as it
	// is, by a Fail or by the test of behaviour. For tests of passes and failures it is
	// P(Fail), exactly; nil was not simulated.
	Found *Share `json:"shift_found"`
	// Alarm is the chance to find the same where nothing changed.
	Alarm *Share `json:"found_without_shift"`
}

// Share is a probability.
type Share struct {
	Value  float64 `json:"value"`   // from 0 to 1
	StdErr float64 `json:"std_err"` // 0 if exact
	Exact  bool    `json:"exact"`   // it is no share of simulated runs
}

// Measure measures all methods. Equal options give equal results. It returns the
// context's error where that ends.
func Measure(ctx context.Context, o Options) (*Result, error) {
	if o.Runs < 0 {
		return nil, fmt.Errorf("runs %d must not be negative", o.Runs)
	}
	m := &measurement{Options: o, h: hypotheses()}
	// The tests are made first, as every part needs them.
	if err := m.prepare(ctx); err != nil {
		return nil, err
	}
	s := &Result{
		Schema: Schema, Short: o.Short, Long: o.Long, Seed: o.Seed,
		Hypotheses: Hypotheses{threshold, delta, alpha, beta},
		Fixed:      m.fixed.Trials, PaperFixed: paperTrials,
	}
	parts := []struct {
		name    string
		measure func(context.Context, *Result) error
	}{
		{"exact figures", m.methods},
		{"the lower bound", m.bounds},
		{"changes of known distance", m.known},
		{"kinds of scenarios", m.kinds},
		{"suites", m.suites},
		{"curves", m.curves},
	}
	for i, part := range parts {
		if o.Progress != nil {
			o.Progress(i, len(parts), part.name)
		}
		if err := part.measure(ctx, s); err != nil {
			return nil, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return s, nil
}

// measurement is what the parts of a measurement share.
//
// prepare fills it in, and each part then writes its own fields of the result.
type measurement struct {
	Options
	h sprt.Hypotheses
	// the smallest fixed sample that keeps both errors
	fixed sprt.FixedDesign
	// the default design, which the whole path of behaviour runs through
	optimal sprt.Plan
	// all methods, in the order of the tables
	tests []measuredTest
}

// runs returns how many runs are simulated.
func (m *measurement) runs(full, short int) int {
	switch {
	case m.Runs > 0:
		return m.Runs
	case m.Short:
		return short
	case m.Long:
		return 10 * full
	}
	return full
}

// methods fills in the exact figures.
func (m *measurement) methods(ctx context.Context, s *Result) error {
	for _, test := range m.tests {
		method := test.Method
		method.Exact = true
		for _, p := range passRates {
			d, err := test.at(ctx, p)
			if err != nil {
				return fmt.Errorf("%s: %w", method.Title, err)
			}
			// What rounding leaves of sums that are whole numbers is no saving.
			d.ExpectedTrials = math.Round(d.ExpectedTrials*1e9) / 1e9
			method.Rates = append(method.Rates, Rate{
				P: p, ExpectedTrials: d.ExpectedTrials, Trials95: d.trials95,
				Pass: d.Pass, Fail: d.Fail, Inconclusive: d.Inconclusive,
				SavingFixed: 1 - d.ExpectedTrials/float64(m.fixed.Trials),
				SavingPaper: 1 - d.ExpectedTrials/paperTrials,
			})
			// The rates of the tables hold both hypotheses, at which the errors are read off.
			if p == m.h.Threshold {
				method.FalseFail = d.Fail
			}
			if p == m.h.Lower() {
				method.FalsePass, method.Power = d.Pass, d.Fail
			}
		}
		// Nothing where a method has one design: its map is nil.
		m.largest(&method, test.designs)
		method.Within = method.FalseFail <= m.h.Alpha && method.FalsePass <= m.h.Beta
		s.Methods = append(s.Methods, method)
	}
	return nil
}
