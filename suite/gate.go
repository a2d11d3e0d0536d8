package suite

import (
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/trial"
)

// Gate says what a deployment needs besides the verdict of the suite.
type Gate struct {
	Asked    bool          // there is one in the suite, which may leave everything to the defaults
	Floor    Floor         // of every scenario; the higher bar holds
	Baseline string        // a saved result to compare with; its path is from the folder of the suite
	MaxAge   time.Duration // of the result that is decided over, and of the baseline; 0 is any
	// BaselineMaxAge is that of the baseline where it is another; 0 is MaxAge.
	BaselineMaxAge time.Duration
	// AllowUndecidedRegression lets the gate deploy where a drop from the baseline is neither
	// shown nor excluded.
	AllowUndecidedRegression bool
	// AllowIdenticalAnswers lets it deploy although answers came again, of an agent that is known to answer alike, and
	// AllowRepeatedAttempts although attempts were often made again.
	AllowIdenticalAnswers, AllowRepeatedAttempts bool
	Behaviour                                    string // a recording to compare the behaviour with; "" does not
	// BehaviourShift is the smallest shift of behaviour that matters, in standard deviations of a trial; 0 is the default.
	BehaviourShift float64
	Correction     multiplicity.Correction // over scenarios, on the Fail side; default Holm's
}

// Gated reports whether the suite says what its gate needs, and the gate corrects for the number of
// scenarios: then its tests are planned for that.
func (s *Suite) Gated() bool {
	return s.Gate.Asked && s.Gate.Correction == multiplicity.Holm
}

// OldestBaseline is how old the baseline may be; 0 is any.
func (g Gate) OldestBaseline() time.Duration {
	if g.BaselineMaxAge != 0 {
		return g.BaselineMaxAge
	}
	return g.MaxAge
}

// Floor is a pass rate that a scenario must reach.
type Floor struct {
	MinPassRate trial.Optional[float64] // in (0,1), or 1 where the observed rate counts; unknown: none
	Point       bool                    // the observed rate counts, without a test
	AllTrials   bool                    // every trial must pass
}

// gate reads what a deployment needs. Every key may be left out.
func (d *decoder) gate(n *yaml.Node, g *Gate) {
	g.Asked = true
	d.Object(n,
		key{Name: "min_pass_rate", About: "a floor of the pass rate, which is tested; point: " +
			"compares the observed rate", Read: d.passRateInto(&g.Floor)},
		key{Name: "all_trials", About: "every trial must pass", Read: d.Bool(&g.Floor.AllTrials)},
		key{Name: "baseline", About: "a saved result to compare with", Read: d.Line(&g.Baseline)},
		key{Name: "max_age", About: "of the result that is decided over, and of the baseline",
			Read: d.Duration(&g.MaxAge, false)},
		key{Name: "baseline_max_age", About: "of the baseline, where it may be older than the result",
			Read: d.Duration(&g.BaselineMaxAge, false)},
		key{Name: "allow_undecided_regression", About: "a drop from the baseline that is neither " +
			"shown nor excluded is noted; else it needs a person", Read: d.Bool(&g.AllowUndecidedRegression)},
		key{Name: "allow_identical_answers", About: "answers that came again are noted, of an agent " +
			"that is known to answer alike; else they need a person", Read: d.Bool(&g.AllowIdenticalAnswers)},
		key{Name: "allow_repeated_attempts", About: "attempts that were often made again are noted; " +
			"else they need a person", Read: d.Bool(&g.AllowRepeatedAttempts)},
		key{Name: "strict", About: "what is the default: a drop from the baseline that is not " +
			"excluded needs a person", Read: d.strict},
		key{Name: "behaviour", About: "a recording to compare the behaviour with", Read: d.Line(&g.Behaviour)},
		key{Name: "behaviour_shift", About: "the smallest shift of behaviour that matters, in " +
			"standard deviations of a trial; default 0.5", Read: d.shiftInto(&g.BehaviourShift)},
		key{Name: "correct", About: "over scenarios, on the Fail side; default holm", Read: func(n *yaml.Node) {
			// The default is the zero value of a correction; a word that is refused leaves it.
			word := "holm"
			yamlnode.Word(&d.Decoder, &word, "holm", "none")(n)
			if word == "none" {
				g.Correction = multiplicity.NoCorrection
			}
		}},
	)
}

// shiftInto reads a number of standard deviations.
func (d *decoder) shiftInto(to *float64) func(*yaml.Node) {
	return d.Real(func(x float64) { *to = x }, "must lie above 0, and be at most 10",
		"it is in standard deviations of a trial: 0.5 is half of one", yamlnode.Above(0), yamlnode.AtMost(mostShift))
}

// mostShift is a shift beyond which no two sides that differ by it overlap.
const mostShift = 10

// strict reads what has become the default; its opposite has a name of its own.
func (d *decoder) strict(n *yaml.Node) {
	if d.Takes("enum", []bool{true}) {
		return
	}
	strict := true
	d.Bool(&strict)(n)
	if !strict {
		d.Fail(n, "false is no longer the default", "allow_undecided_regression: true says so")
	}
}

// passRateInto reads a floor: a rate that is tested, or {point: rate}, which compares the
// observed rate with it.
func (d *decoder) passRateInto(f *Floor) func(*yaml.Node) {
	read := func(n *yaml.Node) {
		x, ok := d.Number(n)
		d.Also("exclusiveMinimum", 0, "exclusiveMaximum", 1)
		switch {
		case !ok:
		// No test can show a rate of 1; an observed one can be compared with it.
		case !(x > 0 && x < 1) && !(f.Point && x == 1):
			hint := ""
			if x == 1 {
				hint = "all_trials: true says that every trial must pass"
			}
			d.Fail(n, prose.Excerpt(n.Value)+" must lie strictly between 0 and 1", hint)
		default:
			f.MinPassRate = trial.Some(x)
		}
	}
	point := func(n *yaml.Node) {
		d.Object(n, key{Name: "point", Read: read, Later: d.Share(nil, "")})
		d.Also("required", []string{"point"})
	}
	return func(n *yaml.Node) {
		switch {
		case d.Either(read, point):
		case n.Kind != yaml.MappingNode:
			read(n)
		default:
			f.Point = true
			point(n)
		}
	}
}
