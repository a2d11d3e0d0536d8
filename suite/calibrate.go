package suite

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
)

// Calibrate says that a run works out from its first trials how many of each scenario it records, so that a comparison
// of behaviour finds a shift. The zero value asks for nothing.
type Calibrate struct {
	Trials    int              // of each scenario, that the run begins with; default 10
	Shift     []ColumnShift    `json:",omitempty"` // of columns, sorted by them; or Distance
	Distance  float64          `json:",omitempty"` // of Mahalanobis
	Power     float64          // default 0.9
	Alpha     float64          // of the comparison; default 0.05
	MaxTrials int              // of each scenario that may be recorded; default 200
	Test      fingerprint.Test // of the comparison; default permutation-t2
}

// ColumnShift is a shift of the mean of a column of behaviour.
type ColumnShift struct {
	Column string
	SD     float64 // in standard deviations of a trial within its scenario; not 0
}

// Asked reports whether a run calibrates the number of its trials.
func (c Calibrate) Asked() bool { return c.Trials > 0 }

// Chosen: the least that tell how trials vary, and the most that plans of behaviour look at.
const (
	leastCalibration = 3
	mostCalibrated   = 2000
)

// calibrate reads how a run calibrates.
func (d *decoder) calibrate(n *yaml.Node, c *Calibrate) {
	*c = Calibrate{Trials: 10, Power: 0.9, Alpha: 0.05, MaxTrials: 200}
	found := d.Object(n,
		key{Name: "trials", About: "of each scenario, that the run begins with; default 10",
			Read: d.Whole(leastCalibration, mostCalibrated, func(x int64) { c.Trials = int(x) })},
		key{Name: "shift", About: "by column, in standard deviations of a trial, such as output_tokens: 0.5sd",
			Read: func(n *yaml.Node) { d.columnShifts(n, c) }},
		key{Name: "distance", About: "Mahalanobis distance of a shift in any direction, in place of shift",
			Read: d.Real(func(x float64) { c.Distance = x },
				"must be above 0, and at most 100", "it is the Mahalanobis distance of a shift in any direction",
				yamlnode.Above(0), yamlnode.AtMost(100))},
		key{Name: "power", About: "chance to find the shift; default 0.9",
			Read: d.Inside(func(x float64) { c.Power = x }, "it is the chance to find the shift")},
		key{Name: "alpha", About: "chance of a false alarm of the comparison; default 0.05",
			Read: d.Inside(func(x float64) { c.Alpha = x },
				"it is the chance of a false alarm of the comparison")},
		key{Name: "max_trials", About: "of each scenario that may be recorded; default 200",
			Read: d.Whole(leastCalibration, mostCalibrated, func(x int64) { c.MaxTrials = int(x) })},
		key{Name: "test", About: "of the comparison; default permutation-t2", Read: func(n *yaml.Node) {
			var word string
			if yamlnode.Word(&d.Decoder, &word, "permutation-t2", "shrunk-t2", "hotelling-t2")(n); word != "" {
				_ = c.Test.UnmarshalText([]byte(word)) // one of those that are known
			}
		}},
	)
	d.Also("oneOf", eitherOf("shift", "distance"),
		"description", "how many trials of each scenario are recorded, worked out from the behaviour of the first ones")
	if found == nil {
		return
	}
	const example = "such as shift: {output_tokens: 0.5sd}; tribunal compare fingerprint prints the columns"
	switch {
	case found["shift"] == nil && found["distance"] == nil:
		d.Fail(n, "needs the shift that is to be found", example)
	case found["shift"] != nil && found["distance"] != nil:
		d.At("distance", func() {
			d.Fail(found["distance"], "does not go with a shift", "both say what is to be found: omit one of them")
		})
	case c.MaxTrials < c.Trials && found["max_trials"] != nil:
		d.At("max_trials", func() {
			d.Fail(found["max_trials"], fmt.Sprintf("%d is less than the %d trials that calibrate", c.MaxTrials, c.Trials), "")
		})
	}
	c.MaxTrials = max(c.MaxTrials, c.Trials)
}

// columnShifts reads shifts by column, such as {output_tokens: 0.5sd}.
func (d *decoder) columnShifts(n *yaml.Node, c *Calibrate) {
	if !d.Is(n, yaml.MappingNode) {
		return
	}
	d.Members(n, func(name string, at, value *yaml.Node) {
		const advice = "such as 0.5sd; a decrease is negative"
		d.At(name, func() {
			if d.Takes("type", "string", "pattern", `^\s*[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?\s*sd\s*$`) {
				return
			}
			text, ok := d.shiftText(value)
			if !ok {
				return
			}
			number, unit := strings.CutSuffix(strings.TrimSpace(text), "sd")
			x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			switch {
			case !unit || err != nil:
				d.Fail(value, "must be a shift in standard deviations, not "+yamlnode.Shown(text), advice)
			case x == 0 || !(math.Abs(x) <= mostShift):
				d.Fail(value, fmt.Sprintf("must be a shift of at most %v standard deviations, and not of 0", mostShift), advice)
			default:
				c.Shift = append(c.Shift, ColumnShift{Column: name, SD: x})
			}
		})
	})
	if len(n.Content) == 0 {
		d.Fail(n, "names no column", "such as {output_tokens: 0.5sd}")
	}
	slices.SortFunc(c.Shift, func(a, b ColumnShift) int { return strings.Compare(a.Column, b.Column) })
	d.Also("minProperties", 1)
}

// shiftText is the text of a shift: a number without its unit is shown as it is written.
func (d *decoder) shiftText(n *yaml.Node) (text string, ok bool) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
		return n.Value, true
	}
	return d.Text(n)
}

// settings are the lines of [Suite.AgentSettings].
func (c Calibrate) settings() (lines []string) {
	if !c.Asked() {
		return nil
	}
	add := func(key, value string) { lines = append(lines, setting("calibrate."+key, value)) }
	add("trials", strconv.Itoa(c.Trials))
	for _, s := range c.Shift {
		add("shift."+plainOrQuoted(s.Column, isPlainName), shortest(s.SD)+"sd")
	}
	if c.Distance != 0 {
		add("distance", shortest(c.Distance))
	}
	add("power", shortest(c.Power))
	add("alpha", shortest(c.Alpha))
	add("max_trials", strconv.Itoa(c.MaxTrials))
	add("test", c.Test.String())
	return lines
}
