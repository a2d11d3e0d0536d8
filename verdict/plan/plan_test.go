package plan

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
)

// usual is the example of the manual: 0.9 against 0.8.
var usual = sprt.Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.05, Beta: 0.1}

func planned(t testing.TB, o Options) *Plan {
	t.Helper()
	p, err := Test(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func usualPlan(t testing.TB) *Plan {
	return planned(t, Options{Hypotheses: usual, MaxTrials: 152, Kind: sprt.OptimalKind, Prior: "stable"})
}

// point returns what a design does at a rate of the ladder.
func point(t *testing.T, d *DesignPlan, p float64) design.Point {
	t.Helper()
	for _, c := range d.Points {
		if c.P == p {
			return c
		}
	}
	t.Fatalf("the ladder %+v has no %v", d.Points, p)
	return design.Point{}
}

func TestPlanReachesWhatIsPossible(t *testing.T) {
	p := usualPlan(t)
	d := p.Design
	if d.Kind != "optimal" || d.MaxTrials != 152 || d.Group != 1 || !d.Gates || !d.Certified || len(p.Warnings) > 0 {
		t.Errorf("%+v, warnings %v", d, p.Warnings)
	}
	if d.Alpha > 0.05 || d.Beta > 0.10 || *d.Objective > 36.10 || *d.Gap > 0.01 || *d.Gap < 0 {
		t.Errorf("alpha %v, beta %v, objective %v, gap %v", d.Alpha, d.Beta, *d.Objective, *d.Gap)
	}
	if first := point(t, &d, 1); first.ASN != 15 || first.Q95 != 15 || first.Pass != 1 {
		t.Errorf("at 1: %+v", first)
	}
	for _, c := range d.Points {
		refdata.Close(t, "total probability", c.Pass+c.Fail+c.Inconclusive, 1, 1e-12)
		if c.Inconclusive > 1e-12 || float64(c.Q95) < c.ASN {
			t.Errorf("%+v", c)
		}
	}
	// The smallest n with exact errors, by SciPy: 109, where 92 passes still fail.
	if p.Fixed.Trials != 109 || p.Fixed.MaxFailures != 109-93 {
		t.Errorf("fixed sample %+v", p.Fixed)
	}
	// ln 0.1 / ln 0.8 = 10.3, 0.1^2 <= 0.05; the bounds of Wald (1947).
	if p.Floors.Pass != 11 || p.Floors.Fail != 2 {
		t.Errorf("floors %+v", p.Floors)
	}
	refdata.Close(t, "bound at the threshold", p.Floors.TrialsAtH0, 54.3529, 1e-5)
	refdata.Close(t, "bound at the lower rate", p.Floors.TrialsAtH1, 53.5145, 1e-5)
}

// Wald's test without a limit, from the lattice recursion in Python.
func TestPlanShowsWald(t *testing.T) {
	p := usualPlan(t)
	w := p.WaldUncut
	refdata.Close(t, "alpha", w.Alpha, .0389963226, 1e-8)
	refdata.Close(t, "beta", w.Beta, .0965708803, 1e-8)
	refdata.Close(t, "E N at 0.9", point(t, w, 0.9).ASN, 56.87668174, 1e-8)
	refdata.Close(t, "E N at 0.8", point(t, w, 0.8).ASN, 59.26217592, 1e-8)
	refdata.Close(t, "E N at 0.85", point(t, w, 0.85).ASN, 88.63493017, 1e-8)
	if p.Wald.MaxTrials != 152 || point(t, p.Wald, 1).ASN != 20 {
		t.Errorf("cut off: %+v", p.Wald.Points)
	}
	if len(w.Boundaries.PassAtOrBelow) > 0 || len(p.Wald.Boundaries.PassAtOrBelow) != 152 {
		t.Error("the boundaries of the test without a limit are listed, or those of the other are not")
	}
	alone := planned(t, Options{Hypotheses: usual, MaxTrials: 152, Kind: sprt.WaldKind})
	if alone.Wald != nil || alone.Design.Objective != nil || alone.Design.Digest != p.Wald.Digest {
		t.Errorf("Wald's test as the design: %+v", alone.Design)
	}
}

func TestPlanWarnsOfShortBudgets(t *testing.T) {
	p := planned(t, Options{Hypotheses: usual, MaxTrials: 30, Kind: sprt.WaldKind})
	if len(p.Warnings) != 1 || p.Warnings[0].Code != warnMayEndInconclusive ||
		!strings.Contains(p.Warnings[0].Text, "30 trials cannot force a decision, which takes 109") {
		t.Errorf("warnings %+v", p.Warnings)
	}
	// Published for Wald's test cut off at 30: 72 %.
	if at := point(t, &p.Design, 0.9).Inconclusive; math.Abs(at-0.72) > 0.005 {
		t.Errorf("Inconclusive at 0.9: %v", at)
	}
	p = planned(t, Options{Hypotheses: usual, MaxTrials: 152, Kind: sprt.WaldKind})
	if len(p.Warnings) != 1 || p.Warnings[0].Code != warnMayEndInconclusive {
		t.Errorf("warnings %+v", p.Warnings)
	}
}

// Counting the past as evidence breaks the promise, and the plan says so. The
// expected figure follows the log-likelihood ratio itself, from the density ratio
// at 19 of 20 on, over all paths at 0.8.
func TestPlanOfDensityRatio(t *testing.T) {
	p := planned(t, Options{Hypotheses: usual, MaxTrials: 152, Kind: sprt.DensityRatioKind,
		History: stats.Counts{Passes: 19, Trials: 20}})
	pass, fail := math.Log(0.8/0.9), math.Log(0.2/0.1)
	start := 19*pass + fail
	going, passed := []float64{1}, 0.0 // by failures
	for n := 1; n <= 152; n++ {
		next := make([]float64, n+1)
		for f, mass := range going {
			next[f] += 0.8 * mass
			next[f+1] += 0.2 * mass
		}
		for f := range next {
			switch ratio := start + float64(n-f)*pass + float64(f)*fail; {
			case ratio <= math.Log(0.1/0.95):
				passed += next[f]
				next[f] = 0
			case ratio >= math.Log(0.9/0.05):
				next[f] = 0
			}
		}
		going = next
	}
	refdata.Close(t, "beta", p.Design.Beta, passed, 1e-9)
	if p.Design.Gates || p.Design.Certified || passed < 4*usual.Beta {
		t.Errorf("%+v", p.Design)
	}
	if last := p.Warnings[len(p.Warnings)-1]; last.Code != design.WarnErrorsExceed ||
		!strings.Contains(last.Text, "a false Pass in up to 48% of runs, not 10%") {
		t.Errorf("warnings %+v", p.Warnings)
	}
}

func TestPlanDefaults(t *testing.T) {
	if n := planned(t, Options{Hypotheses: usual, Kind: sprt.WaldKind}).Design.MaxTrials; n != 152 { // 1.4 · 109
		t.Errorf("max trials %d", n)
	}
	design, err := Design(context.Background(), Options{Hypotheses: usual, Kind: sprt.OptimalKind})
	if err != nil || design.Digest() != usualPlan(t).Design.Digest {
		t.Errorf("the design is not that of the plan: %v, %v", design.Digest(), err)
	}
}

// statsmodels proportion_confint(196, 200, 0.05, "beta")
func TestPlanAgainstBaseline(t *testing.T) {
	b, err := sprt.FromBaseline(stats.Counts{Passes: 196, Trials: 200}, 0.1, 0.05, 0.1, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	p := planned(t, Options{Hypotheses: b.Hypotheses, Baseline: &b, Delta: 0.1, Gamma: 0.05, Kind: sprt.WaldKind,
		MaxTrials: 300})
	refdata.Close(t, "threshold", p.Threshold, 0.9495863909101037, 1e-9)
	refdata.Close(t, "lower rate", p.LowerRate(), 0.9945244341204436-0.1, 1e-9)
	// 0.98 · 0.02 · (4 · 1.96 / 0.1)^2 = 120.5, but the limits of 121 trials are further apart.
	if n := p.Baseline.ComfortableTrials; n < 121 || n > 250 {
		t.Errorf("comfortable with %d trials", n)
	}
	if *p.Baseline != (Baseline{196, 200, 0.1, 0.05, b.Limits.Low, b.Limits.High, p.Baseline.ComfortableTrials}) {
		t.Errorf("%+v", p.Baseline)
	}
}

func TestPlanPrices(t *testing.T) {
	usd, seconds := 0.12, 40.0
	p := planned(t, Options{Hypotheses: usual, MaxTrials: 152, Kind: sprt.WaldKind, PriceUSD: &usd, Seconds: &seconds})
	refdata.Close(t, "worst", *p.Price.Worst.USD, 152*0.12, 1e-12)
	refdata.Close(t, "fixed", *p.Price.Fixed.Seconds, 109*40, 1e-12)
	for i, c := range p.Price.Points {
		refdata.Close(t, "price", *c.USD, 0.12*p.Design.Points[i].ASN, 1e-12)
		refdata.Close(t, "time", *c.Seconds, 40*p.Design.Points[i].ASN, 1e-12)
	}
	p = planned(t, Options{Hypotheses: usual, MaxTrials: 152, Kind: sprt.WaldKind, PriceUSD: &usd})
	if p.Price.SecondsPerTrial != nil || p.Price.Worst.Seconds != nil || p.Price.Points[0].Seconds != nil {
		t.Errorf("a time that was not given: %+v", p.Price)
	}
}

func TestHopelessPlans(t *testing.T) {
	plan := func(o Options) error {
		_, err := Test(context.Background(), o)
		_, again := Design(context.Background(), o)
		if (err == nil) != (again == nil) {
			t.Errorf("%+v: %v, but a design: %v", o, err, again)
		}
		return err
	}
	for _, h := range []sprt.Hypotheses{{Threshold: 0.9, Delta: 0.9, Alpha: 0.05, Beta: 0.1},
		{Threshold: 1, Delta: 0.1, Alpha: 0.05, Beta: 0.1}, {Threshold: 0.9, Delta: 0.1, Alpha: 0.5, Beta: 0.5},
		{Threshold: math.NaN(), Delta: 0.1, Alpha: 0.05, Beta: 0.1}} {
		var refused *sprt.HypothesesError
		if err := plan(Options{Hypotheses: h, MaxTrials: 100, Kind: sprt.OptimalKind}); !errors.As(err, &refused) {
			t.Errorf("%+v: %v", h, err)
		}
	}
	var infeasible *sprt.InfeasibleError
	if err := plan(Options{Hypotheses: usual, MaxTrials: 10, Kind: sprt.OptimalKind}); !errors.As(err, &infeasible) ||
		infeasible.Nearest != 11 {
		t.Errorf("10 trials: %v", err)
	}
	// Wald's test first passes after 20 trials, as the table of Wald designs says.
	if err := plan(Options{Hypotheses: usual, MaxTrials: 19, Kind: sprt.WaldKind}); !errors.As(err, &infeasible) ||
		infeasible.Nearest != 20 {
		t.Errorf("Wald's test with 19 trials: %v", err)
	}
	if err := plan(Options{Hypotheses: usual, MaxTrials: 20, Kind: sprt.WaldKind}); err != nil {
		t.Errorf("Wald's test with 20 trials: %v", err)
	}
	bad, huge, nan := -1.0, math.Inf(1), math.NaN()
	for _, o := range []Options{
		{Hypotheses: usual, Kind: sprt.GivenKind}, {Hypotheses: usual, Kind: sprt.WaldKind, Group: 5},
		{Hypotheses: usual, Kind: sprt.WaldKind, PriceUSD: &bad}, {Hypotheses: usual, Kind: sprt.WaldKind, Seconds: &huge},
		{Hypotheses: usual, Kind: sprt.WaldKind, Seconds: &nan},
		{Hypotheses: sprt.Hypotheses{Threshold: 0.9, Delta: 0.001, Alpha: 0.05, Beta: 0.1}, Kind: sprt.WaldKind},
	} {
		var option *verdict.OptionError
		if err := plan(o); !errors.As(err, &option) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Test(ctx, Options{Hypotheses: usual, Kind: sprt.OptimalKind}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context's end: %v", err)
	}
}

// The shape that the command line documents: null where no failure count fails.
func TestPlanJSON(t *testing.T) {
	document, err := json.Marshal(usualPlan(t))
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Schema string
		Fixed  struct {
			Trials      int `json:"trials"`
			MaxFailures int `json:"max_failures"`
		}
		Design struct {
			Boundaries struct {
				Pass []*int `json:"pass_at_or_below"`
				Fail []*int `json:"fail_at_or_above"`
			}
			Points []map[string]float64
			Digest string
		}
		Warnings []verdict.Warning
		Uncut    map[string]any `json:"wald_uncut"`
	}
	if err := json.Unmarshal(document, &p); err != nil {
		t.Fatal(err)
	}
	pass, fail := p.Design.Boundaries.Pass, p.Design.Boundaries.Fail
	if p.Schema != "tribunal/plan/v1" || p.Fixed.Trials != 109 || p.Fixed.MaxFailures != 16 || len(pass) != 152 ||
		len(fail) != 152 || p.Warnings == nil {
		t.Errorf("%.300s", document)
	}
	if *pass[0] != -1 || *pass[14] != 0 || fail[0] != nil || fail[1] != nil || *fail[3] != 4 ||
		*fail[151] != *pass[151]+1 {
		t.Errorf("boundaries %s", document)
	}
	for _, name := range []string{"p", "pass", "fail", "inconclusive", "asn"} {
		if _, ok := p.Design.Points[0][name]; !ok {
			t.Errorf("points have no %q", name)
		}
	}
	if _, listed := p.Uncut["boundaries"]; listed {
		t.Error("the boundaries of Wald's test without a limit are listed")
	}
	var back Plan
	if err := json.Unmarshal(document, &back); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(back); err != nil || string(again) != string(document) {
		t.Errorf("written again: %.300s, %v", again, err)
	}
}

// What straight passes and failures come to, as the test itself has it.
func TestStraightRuns(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "trials")
		b := sprt.Boundaries{PassAtOrBelow: make([]int, n), FailAtOrAbove: make([]int, n)}
		for i := range n {
			b.PassAtOrBelow[i] = rapid.IntRange(-1, i+1).Draw(t, "pass")
			b.FailAtOrAbove[i] = sprt.Never
			if rapid.Bool().Draw(t, "may fail") {
				b.FailAtOrAbove[i] = b.PassAtOrBelow[i] + rapid.IntRange(1, n).Draw(t, "fail")
			}
		}
		run := func(pass bool, want sprt.Outcome) int {
			test, err := sprt.NewTest(sprt.Design{Boundaries: b})
			if err != nil {
				t.Fatal(err)
			}
			for !test.Decided() {
				if err := test.Observe(test.Trials(), pass); err != nil {
					t.Fatal(err)
				}
			}
			if test.Outcome() != want {
				return 0
			}
			return test.Trials()
		}
		shown := design.Of(b)
		if got, want := shown.StraightPasses(), run(true, sprt.Pass); got != want {
			t.Errorf("straight passes %d, want %d", got, want)
		}
		if got, want := shown.StraightFailures(), run(false, sprt.Fail); got != want {
			t.Errorf("straight failures %d, want %d", got, want)
		}
	})
}

func TestCurvesAgreeWithTheLadder(t *testing.T) {
	p := usualPlan(t)
	c, err := p.Curves(101) // from 0.6 to 1 by 0.004
	if err != nil || len(c.Design) != 101 || len(c.Wald) != 101 {
		t.Fatalf("%d and %d points, %v", len(c.Design), len(c.Wald), err)
	}
	for _, side := range []struct {
		plan  *DesignPlan
		curve []sprt.Characteristics
	}{{&p.Design, c.Design}, {p.Wald, c.Wald}} {
		for i, rate := range map[int]float64{25: 0.7, 50: 0.8, 75: 0.9, 100: 1} {
			got, want := side.curve[i], point(t, side.plan, rate)
			refdata.Close(t, "rate", got.P, rate, 1e-12)
			refdata.Close(t, "expected trials", got.ExpectedTrials, want.ASN, 1e-9)
			refdata.Close(t, "Pass", got.Pass, want.Pass, 1e-9)
		}
		for i := range side.curve[1:] {
			if side.curve[i+1].Pass < side.curve[i].Pass-1e-12 {
				t.Errorf("%s: P(Pass) falls at %v", side.plan.Kind, side.curve[i].P)
			}
		}
	}
	for _, h := range []sprt.Hypotheses{{Threshold: 0.5, Delta: 0.01, Alpha: 0.05, Beta: 0.1},
		{Threshold: 0.3, Delta: 0.2, Alpha: 0.05, Beta: 0.1}} {
		c, err := planned(t, Options{Hypotheses: h, Kind: sprt.WaldKind, MaxTrials: 500}).Curves(11)
		if err != nil || c.Wald != nil || c.Design[0].P < 0 || c.Design[10].P > 1 || c.Design[0].P > h.Lower() ||
			c.Design[10].P < h.Threshold {
			t.Errorf("%+v: from %v to %v, %v", h, c.Design[0].P, c.Design[10].P, err)
		}
	}
	if _, err := p.Curves(1); err == nil {
		t.Error("a curve of one point")
	}
	p.Design = *p.WaldUncut
	if _, err := p.Curves(11); !errors.Is(err, ErrNoBoundaries) {
		t.Errorf("a design without boundaries: %v", err)
	}
}

func TestProgressIsReported(t *testing.T) {
	var shares []float64
	planned(t, Options{Hypotheses: usual, MaxTrials: 60, Kind: sprt.OptimalKind,
		Progress: func(x float64) { shares = append(shares, x) }})
	if len(shares) < 10 || shares[0] > 0.1 || shares[len(shares)-1] < 0.5 {
		t.Errorf("shares %v", shares)
	}
}
