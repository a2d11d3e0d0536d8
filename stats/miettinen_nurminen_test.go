package stats

import (
	"fmt"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/refdata"
)

func TestMiettinenNurminenReference(t *testing.T) {
	refdata.Each(t, "difference-miettinen-nurminen", func(t *testing.T, args twoSidedArgs, want limits) {
		got, err := MiettinenNurminen(args.baseline(), args.candidate(), 0.05)
		if err != nil {
			t.Fatal(err)
		}
		// The reference's own optimiser is good to 1e-6.
		if math.Abs(got.Low-want.Low) > 1e-6 || math.Abs(got.High-want.High) > 1e-6 {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// Newcombe 1998, Statistics in Medicine 17:873, Table II, the rows of Miettinen
// and Nurminen.
func TestMiettinenNurminenPublished(t *testing.T) {
	for _, test := range []struct {
		candidate, baseline Counts
		want                string
	}{
		{Counts{56, 70}, Counts{48, 80}, "+0.0528 +0.3382"},
		{Counts{9, 10}, Counts{3, 10}, "+0.1700 +0.8406"},
		{Counts{6, 7}, Counts{2, 7}, "+0.0342 +0.8534"},
		{Counts{5, 56}, Counts{0, 29}, "-0.0326 +0.1933"},
		{Counts{0, 10}, Counts{0, 20}, "-0.1658 +0.2844"},
	} {
		got, err := MiettinenNurminen(test.baseline, test.candidate, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprintf("%+.4f %+.4f", got.Low, got.High); text != test.want {
			t.Errorf("%v - %v: got %s, want %s", test.candidate, test.baseline, text, test.want)
		}
	}
}

// The expected limits were made by bisection with 110 digits (mpmath 1.2.1): the
// constrained likelihood maximised by bisection on its derivative, then the
// difference at which the squared statistic equals the squared normal quantile.
func TestMiettinenNurminenAgainstMpmath(t *testing.T) {
	for _, test := range []struct {
		baseline, candidate Counts
		alpha, low, high    float64
	}{
		{Counts{48, 80}, Counts{56, 70}, 0.05, 0.0528297132458446, 0.3381729400158684},
		{Counts{10, 10}, Counts{8, 8}, 0.05, -0.3370583464998841, 0.2891379489999666},
		{Counts{0, 10}, Counts{0, 8}, 0.05, -0.2891379489999666, 0.3370583464998841},
		{Counts{0, 7}, Counts{9, 9}, 0.1, 0.6943845907797195, 1},
		{Counts{93, 100}, Counts{71, 100}, 0.05, -0.3247009194036926, -0.1181757636388412},
		{Counts{999990, 1000000}, Counts{999950, 1000000}, 0.01, -6.278906425170381e-5, -2.135408055725265e-5},
		{Counts{1, 1}, Counts{0, 1}, 0.05, -1, 0.5869013712455252},
		{Counts{1, 1}, Counts{1, 1}, 0.05, -0.8848313388078944, 0.8848313388078944},
		{Counts{3, 1000000}, Counts{40, 50}, 0.05, 0.6696258682165266, 0.8875595325943488},
		{Counts{10, 10}, Counts{0, 20}, 0.1, -1, -0.7813209258744174},
		{Counts{5, 29}, Counts{29, 30}, 1e-06, 0.1737070795813454, 0.9643959194898041},
		{Counts{462, 1000}, Counts{4160, 5000}, 0.05, 0.3372992558342148, 0.4023874522602519},
		{Counts{16, 20}, Counts{15, 20}, 0.05, -0.313214811640838, 0.217755830708112},
		{Counts{14, 20}, Counts{2, 3}, 0.05, -0.5487675660939003, 0.3494784718829368},
		{Counts{17, 20}, Counts{0, 3}, 0.05, -0.9487822833467645, -0.2466485417049337},
		{Counts{669, 1000}, Counts{1290, 5000}, 0.05, -0.4419733573248927, -0.3788689206657922},
		{Counts{0, 3}, Counts{0, 3}, 0.05, -0.6057689451768207, 0.6057689451768207},
	} {
		got, err := MiettinenNurminen(test.baseline, test.candidate, test.alpha)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint(test.baseline, " ", test.candidate)
		refdata.Close(t, name+" low", got.Low, test.low, 1e-11)
		refdata.Close(t, name+" high", got.High, test.high, 1e-11)
	}
}

func TestMiettinenNurminenLaws(t *testing.T) { checkDifferenceInterval(t, MiettinenNurminen) }

// The limits are where the score statistic, from its definition, is ±z.
func TestMiettinenNurminenInvertsTheTest(t *testing.T) {
	const trials = 7
	z := dist.NormalUpperQuantile(0.025)
	for kb := range trials + 1 {
		for kc := range trials + 1 {
			baseline, candidate := Counts{kb, trials}, Counts{kc, trials}
			interval, err := MiettinenNurminen(baseline, candidate, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			statistic := func(d float64) float64 {
				pb, pc := bruteForceMLE(baseline, candidate, d)
				variance := (pb*(1-pb) + pc*(1-pc)) / trials * 14 / 13
				return (candidate.Rate() - baseline.Rate() - d) / math.Sqrt(variance)
			}
			if interval.Low > -1 {
				refdata.Close(t, "z at the lower limit", statistic(interval.Low), z, 1e-8)
			}
			if interval.High < 1 {
				refdata.Close(t, "z at the upper limit", statistic(interval.High), -z, 1e-8)
			}
		}
	}
}

func TestMiettinenNurminenRefuses(t *testing.T) { checkDifferenceRefusals(t, MiettinenNurminen) }

func FuzzMiettinenNurminen(f *testing.F) { fuzzDifferenceInterval(f, MiettinenNurminen) }

func BenchmarkMiettinenNurminen(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := MiettinenNurminen(Counts{93, 100}, Counts{71, 100}, 0.05); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleMiettinenNurminen() {
	baseline, candidate := Counts{Passes: 93, Trials: 100}, Counts{Passes: 71, Trials: 100}
	interval, err := MiettinenNurminen(baseline, candidate, 0.05)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("the candidate passes between %.1f and %.1f points less often\n", -100*interval.High, -100*interval.Low)
	// Output: the candidate passes between 11.8 and 32.5 points less often
}
