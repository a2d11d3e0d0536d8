package sequential

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// LowerRate is the largest pass rate that the test takes for too low.
func (r *Result) LowerRate() float64 {
	return sprt.Hypotheses{Threshold: r.Threshold, Delta: r.Delta}.Lower()
}

// Schema names the JSON form of a [Result].
const Schema = "tribunal/sequential/v1"

// Result is the verdict that a sequential test would have reached on a
// recording, and after how many of its trials.
type Result struct {
	Schema  string          `json:"schema"`  // names the JSON form
	Verdict verdict.Verdict `json:"verdict"` // what the evidence allows to say
	// Of the process: 0 Pass, 1 Fail, 2 Inconclusive, unless the command was told otherwise.
	ExitCode int `json:"exit_code"`
	// The least pass rate that is good enough, from 0 to 1; absent where a baseline is tested against.
	Threshold float64             `json:"threshold,omitzero"`
	Delta     float64             `json:"delta"`           // the threshold less the largest rate that is too low, or the drop that matters
	Alpha     float64             `json:"alpha"`           // bounds the chance of a false Fail, from 0 to 1
	Beta      float64             `json:"beta"`            // bounds the chance of a false Pass, from 0 to 1
	Errors    verdict.ErrorPolicy `json:"errors"`          // how trials count that ended in an error
	Order     Order               `json:"order"`           // in which the trials are judged
	Seed      uint64              `json:"seed"`            // of the shuffle
	Edition   Edition             `json:"rules,omitempty"` // by which the order is taken
	Reasons   []verdict.Reason    `json:"reasons"`         // why the verdict is what it is, the most important first
	Warnings  []verdict.Warning   `json:"warnings"`        // what to know before relying on it; may be empty

	Design   design.Design    `json:"design"`    // that decides when to stop
	Passes   int              `json:"passes"`    // among the judged trials
	Trials   int              `json:"trials"`    // judged
	Recorded int              `json:"recorded"`  // trials of the recording, errors too
	ErrorsIn int              `json:"errors_in"` // trials that ended in an error before the stop
	Estimate *design.Estimate `json:"estimate"`  // nil where the test has not ended
	// The recorded trials beyond the stop; nil where it has not ended.
	Saved   *SavedTrials    `json:"saved"`
	Savings *design.Savings `json:"savings,omitempty"` // nil where the test has not ended
	Path    []int           `json:"path"`              // failures after each judged trial
	// The baseline and what is said of the drop; nil where a threshold is tested.
	Against *Against `json:"against,omitempty"`

	// Answers that came again, by scenario, in all of the recording; absent where hardly any did, or it has none.
	Answers []verdict.ScenarioAnswers `json:"identical_answers,omitempty"`

	// What all of it is computed from; absent where the trials are too many.
	Recording *recording.RecordedTrials `json:"recording,omitempty"`
}

// Repeat tells of answers that came again. The verdict stays what it is.
func (r *Result) Repeat(list []verdict.ScenarioAnswers) {
	r.Answers = list
	if text := verdict.AnswersText(list); text != "" {
		r.Warnings = append(r.Warnings, verdict.WarnAnswers.Warning("%s", text))
	}
}

// SavedTrials counts what the recording holds beyond the stop.
type SavedTrials struct {
	Trials          int      `json:"trials"`     // beyond the stop
	CostUSD         *float64 `json:"cost_usd"`   // of those; nil where no cost is known
	DurationSeconds *float64 `json:"duration_s"` // of those, seconds; nil where none is known
	CostKnown       int      `json:"cost_known"` // trials whose cost is known
}

// Order says in which order recorded trials are judged.
type Order uint8

const (
	FileOrder    Order = iota // as recorded
	ShuffleOrder              // shuffled with a seed
)

var orderNames = enum.Of[Order]("order", "file", "shuffle")

// String returns "file" or "shuffle".
func (o Order) String() string { return orderNames.String(o) }

// MarshalText writes the order's name.
func (o Order) MarshalText() ([]byte, error) { return orderNames.MarshalText(o) }

// UnmarshalText reads an order's name.
func (o *Order) UnmarshalText(text []byte) error {
	return orderNames.UnmarshalText(text, o)
}

// Options say how a recording is judged sequentially.
type Options struct {
	Design  sprt.Design         // that decides when to stop; not used with Against
	Against *AgainstOptions     // the baseline that is tested against; nil: a threshold
	Errors  verdict.ErrorPolicy // robust by default
	Order   Order               // as recorded by default
}

// Judge judges the trials of a recording in order, as a sequential test
// would have. A trial that ended in an error is no outcome: under [verdict.RobustErrors] the
// verdict must be the same without such trials, if all were passes, and if all were
// failures. It returns a [BlockedError] for a recording whose scenarios are not in a random
// order, see [orderP], unless it is to be shuffled, which [ShuffleSeed] does; and a
// [recording.StoppedError] for tests of several scenarios that stopped by their outcomes. A recording that ends before
// the test is Inconclusive.
func Judge(ctx context.Context, r *recording.Recording, o Options) (*Result, error) {
	var seed uint64
	if o.Order == ShuffleOrder {
		seed = ShuffleSeed(r)
	}
	return judge(ctx, r, o, thirdEdition, seed)
}

// judge is Judge by the rules of an edition, shuffled with a seed.
func judge(ctx context.Context, r *recording.Recording, o Options, edition Edition, seed uint64) (*Result, error) {
	if r.Counted() && o.Order == FileOrder {
		return nil, &verdict.OptionError{
			Option:  "order",
			Value:   o.Order,
			Problem: "means nothing where only counts are known",
		}
	}
	if err := ofOneRate(r, o.Order); err != nil {
		return nil, err
	}
	order, err := orderOf(r, o.Order, edition, seed)
	if err != nil {
		return nil, err
	}
	list, err := o.readings()
	if err != nil {
		return nil, err
	}
	o.Design = list[0].design
	exact, within, digest, err := o.exact()
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	// Begin the result with what is known before a trial is judged.
	h := o.Design.Hypotheses
	result := &Result{
		Schema: Schema, Threshold: h.Threshold, Delta: h.Delta, Alpha: h.Alpha, Beta: h.Beta,
		Errors: o.Errors, Order: o.Order, Seed: seed, Edition: edition,
		Warnings: []verdict.Warning{},
		Design: design.Design{
			Kind: o.Design.Kind.String(), MaxTrials: o.Design.Boundaries.MaxTrials(),
			Alpha: exact.Alpha, Beta: exact.Beta, Digest: digest, Boundaries: design.Of(o.Design.Boundaries),
		},
		Recorded: r.Len(),
		Path:     []int{},

		Recording: recording.TrialsOf(r),
	}
	if a := o.Against; a != nil {
		guarded := a.Family.Hypotheses().Guarded
		result.Against = &Against{Source: a.Source, Baseline: a.Recorded, Gamma: a.Family.Gamma(), Low: guarded.Low,
			High: guarded.High, Family: a.Family.Record()}
	}
	if err := result.judge(r, order, o, list); err != nil {
		return nil, err
	}
	result.openUnseen(r, order)
	if err := result.openCollapsed(ctx, r); err != nil {
		return nil, err
	}
	if !within {
		result.Warnings = append(result.Warnings,
			design.WarnErrorsExceed.Warning("this test errs more often than was asked for: a false Fail in up to %s of runs, "+
				"a false Pass in up to %s",
				phrase.Percent(exact.Alpha), phrase.Percent(exact.Beta)))
	}
	result.ExitCode = result.Verdict.ExitCode()
	return result, nil
}

// exact returns the errors of the test, whether they are within their targets, and its digest.
func (o Options) exact() (errors sprt.Errors, within bool, digest string, err error) {
	if o.Against != nil {
		errors, within = o.Against.errors()
		return errors, within, o.Against.Family.Digest(), nil
	}
	errors, err = o.Design.Errors()
	return errors, errors.Within(o.Design.Hypotheses), o.Design.Digest(), err
}

// walk is where one pass of a test over a recording ended. Trials and failures are of those
// that count; path has the failures after each of them.
type walk struct {
	outcome  sprt.Outcome
	trials   int
	failures int
	used     int // trials of the recording up to the stop, errors too
	path     []int
}

// follow runs the test over the recording with errors scored one way.
func follow(r *recording.Recording, order []int, d sprt.Design, s recording.ErrorScore) (walk, error) {
	test, err := sprt.NewTest(d)
	if err != nil {
		return walk{}, err
	}
	w := walk{path: []int{}}
	for _, i := range order {
		// What comes after the stop is not looked at: a sequential test would not have had it.
		if test.Decided() {
			break
		}
		w.used++
		passed, counts := s.Passed(r.Outcome(i))
		if !counts {
			continue
		}
		if err := test.Observe(test.Trials(), passed); err != nil {
			return walk{}, err
		}
		w.path = append(w.path, test.Failures())
	}
	w.outcome, w.trials, w.failures = test.Outcome(), test.Trials(), test.Failures()
	return w, nil
}

// judge follows the test with errors scored as they are shown: as failures if the policy
// says so, else left out. Under the robust policy it also follows it with all errors as
// passes, and as failures: the outcome must be the same. What is left of the recording is
// what stopping would have saved.
func (result *Result) judge(r *recording.Recording, order []int, o Options, list []reading) error {
	walks := make([]walk, len(list))
	for i, way := range list {
		var err error
		if walks[i], err = follow(r, order, way.design, way.score); err != nil {
			return err
		}
	}
	shown := walks[0]
	result.Trials, result.Passes, result.Path = shown.trials, shown.trials-shown.failures, shown.path
	for _, i := range order[:shown.used] {
		if out := r.Outcome(i); out != trial.Pass && out != trial.Fail {
			result.ErrorsIn++
		}
	}
	result.Verdict, result.Reasons = sequentialVerdict(shown, o.Design)
	errors, sides := result.ErrorsIn, ""
	if a := result.Against; a != nil && a.Baseline.Errors > 0 {
		errors, sides = errors+a.Baseline.Errors, " of both sides"
	}
	for _, other := range walks[1:] {
		// Errors beyond the stop cannot have changed it.
		if other.outcome != shown.outcome && errors > 0 {
			result.Reasons = append([]verdict.Reason{verdict.CodeErrorsMatter.Reason(
				"%s%s could change the verdict, which is %s without them: find their cause and run those trials "+
					"again",
				prose.Count(errors, "error"), sides, result.Verdict)}, result.Reasons...)
			result.Verdict = verdict.Inconclusive
			break
		}
	}
	if result.Against != nil {
		if err := result.Against.describe(o.Against, list, walks, result); err != nil {
			return err
		}
	}
	if result.ErrorsIn > 0 {
		result.Warnings = append(result.Warnings,
			verdict.WarnErrors.Warning("%s ended in an error%s", prose.Count(result.ErrorsIn, "trial"),
				o.Errors.Meaning(result.ErrorsIn)))
	}
	// The metrics of the judged trials are needed for nothing that the result says.
	result.Recording.MeasureOnly(order[shown.used:], shown.outcome != sprt.Undecided)
	if shown.outcome == sprt.Undecided {
		return nil
	}
	return result.describeStop(r, order[shown.used:], shown, o.Design)
}

// Reasons of a sequential verdict beside those of package design.
const (
	codeRecordEnds verdict.Code = "recording-ends"
)

// sequentialVerdict turns the end of a walk into a verdict.
func sequentialVerdict(w walk, d sprt.Design) (verdict.Verdict, []verdict.Reason) {
	stand := design.Stand{
		Trials: w.trials, Failures: w.failures, Threshold: d.Hypotheses.Threshold, LowerRate: d.Hypotheses.Lower(),
	}
	switch w.outcome {
	case sprt.Pass:
		return verdict.Pass, []verdict.Reason{stand.Ended(w.outcome)}
	case sprt.Fail:
		return verdict.Fail, []verdict.Reason{stand.Ended(w.outcome)}
	case sprt.Inconclusive:
		return verdict.Inconclusive, []verdict.Reason{stand.Ended(w.outcome)}
	}
	return verdict.Inconclusive, recordEnds(stand, d)
}

// recordEnds says why a recording that ends before the test decides nothing. What
// could not have become a Pass says so: nothing may turn it into one.
func recordEnds(stand design.Stand, d sprt.Design) []verdict.Reason {
	if stand.Trials == 0 {
		return []verdict.Reason{verdict.CodeNoTrials.Reason("the recording holds no trial with an outcome")}
	}
	ends := codeRecordEnds.Reason("%s when the recording ended, before this could be decided: it may take up to %s",
		stand.Seen(), prose.Count(d.Boundaries.MaxTrials(), "trial"))
	if least := design.Of(d.Boundaries).StraightPasses(); stand.Trials < least {
		return []verdict.Reason{ends, design.Least(least)}
	}
	return []verdict.Reason{ends}
}

// describeStop adds the estimates after the stop and what the rest cost.
func (result *Result) describeStop(r *recording.Recording, rest []int, w walk, d sprt.Design) error {
	// Of the interval, whatever alpha the test decides by: readers expect 95 %.
	const alpha = 0.05
	e, err := d.Boundaries.Estimate(w.trials, w.failures, alpha)
	if err != nil {
		return err
	}
	result.Estimate = &design.Estimate{
		MedianUnbiased: e.MedianUnbiased,
		Unbiased:       e.Unbiased,
		Naive:          e.Naive,
		Level:          e.Level,
		Low:            e.Interval.Low,
		High:           e.Interval.High,
		Ordering:       "stage-wise",
	}
	result.Saved = savedBeyond(r, rest)
	if fixed, ok := d.Hypotheses.FixedSample(); ok && result.Against == nil {
		result.Savings = &design.Savings{FixedTrials: fixed.Trials, Trials: w.trials}
	}
	return nil
}

// savedBeyond adds up what the trials beyond the stop cost and took, as far as that is
// known; rest are their places among the observations.
func savedBeyond(r *recording.Recording, rest []int) *SavedTrials {
	s := &SavedTrials{Trials: len(rest)}
	var cost, seconds float64
	timed := 0
	for _, i := range rest {
		m := r.At(i).Metrics
		if x := m[recording.CostMetric]; !math.IsNaN(x) {
			cost += x
			s.CostKnown++
		}
		if x := m[recording.DurationMetric]; !math.IsNaN(x) {
			seconds += x
			timed++
		}
	}
	if s.CostKnown > 0 {
		s.CostUSD = new(cost)
	}
	if timed > 0 {
		s.DurationSeconds = new(seconds)
	}
	return s
}

// Claims are the verdict with the interval of the rate, or of the difference from a baseline.
func (r *Result) Claims() []verdict.Claim {
	switch a := r.Against; {
	case a != nil && a.Difference != nil:
		return []verdict.Claim{a.Difference.Claim("against.difference", r.Verdict, r.Delta)}
	case a == nil && r.Estimate != nil:
		return []verdict.Claim{{Path: "estimate", Verdict: r.Verdict, Low: r.Estimate.Low, High: r.Estimate.High,
			Bad: r.LowerRate(), Good: r.Threshold}}
	}
	return nil
}
