package tribunaltest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// ended runs trials without a test around them.
func ended(t *testing.T, d Design, f func(*Trial)) *rate {
	t.Helper()
	d = d.withDefaults()
	e, err := d.evidence(t)
	if err != nil {
		t.Fatal(err)
	}
	decider, err := runs.NewDecider(e)
	if err != nil {
		t.Fatal(err)
	}
	r := &rate{design: d, name: t.Name(), decider: decider, f: f, ended: make(chan *Trial)}
	if err := r.run(t.Context(), time.Time{}); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFunctionThatAlwaysPasses(t *testing.T) {
	// 0.8^n is at most 0.1 from n = 11 on; the optimal design asks for 15.
	result := Rate(t, Design{Threshold: 0.9, Delta: 0.1}, func(*Trial) {})
	if result.Verdict != verdict.Pass || result.Tests[0].Passes != 15 || result.Tests[0].Trials != 15 {
		t.Errorf("%s, %d of %d", result.Verdict, result.Tests[0].Passes, result.Tests[0].Trials)
	}
}

// Both errors hold, whatever runs beside each other: the share of wrong answers of 3,000 tests
// stays within four standard errors of the exact probability of the design, which is within its target.
func TestErrorsOfTests(t *testing.T) {
	const tests = 3000
	for _, c := range []struct {
		rate  float64
		wrong sprt.Outcome
		most  float64
	}{{0.9, sprt.Fail, 0.05}, {0.8, sprt.Pass, 0.1}} {
		wrong := 0
		for i := range tests {
			r := ended(t, Design{Threshold: 0.9, Seed: uint64(i), Concurrency: 3}, func(t *Trial) {
				if t.Rand().Float64() >= c.rate {
					t.Fail()
				}
			})
			if r.decider.Outcome() == c.wrong {
				wrong++
			}
		}
		share := float64(wrong) / tests
		if deviation := 4 * math.Sqrt(c.most*(1-c.most)/tests); share > c.most+deviation || share < c.most/3 {
			t.Errorf("at %v %.4f of the tests end with %s, and %v was promised", c.rate, share, c.wrong, c.most)
		}
	}
}

// What a test comes to does not depend on which trial ends first: slow failures count like fast ones.
func TestTrialsAreJudgedInLaunchOrder(t *testing.T) {
	output := func(concurrency int, slow bool) string {
		r := ended(t, Design{Threshold: 0.9, Seed: 4, Concurrency: concurrency}, func(t *Trial) {
			if t.Rand().Float64() < 0.15 {
				if slow {
					time.Sleep(2 * time.Millisecond)
				}
				t.Fail()
			}
		})
		var outcomes strings.Builder
		for _, x := range r.trials[:r.decider.Trials()] {
			outcomes.WriteByte(x.outcome().String()[0])
		}
		return fmt.Sprint(r.decider.Outcome(), " ", outcomes.String())
	}
	want := output(1, false)
	for _, got := range []string{output(8, false), output(8, true), output(2, true)} {
		if got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

func TestWaysToEndATrial(t *testing.T) {
	tests := []struct {
		name    string
		f       func(*Trial)
		outcome trial.Outcome
		message string
	}{
		{"nothing", func(*Trial) {}, trial.Pass, ""},
		{"log", func(t *Trial) { t.Log("a", 1) }, trial.Pass, ""},
		{"fail", func(t *Trial) { t.Fail() }, trial.Fail, "without a message"},
		{"error and on", func(t *Trial) { t.Error("a", 1); t.Errorf("b") }, trial.Fail, "a 1\nb"},
		{"fatal", func(t *Trial) { t.Fatal("no"); t.Error("never") }, trial.Fail, "no"},
		{"fatalf", func(t *Trial) { t.Fatalf("%d", 7); t.Error("never") }, trial.Fail, "7"},
		{"fail now", func(t *Trial) { t.FailNow(); t.Error("never") }, trial.Fail, "without a message"},
		{"panic", func(t *Trial) { panic("on the floor") }, trial.Fail, "panic: on the floor"},
		{"infrastructure", func(t *Trial) { t.Infrastructure(errors.New("503")); t.Error("never") }, trial.Error, "503"},
		{"no infrastructure", func(t *Trial) { t.Infrastructure(nil) }, trial.Pass, ""},
		{"timeout", func(t *Trial) { <-t.Context().Done() }, trial.Fail, "it took longer than 20ms"},
		{"money", func(t *Trial) { t.Charge(math.NaN()) }, trial.Fail, "no amount of money"},
		{"tokens", func(t *Trial) { t.Tokens(-1, 0) }, trial.Fail, "below 0"},
		{"output", func(t *Trial) { t.Output(math.Inf(1)) }, trial.Fail, "Output: "},
	}
	for _, c := range tests {
		x := newTrial(t.Context(), Design{Timeout: 20 * time.Millisecond}, "s", 3)
		cleaned := ""
		x.Cleanup(func() { cleaned += "a" })
		x.Cleanup(func() { cleaned += "b" })
		x.try(c.f)
		record := x.record()
		message := ""
		if record.Error != nil {
			message = record.Error.Message
		}
		wrong := !strings.Contains(message, c.message) || (c.message == "") != (message == "")
		if record.Outcome != c.outcome || wrong || cleaned != "ba" {
			t.Errorf("%s: %s, %q, cleaned %q", c.name, record.Outcome, message, cleaned)
		}
		if strings.Contains(message, "never") {
			t.Errorf("%s went on", c.name)
		}
		if err := record.ValidateRecord(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestTrialsKnowWhoTheyAre(t *testing.T) {
	a, b := newTrial(t.Context(), Design{Seed: 1}, "TestX", 0), newTrial(t.Context(), Design{Seed: 1}, "TestX", 1)
	again, other := newTrial(t.Context(), Design{Seed: 1}, "TestX", 1), newTrial(t.Context(), Design{Seed: 2}, "TestX", 1)
	if a.Name() != "TestX#0" || b.Number() != 1 {
		t.Error(a.Name(), b.Number())
	}
	if b.Seed() != again.Seed() || b.Seed() == a.Seed() || b.Seed() == other.Seed() || b.Seed() >= 1<<53 {
		t.Error("seeds", a.Seed(), b.Seed(), again.Seed(), other.Seed())
	}
	if b.Rand().Uint64() != again.Rand().Uint64() {
		t.Error("the random numbers of one trial differ")
	}
}

// With errors of infrastructure the test ends only where it would whatever these trials had come to.
func TestErrorsOfInfrastructureLeaveATestOpen(t *testing.T) {
	r := ended(t, Design{Threshold: 0.9}, func(t *Trial) {
		if t.Number()%2 == 0 {
			t.Infrastructure(errors.New("down"))
		}
	})
	if o := r.decider.Outcome(); o != sprt.Inconclusive {
		t.Errorf("half of the trials have no outcome, and the test ended with %s", o)
	}
}

func TestWhatATestCost(t *testing.T) {
	r := ended(t, Design{Threshold: 0.9}, func(t *Trial) {
		t.Charge(0.25)
		t.Charge(0.25)
		t.Tokens(100, 10)
	})
	s := r.spent(time.Second)
	if s.Trials != 15 || *s.CostUSD != 7.5 || *s.InputTokens != 1500 || *s.OutputTokens != 150 || s.CostUnknown != 0 {
		t.Errorf("%+v", s)
	}
}

func TestNamesOfFilesAreDistinct(t *testing.T) {
	names := []string{"TestA/b", "TestA%2Fb", `TestA\b`, "TestA:b", "TestA_b", "TestA"}
	var files []string
	for _, name := range names {
		file := fileOf(name)
		if file != filepath.Base(file) || slices.Contains(files, file) {
			t.Errorf("%q is %q", name, file)
		}
		files = append(files, file)
	}
}

// The price of a trial beside what it does itself.
func BenchmarkTrial(b *testing.B) {
	source := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		x := newTrial(b.Context(), Design{Seed: 1}, "s", 1)
		x.try(func(*Trial) { _ = source.Uint64() })
	}
}

// quietTest is a test whose words nobody reads.
type quietTest struct{ testing.TB }

func (quietTest) Helper()             {}
func (quietTest) Log(...any)          {}
func (quietTest) Logf(string, ...any) {}

// The price of a test whose trials take no time: the first of its hypotheses, any later one, and the first of
// hypotheses that nobody else asks for, whose design is searched for once.
func BenchmarkRate(b *testing.B) {
	run := func(d Design, forget bool) func(b *testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				if forget {
					designs.known.Clear()
				}
				Rate(quietTest{b}, d, func(*Trial) {})
			}
		}
	}
	b.Run("first", run(Design{Threshold: 0.9}, true))
	b.Run("later", run(Design{Threshold: 0.9}, false))
	b.Run("later of up to 515 trials", run(Design{Threshold: 0.9, Delta: 0.05}, false))
	b.Run("first of its own", run(Design{Threshold: 0.901}, true))
	b.Run("later of its own", run(Design{Threshold: 0.901}, false))
}
