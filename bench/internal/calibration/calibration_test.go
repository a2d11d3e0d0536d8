package calibration

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
)

// A group whose promise is false makes the whole fail, whatever else holds.
func TestCalibrationFindsABrokenPromise(t *testing.T) {
	honest := group{"honest", func(c *calibrator) error {
		c.exact("d", "s", falseFail, .05, atMost(.05))
		c.exact("d", "s", falsePass, .2, unpromised(.05))
		c.exact("d", "t", falsePass, .3, unpromised(.05))
		return nil
	}}
	exact := func(rate float64, p promise) func(*calibrator) error {
		return func(c *calibrator) error {
			c.exact("liar", "s", falseFail, rate, p)
			return nil
		}
	}
	counted := func(count int, p promise) func(*calibrator) error {
		return func(c *calibrator) error {
			c.counted("liar", "s", falseFail, count, 1000, p)
			return nil
		}
	}
	for name, row := range map[string]func(*calibrator) error{
		"exact":       exact(.0500001, atMost(.05)),
		"printed":     exact(.04, asPrinted(.05)),
		"no number":   exact(math.NaN(), atMost(.05)),
		"counted":     counted(80, atMost(.05)),
		"never":       counted(1, atMost(0)),
		"printed low": counted(20, asPrinted(.05)),
		"simulated": func(c *calibrator) error {
			return c.simulate("liar", "s", falseFail, 1000, atMost(.05), func(r *rand.Rand) (bool, error) {
				return r.Float64() < .1, nil
			})
		},
	} {
		r, err := calibrate(t.Context(), Options{Seed: 1}, []group{honest, {"false", row}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Holds || r.ExitCode != 1 || len(r.Rows) != 4 || *r.Rows[3].Holds || !*r.Rows[0].Holds ||
			r.Rows[1].Holds != nil {
			t.Errorf("%s: %+v", name, r)
		}
		var text strings.Builder
		if err := r.Page().WriteText(&text, 80); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), "1 of the promises are BROKEN") {
			t.Errorf("%s: %s", name, text.String())
		}
	}
}

func TestCalibrationOfWhatHolds(t *testing.T) {
	groups := []group{{"honest", func(c *calibrator) error {
		c.exact("d", "s", falseFail, .05*(1+1e-12), atMost(.05))
		c.counted("d", "s", falsePass, 60, 1000, atMost(.05)) // 1.45 standard errors
		c.counted("d", "s", undecided, 40, 1000, asPrinted(.05))
		c.exact("z", "s", falsePass, .06, unpromised(.05))
		c.exact("z", "t", falsePass, .07, unpromised(.05))
		return nil
	}}}
	r, err := calibrate(t.Context(), Options{Seed: 3}, groups)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Holds || r.ExitCode != 0 {
		t.Errorf("%+v", r)
	}
	// One-sided beyond 70 of 1000 at .05, and two-sided.
	one, low := (dist.Binomial{N: 1000, P: .05}).Survival(70), (dist.Binomial{N: 1000, P: .05}).CDF(29)
	if want := one + one + low; math.Abs(r.FalseAlarm-want) > 1e-12 {
		t.Errorf("the chance of a false alarm is %v, want %v", r.FalseAlarm, want)
	}
	var text strings.Builder
	if err := r.Page().WriteText(&text, 100); err != nil {
		t.Fatal(err)
	}
	want := `Error rates of every decision. Every promise holds: 5 rates, 3 exact and 2 simulated, 2 without a promise.

  decision  error       worst   at most
  HONEST
  d         false fail  5.00%   5%
  d         false pass  6.00%*  5%
  d         undecided   4.00%*  printed

Known: above the nominal rate, where nothing is promised
  decision  error       worst  nominal
  HONEST
  z         false pass  7.00%  5%

worst is the rate`
	joined := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if got := joined(text.String()); !strings.HasPrefix(got, joined(want)) {
		t.Error(text.String())
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	records := r.Records()
	if len(records.Rows) != 5 || len(records.Rows[0]) != len(records.Columns) ||
		records.Rows[4][len(records.Columns)-1].Value != "" {
		t.Errorf("%+v", records)
	}
}

// What a row is drawn from follows from the seed and the row alone.
func TestCalibrationRepeats(t *testing.T) {
	row := func(name string) func(*calibrator) error {
		return func(c *calibrator) error {
			return c.simulate(name, "s", falseFail, 500, atMost(.5), func(r *rand.Rand) (bool, error) {
				return r.Float64() < .5, nil
			})
		}
	}
	run := func(seed uint64, groups ...group) []Row {
		r, err := calibrate(t.Context(), Options{Seed: seed}, groups)
		if err != nil {
			t.Fatal(err)
		}
		return r.Rows
	}
	alone, after := run(1, group{"g", row("a")}), run(1, group{"g", row("b")}, group{"g", row("a")})
	if diff := cmp.Diff(alone[0], after[1]); diff != "" {
		t.Error(diff)
	}
	if alone[0].Rate == after[0].Rate || alone[0].Rate == run(2, group{"g", row("a")})[0].Rate {
		t.Error("another row, or another seed, has the same random numbers")
	}
	ordered := run(1, group{"g", func(c *calibrator) error {
		return c.each(50, func(c *calibrator, i int) error {
			c.exact("d", string(rune('0'+i)), falseFail, 0, atMost(1))
			return nil
		})
	}})
	for i, row := range ordered {
		if row.Setting != string(rune('0'+i)) || row.Group != "g" {
			t.Fatalf("row %d is %+v", i, row)
		}
	}
}

func TestCalibrationEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var told []string
	_, err := calibrate(ctx, Options{Progress: func(done, all int, name string) {
		told = append(told, name)
		if done == 1 {
			cancel()
		}
	}}, []group{
		{"first", func(*calibrator) error { return nil }},
		{"second", func(c *calibrator) error { return c.each(3, func(*calibrator, int) error { return nil }) }},
	})
	if !errors.Is(err, context.Canceled) || !slices.Equal(told, []string{"first", "second"}) {
		t.Errorf("%v, %q", err, told)
	}
	bad := errors.New("bad")
	broken := []group{{"g", func(*calibrator) error { return bad }}}
	if _, err := calibrate(t.Context(), Options{}, broken); !errors.Is(err, bad) {
		t.Error(err)
	}
}

// The recursions agree with package stats and package sprt where those are precise.
func TestOwnProbabilities(t *testing.T) {
	for _, p := range []float64{0, .3, .95, 1} {
		for k, m := range binomialMasses(40, p) {
			if want := (dist.Binomial{N: 40, P: p}).Prob(k); math.Abs(m-want) > 1e-12*want+1e-300 {
				t.Errorf("P(%d of 40 at %v) is %v, want %v", k, p, m, want)
			}
			if got := trinomial(40, k, 40-k, p, 1-p); math.Abs(got-m) > 1e-10*m+1e-300 {
				t.Errorf("as a trinomial it is %v, want %v", got, m)
			}
		}
	}
	d, err := usualDesign(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []float64{0, .5, .85, 1} {
		want, err := d.Boundaries.Characteristics(p)
		if err != nil {
			t.Fatal(err)
		}
		pass, fail, open := ends(d.Boundaries, p)
		if math.Abs(pass-want.Pass)+math.Abs(fail-want.Fail)+math.Abs(open-want.Inconclusive) > 1e-11 {
			t.Errorf("at %v the test ends with %v, %v, %v; want %+v", p, pass, fail, open, want)
		}
	}
	// Two trials, the second always fails: one failure passes after the second.
	b := sprt.Boundaries{PassAtOrBelow: []int{-1, 1}, FailAtOrAbove: []int{sprt.Never, 2}}
	pass, fail, _ := totals(walk(b, func(i int) float64 { return []float64{.7, 0}[i] }))
	if math.Abs(pass-.7) > 1e-15 || math.Abs(fail-.3) > 1e-15 {
		t.Errorf("%v, %v", pass, fail)
	}
	paths := pathsTo(d.Boundaries)
	for _, s := range walk(d.Boundaries, func(int) float64 { return .5 }) {
		test, err := sprt.NewTest(d)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range paths[[2]int{s.trials, s.failures}] {
			if test.Decided() {
				t.Fatalf("the path to %+v ends after %d", s, i)
			}
			if err := test.Observe(i, m == trial.Pass); err != nil {
				t.Fatal(err)
			}
		}
		if test.Trials() != s.trials || test.Failures() != s.failures || test.Outcome() != s.outcome {
			t.Fatalf("the path to %+v goes to %d, %d", s, test.Trials(), test.Failures())
		}
	}
}

// Groups that take little time, as they are: every row has a name, and what holds does.
func TestCalibrationGroups(t *testing.T) {
	var quick []group
	for _, g := range groups() {
		if slices.Contains([]string{"pairs", "estimates", "baseline", "contract", "intervals"}, g.name) {
			quick = append(quick, g)
		}
	}
	r, err := calibrate(t.Context(), Options{Short: true, Seed: 1}, quick)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Holds {
		t.Errorf("a promise is broken: %+v", r)
	}
	seen := map[[3]string]bool{}
	for _, row := range r.Rows {
		key := [3]string{row.Decision, row.Setting, row.Error}
		if seen[key] || row.Decision == "" || row.Setting == "" || row.Error == "" ||
			!(row.Rate >= 0 && row.Rate <= 1+1e-9) || row.Exact != (row.Runs == 0) {
			t.Errorf("%+v", row)
		}
		seen[key] = true
	}
}

// A rate of an audit is in the records beside the one that is measured now, and judges nothing.
func TestCalibrationRecordsWhatAnAuditFound(t *testing.T) {
	groups := []group{{"honest", func(c *calibrator) error {
		c.exact("d", "audited", falseFail, .04, atMost(.05))
		c.before(.125)
		c.exact("d", "new", falseFail, .03, atMost(.05))
		return nil
	}}}
	r, err := calibrate(t.Context(), Options{Seed: 3}, groups)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Holds || r.Rows[0].Before == nil || *r.Rows[0].Before != .125 || r.Rows[1].Before != nil {
		t.Errorf("%+v", r)
	}
	if records := r.Records(); records.Rows[0][12].Value != "0.125" || records.Rows[1][12].Value != "" {
		t.Errorf("%+v", records.Rows)
	}
}
