package dist

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// mpmath 1.2.1: quadrature of the density with 30 digits; the rows with a million
// degrees of freedom from the power series of the incomplete beta function.
var studentTReference = []struct{ x, nu, want float64 }{
	{0.5, 1, 3.5241638234956673e-1},
	{2, 1, 1.4758361765043327e-1},
	{100, 1, 3.1829927649082551e-3},
	{1.3, 2.5, 1.5024339463535412e-1},
	{12.7, 1, 2.501216384467208e-2},
	{2.262, 9, 2.5006422751227315e-2},
	{5, 9, 3.6948395490162135e-4},
	{30, 9, 1.2418523520791312e-10},
	{8, 49, 9.5527197764777272e-11},
	{0.001, 49, 4.9960308788281995e-1},
	{4, 1e6, 3.1673517005024052e-5},
	{20, 1e6, 2.8665435236951859e-89},
	{1e5, 3, 1.1026577904466273e-15},
	{3, 0.3, 2.5066884484380977e-1},
	{3, 1e9, 1.3498980648689578e-3},
	{2, 113, 2.394948496705153e-2},
}

func TestStudentTAgainstMpmath(t *testing.T) {
	for _, test := range studentTReference {
		name := fmt.Sprintf("StudentTSurvival(%v, %v)", test.x, test.nu)
		refdata.Close(t, name, StudentTSurvival(test.x, test.nu), test.want, 1e-12)
		refdata.Close(t, "lower: "+name, StudentTSurvival(-test.x, test.nu), 1-test.want, 1e-12)
		name = fmt.Sprintf("StudentTUpperQuantile(%v, %v)", test.want, test.nu)
		refdata.Close(t, name, StudentTUpperQuantile(test.want, test.nu), test.x, 1e-11)
	}
}

// Student (1908) and every textbook since: the two-sided 5 % points.
func TestStudentTTable(t *testing.T) {
	for nu, want := range map[float64]string{1: "12.706", 2: "4.303", 9: "2.262", 30: "2.042", 120: "1.980",
		math.Inf(1): "1.960"} {
		if got := fmt.Sprintf("%.3f", StudentTUpperQuantile(0.025, nu)); got != want {
			t.Errorf("%v degrees of freedom: %s, want %s", nu, got, want)
		}
	}
}

// With one degree of freedom it is the Cauchy distribution.
func TestStudentTCauchy(t *testing.T) {
	for _, p := range []float64{1e-200, 1e-12, 0.01, 0.3, 0.4999} {
		refdata.Close(t, fmt.Sprint(p), StudentTUpperQuantile(p, 1), 1/math.Tan(math.Pi*p), 1e-11)
	}
}

func TestStudentTLaws(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		nu := math.Exp(rapid.Float64Range(-1, 15).Draw(t, "log nu"))
		p := rapid.Float64Range(1e-15, 1-1e-15).Draw(t, "p")
		x := StudentTUpperQuantile(p, nu)
		if got := StudentTSurvival(x, nu); math.Abs(got-p) > 1e-10*p {
			t.Fatalf("P(T > %v) = %v, want %v", x, got, p)
		}
		if more := StudentTUpperQuantile(p*0.99, nu); more < x {
			t.Fatalf("the quantile falls from %v to %v", x, more)
		}
	})
}

func TestStudentTEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct{ x, nu, want float64 }{
		{0, 3, 0.5}, {inf, 3, 0}, {-inf, 3, 1}, {1e300, 3, 0}, {2, inf, NormalSurvival(2)},
		{nan, 3, nan}, {1, nan, nan}, {1, 0, nan}, {1, -4, nan},
	} {
		if got := StudentTSurvival(test.x, test.nu); got != test.want && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("StudentTSurvival(%v, %v) = %v, want %v", test.x, test.nu, got, test.want)
		}
	}
	for _, test := range []struct{ p, nu, want float64 }{
		{0, 3, inf}, {1, 3, -inf}, {0.5, 3, 0}, {-0.1, 3, nan}, {1.1, 3, nan}, {nan, 3, nan}, {0.1, nan, nan}, {0.1, 0, nan},
	} {
		if got := StudentTUpperQuantile(test.p, test.nu); got != test.want && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("StudentTUpperQuantile(%v, %v) = %v, want %v", test.p, test.nu, got, test.want)
		}
	}
}
