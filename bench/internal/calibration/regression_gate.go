package calibration

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/bench/internal/simulation"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// baselineGates simulates gates from end to end: the baseline of every scenario is drawn, the candidate
// runs through the whole runner, sixteen trials at once and failures five times as slow, the run is
// judged, and the gate decides.
//
// The promises are those of a suite: it is blocked with at most alpha where nothing changed, and
// deployed with at most beta where one scenario dropped by delta.
func (c *calibrator) baselineGates() error {
	const trials, delta = 100, .2
	for _, rate := range pick(c, []float64{.98}, []float64{.99, .95}) {
		families, err := c.families(fixedBaseline(trials, delta, rate))
		if err != nil {
			return err
		}
		for _, scenarios := range pick(c, []int{1}, []int{1, 5, 20}) {
			g := baselineGate{calibrator: c, families: families, trials: trials, scenarios: scenarios, rate: rate}
			setting := fmt.Sprintf("%d trials, delta %v, rate %v", trials, delta, rate)
			decision := fmt.Sprintf("gate, %d baselines", scenarios)
			gates := c.runs(100, 20_000/scenarios)
			blocks, _, err := g.decide(gates, 0, c.rowSeed(decision, setting, falseFail))
			if err != nil {
				return err
			}
			c.counted(decision, setting, falseFail, blocks, gates, atMost(regressionAlpha))
			_, deploys, err := g.decide(gates, delta, c.rowSeed(decision, setting, falsePass))
			if err != nil {
				return err
			}
			c.counted(decision, setting, falsePass, deploys, gates, atMost(regressionBeta))
		}
	}
	return nil
}

// baselineGate is a suite of scenarios that are alike, each with a baseline of its own.
type baselineGate struct {
	*calibrator
	families  map[baseline.Outcome]*baseline.Family
	trials    int // of each baseline
	scenarios int
	rate      float64 // of the baselines, and of the candidates that did not drop
}

// testEnd is how a test came out: what its baseline came to, and where the candidate's test ended.
type testEnd struct {
	baseline         baseline.Outcome
	trials, failures int
	refused          bool // the baseline is too little to test against
}

// decide runs so many gates, the first scenario of each with a candidate that dropped, and counts
// those that block and that deploy.
//
// The result of a test follows from how it came out, so that each is judged once.
func (g *baselineGate) decide(gates int, drop float64, seed uint64) (blocks, deploys int, err error) {
	ended := make([][]testEnd, gates)
	evidence := map[testEnd]runs.TestEvidence{}
	var mutex sync.Mutex
	err = bench.Repeat(g.ctx, gates, func(i int) error {
		random := seeded.Stream(seed, uint64(i))
		for s := range g.scenarios {
			rate := g.rate
			if s == 0 {
				rate -= drop
			}
			as, found, err := g.run(random, rate)
			if err != nil {
				return err
			}
			ended[i] = append(ended[i], as)
			if as.refused {
				continue
			}
			mutex.Lock()
			evidence[as] = found
			mutex.Unlock()
		}
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	judged, err := g.judge(evidence)
	if err != nil {
		return 0, 0, err
	}
	decisions := make([]gate.Decision, gates)
	err = bench.Repeat(g.ctx, gates, func(i int) error {
		r := &runs.Result{Suite: "suite", Digest: "digest", StoppedBy: runs.StoppedByDecision}
		for s, as := range ended[i] {
			if as.refused {
				return nil // nothing is run, so nothing is blocked or deployed
			}
			t := judged[as]
			t.Name = fmt.Sprint(s)
			r.Tests = append(r.Tests, t)
		}
		d, err := gate.Judge(g.ctx, r, gate.Options{})
		if err == nil {
			decisions[i] = d.Decision
		}
		return err
	})
	for _, d := range decisions {
		switch d {
		case gate.Block:
			blocks++
		case gate.Deploy:
			deploys++
		}
	}
	return blocks, deploys, err
}

// run draws a baseline and runs a candidate against it.
func (g *baselineGate) run(random *rand.Rand, rate float64) (testEnd, runs.TestEvidence, error) {
	as := testEnd{baseline: baseline.Outcome{Trials: g.trials}}
	for range g.trials {
		if random.Float64() >= g.rate {
			as.baseline.Failures++
		}
	}
	family := g.families[as.baseline]
	if family == nil {
		as.refused = true
		return as, runs.TestEvidence{}, nil
	}
	test := runner.Test{Name: "s", Scenarios: []string{"s"}, Against: &runs.Against{
		Stored: &runs.StoredBaseline{Family: family, Outcome: as.baseline},
	}}
	// A pass takes 1 s on average and a failure five times as long.
	agent := &simulation.Agent{
		Name: "candidate", PassRate: rate, Slowness: simulation.DefaultSlowness,
		Seconds: simulation.Spread{Mean: 1, SD: .3},
	}
	result, err := simulation.RunTest(g.ctx, test, agent, nil, simulation.DefaultConcurrency, random.Uint64())
	if err != nil {
		return as, runs.TestEvidence{}, err
	}
	as.trials, as.failures = result.Tests[0].Trials, result.Tests[0].Failures
	return as, result.Evidence("suite", "digest", "").Tests[0], nil
}

// judge judges every way in which a test came out, all in one run.
func (g *baselineGate) judge(evidence map[testEnd]runs.TestEvidence) (map[testEnd]runs.Test, error) {
	e := runs.Evidence{Suite: "suite", Digest: "digest", StoppedBy: runs.StoppedByDecision}
	var all []testEnd
	for as, t := range evidence {
		t.Name = fmt.Sprint(len(all))
		all, e.Tests = append(all, as), append(e.Tests, t)
	}
	r, err := runs.Judge(g.ctx, e)
	if err != nil {
		return nil, err
	}
	judged := map[testEnd]runs.Test{}
	for i, as := range all {
		judged[as] = r.Tests[i]
	}
	return judged, nil
}
