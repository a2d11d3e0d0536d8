package calibration

import (
	"fmt"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/trial"
)

// calibrateCoverage measures how often the lower limit of the chance that the next trial takes a path seen
// already is above that chance.
//
// The promise is made of every distribution over paths, so the settings are those that are hard: rare paths
// beside a usual one, many that are alike, and so few trials that most paths are not seen. Trials go through
// the collector, as recorded ones do; the chance that is missed is added up here from the probabilities
// that they were drawn with.
func calibrateCoverage(c *calibrator) error {
	rare := mixture{"one path at 0.9, 20 at 0.005", append([]float64{.9}, repeated(.005, 20)...)}
	for _, s := range []struct {
		mixture
		trials int
		before float64 // how often the page said "100%"; 0 where nobody measured it
	}{
		{rare, 15, .57},
		{mixture{"two paths at 0.9 and 0.1", []float64{.9, .1}}, 2, 0},
		{mixture{"five paths alike", repeated(.2, 5)}, 15, 0},
		{mixture{"200 paths alike", repeated(.005, 200)}, 60, 0},
		{mixture{"half on one path, 400 rare", append([]float64{.5}, repeated(.00125, 400)...)}, 150, 0},
	} {
		err := c.simulate("next path is seen", fmt.Sprintf("%s, %d trials", s.name, s.trials), uncovered,
			c.runs(300, 4000), atMost(.05), func(random *rand.Rand) (bool, error) { return s.missed(random, s.trials) })
		if err != nil {
			return err
		}
		if s.before > 0 {
			c.before(s.before)
		}
	}
	return nil
}

// mixture gives paths their probabilities, which add up to 1.
type mixture struct {
	name  string
	paths []float64
}

// repeated is a list of equal numbers.
func repeated(x float64, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = x
	}
	return list
}

// missed draws trials and reports whether the limit that is said of them is above the truth.
func (m mixture) missed(random *rand.Rand, trials int) (bool, error) {
	collector, err := coverage.NewCollector(coverage.Declaration{})
	if err != nil {
		return false, err
	}
	seen := map[int]bool{}
	for range trials {
		x, path := random.Float64(), 0
		for path < len(m.paths)-1 && x >= m.paths[path] {
			x -= m.paths[path]
			path++
		}
		seen[path] = true
		step := trial.Step{Action: trial.CallTool, Tool: fmt.Sprint(path)}
		collector.Add(&trial.Trial{Outcome: trial.Pass, Steps: []trial.Step{step}})
	}
	truth := 0.0
	for path := range seen {
		truth += m.paths[path]
	}
	return *collector.Measure().Paths.Low > truth+absoluteRounding, nil
}
