package calibration

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
)

// Row is one error rate of one decision in one setting.
//
// What is promised, of whom and by which measurement is said where the row is made, in the file
// of its group. A row that promises nothing is measured all the same, so that the page can show
// how far beyond its name a method goes, such as an interval of 95 % that misses 10 % of the time.
type Row struct {
	Group    string `json:"group"`    // the kind of decision, such as "sequential"
	Decision string `json:"decision"` // the method, such as "optimal, stable"
	Setting  string `json:"setting"`  // its hypotheses, sizes and true rates
	Error    string `json:"error"`    // such as "false fail"

	// Nominal is what the rate is asked to be at most.
	Nominal float64 `json:"nominal"`
	// Promise is the same where that is promised, and nil where nothing is.
	Promise *float64 `json:"promise"`
	// Printed says that the promise is another one: the decision prints this rate with
	// its result, whatever was asked for.
	Printed bool `json:"as_printed"`

	Rate   float64 `json:"rate"`    // measured: of outcomes by their probability, or of runs
	StdErr float64 `json:"std_err"` // that a rate of Nominal would have; 0 where the rate is exact
	Runs   int     `json:"runs"`    // 0 where the rate is exact
	Exact  bool    `json:"exact"`   // it is enumerated, not simulated
	Holds  *bool   `json:"holds"`   // nil where nothing is promised

	// Before is the rate that an independent audit measured in the same setting at an earlier version,
	// with programs of its own; nil where it did not. It is data, and judges nothing.
	Before *float64 `json:"before,omitempty"`
}

// The errors that rows are about.
const (
	// a Fail, or a block, of a system that is as good as it should be
	falseFail = "false fail"
	// a Pass, or a deploy, of a system that is worse by what matters
	falsePass = "false pass"
	// a change is found where both sides are the same system
	falseAlarm = "false alarm"
	missed     = "missed" // a change that is there
	uncovered  = "misses" // the truth, by an interval or a limit
	undecided  = "undecided"
	decides    = "decision"
	misled     = "misled"    // a baseline after which an error is too likely
	differs    = "different" // from what was enumerated
)

// promise is what is promised of a rate.
// Its rate is the row's [Row.Nominal] whatever the kind: where nothing is promised, the page still
// compares with what the name of the method suggests.
type promise struct {
	rate float64
	kind promiseKind
}

// promiseKind says which comparison decides whether a row holds: see [Row.judge].
type promiseKind uint8

const (
	bound   promiseKind = iota // it is at most the rate
	printed                    // it is the rate
	nothing                    // the rate is what was asked for
)

func atMost(rate float64) promise     { return promise{rate, bound} }
func asPrinted(rate float64) promise  { return promise{rate, printed} }
func unpromised(rate float64) promise { return promise{rate, nothing} }

// deviations is how many standard errors a simulated rate may be off.
//
// Chosen. One row that just keeps its promise exceeds it by three with a chance of about 1 in 740;
// over all rows of a calibration that adds up to [Result.FalseAlarm], which is printed.
const deviations = 3

// rounding is how far an exact rate may be off, relative and absolute.
const (
	// Chosen: what is compared adds up hundreds of products of floats on one side, and is a lattice or
	// a special function on the other. The absolute part is for promises near 0.
	relativeRounding = 1e-9
	absoluteRounding = 1e-12
)

// judge sets what follows from the figures.
func (r *Row) judge() {
	// The error is that of a rate that just keeps the promise, not of the rate that was seen: a row
	// without a single error would otherwise have an error of 0. What is there already stays where
	// it is larger; budgets in power.go adds the error of a promise that is simulated itself.
	if !r.Exact {
		r.StdErr = math.Max(r.StdErr, math.Sqrt(r.Nominal*(1-r.Nominal)/float64(r.Runs)))
	}
	if r.Promise == nil {
		return
	}
	allowed := deviations * r.StdErr
	if r.Exact {
		allowed = relativeRounding*(*r.Promise) + absoluteRounding
	}
	// A bound may be undercut by any amount; a rate that is printed must be met from both sides.
	excess := r.Rate - *r.Promise
	if r.Printed {
		excess = math.Abs(excess)
	}
	holds := excess <= allowed // not where the rate is no number
	r.Holds = &holds
}

// broken reports whether the promise is not kept.
func (r *Row) broken() bool { return r.Holds != nil && !*r.Holds }

// exceeds reports whether the rate is above what was asked for and nothing was
// promised of that, by more than chance.
func (r *Row) exceeds() bool {
	return (r.Promise == nil) && r.Rate > r.Nominal*(1+relativeRounding)+deviations*r.StdErr
}

// falseAlarm is the probability that a simulated row breaks its promise if the rate is
// just what is promised.
//
// It is the exact binomial tail beyond the allowed count, not the normal one: at few runs and
// small rates the two differ by a multiple.
func (r *Row) falseAlarm() float64 {
	if r.Promise == nil || r.Exact {
		return 0
	}
	b := dist.Binomial{N: r.Runs, P: *r.Promise}
	n, allowed := float64(r.Runs), deviations*r.StdErr
	p := b.Survival(int(math.Floor(n * (*r.Promise + allowed))))
	if r.Printed {
		p += b.CDF(int(math.Ceil(n*(*r.Promise-allowed))) - 1)
	}
	return p
}
