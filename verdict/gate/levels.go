package gate

import (
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/mean"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// LevelsOf returns the options with the levels that a result was judged by: what a gate asks
// where nobody says otherwise. Of a run whose tests differ each is the least of them, which is
// the strictest. What a result does not tell stays as it is.
func LevelsOf(result verdict.Result, o Options) Options {
	switch r := result.(type) {
	case *runs.Result:
		var all []Options
		for _, t := range r.Tests {
			if t.Threshold > 0 {
				all = append(all, Options{Alpha: t.Together(t.Alpha), Beta: t.Beta, Delta: t.Delta})
			}
			if x := t.Regression; x != nil {
				all = append(all, Options{Alpha: t.Together(x.Alpha), Beta: x.Beta, Delta: x.Delta})
			}
		}
		for _, t := range r.SuiteTests {
			q := t.Question
			all = append(all, Options{Alpha: q.Alpha * float64(max(t.Shared, 1)), Beta: q.Beta, Delta: q.Delta})
		}
		for i, x := range all {
			if i == 0 {
				o.Alpha, o.Beta, o.Delta = x.Alpha, x.Beta, x.Delta
			}
			o.Alpha, o.Beta, o.Delta = min(o.Alpha, x.Alpha), min(o.Beta, x.Beta), min(o.Delta, x.Delta)
		}
	case *verdict.ThresholdResult:
		o.Alpha = r.Alpha
	case *mean.Result:
		o.Alpha = r.Alpha
	case *sequential.Result:
		o.Alpha, o.Beta, o.Delta = r.Alpha, r.Beta, r.Delta
	case *compare.Result:
		o.Alpha, o.Beta, o.Delta = r.Alpha, r.Beta, r.Delta
	case *compare.Ends:
		o.Alpha, o.Beta, o.Delta = r.Alpha, r.Beta, r.Delta
	}
	return o
}
