package sprt

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
)

// testdata/sequential.json was computed by testdata/make_sequential.py.
//
//go:embed testdata/sequential.json
var sequential []byte

func TestWaldReference(t *testing.T) {
	var file struct {
		Designs []struct {
			P0, P1, Alpha, Beta float64
			MaxTrials           int  `json:"max_trials"`
			FirstAccept         *int `json:"first_accept"`
			Points              []struct{ P, Pass, Fail, Inconclusive, ASN float64 }
		}
	}
	if err := json.Unmarshal(sequential, &file); err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Designs {
		h := Hypotheses{d.P0, decimalDifference(d.P0, d.P1), d.Alpha, d.Beta}
		design, err := Wald(h, d.MaxTrials)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint(d.P0, d.P1, d.MaxTrials)
		if d.FirstAccept != nil && (design.Boundaries.PassAtOrBelow[*d.FirstAccept-1] < 0 ||
			design.Boundaries.PassAtOrBelow[*d.FirstAccept-2] >= 0) {
			t.Errorf("%s: first Pass is not after %d trials", name, *d.FirstAccept)
		}
		for _, want := range d.Points {
			got, err := design.Boundaries.Characteristics(want.P)
			if err != nil {
				t.Fatal(err)
			}
			at := fmt.Sprint(name, " at ", want.P)
			closeTo(t, at+" pass", got.Pass, want.Pass)
			closeTo(t, at+" fail", got.Fail, want.Fail)
			closeTo(t, at+" inconclusive", got.Inconclusive, want.Inconclusive)
			closeTo(t, at+" trials", got.ExpectedTrials, want.ASN)
		}
	}
	if len(file.Designs) != 9 {
		t.Errorf("%d designs, want 9", len(file.Designs))
	}
}

// decimalDifference is p0-p1 as the decimals say.
func decimalDifference(p0, p1 float64) float64 { return math.Round((p0-p1)*1e12) / 1e12 }

// closeTo allows a relative error of 1e-9, and an absolute one where the reference
// itself is a sum of far larger terms.
func closeTo(t *testing.T, name string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Abs(want)+1e-13 {
		t.Errorf("%s = %.15g, want %.15g", name, got, want)
	}
}

// Exact Wald designs without a cut-off that matters: alpha, beta, expected trials
// at both rates and in the middle, by the same lattice recursion in NumPy.
func TestWaldExactErrors(t *testing.T) {
	for _, c := range []struct {
		p0, p1, alpha, beta   float64
		a, b, at0, at1, atMid float64
	}{
		{.9, .8, .05, .05, .0391697585, .0482714328, 74.95086640, 65.46636000, 115.90123595},
		{.9, .8, .05, .10, .0389963226, .0965708803, 56.87668174, 59.26217592, 88.63493017},
		{.9, .7, .05, .10, .0329524179, .0934284413, 18.52687193, 18.37821698, 28.11582289},
		{.95, .85, .05, .05, .0344368995, .0477737966, 54.99313657, 43.46963010, 79.18991684},
		{.99, .95, .05, .10, .0290142673, .1005529311, 85.07324044, 71.04733302, 112.85224389},
		{.5, .4, .05, .05, .0462822377, .0457552278, 135.14937620, 136.57885525, 226.08054845},
	} {
		d, err := Wald(Hypotheses{c.p0, decimalDifference(c.p0, c.p1), c.alpha, c.beta}, 6000)
		if err != nil {
			t.Fatal(err)
		}
		l, err := d.Boundaries.Lattice()
		if err != nil {
			t.Fatal(err)
		}
		upper, lower := l.At(c.p0), l.At(c.p1)
		refdata.Close(t, "alpha", upper.Fail, c.a, 1e-8)
		refdata.Close(t, "beta", lower.Pass, c.b, 1e-8)
		refdata.Close(t, "trials at p0", upper.ExpectedTrials, c.at0, 1e-9)
		refdata.Close(t, "trials at p1", lower.ExpectedTrials, c.at1, 1e-9)
		refdata.Close(t, "trials between", l.At((c.p0+c.p1)/2).ExpectedTrials, c.atMid, 1e-9)
	}
}

// A walk that ends three steps up or down: the ruin problem in closed form.
func TestSymmetricWalk(t *testing.T) {
	const n = 3000
	b := open(n)
	for i := range n {
		trials := i + 1
		if trials >= 3 {
			b.PassAtOrBelow[i] = (trials - 3) / 2
			b.FailAtOrAbove[i] = (trials + 4) / 2
		}
	}
	got, err := b.Characteristics(0.6)
	if err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "P(lower)", got.Fail, 8.0/35, 1e-12)
	refdata.Close(t, "expected trials", got.ExpectedTrials, 57.0/7, 1e-12)
}

// A plan of 16 trials that can be followed by hand.
func TestSmallPlan(t *testing.T) {
	fail := []int{-1, 0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 11, 12}
	pass := []int{2, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12, 12, 13, 13}
	b := open(16)
	for i := range fail {
		trials := i + 1
		b.PassAtOrBelow[i] = max(trials-pass[i], -1)
		if fail[i] >= 0 {
			b.FailAtOrAbove[i] = trials - fail[i]
		}
	}
	d := Design{Hypotheses: Hypotheses{.9, .3, .1, .1}, Boundaries: b}
	errors, err := d.Errors()
	if err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "alpha", errors.Alpha, .097151374651, 1e-10)
	refdata.Close(t, "beta", errors.Beta, .097381800641, 1e-10)
	l, _ := b.Lattice()
	refdata.Close(t, "trials at .9", l.At(.9).ExpectedTrials, 8.224437908126, 1e-10)
	refdata.Close(t, "trials at .6", l.At(.6).ExpectedTrials, 6.121471619564, 1e-10)
}

// Simon's two-stage designs by clinfun's ph2simon: a response is a pass; the trial
// stops early for futility only, at r1 or fewer of n1.
func TestSimonTwoStage(t *testing.T) {
	for _, c := range []struct {
		p0, p1         float64
		r1, n1, r, n   int
		expected, stop float64
		alpha, power   float64
	}{
		{.05, .25, 0, 9, 2, 24, 14.5463, .6302, 0, 0},
		{.1, .3, 1, 10, 5, 29, 15.0141, 0, .04708631, .80506291},
	} {
		b := open(c.n)
		b.FailAtOrAbove[c.n1-1] = c.n1 - c.r1
		b.FailAtOrAbove[c.n-1] = c.n - c.r
		b.PassAtOrBelow[c.n-1] = c.n - c.r - 1
		l, err := b.Lattice()
		if err != nil {
			t.Fatal(err)
		}
		null := l.At(c.p0)
		near(t, "expected", null.ExpectedTrials, c.expected, 5e-5)
		if c.stop > 0 {
			near(t, "early stop", l.StoppingTime(c.p0)[c.n1], c.stop, 5e-5)
		}
		if c.alpha > 0 {
			near(t, "alpha", null.Pass, c.alpha, 5e-9)
			near(t, "power", l.At(c.p1).Pass, c.power, 5e-9)
		}
	}
}

func near(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.12g, want %.12g", name, got, want)
	}
}

func TestFixedSampleReference(t *testing.T) {
	for _, c := range []struct {
		p0, p1, alpha, beta float64
		n, fail             int
	}{
		{.9, .8, .05, .05, 135, 115}, {.9, .8, .05, .10, 109, 92}, {.9, .7, .05, .10, 33, 26},
		{.95, .85, .05, .05, 93, 84}, {.99, .95, .05, .10, 132, 128}, {.8, .7, .05, .10, 160, 119},
	} {
		got, ok := Hypotheses{c.p0, decimalDifference(c.p0, c.p1), c.alpha, c.beta}.FixedSample()
		if !ok || got.Trials != c.n || got.FailAt != c.fail || got.MostFails != c.n-c.fail-1 {
			t.Errorf("%v against %v: %+v, want %d trials, fail at %d", c.p0, c.p1, got, c.n, c.fail)
		}
	}
}

func TestFloorsReference(t *testing.T) {
	for _, c := range []struct{ p0, p1, alpha, beta, upper, lower float64 }{
		{.9, .8, .05, .05, 72.2266, 59.6805}, {.9, .8, .05, .10, 54.3529, 53.5145}, {.95, .85, .05, .05, 52.2334, 37.7223},
	} {
		got := Hypotheses{c.p0, decimalDifference(c.p0, c.p1), c.alpha, c.beta}.Bounds()
		near(t, "at the threshold", got.UpperTrials, c.upper, 5e-5)
		near(t, "at the lower rate", got.LowerTrials, c.lower, 5e-5)
	}
	// .8^10 is above a tenth, .8^11 below.
	if got := (Hypotheses{.9, .1, .05, .10}).Bounds(); got.Pass != 11 || got.Fail != 2 {
		t.Errorf("floors %+v", got)
	}
}
