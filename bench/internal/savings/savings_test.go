package savings

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
)

// few is a short measurement that simulates next to nothing.
func few() Options {
	o := Options{Short: true, Seed: 1, Runs: 20}
	if testing.Short() { // as with the race detector
		o.Runs = 2
	}
	return o
}

var fewRuns = sync.OnceValues(func() (*Result, error) { return Measure(context.Background(), few()) })

func measured(t *testing.T) *Result {
	t.Helper()
	s, err := fewRuns()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *Result) methodOf(t *testing.T, name string) Method {
	t.Helper()
	for _, m := range s.Methods {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("no method %q", name)
	return Method{}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-8*max(1, math.Abs(b)) }

// What is promised: 15 trials where every one passes, within both errors.
func TestSavingsOfTheOptimalTest(t *testing.T) {
	s := measured(t)
	m := s.methodOf(t, "optimal")
	if m.Rates[0].ExpectedTrials != 15 || m.Rates[0].SavingPaper != 0.85 || !m.Within || *m.MaxTrials != 152 {
		t.Errorf("%+v", m)
	}
	for _, m := range s.Methods {
		if !m.Within || m.FalseFail > .05 || m.FalsePass > .1 {
			t.Errorf("%s errs too often: %v, %v", m.Name, m.FalseFail, m.FalsePass)
		}
		for i, r := range m.Rates {
			if !near(r.Pass+r.Fail+r.Inconclusive, 1) {
				t.Errorf("%s at %v: %+v", m.Name, r.P, r)
			}
			if m.MaxTrials != nil && (r.Trials95 > *m.MaxTrials || r.ExpectedTrials > float64(*m.MaxTrials)) {
				t.Errorf("%s at %v: more than %d trials: %+v", m.Name, r.P, *m.MaxTrials, r)
			}
			if floor := s.Floors.Rates[i].ExpectedTrials; r.ExpectedTrials < floor-1e-9 && r.Inconclusive == 0 {
				t.Errorf("%s at %v: %v trials, below the minimum of %v", m.Name, r.P, r.ExpectedTrials, floor)
			}
		}
	}
	bounds := hypotheses().Bounds()
	if at := s.Floors.Rates[2].ExpectedTrials; at < bounds.UpperTrials {
		t.Errorf("the floor of %v at the threshold is below Wald's %v", at, bounds.UpperTrials)
	}
	if m.Rates[2].Fail > .05 || s.methodOf(t, "optimal-behaviour").Rates[0].ExpectedTrials != 15 {
		t.Error("the test of behaviour takes other trials")
	}
}

// The figures of Wald's test by another program.
func TestSavingsOfWald(t *testing.T) {
	text, err := os.ReadFile("../../../sprt/testdata/sequential.json")
	if err != nil {
		t.Fatal(err)
	}
	var reference struct {
		Designs []struct {
			P0, P1, Alpha, Beta float64
			MaxTrials           int `json:"max_trials"`
			Points              []struct{ P, Pass, Fail, Inconclusive, Asn float64 }
		}
	}
	if err := json.Unmarshal(text, &reference); err != nil {
		t.Fatal(err)
	}
	m, compared := measured(t).methodOf(t, "wald"), 0
	for _, d := range reference.Designs {
		if d.P0 != .9 || d.P1 != .8 || d.Alpha != .05 || d.Beta != .1 || d.MaxTrials != 1000 {
			continue
		}
		for _, r := range m.Rates {
			for _, p := range d.Points {
				if p.P != r.P {
					continue
				}
				compared++
				// 1000 trials leave 1e-6 of the tests undecided.
				if math.Abs(p.Asn-r.ExpectedTrials) > 1e-3 || math.Abs(p.Pass-r.Pass) > 2e-6 ||
					math.Abs(p.Fail-r.Fail) > 2e-6 {
					t.Errorf("%+v, not %+v", r, p)
				}
			}
		}
	}
	if compared != len(m.Rates) {
		t.Errorf("%d of %d rates compared", compared, len(m.Rates))
	}
}

// follow follows Wald's test at a pass rate, state by state, by the definition.
func follow(h sprt.Hypotheses, most int, p float64) (d performance) {
	passed, failed := math.Log(h.Lower()/h.Threshold), math.Log((1-h.Lower())/(1-h.Threshold))
	low, high := math.Log(h.Beta/(1-h.Alpha)), math.Log((1-h.Beta)/h.Alpha)
	alive := []float64{1} // by failures
	for n := 1; n <= most; n++ {
		next := make([]float64, n+1)
		for f, w := range alive {
			next[f] += w * p
			next[f+1] += w * (1 - p)
			d.ExpectedTrials += w
		}
		last := 0
		for f, w := range next {
			switch ratio := float64(n-f)*passed + float64(f)*failed; {
			case ratio <= low:
				d.Pass += w
				next[f] = 0
			case ratio >= high:
				d.Fail += w
				next[f] = 0
			case w > 0:
				last = f
			}
		}
		alive = next[:last+1]
	}
	for _, w := range alive {
		d.Inconclusive += w
	}
	return d
}

func TestSavingsByAnotherRecursion(t *testing.T) {
	s, h := measured(t), hypotheses()
	for _, p := range passRates {
		for name, want := range map[string]performance{"wald-30": follow(h, 30, p), "wald": follow(h, waldFar, p)} {
			var got Rate
			for _, r := range s.methodOf(t, name).Rates {
				if r.P == p {
					got = r
				}
			}
			if !near(got.ExpectedTrials, want.ExpectedTrials) || !near(got.Pass, want.Pass) || !near(got.Fail,
				want.Fail) {
				t.Errorf("%s at %v: %+v, not %+v", name, p, got, want)
			}
		}
	}
	if testing.Short() {
		return
	}
	// Against a stored baseline, over all that it may be. Some 1e-7 of these tests go on
	// after 2,000 trials.
	for _, p := range []float64{.9, .8} {
		var want performance
		for passes := 830; passes <= 960; passes++ {
			w := dist.Binomial{N: 1000, P: .9}.Prob(passes)
			baseline, err := sprt.FromBaseline(stats.Counts{Passes: passes, Trials: 1000}, .1, .05, .1,
				sprt.DefaultGamma)
			if err != nil {
				t.Fatal(err)
			}
			d := follow(baseline.Hypotheses, 2000, p)
			want.ExpectedTrials += w * d.ExpectedTrials
			want.Pass += w * d.Pass
			want.Fail += w * d.Fail
		}
		got := s.rateOf("baseline-wald", p)
		if math.Abs(got.ExpectedTrials-want.ExpectedTrials) > 1e-3 || math.Abs(got.Pass-want.Pass) > 1e-6 ||
			math.Abs(got.Fail-want.Fail) > 1e-6 {
			t.Errorf("baseline-wald at %v: %+v, not %+v", p, got, want)
		}
	}
}

// The two fixed tests, outcome by outcome.
func TestSavingsOfFixedTests(t *testing.T) {
	s := measured(t)
	for i, p := range passRates {
		var wilson, fixed [3]float64 // pass, fail, neither
		for k := range 101 {
			interval, err := stats.Wilson(stats.Counts{Passes: k, Trials: 100}, .05)
			if err != nil {
				t.Fatal(err)
			}
			verdict := 2
			if interval.Low >= .9 {
				verdict = 0
			} else if interval.High < .9 {
				verdict = 1
			}
			wilson[verdict] += dist.Binomial{N: 100, P: p}.Prob(k)
		}
		for k := range 110 {
			verdict := 1
			if k >= 109-16 {
				verdict = 0
			}
			fixed[verdict] += dist.Binomial{N: 109, P: p}.Prob(k)
		}
		for name, want := range map[string][3]float64{"fixed-wilson": wilson, "fixed": fixed} {
			got := s.methodOf(t, name).Rates[i]
			if !near(got.Pass, want[0]) || !near(got.Fail, want[1]) || !near(got.Inconclusive, want[2]) {
				t.Errorf("%s at %v: %+v, not %v", name, p, got, want)
			}
		}
	}
}

// Behaviour, to the extent that a few runs tell: TRIBUNAL_LONG measures all.
func TestSavingsOfBehaviour(t *testing.T) {
	s := measured(t)
	if os.Getenv("TRIBUNAL_LONG") != "" {
		var err error
		if s, err = Measure(t.Context(), Options{Seed: 2}); err != nil {
			t.Fatal(err)
		}
	}
	stored := s.Known[1]
	if stored.Candidate != 15 || stored.Baseline != 100 || stored.Power.Share < .93-3*stored.Power.StdErr {
		t.Errorf("%+v", stored)
	}
	for _, kind := range s.Kinds {
		optimal := kind.Rows[4*len(passRates)] // the fifth method, at the first rate
		if want := kind.CostUSD * 15; optimal.Method != "optimal" || !near(optimal.CostUSD, want) {
			t.Errorf("%s: %+v", kind.Name, optimal)
		}
		for _, b := range append(kind.Behaviour, s.Known...) {
			if b.Alarms.Share > .05+4*math.Sqrt(.05*.95/float64(b.Runs)) {
				t.Errorf("%s: %+v", kind.Name, b)
			}
			if b.P == 1 && b.FoundUnchanged != b.Alarms {
				t.Errorf("%s: a system that never fails is failed: %+v", kind.Name, b)
			}
		}
	}
}

func TestSavingsRepeat(t *testing.T) {
	o, before := few(), measured(t)
	again, err := Measure(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, again); diff != "" {
		t.Error(diff)
	}
	if testing.Short() {
		return
	}
	o.Seed = 2
	other, err := Measure(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before.Methods, other.Methods); diff != "" {
		t.Errorf("exact figures depend on the seed: %s", diff)
	}
	if cmp.Equal(before.Kinds, other.Kinds) && cmp.Equal(before.Known, other.Known) {
		t.Error("another seed simulates the same")
	}
}

func TestSavingsRefuses(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Measure(ctx, few()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Measure(t.Context(), Options{Runs: -1}); err == nil {
		t.Error("a negative number of runs is accepted")
	}
}

// CSV and JSON hold the same numbers.
func TestSavingsRecords(t *testing.T) {
	s := measured(t)
	text, err := json.Marshal(s) // refuses NaN and infinities
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Schema  string
		Methods []struct {
			Name      string
			MaxTrials *float64 `json:"max_trials"`
			FalseFail float64  `json:"false_fail"`
			Rates     []struct {
				P              float64
				ExpectedTrials float64 `json:"expected_trials"`
				Fail           float64
			}
		}
		Kinds []struct {
			Name string
			Rows []struct {
				CostUSD float64                  `json:"cost_usd"`
				Found   *struct{ Value float64 } `json:"shift_found"`
			}
		}
	}
	if err := json.Unmarshal(text, &document); err != nil || document.Schema != "tribunal/bench-savings/v1" {
		t.Fatal(err, document.Schema)
	}
	var out bytes.Buffer
	if err := s.Records().WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 + len(s.Kinds)*len(s.Methods)*len(passRates); len(rows) != want {
		t.Fatalf("%d rows, not %d", len(rows), want)
	}
	column := make(map[string]int)
	for i, name := range rows[0] {
		column[name] = i
	}
	number := func(row []string, name string) float64 {
		if row[column[name]] == "" {
			return -1
		}
		x, err := strconv.ParseFloat(row[column[name]], 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	i := 1
	for _, kind := range document.Kinds {
		k := 0
		for _, m := range document.Methods {
			for _, r := range m.Rates {
				row := rows[i]
				most, found := -1.0, -1.0
				if m.MaxTrials != nil {
					most = *m.MaxTrials
				}
				if kind.Rows[k].Found != nil {
					found = kind.Rows[k].Found.Value
				}
				want := []float64{r.P, r.ExpectedTrials, most, kind.Rows[k].CostUSD, r.Fail, m.FalseFail, found}
				got := []float64{number(row, "p"), number(row, "expected_trials"), number(row, "max_trials"),
					number(row, "cost_usd"), number(row, "fail"), number(row, "false_fail"), number(row, "shift_found")}
				if row[0] != kind.Name || row[1] != m.Name || !cmp.Equal(got, want) {
					t.Errorf("%v, not %s %s %v", row, kind.Name, m.Name, want)
				}
				i, k = i+1, k+1
			}
		}
	}
}

func TestSavingsFitATerminal(t *testing.T) {
	var out bytes.Buffer
	if err := measured(t).Page().WriteText(&out, 80); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
		if strings.Contains(line, "...") {
			t.Errorf("cut: %s", line)
		}
	}
}
