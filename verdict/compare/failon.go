package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// MetricRise is a metric whose rise fails the comparison, and what came of it. Options give Metric, and Most or Above.
//
// Without either a rise fails that the metric's own test shows: [Metric.Changed], and upwards. With it H0 is that the
// candidate's mean is at most 1+Most times the baseline's, tested like "changed" on the baseline's values times 1+Most,
// so that no mean is taken for known: of a candidate whose values are those of the baseline by one factor the test is
// exact. With Above it is that the candidate's mean is at most the baseline's and Above, tested on the baseline's
// values and Above, exact of a candidate whose values are those of the baseline and one amount. Fail is a rise beyond
// what is allowed that is shown, at the share of [Family] after Holm's correction over all that allow one, and only of
// a metric that changed. Pass is one that is excluded at beta, one-sided, and Inconclusive is neither.
type MetricRise struct {
	Metric recording.MetricName `json:"metric"`
	// The largest rise that is allowed, as a share of the baseline's mean: 0.2 is 20 %. Nil allows what is not shown.
	Most *float64 `json:"most,omitempty"`
	// The largest rise that is allowed, in the unit of the metric, such as US dollars a trial; not with Most.
	Above *float64 `json:"above,omitempty"`
	// Two-sided and corrected, of "did not change", or of a rise of just Most; nil where a side tells no value.
	P       *float64        `json:"p"`
	Verdict verdict.Verdict `json:"verdict"`
}

// mostRise bounds the rise that may be allowed. Chosen: a factor of ten thousand is no limit at all.
const mostRise = 1e4

// mostAbove bounds a rise that may be allowed in the unit of a metric. Chosen: beyond any dollars, seconds or tokens of
// a trial, and far from where sums of values lose it.
const mostAbove = 1e9

// validateFailOn refuses a metric that there is not, one that is named twice, and a rise that is none.
func (o Options) validateFailOn() error {
	known := slices.Collect(recording.AllMetrics())
	for i, f := range o.FailOn {
		problem := ""
		switch {
		case !slices.Contains(known, f.Metric):
			problem = "is no metric"
		case slices.ContainsFunc(o.FailOn[:i], func(other MetricRise) bool { return other.Metric == f.Metric }):
			problem = "is named twice"
		case f.Most != nil && !(*f.Most >= 0 && *f.Most <= mostRise):
			problem = fmt.Sprintf("must allow a rise from 0 to %v times the baseline's mean", mostRise)
		case f.Above != nil && !(*f.Above >= 0 && *f.Above <= mostAbove):
			problem = fmt.Sprintf("must allow a rise from 0 to %v in its unit", mostAbove)
		case f.Most != nil && f.Above != nil:
			problem = "has two limits"
		}
		if problem != "" {
			return &verdict.OptionError{Option: "fail on", Value: f.Metric, Problem: problem}
		}
	}
	return nil
}

// failOn is what was asked for, and nothing of what came of it.
func (o Options) failOn() (list []MetricRise) {
	for _, f := range o.FailOn {
		f.P, f.Verdict = nil, verdict.Inconclusive
		list = append(list, f)
	}
	return list
}

// judgeRises lets the metrics that may fail the comparison do so. A Pass needs that no rise above what is allowed is
// left open.
func (c *comparer) judgeRises(result *Result) {
	if len(result.FailOn) == 0 {
		return
	}
	limits := c.testLimits(result)
	var rose, open, within []verdict.Reason
	for i := range result.FailOn {
		f := &result.FailOn[i]
		at := slices.IndexFunc(result.Metrics, func(m Metric) bool { return m.Name == f.Metric })
		if at < 0 {
			open = append(open, CodeMetricOpen.Reason("%s is not known of both sides, and was to be judged",
				metricWord(f.Metric)))
			continue
		}
		m := &result.Metrics[at]
		switch limit, limited := limits[f.Metric]; {
		case !limited:
			f.P, f.Verdict = new(m.PAdjusted), verdict.Pass
			if m.Changed && m.Difference.Value > 0 {
				f.Verdict = verdict.Fail
				rose = append(rose, CodeMetricRose.Reason("%s rose %s", metricWord(m.Name), m.change(*f.P)))
			}
		case limit.adjusted <= c.each() && limit.above && m.Changed && m.Difference.Value > 0:
			f.P, f.Verdict = new(limit.adjusted), verdict.Fail
			rose = append(rose, CodeMetricRose.Reason("%s rose by more than the %s that you allow, %s", metricWord(m.Name),
				f.allowed(), m.change(*f.P)))
		case limit.p/2 <= c.options.Beta && !limit.above:
			f.P, f.Verdict = new(limit.adjusted), verdict.Pass
			within = append(within, codeMetricWithin.Reason("a rise of %s by more than the %s that you allow is ruled out, %s",
				metricWord(m.Name), f.allowed(), m.change(*f.P)))
		default:
			f.P = new(limit.adjusted)
			open = append(open, CodeMetricOpen.Reason("a rise of %s by more than the %s that you allow is neither shown nor "+
				"ruled out, %s", metricWord(m.Name), f.allowed(), m.change(*f.P)))
		}
	}
	switch {
	case len(rose) > 0:
		if result.Verdict != verdict.Fail {
			ofRatesAlone(result.Reasons)
		}
		result.Verdict = verdict.Fail
		result.Reasons = append(rose, result.Reasons...)
	case len(open) > 0 && result.Verdict == verdict.Pass:
		result.Verdict = verdict.Inconclusive
		result.Reasons = append(open, result.Reasons...)
	}
	result.Reasons = append(result.Reasons, within...)
}

// ofRatesAlone says of what keeps the pass rates open that it opens nothing else.
func ofRatesAlone(reasons []verdict.Reason) {
	for i := range reasons {
		if r := &reasons[i]; r.Code == verdict.CodeErrorsMatter {
			r.Text = "of the pass rates alone " + r.Text
		}
	}
}

// limitTest is the test of a rise of just what is allowed.
type limitTest struct {
	p, adjusted float64
	above       bool // the candidate's mean is above what is allowed
}

// testLimits tests each metric for which a rise is allowed, and corrects for how many these are.
func (c *comparer) testLimits(result *Result) map[recording.MetricName]limitTest {
	var names []recording.MetricName
	var ps []float64
	tests := map[recording.MetricName]limitTest{}
	var groups *valueGroups
	sums, held := c.sums(), c.options.held
	if sums == nil && held == nil {
		groups = c.like.groupValues()
	}
	for _, f := range result.FailOn {
		if f.Most == nil && f.Above == nil ||
			!slices.ContainsFunc(result.Metrics, func(m Metric) bool { return m.Name == f.Metric }) {
			continue
		}
		var r sample.MeansResult
		var err error
		switch {
		case held != nil:
			limit := held.Limits[f.Metric]
			if limit == nil {
				c.failed = &verdict.DifferenceError{Path: "aggregates.limits." + f.Metric.String(), Have: "absent",
					Want: "what its test looks at"}
				return tests
			}
			r, err = limit.Compare(c.options.Alpha)
		case sums != nil:
			r, err = sample.CompareMoments(f.momentsAtLimit(sums.metric(f.Metric)), c.options.Alpha)
		default:
			r, err = sample.CompareMeansWithin(groups.values(f.Metric, func(side int, x float64) float64 {
				if side == 0 {
					return f.atLimit(x)
				}
				return x
			}), c.options.Alpha, c.options.Seed)
			if a := result.Aggregates; a != nil && r.Aggregates != nil {
				if a.Limits == nil {
					a.Limits = map[recording.MetricName]*sample.Aggregates{}
				}
				a.Limits[f.Metric] = r.Aggregates
			}
		}
		t := limitTest{p: 1}
		// Where it cannot be computed nothing is shown and nothing excluded.
		if err == nil {
			t.p, t.above = r.P, r.Difference > 0
			c.drew = c.drew || r.Draws > 0
		}
		names, ps, tests[f.Metric] = append(names, f.Metric), append(ps, t.p), t
	}
	adjusted, err := multiplicity.Adjust(multiplicity.Holm, ps)
	for i, name := range names {
		t := tests[name]
		if t.adjusted = 1; err == nil {
			t.adjusted = adjusted[i]
		}
		tests[name] = t
	}
	return tests
}

// momentsAtLimit does so with sums.
func (f MetricRise) momentsAtLimit(strata []sample.MomentStratum) []sample.MomentStratum {
	for i := range strata {
		if b := &strata[i].Baseline; f.Above != nil {
			*b = b.Shifted(*f.Above)
		} else {
			*b = b.Scaled(1 + *f.Most)
		}
	}
	return strata
}

// atLimit is a value of the baseline with all of the rise that is allowed.
func (f MetricRise) atLimit(x float64) float64 {
	if f.Above != nil {
		return x + *f.Above
	}
	return x * (1 + *f.Most)
}

// Allowed is the rise that is allowed, for a person: "20%", "$0.05" or "2 s"; "" where none is said.
func (f MetricRise) Allowed() string {
	if f.Most == nil && f.Above == nil {
		return ""
	}
	return f.allowed()
}

func (f MetricRise) allowed() string {
	if f.Above == nil {
		return percent(*f.Most)
	}
	return f.Metric.WithUnit(phrase.Number(*f.Above))
}

// metricWord is the name of a metric within a sentence.
func metricWord(name recording.MetricName) string {
	switch name {
	case recording.CostMetric:
		return "cost"
	case recording.DurationMetric:
		return "duration"
	}
	return strings.ReplaceAll(name.String(), "_", " ")
}

// change says from which mean to which a metric went: "from $0.0129 to $0.0918 a trial (+612%; p = 0.0004)".
func (m *Metric) change(p float64) string {
	before, after := phrase.Amounts(m.Baseline.Mean, m.Candidate.Mean)
	before, after = m.Name.WithUnit(before), m.Name.WithUnit(after)
	by := ""
	if r := m.Difference.Ratio; r != nil {
		by = percent(*r-1) + "; "
		if *r > 1 {
			by = "+" + by
		}
	}
	return fmt.Sprintf("from %s to %s a trial (%sp %s)", before, after, by, phrase.Significant(p))
}

// percent writes a rise with three significant digits, and never with an exponent.
func percent(x float64) string {
	digits := 0
	if size := math.Abs(100 * x); size > 0 && size < 100 {
		digits = min(max(2-int(math.Floor(math.Log10(size))), 0), 6)
	}
	text := strconv.FormatFloat(100*x, 'f', digits, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text + "%"
}
