package detection

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/trial"
)

// shiftedAgent is a system of whose fourteen columns four vary, as normal numbers on
// the scale on which they are tested: depth, output tokens, the complexity of the
// output and the recovered share of the failed steps. The others are constant.
type shiftedAgent struct {
	correlation float64 // of neighbours; rho^|i-j| between i and j
	texts       []text  // by complexity
}

// Varying is how many of the fourteen columns of the systems of [Power] vary.
const Varying = 4

// text is an output and its complexity.
type text struct {
	raw        trial.Raw
	complexity float64
}

// What the four columns are drawn around: far enough from every bound, and coarse
// enough in no unit, that they are normal for all purposes.
var (
	columnNames = [Varying]string{"depth", "output_tokens", "output_complexity", "recovered_share"}
	columnMeans = [Varying]float64{7, 7, 0.2, 0.5}
	columnSpans = [Varying]float64{0.3, 0.3, 0.025, 0.08}
)

// failedSteps is how many steps of a trial fail: the recovered share is one of so many
// fractions.
const failedSteps = 400

// newShiftedAgent measures the texts to choose among: the more of a text is random,
// the more complex it is.
func newShiftedAgent(correlation float64) (*shiftedAgent, error) {
	if !(correlation > -1 && correlation < 1) {
		return nil, fmt.Errorf("correlation %v must lie between -1 and 1", correlation)
	}
	const length = 4096
	random := seeded.Stream(1, 1)
	var noise [length]byte
	for i := range noise {
		noise[i] = byte('0' + random.IntN(64))
		// The text stands in a JSON string, in which a backslash would begin an escape.
		if noise[i] == '\\' {
			noise[i] = '!'
		}
	}
	vocabulary := fingerprint.NewVocabulary()
	column := slices.IndexFunc(vocabulary.Columns(), func(c fingerprint.Column) bool {
		return c.Kind == fingerprint.OutputComplexity
	})
	a := &shiftedAgent{correlation: correlation}
	// Texts of one length: the first k bytes are random, the rest are all the same.
	for k := 0; k <= length; k += 2 {
		raw := trial.Raw(`"` + string(noise[:k]) + strings.Repeat("a", length-k) + `"`)
		vector := vocabulary.Vector(&trial.Trial{Output: raw})
		a.texts = append(a.texts, text{raw, vector.Values[column].Value})
	}
	slices.SortStableFunc(a.texts, func(a, b text) int { return compareFloats(a.complexity, b.complexity) })
	return a, nil
}

// compareFloats orders numbers of which none is NaN.
func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// draw returns a trial whose standardised columns have the means that the shift gives
// their independent innovations.
func (a *shiftedAgent) draw(random *rand.Rand, shift [Varying]float64) *trial.Trial {
	var x [Varying]float64
	last := 0.0
	for k := range x {
		innovation := random.NormFloat64() + shift[k]
		// An autoregression of order 1: neighbours have the correlation, all columns variance 1.
		if k == 0 {
			last = innovation
		} else {
			last = a.correlation*last + math.Sqrt(1-a.correlation*a.correlation)*innovation
		}
		x[k] = columnMeans[k] + columnSpans[k]*last
	}
	recovered := int(math.Round(min(max(x[3], 0), 1) * failedSteps))
	steps := make([]trial.Step, 0, failedSteps+2)
	for i := range failedSteps + 1 {
		step := trial.Step{Action: trial.CallTool, Tool: "search"}
		if i != recovered {
			step.Error = "timeout"
		}
		steps = append(steps, step)
	}
	steps = append(steps, trial.Step{Action: trial.Respond})
	// Depth and tokens are tested as log(1+x), so that they are drawn as exp(x)-1.
	steps[0].Depth = trial.Some(int(math.Round(math.Expm1(x[0]))))
	return &trial.Trial{
		Scenario: "s", Outcome: trial.Pass, Steps: steps, Output: a.nearest(x[2]),
		OutputTokens: trial.Some(int64(math.Round(math.Expm1(x[1])))), CostUSD: trial.Some(0.02),
	}
}

// nearest returns the text whose complexity comes nearest.
func (a *shiftedAgent) nearest(complexity float64) trial.Raw {
	// The first text that is at least as complex, or the one before it if that is nearer.
	i, _ := slices.BinarySearchFunc(a.texts, complexity, func(t text, x float64) int {
		return compareFloats(t.complexity, x)
	})
	switch {
	case i == len(a.texts):
		i--
	case i > 0 && complexity-a.texts[i-1].complexity < a.texts[i].complexity-complexity:
		i--
	}
	return a.texts[i].raw
}

// rowsOfFour returns the four columns that vary, as they are tested.
func rowsOfFour(v *fingerprint.Vocabulary, s *fingerprint.Sample) [][]float64 {
	columns := v.Columns()
	var rows [][]float64
	for _, vector := range v.Vectors(s) {
		row := make([]float64, 0, Varying)
		for _, name := range columnNames {
			j := slices.IndexFunc(columns, func(c fingerprint.Column) bool { return c.Name == name })
			x := vector.Values[j].Value
			if columns[j].Transform == fingerprint.Log1p {
				x = math.Log1p(x)
			}
			row = append(row, x)
		}
		rows = append(rows, row)
	}
	return rows
}
