package hotelling

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/stats"
)

func TestAgreesWithReference(t *testing.T) {
	refdata.Each(t, "hotelling", func(t *testing.T, args struct{ Baseline, Candidate [][]float64 },
		want struct{ T2, F, P float64 }) {
		got, err := Test(args.Baseline, args.Candidate)
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "T²", got.TSquared, want.T2, 1e-9)
		refdata.Close(t, "F", got.F, want.F, 1e-9)
		refdata.Close(t, "P", got.P, want.P, 1e-9)
		nb, nc := float64(len(args.Baseline)), float64(len(args.Candidate))
		refdata.Close(t, "distance² nb nc / n", got.Distance*got.Distance*nb*nc/(nb+nc), want.T2, 1e-9)
	})
}

func TestRefuses(t *testing.T) {
	row := []float64{1, 2, 3}
	_, err := Test([][]float64{row, {2, 1, 0}}, [][]float64{row, {0, 5, 1}})
	if !errors.Is(err, ErrTooFewTrials) {
		t.Errorf("4 trials of 3 columns: %v", err)
	}
	_, err = Test([][]float64{{1}, {1}}, [][]float64{{2}, {2}})
	if !errors.Is(err, ErrSingular) {
		t.Errorf("no spread within the sides: %v", err)
	}
	var argument *stats.ArgumentError
	if _, err = Test([][]float64{{1, 2}}, [][]float64{{2}}); !errors.As(err, &argument) {
		t.Errorf("2 columns against 1: %v", err)
	}
	if _, err = Test(nil, [][]float64{{2}}); !errors.As(err, &argument) {
		t.Errorf("no baseline: %v", err)
	}
	for _, rows := range [][][]float64{nil, {{}}, {{1, 2}, {3}}, {{1, math.NaN()}}, {{math.Inf(1)}}} {
		if _, err := Test(rows, [][]float64{{2, 3}}); !errors.As(err, &argument) {
			t.Errorf("%v: %v", rows, err)
		}
	}
}

func TestPowerReference(t *testing.T) {
	text, err := os.ReadFile("../testdata/reference.json") // made by SciPy 1.10.1
	if err != nil {
		t.Fatal(err)
	}
	var reference struct {
		NoncentralF []struct {
			D, Baseline, Candidate           int
			Distance, Alpha, Critical, Power float64
		} `json:"noncentral_f"`
	}
	if err := json.Unmarshal(text, &reference); err != nil {
		t.Fatal(err)
	}
	if len(reference.NoncentralF) == 0 {
		t.Fatal("there is no reference")
	}
	for _, c := range reference.NoncentralF {
		d2 := float64(c.Baseline + c.Candidate - c.D - 1)
		refdata.Close(t, "critical value", fUpperQuantile(c.Alpha, float64(c.D), d2), c.Critical, 1e-9)
		got, err := Power(c.D, c.Baseline, c.Candidate, c.Distance, c.Alpha)
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "power", got, c.Power, 1e-8)
	}
}

func TestPowerWithoutAShiftIsAlpha(t *testing.T) {
	for d := 1; d < 30; d += 4 {
		got, err := Power(d, 20, 30, 0, 0.03)
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "power", got, 0.03, 1e-10)
	}
}

// AgentAssay's Equation 40: σ² 0.05, Δ 0.5, d 5, α 0.05, β 0.10 give ⌈1.71+3⌉.
func TestEquations(t *testing.T) {
	if n, err := Equation39(0.05, 5, 0.5, 0.05, 0.10); n != 5 || err != nil {
		t.Errorf("Equation 39: %d, %v", n, err)
	}
	// (1.6449+1.2816)² = 8.5638: 6·8.5638/0.25 + 3 = 208.53
	if n, err := Equation30(5, 0.5, 0.05, 0.10); n != 209 || err != nil {
		t.Errorf("Equation 30: %d, %v", n, err)
	}
	var argument *stats.ArgumentError
	for _, err := range []error{
		second(Equation30(-1, 1, 0.05, 0.1)), second(Equation30(1, 0, 0.05, 0.1)), second(Equation30(1, 1, 0, 0.1)),
		second(Equation30(1, 1, 0.1, 1)),
		second(Equation39(math.NaN(), 1, 1, 0.05, 0.1)), second(Equation39(1, 1, 1e-200, 0.05, 0.1)),
		second(Equation39(1, 1, math.Inf(1), 0.05, 0.1)),
	} {
		if !errors.As(err, &argument) {
			t.Errorf("%v", err)
		}
	}
}

// By hand: 100 trials, d 5, Δ 1, h 0.5 give 100·6/(1+5·3) = 37.5. Algorithm 4 on Equation 40's five trials with
// ten for calibration takes 15·(1+√0.2) = 21.7, which is in the paper's [15, 25].
func TestEquation31AndAlgorithm4(t *testing.T) {
	if n, err := Equation31(100, 5, 1, 0.5); n != 38 || err != nil {
		t.Errorf("Equation 31: %d, %v", n, err)
	}
	// Where Δ is h it is d+1 times as many.
	if n, err := Equation31(100, 5, 0.5, 0.5); n != 600 || err != nil {
		t.Errorf("Equation 31: %d, %v", n, err)
	}
	if n, err := Algorithm4(0.05, 5, 0.5, 0.05, 0.10, 10); n != 22 || err != nil {
		t.Errorf("Algorithm 4: %d, %v", n, err)
	}
	var argument *stats.ArgumentError
	for _, err := range []error{
		second(Equation31(100, 5, 0.5, 1)), second(Equation31(0, 5, 1, 1)), second(Equation31(1, -1, 1, 1)),
		second(Equation31(1, 5, 1, 0)), second(Algorithm4(0.05, 5, 0.5, 0.05, 0.1, 1)),
		second(Algorithm4(0.05, 5, 0, 0.05, 0.1, 10)),
	} {
		if !errors.As(err, &argument) {
			t.Errorf("%v", err)
		}
	}
}

// By mpmath: 9/χ²(0.975, 9), 9/χ²(0.025, 9), and the same of 2 and 140 degrees of freedom.
func TestEquation41(t *testing.T) {
	for freedom, want := range map[int][2]float64{
		9: {0.47311727164343907, 3.3328525385191522}, 2: {0.27108503068181679, 39.497890205207211},
		140: {0.80161315628367433, 1.2827929029725921},
	} {
		lower, upper, err := Equation41(2, freedom)
		if math.Abs(lower/2/want[0]-1) > 1e-12 || math.Abs(upper/2/want[1]-1) > 1e-12 || err != nil {
			t.Errorf("%d: %v to %v, %v", freedom, lower/2, upper/2, err)
		}
	}
	for _, x := range []struct {
		variance float64
		freedom  int
	}{{math.NaN(), 9}, {-1, 9}, {1, 0}} {
		if _, _, err := Equation41(x.variance, x.freedom); err == nil {
			t.Errorf("%v is taken", x)
		}
	}
}

// Definition 7.4 puts a variance on a limit into the class above it.
func TestClasses(t *testing.T) {
	for variance, want := range map[float64][2]Class{
		0: {stable, stable}, 0.05: {moderate, stable}, 0.25: {Volatile, stable}, 1.5: {Volatile, moderate},
		5: {Volatile, Volatile},
	} {
		if got := [2]Class{ClassOf(variance), ImplementedClassOf(variance)}; got != want {
			t.Errorf("%v: %v, not %v", variance, got, want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// The smallest number with the power is just that.
func TestTrials(t *testing.T) {
	for _, d := range []int{1, 4, 9} {
		for _, distance := range []float64{0.4, 1, 4} {
			n, err := Trials(d, distance, 0.05, 0.1, 5000)
			if err != nil {
				t.Fatal(err)
			}
			at, err := Power(d, n, n, distance, 0.05)
			if err != nil || at < 0.9 {
				t.Errorf("%d columns, distance %v: power %v at %d, %v", d, distance, at, n, err)
			}
			if below, err := Power(d, n-1, n-1, distance, 0.05); err == nil && below >= 0.9 {
				t.Errorf("%d columns, distance %v: power %v at %d already", d, distance, below, n-1)
			}
		}
	}
	if n, err := Trials(3, 0.1, 0.05, 0.1, 50); n != 0 || err != nil {
		t.Errorf("out of reach: %d, %v", n, err)
	}
	for _, err := range []error{second(Power(0, 5, 5, 1, 0.05)), second(Power(1, 5, 5, -1, 0.05)),
		second(Power(1, 5, 5, 1, 1)), second(Trials(1, 1, 0.05, 0, 9))} {
		var argument *stats.ArgumentError
		if !errors.As(err, &argument) {
			t.Errorf("%v", err)
		}
	}
	if _, err := Power(3, 2, 2, 1, 0.05); !errors.Is(err, ErrTooFewTrials) {
		t.Errorf("%v", err)
	}
}
