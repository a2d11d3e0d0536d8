package gate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// stand is how far two tests over the same trials have come: failures so far, and what each
// has come to.
type stand struct {
	failures int
	ends     [2]sprt.Outcome
}

// deployed returns the exact probability that both tests pass at a rate, by enumeration.
func deployed(threshold, regression sprt.Boundaries, p float64) (total float64) {
	masses := map[stand]float64{{ends: [2]sprt.Outcome{sprt.Undecided, sprt.Undecided}}: 1}
	for n := range max(threshold.MaxTrials(), regression.MaxTrials()) {
		next := map[stand]float64{}
		for at, mass := range masses {
			for failed, chance := range []float64{p, 1 - p} {
				to := at
				to.failures += failed
				for i, b := range []sprt.Boundaries{threshold, regression} {
					switch {
					case to.ends[i] != sprt.Undecided || n >= b.MaxTrials():
					case to.failures <= b.PassAtOrBelow[n]:
						to.ends[i] = sprt.Pass
					case to.failures >= b.FailAtOrAbove[n]:
						to.ends[i] = sprt.Fail
					case n == b.MaxTrials()-1:
						to.ends[i] = sprt.Inconclusive
					}
				}
				switch {
				case to.ends == [2]sprt.Outcome{sprt.Pass, sprt.Pass}:
					total += mass * chance
				case to.ends[0] == sprt.Fail || to.ends[1] == sprt.Fail:
				default:
					next[to] += mass * chance
				}
			}
		}
		masses = next
	}
	return total
}

// A baseline of 300 trials at 0.98, a threshold of 0.8, a drop of 0.1 that matters: what really
// fell to 0.85 is blocked or looked at in at least 90 %, what is as before deploys in at least
// 95 %. The threshold alone deploys both.
func TestWhatDroppedIsNotDeployed(t *testing.T) {
	if testing.Short() {
		t.Skip("it plans a test for each tier of baselines")
	}
	const n0, before, dropped = 300, .98, .85
	least := 1e-4 // the probability of outcomes of the baseline that are left out
	if !thorough.Asked() {
		least = 5e-3
	}
	threshold, err := plan.Design(t.Context(),
		plan.Options{Hypotheses: sprt.Hypotheses{Threshold: .8, Delta: .1, Alpha: .05, Beta: .1}, Kind: sprt.OptimalKind})
	if err != nil {
		t.Fatal(err)
	}
	sample, err := baseline.Fixed(n0)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := baseline.NewChain(baseline.Question{Delta: .1, Alpha: .05, Beta: .1}, sample, baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	unchanged, worse, thresholdAlone, seen := 0.0, 0.0, 0.0, 0.0
	decisions := map[float64]map[Decision]int{before: {}, dropped: {}}
	for k := 0; ; k++ {
		a, _ := math.Lgamma(n0 + 1)
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n0 - k + 1))
		mass := math.Exp(a - b - c + float64(k)*math.Log(1-before) + float64(n0-k)*math.Log(before))
		if k > 6 && mass < least {
			break
		}
		o := baseline.Outcome{Trials: n0, Failures: k}
		p, err := chain.Against(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		bounds, ok := p.Family.Boundaries(o)
		if !ok {
			t.Fatalf("no boundaries for %d failures", k)
		}
		seen += mass
		unchanged += mass * deployed(threshold.Boundaries, bounds, before)
		worse += mass * deployed(threshold.Boundaries, bounds, dropped)
		// The gate says so too, over runs that are drawn.
		for _, rate := range []float64{before, dropped} {
			d, err := drawnGate(t, random, threshold, p.Family, o, rate)
			if err != nil {
				t.Fatal(err)
			}
			decisions[rate][d]++
		}
	}
	thresholdAlone = passes(threshold.Boundaries, dropped)
	t.Logf("of %.4f: unchanged deploys with %.4f, dropped with %.4f (by the threshold alone %.4f); drawn %v", seen,
		unchanged, worse, thresholdAlone, decisions)
	if unchanged+1-seen < .95 || worse+1-seen > .10 {
		t.Errorf("unchanged deploys with %.4f, dropped with %.4f", unchanged, worse)
	}
	if thresholdAlone < .9 {
		t.Errorf("the threshold alone deploys what dropped with %.4f", thresholdAlone)
	}
	total := 0
	for _, n := range decisions[dropped] {
		total += n
	}
	if decisions[dropped][Deploy]*5 > total || decisions[before][Deploy]*10 < total*8 {
		t.Errorf("%v", decisions)
	}
}

// passes is the probability that a test passes at a rate.
func passes(b sprt.Boundaries, p float64) float64 { return deployed(b, b, p) }

// drawnGate judges a run of one scenario that is drawn at a rate.
func drawnGate(
	t *testing.T, random *rand.Rand, d sprt.Design, f *baseline.Family, o baseline.Outcome, rate float64,
) (Decision, error) {
	test := runs.TestEvidence{Name: "s", Scenarios: []string{"s"}, Design: d, Against: &runs.Against{
		Gamma: f.Gamma(), Stored: &runs.StoredBaseline{Family: f, Outcome: o, Source: runs.BaselineSource{File: "main.json"}},
	}}
	for i := range max(d.Boundaries.MaxTrials(), f.MaxTrials()) {
		outcome := trial.Fail
		if random.Float64() < rate {
			outcome = trial.Pass
		}
		test.Trials = append(test.Trials,
			runs.TrialEvidence{Scenario: "s", Number: i, Trial: &trial.Trial{Scenario: "s", Outcome: outcome}})
	}
	run, err := runs.Judge(t.Context(), runs.Evidence{Suite: "s", Digest: "d", Tests: []runs.TestEvidence{test},
		StoppedBy: runs.StoppedByDecision})
	if err != nil {
		return Review, fmt.Errorf("%v: %w", o, err)
	}
	g, err := Judge(t.Context(), run, Options{})
	if err != nil {
		return Review, err
	}
	return g.Decision, nil
}
