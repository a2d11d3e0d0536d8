package suite

import (
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/trial"
)

// Gate says what a deployment needs besides the verdict of the suite.
type Gate struct {
	Floor      Floor                   // of every scenario; the higher bar holds
	Baseline   string                  // a saved result to compare with; a relative path is from the folder of the suite
	MaxAge     time.Duration           // of the baseline; 0 is any
	Strict     bool                    // a regression that is not excluded keeps the gate from deploying
	Behaviour  string                  // a recording to compare the behaviour with; "" does not
	Correction multiplicity.Correction // over scenarios, on the Fail side; default Holm's
}

// Floor is a pass rate that a scenario must reach.
type Floor struct {
	MinPassRate trial.Optional[float64]
	Point       bool // the observed rate counts, without a test
	AllTrials   bool // every trial must pass
}

func (d *decoder) gate(n *yaml.Node, g *Gate) {
	d.object(n,
		key{"min_pass_rate", d.passRateInto(&g.Floor)},
		key{"all_trials", d.boolInto(&g.Floor.AllTrials)},
		key{"baseline", d.textInto(&g.Baseline)},
		key{"max_age", d.durationInto(&g.MaxAge, false)},
		key{"strict", d.boolInto(&g.Strict)},
		key{"behaviour", d.textInto(&g.Behaviour)},
		key{"correct", func(n *yaml.Node) {
			word := "holm"
			wordOf(d, &word, "holm", "none")(n)
			if word == "none" {
				g.Correction = multiplicity.NoCorrection
			}
		}},
	)
}

// passRateInto reads a floor: a rate that is tested, or {point: rate}, which compares the
// observed rate with it.
func (d *decoder) passRateInto(f *Floor) func(*yaml.Node) {
	read := func(n *yaml.Node) {
		x, ok := d.number(n)
		switch {
		case !ok:
		case !(x > 0 && x < 1) && !(f.Point && x == 1):
			hint := ""
			if x == 1 {
				hint = "all_trials: true says that every trial must pass"
			}
			d.fail(n, prose.Excerpt(n.Value)+" must lie strictly between 0 and 1", hint)
		default:
			f.MinPassRate = trial.Some(x)
		}
	}
	return func(n *yaml.Node) {
		if n.Kind != yaml.MappingNode {
			read(n)
			return
		}
		f.Point = true
		d.object(n, key{"point", read})
	}
}
