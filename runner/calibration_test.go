package runner

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// varying is an agent whose output tokens are normal about 1000 with a standard deviation, and which passes with a
// rate; each trial costs one cent. What it does follows from the seed of the trial alone.
func varying(sd, rate float64) AgentFunc {
	return func(_ context.Context, r Request) Attempt {
		random := rand.New(rand.NewPCG(r.Seed, 7))
		tokens := int64(math.Round(1000 + sd*random.NormFloat64()))
		t := &trial.Trial{Outcome: trial.Pass, OutputTokens: trial.Some(tokens), CostUSD: trial.Some(0.01)}
		if random.Float64() >= rate {
			t.Outcome = trial.Fail
		}
		return Attempt{Trial: t}
	}
}

// calibrating are options of a run of two scenarios that begins with eight trials of each.
func calibrating(t *testing.T, agent Agent) Options {
	o := options(quick(t), agent, "a", "b")
	o.Concurrency = 1
	o.Calibrate = &plan.CalibrationOptions{Trials: 8, MaxTrials: 60, Behaviour: plan.BehaviourOptions{
		Shift:       []plan.ColumnShift{{Column: "output_tokens", SD: 1}},
		Simulations: 40, Permutations: 39,
	}}
	return o
}

// firstTrials are those that calibrate, test by test in launch order.
func firstTrials(r *Result, n int) *fingerprint.Sample {
	s := &fingerprint.Sample{}
	for _, test := range r.Tests {
		left := n
		for _, x := range r.Trials {
			if x.Test == test.Name && left > 0 {
				s.Add(x.Trial)
				left--
			}
		}
	}
	return s
}

// The number is that which the plan of a comparison of behaviour gives for the same trials, and the run records it.
func TestCalibratedNumberIsThatOfThePlan(t *testing.T) {
	for _, brief := range []bool{false, true} {
		o := calibrating(t, varying(50, .95))
		o.Journal, o.Brief, o.Concurrency = filepath.Join(t.TempDir(), "journal"), brief, 3
		r := mustRun(t, o)
		d := r.Calibration.Decision
		want, err := plan.TestOfBehaviour(t.Context(), firstTrials(r, 8), plan.BehaviourOptions{
			Shift: o.Calibrate.Behaviour.Shift, Simulations: 40, Permutations: 39, Seed: plan.BehaviourSeed,
		})
		if err != nil {
			t.Fatal(err)
		}
		if d.Plan.Trials != want.Trials || d.Wanted != (want.Trials+1)/2 || d.Record != d.Wanted ||
			d.Plan.Power != want.Power ||
			d.Plan.Recorded != 16 || d.LimitedBy != plan.NoCalibrationLimit || d.Record <= 8 {
			t.Errorf("brief %v: %d of %d are recorded, by a plan of %d; want one of %d", brief, d.Record, d.Wanted,
				d.Plan.Trials, want.Trials)
		}
		for _, test := range r.Tests {
			if n := test.Trials + test.Overrun; n != max(test.Trials, d.Record) {
				t.Errorf("brief %v, %s: %d trials of %d", brief, test.Name, n, d.Record)
			}
		}
		if r.StoppedBy != runs.StoppedByDecision || *d.USD != float64(d.Record)**d.RoundUSD ||
			math.Abs(*d.RoundUSD-.02) > 1e-12 {
			t.Errorf("%v, %v", r.StoppedBy, *d.USD)
		}
	}
}

// A shift of one standard deviation takes 23 trials a side to find with a chance of 90 % by a t-test of two sides at
// 5 % (Cohen 1988, table 2.4.1, d = 1: 22). A permutation test of several columns takes about as many.
func TestCalibratedNumberIsNearThatOfATTest(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long")
	}
	o := calibrating(t, varying(50, 1))
	o.Calibrate.Trials = 30
	o.Calibrate.Behaviour.Simulations, o.Calibrate.Behaviour.Permutations = 200, 99
	d := mustRun(t, o).Calibration.Decision
	if d.Plan.Trials < 17 || d.Plan.Trials > 29 {
		t.Errorf("%d trials a side", d.Plan.Trials)
	}
}

// However many are recorded, and whatever the outcomes are, a test judges the trials that it would judge without.
func TestCalibrationDoesNotTouchTheVerdict(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long")
	}
	sizes := map[int]bool{}
	every := thorough.Draws(3, 1) // of the seeds, another third at each rate
	for i, rate := range []float64{.3, .6, .95} {
		for seed := range uint64(4) {
			if (i+int(seed))%every != 0 {
				continue
			}
			o := calibrating(t, varying(50, rate))
			o.Seed, o.Concurrency = seed, 4
			with := mustRun(t, o)
			sizes[with.Calibration.Decision.Record] = true
			o.Calibrate = nil
			without := mustRun(t, o)
			if diff := cmp.Diff(summary(without), summary(with)); diff != "" {
				t.Errorf("rate %v, seed %d (-without +with):\n%s", rate, seed, diff)
			}
		}
	}
	if len(sizes) < 3 {
		t.Errorf("only %d numbers were worked out", len(sizes))
	}
	// Outcomes turned over leave the number as it is.
	for seed := range uint64(thorough.Draws(1, 4)) {
		var numbers []int
		for _, rate := range []float64{0, 1} {
			o := calibrating(t, varying(50, rate))
			o.Seed = seed
			numbers = append(numbers, mustRun(t, o).Calibration.Decision.Record)
		}
		if numbers[0] != numbers[1] {
			t.Errorf("seed %d: %v", seed, numbers)
		}
	}
}

// Cut after any line, the journal leads to the same number and the same trials, unless a trial was running.
func TestCalibratedJournalsGoOn(t *testing.T) {
	o := calibrating(t, varying(50, .8))
	o.Journal = filepath.Join(t.TempDir(), "journal")
	whole := mustRun(t, o)
	text, err := os.ReadFile(o.Journal)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), `{"calibrated":`); n != 1 {
		t.Fatalf("%d lines say the number", n)
	}
	h, err := journal.Read(o.Journal)
	if err != nil || !h.Decided() {
		t.Fatal(err, h.Decided())
	}
	o.Resume = true
	length, cuts, every := 0, 0, thorough.Draws(9, 3)
	for i, line := range strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n") {
		length += len(line)
		// A launch without its end is a trial that was lost.
		if i == 0 || strings.HasPrefix(line, `{"launched"`) ||
			i%every != 0 && !strings.HasPrefix(line, `{"calibrated"`) {
			continue
		}
		o.Journal = filepath.Join(t.TempDir(), "journal")
		if err := os.WriteFile(o.Journal, text[:length], 0o600); err != nil {
			t.Fatal(err)
		}
		again := mustRun(t, o)
		if diff := cmp.Diff(whole.Calibration.Decision, again.Calibration.Decision); diff != "" ||
			len(again.Trials) != len(whole.Trials) {
			t.Fatalf("cut after line %d: %d trials, want %d\n%s", i+1, len(again.Trials), len(whole.Trials), diff)
		}
		if diff := cmp.Diff(summary(whole), summary(again)); diff != "" {
			t.Fatalf("cut after line %d:\n%s", i+1, diff)
		}
		if h, err := journal.Read(o.Journal); err != nil || !h.Decided() ||
			h.Calibration.Record != whole.Calibration.Decision.Record {
			t.Fatalf("cut after line %d: %v", i+1, err)
		}
		cuts++
	}
	if cuts < thorough.Draws(2, 8) {
		t.Errorf("only %d cuts", cuts)
	}
}

// A trial that was running when the run was killed is an error, and no part of what the number is worked out from.
func TestLostTrialsCalibrateNothing(t *testing.T) {
	o := calibrating(t, varying(50, .8))
	o.Journal = filepath.Join(t.TempDir(), "journal")
	mustRun(t, o)
	text, err := os.ReadFile(o.Journal)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	if !strings.HasPrefix(lines[1], `{"launched"`) {
		t.Fatal(lines[1])
	}
	if err := os.WriteFile(o.Journal, []byte(lines[0]+lines[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Resume = true
	r := mustRun(t, o)
	if d := r.Calibration.Decision; r.Lost != 1 || d.Plan.Recorded != 15 {
		t.Errorf("%d lost, %d calibrate", r.Lost, d.Plan.Recorded)
	}
}

// A budget bounds what is recorded, the run keeps it, and a larger one of a later session changes nothing.
func TestCalibrationWithinTheBudget(t *testing.T) {
	o := calibrating(t, varying(50, .95))
	free := mustRun(t, o).Calibration.Decision
	most := free.Record - 2
	o.Budget.MaxCostUSD = .02*float64(most) + .015 // and half a round
	o.Journal = filepath.Join(t.TempDir(), "journal")
	r := mustRun(t, o)
	d := r.Calibration.Decision
	if d.Record != most || d.Wanted != free.Wanted || d.LimitedBy != plan.CostLimit ||
		r.Spent.CostUSD > o.Budget.MaxCostUSD {
		t.Errorf("%d of %d for $%v, by %q; want %d", d.Record, d.Wanted, r.Spent.CostUSD, d.LimitedBy, most)
	}
	if d.Found == nil || d.Found.Multiple <= 1 || d.Found.Power < .9 || d.Power >= free.Power {
		t.Errorf("%+v, power %v", d.Found, d.Power)
	}
	text, err := os.ReadFile(o.Journal)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(text), `{"calibrated":`)
	at += strings.Index(string(text[at:]), "\n") + 1
	if err := os.WriteFile(o.Journal, text[:at], 0o600); err != nil {
		t.Fatal(err)
	}
	o.Resume, o.Budget.MaxCostUSD = true, 100
	if again := mustRun(t, o); again.Calibration.Decision.Record != most {
		t.Errorf("%d after the budget was raised, want %d", again.Calibration.Decision.Record, most)
	}
	// A number that was written down by another agent, or changed, is not believed.
	changed := strings.Replace(string(text[:at]), `"calibrated":{"record":`, `"calibrated":{"record":1`, 1)
	if err := os.WriteFile(o.Journal, []byte(dropChains(changed)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), o); !errors.Is(err, errReplay) {
		t.Errorf("%v", err)
	}

	// Trials bound it too, and what was paid for calibrates whatever the budget is.
	o = calibrating(t, varying(50, .95))
	o.Budget.MaxTrials = 19
	if d := mustRun(t, o).Calibration.Decision; d.Record != 9 || d.LimitedBy != plan.BudgetTrialsLimit {
		t.Errorf("%d by %q", d.Record, d.LimitedBy)
	}
	o.Calibrate.MaxTrials, o.Budget.MaxTrials = 9, 0
	if d := mustRun(t, o).Calibration.Decision; d.Record != 9 || d.LimitedBy != plan.MostTrialsLimit {
		t.Errorf("%d by %q", d.Record, d.LimitedBy)
	}
	o.Budget.MaxTrials = 11 // fewer than calibrate
	if r := mustRun(t, o); r.Calibration.Decision != nil || r.StoppedBy != runs.StoppedByBudget || len(r.Trials) != 11 {
		t.Errorf("%+v", r.Calibration)
	}
}

// A column that the trials do not have is a problem, and the verdict is there all the same.
func TestColumnThatIsNotThere(t *testing.T) {
	o := calibrating(t, varying(50, .95))
	o.Calibrate.Behaviour.Shift[0].Column = "calls of refund"
	r := mustRun(t, o)
	if d := r.Calibration.Decision; !strings.Contains(d.Problem, "refund") || d.Record != 8 ||
		r.StoppedBy != runs.StoppedByDecision {
		t.Errorf("%+v", d)
	}
}

// dropChains makes a journal one of an earlier version, which has no values at the ends of its lines.
func dropChains(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if at := strings.LastIndex(line, `,"chain":"`); at >= 0 {
			line = line[:at] + "}\n"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "")
}
