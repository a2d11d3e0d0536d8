package compare

import (
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Options say how a candidate is compared with a baseline.
type Options struct {
	Delta      float64                 // smallest drop that matters; 0 means DefaultDelta
	Alpha      float64                 // bounds a false Fail; 0 means DefaultAlpha
	Beta       float64                 // bounds a false Pass; 0 means DefaultBeta
	Test       *stats.Test             // nil: what fits the trials; see [Judge]
	Rule       Rule                    // margin by default
	Correction multiplicity.Correction // of the per-scenario p-values; Holm by default
	Errors     verdict.ErrorPolicy     // robust by default
	By         verdict.Grouping        // all trials together by default
	Interval   stats.IntervalMethod    // of each side's rate; Wilson by default
	Seed       uint64                  // of what is drawn
	FailOn     []MetricRise            // metrics whose rise fails it too; none by default
	Missing    MissingPolicy           // what becomes of scenarios that one side alone tried; open by default
	Priors     *Priors                 // of both rates, for a [Posterior] beside the verdict; nil asks for none

	// BehaviourBeside says that [Result.AddBehaviour] will add a behaviour that does not count: it gets a share
	// of the level of what is shown beside the verdict; see [Family].
	BehaviourBeside bool

	metricsBeside bool        // a result is judged again that had metrics, and does not hold them
	counted       *FlipTable  // the pairs of such a result, where it does not hold its trials
	held          *savedParts // what it holds in place of trials, or of their metrics
	// the edition of a result that is judged again; 0 is that of this version, and 1 stands for none
	saved int
	// a result is judged again that says nothing of scenarios that one side alone tried
	unsided bool
	// Errors of the candidate that stand for tests that did not run.
	unrun int
	// a result is judged again whose version passed what has scenarios that are worse
	excusing bool
	// scenarios of a result that is judged again, whose verdicts do not follow from what it holds
	taken []Scenario
}

// edition is that by which is judged.
func (o Options) edition() int {
	if o.saved == 0 {
		return edition
	}
	return o.saved
}

// older reports whether a result is judged again whose version stated no family.
func (o Options) older() bool { return o.edition() < withinScenarios }

// shortens reports whether many trials are judged in the ways of many.go, which results of earlier editions were not.
func (o Options) shortens() bool { return o.edition() >= shortOfMany }

// ofVeryMany reports whether so many trials are judged that exact tests search near what was observed; see many.go.
func (o Options) ofVeryMany() bool { return o.edition() >= veryMany }

// withDefaults replaces what is 0. Nothing is lost by it: neither delta, alpha nor beta may
// be 0, as validate says.
func (o Options) withDefaults() Options {
	if o.Delta == 0 {
		o.Delta = verdict.DefaultDelta
	}
	if o.Alpha == 0 {
		o.Alpha = verdict.DefaultAlpha
	}
	if o.Beta == 0 {
		o.Beta = verdict.DefaultBeta
	}
	return o
}

// validate returns a [verdict.OptionError] for the first of delta, alpha and beta that is
// no share strictly between 0 and 1, or of the metrics that cannot be judged, and whatever stats says of the test.
func (o Options) validate() error {
	for _, level := range []struct {
		name  string
		value float64
	}{{"delta", o.Delta}, {"alpha", o.Alpha}, {"beta", o.Beta}} {
		if err := verdict.CheckLevel(level.name, level.value); err != nil {
			return err
		}
	}
	if err := o.validateFailOn(); err != nil {
		return err
	}
	if o.Priors != nil {
		for _, prior := range []stats.BetaPrior{o.Priors.Baseline, o.Priors.Candidate} {
			if err := prior.Validate(); err != nil {
				return err
			}
		}
	}
	if o.Test != nil {
		return o.Test.Validate()
	}
	return nil
}
