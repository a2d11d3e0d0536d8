package verdict

import (
	"math"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
)

// SequentialSchema names the JSON form of a [SequentialResult].
const SequentialSchema = "tribunal/sequential/v1"

// SequentialResult is the verdict that a sequential test would have reached on a
// recording, and after how many of its trials.
type SequentialResult struct {
	Schema    string      `json:"schema"`
	Verdict   Verdict     `json:"verdict"`
	ExitCode  int         `json:"exit_code"`
	Threshold float64     `json:"threshold"`
	Delta     float64     `json:"delta"`
	Alpha     float64     `json:"alpha"`
	Beta      float64     `json:"beta"`
	Errors    ErrorPolicy `json:"errors"`
	Order     Order       `json:"order"`
	Seed      uint64      `json:"seed"` // of the shuffle
	Reasons   []Reason    `json:"reasons"`
	Warnings  []Warning   `json:"warnings"`

	Design   SequentialDesign    `json:"design"`
	Passes   int                 `json:"passes"`    // among the judged trials
	Trials   int                 `json:"trials"`    // judged
	Recorded int                 `json:"recorded"`  // trials of the recording, errors too
	ErrorsIn int                 `json:"errors_in"` // trials that ended in an error before the stop
	Estimate *SequentialEstimate `json:"estimate"`  // nil where the test has not ended
	Saved    *Saved              `json:"saved"`     // the recorded trials beyond the stop; nil where it has not ended
	Savings  *SavingsView        `json:"savings,omitempty"`
	Path     []int               `json:"path"` // failures after each judged trial

	Recording *RecordedTrials `json:"recording,omitempty"` // what all of it is computed from; absent where the trials are too many
}

// SequentialDesign identifies the design of a sequential verdict.
type SequentialDesign struct {
	Kind       string         `json:"kind"`
	MaxTrials  int            `json:"max_trials"`
	Alpha      float64        `json:"alpha"` // exact
	Beta       float64        `json:"beta"`
	Digest     string         `json:"digest"`
	Boundaries PlanBoundaries `json:"boundaries"`
}

// SequentialEstimate is what the end of the test says of the pass rate.
type SequentialEstimate struct {
	MedianUnbiased float64 `json:"median_unbiased"`
	Unbiased       float64 `json:"unbiased"`
	Naive          float64 `json:"naive"`
	Level          float64 `json:"level"`
	Low            float64 `json:"low"`
	High           float64 `json:"high"`
	Ordering       string  `json:"ordering"`
}

// Saved counts what the recording holds beyond the stop.
type Saved struct {
	Trials          int      `json:"trials"`
	CostUSD         *float64 `json:"cost_usd"` // nil where no cost is known
	DurationSeconds *float64 `json:"duration_s"`
	CostKnown       int      `json:"cost_known"` // trials whose cost is known
}

// SavingsView sets the trials against the fixed sample size.
type SavingsView struct {
	FixedTrials int `json:"fixed_trials"`
	Trials      int `json:"trials"`
}

// Order says in which order recorded trials are judged.
type Order uint8

const (
	FileOrder    Order = iota // as recorded
	ShuffleOrder              // shuffled with a seed
)

var orderNames = names{"file", "shuffle"}

// String returns "file" or "shuffle".
func (o Order) String() string { return orderNames.of(uint8(o)) }

// MarshalText writes the order's name.
func (o Order) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads an order's name.
func (o *Order) UnmarshalText(text []byte) error { return unmarshalName(orderNames, "order", text, o) }

// SequentialOptions say how a recording is judged sequentially.
type SequentialOptions struct {
	Design sprt.Design
	Errors ErrorPolicy
	Order  Order
	Seed   uint64
}

// JudgeSequential judges the trials of a recording in order, as a sequential test
// would have. A trial that ended in an error is no outcome: under [RobustErrors] the
// verdict must be the same without such trials, if all were passes, and if all were
// failures. It returns a [BlockedError] for a recording that is ordered by scenario,
// unless it is to be shuffled. A recording that ends before the test is Inconclusive.
func JudgeSequential(r *Recording, o SequentialOptions) (*SequentialResult, error) {
	order := indices(r.Len())
	if r.counted && o.Order == FileOrder {
		return nil, &OptionError{Option: "order", Value: o.Order, Problem: "means nothing where only counts are known"}
	}
	if o.Order == ShuffleOrder {
		rand.New(rand.NewPCG(o.Seed, 0)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	} else if err := r.interleaved(); err != nil {
		return nil, err
	}
	exact, err := o.Design.Errors()
	if err != nil {
		return nil, err
	}
	h := o.Design.Hypotheses
	result := &SequentialResult{
		Schema: SequentialSchema, Threshold: h.Threshold, Delta: h.Delta, Alpha: h.Alpha, Beta: h.Beta,
		Errors: o.Errors, Order: o.Order, Seed: o.Seed,
		Warnings: []Warning{},
		Design: SequentialDesign{
			Kind: o.Design.Kind.String(), MaxTrials: o.Design.Boundaries.MaxTrials(),
			Alpha: exact.Alpha, Beta: exact.Beta, Digest: o.Design.Digest(), Boundaries: planBoundaries(o.Design.Boundaries),
		},
		Recorded: r.Len(),
		Path:     []int{},

		Recording: recordedTrials(r),
	}
	if err := result.judge(r, order, o); err != nil {
		return nil, err
	}
	result.warnUnseen(r, order)
	if !exact.Within(h) {
		result.Warnings = append(result.Warnings, warning(WarnErrorsExceed,
			"the design's exact errors, alpha %s and beta %s, exceed their targets", percent(exact.Alpha), percent(exact.Beta)))
	}
	result.ExitCode = result.Verdict.ExitCode()
	return result, nil
}

// walk is one pass of a test over a recording.
type walk struct {
	outcome  sprt.Outcome
	trials   int
	failures int
	used     int // trials of the recording up to the stop, errors too
	path     []int
}

// follow runs the test over the recording with errors scored one way.
func follow(r *Recording, order []int, d sprt.Design, s errorScore) (walk, error) {
	test, err := sprt.NewTest(d)
	if err != nil {
		return walk{}, err
	}
	w := walk{path: []int{}}
	for _, i := range order {
		if test.Decided() {
			break
		}
		w.used++
		passed, counts := s.passed(r.observations[i].outcome)
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

func (result *SequentialResult) judge(r *Recording, order []int, o SequentialOptions) error {
	scores := []errorScore{errorsLeftOut, errorsPass, errorsFail}
	switch o.Errors {
	case ExcludeErrors:
		scores = scores[:1]
	case FailErrors:
		scores = scores[2:]
	}
	shown, err := follow(r, order, o.Design, scores[0])
	if err != nil {
		return err
	}
	result.Trials, result.Passes, result.Path = shown.trials, shown.trials-shown.failures, shown.path
	for _, i := range order[:shown.used] {
		if out := r.observations[i].outcome; out != trial.Pass && out != trial.Fail {
			result.ErrorsIn++
		}
	}
	result.Verdict, result.Reasons = sequentialVerdict(shown, o.Design)
	for _, s := range scores[1:] {
		other, err := follow(r, order, o.Design, s)
		if err != nil {
			return err
		}
		if other.outcome != shown.outcome && result.ErrorsIn > 0 {
			result.Reasons = append([]Reason{reason(CodeErrorsMatter, "%s could change the verdict: it is %s without them, and another if they were all passes or all failures; run those trials again",
				plural(result.ErrorsIn, "error"), result.Verdict)}, result.Reasons...)
			result.Verdict = Inconclusive
			break
		}
	}
	if result.ErrorsIn > 0 {
		result.Warnings = append(result.Warnings, warning(WarnErrors, "%s ended in an error and count as %s", plural(result.ErrorsIn, "trial"), errorsCountAs(o.Errors)))
	}
	result.Recording.measureOnly(order[shown.used:], shown.outcome != sprt.Undecided)
	if shown.outcome == sprt.Undecided {
		return nil
	}
	return result.describeStop(r, order[shown.used:], shown, o.Design)
}

// Reasons of a sequential verdict.
const (
	CodePassBoundary Code = "pass-boundary"
	CodeFailBoundary Code = "fail-boundary"
	CodeTrialsUsedUp Code = "max-trials"
	CodeRecordEnds   Code = "recording-ends"
)

func sequentialVerdict(w walk, d sprt.Design) (Verdict, []Reason) {
	n := plural(w.trials, "trial")
	failures := plural(w.failures, "failure")
	switch w.outcome {
	case sprt.Pass:
		return Pass, []Reason{reason(CodePassBoundary, "after %s with %s the Pass boundary is reached: %d or fewer pass here", n, failures, d.Boundaries.PassAtOrBelow[w.trials-1])}
	case sprt.Fail:
		return Fail, []Reason{reason(CodeFailBoundary, "after %s with %s the Fail boundary is reached: %d or more fail here", n, failures, d.Boundaries.FailAtOrAbove[w.trials-1])}
	case sprt.Inconclusive:
		return Inconclusive, []Reason{reason(CodeTrialsUsedUp, "all %s are used up with %s, between the boundaries", n, failures)}
	}
	return Inconclusive, recordEnds(w, d)
}

// recordEnds says why a recording that ends before the test decides nothing. What
// could not have become a Pass says so: nothing may turn it into one.
func recordEnds(w walk, d sprt.Design) []Reason {
	if w.trials == 0 {
		return []Reason{reason(CodeNoTrials, "the recording holds no trial with an outcome")}
	}
	ends := reason(CodeRecordEnds, "the recording ends after %s with %s, before the test does; its limit is %d trials",
		plural(w.trials, "trial"), plural(w.failures, "failure"), d.Boundaries.MaxTrials())
	if least := planBoundaries(d.Boundaries).StraightPasses(); w.trials < least {
		return []Reason{ends, reason(CodePassUnreachable, "no outcome of %s could pass: it takes at least %d, all passing", plural(w.trials, "trial"), least)}
	}
	return []Reason{ends}
}

// describeStop adds the estimates after the stop and what the rest cost.
func (result *SequentialResult) describeStop(r *Recording, rest []int, w walk, d sprt.Design) error {
	const alpha = 0.05
	e, err := d.Boundaries.Estimate(w.trials, w.failures, alpha)
	if err != nil {
		return err
	}
	result.Estimate = &SequentialEstimate{e.MedianUnbiased, e.Unbiased, e.Naive, e.Level, e.Interval.Low, e.Interval.High, "stage-wise"}
	result.Saved = r.saved(rest)
	if fixed, ok := d.Hypotheses.FixedSample(); ok {
		result.Savings = &SavingsView{FixedTrials: fixed.Trials, Trials: w.trials}
	}
	return nil
}

func (r *Recording) saved(rest []int) *Saved {
	s := &Saved{Trials: len(rest)}
	var cost, seconds float64
	timed := 0
	for _, i := range rest {
		m := r.observations[i].metrics
		if x := m[CostMetric]; !math.IsNaN(x) {
			cost += x
			s.CostKnown++
		}
		if x := m[DurationMetric]; !math.IsNaN(x) {
			seconds += x
			timed++
		}
	}
	if s.CostKnown > 0 {
		s.CostUSD = pointer(cost)
	}
	if timed > 0 {
		s.DurationSeconds = pointer(seconds)
	}
	return s
}
