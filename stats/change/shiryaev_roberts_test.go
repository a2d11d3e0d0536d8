package change

import (
	"math"
	"math/bits"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/stats"
)

// byDefinition is the evidence after some outcomes: over all starts and drops, the likelihood ratio since.
func byDefinition(baseline float64, passes []bool) float64 {
	evidence := 0.0
	for start := range passes {
		for i := range 12 {
			odds := (1 - baseline) / baseline * math.Exp(0.35+2.15*float64(i)/11)
			failing := odds / (1 + odds)
			ratio := 1.0
			for _, pass := range passes[start:] {
				if pass {
					ratio *= (1 - failing) / baseline
				} else {
					ratio *= failing / (1 - baseline)
				}
			}
			evidence += ratio / 12
		}
	}
	return evidence
}

// Over all sequences the mean evidence is the number of trials at the baseline, and less above it: what the promise
// rests on.
func TestEvidenceHasTheExpectationOfTheTrials(t *testing.T) {
	const n = 11
	for _, baseline := range []float64{.3, .9, .99} {
		for _, rate := range []float64{baseline, (1 + baseline) / 2} {
			mean := 0.0
			for set := range uint(1 << n) {
				d, err := NewShiryaevRoberts(baseline)
				if err != nil {
					t.Fatal(err)
				}
				passes := make([]bool, n)
				for i := range passes {
					passes[i] = set>>i&1 == 1
					d.Add(passes[i])
				}
				if want := byDefinition(baseline, passes); math.Abs(d.Evidence()-want) > 1e-9*want {
					t.Fatalf("evidence %v, by definition %v", d.Evidence(), want)
				}
				k := float64(bits.OnesCount(set))
				mean += math.Pow(rate, k) * math.Pow(1-rate, n-k) * d.Evidence()
			}
			if rate == baseline && math.Abs(mean-n) > 1e-9*n || mean > n*(1+1e-9) {
				t.Errorf("baseline %v, rate %v: mean evidence %v after %d trials", baseline, rate, mean, n)
			}
		}
	}
}

// runLength is the mean number of trials from a change on until an alarm, and its standard error; alarms before it
// start again.
func runLength(t *testing.T, baseline, before, after, alarm float64, quiet, runs int) (mean, stderr float64) {
	t.Helper()
	var sum, squares float64
	for k := range runs {
		random := seeded.Stream(11, uint64(k))
		var d *ShiryaevRoberts
		for n := 0; ; n++ {
			if d == nil {
				var err error
				if d, err = NewShiryaevRoberts(baseline); err != nil {
					t.Fatal(err)
				}
			}
			rate := before
			if n >= quiet {
				rate = after
			}
			if d.Add(random.Float64() < rate) < alarm {
				continue
			}
			if n < quiet {
				d = nil
				continue
			}
			length := float64(n - quiet + 1)
			sum, squares = sum+length, squares+length*length
			break
		}
	}
	mean = sum / float64(runs)
	return mean, math.Sqrt((squares/float64(runs) - mean*mean) / float64(runs))
}

func TestShiryaevRobertsKeepsItsRunLength(t *testing.T) {
	for _, baseline := range []float64{.6, .9, .98} {
		if mean, stderr := runLength(t, baseline, baseline, baseline, 200, 0, 1500); mean+3*stderr < 200 {
			t.Errorf("%v: %v ± %v", baseline, mean, stderr)
		}
	}
}

// .9 -> .8 is found after about 100 trials, and 4 % -> 19 % failures after 36.
func TestShiryaevRobertsIsQuick(t *testing.T) {
	for _, k := range []struct{ before, after, most float64 }{{.9, .8, 110}, {.96, .81, 38}} {
		if mean, stderr := runLength(t, k.before, k.before, k.after, DefaultRunLength, 200, 1500); mean-3*stderr > k.most {
			t.Errorf("%v: %v ± %v", k, mean, stderr)
		}
	}
}

// A change comes after the latest trial that is named in 5 % at most, false alarms aside.
func TestOnsetBoundsTheChange(t *testing.T) {
	const series = 600
	for _, after := range []float64{.7, .3} {
		missed, told, distance := 0, 0, 0
		for k := range series {
			random := seeded.Stream(5, uint64(k))
			change := 20 + k%200
			d, err := NewShiryaevRoberts(.9)
			if err != nil {
				t.Fatal(err)
			}
			for n := 0; d.Evidence() < 1000; n++ {
				rate := .9
				if n >= change {
					rate = after
				}
				d.Add(random.Float64() < rate)
			}
			found, err := d.Onset(.05)
			if err != nil {
				t.Fatal(err)
			}
			if d.Trials() <= change {
				continue // a false alarm
			}
			told++
			if found.Latest < change {
				missed++
			}
			if found.Latest >= d.Trials() || found.Estimate > d.Trials()-1 || found.Estimate < 0 {
				t.Fatalf("onset %+v of %d trials", found, d.Trials())
			}
			distance += max(found.Estimate-change, change-found.Estimate)
		}
		if limit := .05 + 3*math.Sqrt(.05*.95/float64(told)); float64(missed)/float64(told) > limit {
			t.Errorf("%v: %d of %d changes came later", after, missed, told)
		}
		if float64(distance)/float64(told) > 15 {
			t.Errorf("%v: estimates are %v trials away", after, float64(distance)/float64(told))
		}
	}
}

// Of 10,000 baselines, a share gamma at most has a limit above the true rate.
func TestLowerLimitIsBelowTheRate(t *testing.T) {
	above := 0
	random := seeded.Stream(2, 0)
	for range 10_000 {
		c := stats.Counts{Trials: 200}
		for range c.Trials {
			if random.Float64() < .9 {
				c.Passes++
			}
		}
		low, err := LowerLimit(c, .05)
		if err != nil {
			t.Fatal(err)
		}
		if low > .9 {
			above++
		}
	}
	if above > 566 || above < 200 {
		t.Errorf("%d of 10,000 limits are above the rate", above)
	}
	for _, c := range []stats.Counts{{}, {Trials: 3}, {Passes: 4, Trials: 3}} {
		if _, err := LowerLimit(c, .05); err == nil {
			t.Errorf("%v: no error", c)
		}
	}
}

func BenchmarkShiryaevRoberts(b *testing.B) {
	d, err := NewShiryaevRoberts(.9)
	if err != nil {
		b.Fatal(err)
	}
	random := seeded.Stream(1, 1)
	passes := make([]bool, 1024)
	for i := range passes {
		passes[i] = random.Float64() < .9
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		d.Add(passes[i%len(passes)])
	}
}
