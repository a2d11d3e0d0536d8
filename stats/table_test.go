package stats

import (
	"context"
	"errors"
	"math"
	"testing"
)

// Every row of the table can be told from the others, read back and asked for a
// p-value and a region; no code but this and the row is needed for a new test.
func TestEveryTestIsComplete(t *testing.T) {
	table := Table{Baseline: Counts{18, 20}, Candidate: Counts{9, 20}, Pairs: &Pairs{BothPass: 8, Broke: 10, Mended: 1,
		BothFail: 1}}
	seen := map[string]Test{}
	for _, test := range Tests() {
		if other, taken := seen[test.String()]; taken {
			t.Errorf("%d and %d are both called %q", other, test, test)
		}
		seen[test.String()] = test
		var read Test
		if err := read.UnmarshalText([]byte(test.String())); err != nil || read != test {
			t.Errorf("%v reads back as %v, %v", test, read, err)
		}
		if test.Title() == "" || test.Assumes() == "" || test.Validate() != nil {
			t.Errorf("%v: title %q, assumes %q, %v", test, test.Title(), test.Assumes(), test.Validate())
		}
		result, err := test.P(context.Background(), table)
		if err != nil || !(result.P > 0 && result.P < 0.05) {
			t.Errorf("%v: p = %v, %v for a candidate that is worse", test, result.P, err)
		}
		for _, figure := range result.Figures {
			if figure.Name == "" || figure.Name == "p" || result.Figure(figure.Name) != figure.Value ||
				math.IsNaN(figure.Value) {
				t.Errorf("%v has the figure %+v", test, figure)
			}
		}
	}
}

// The region that a row finds fast is that of its p-values.
func TestRegionsAreThoseOfThePValues(t *testing.T) {
	for _, test := range Tests() {
		row := test.row()
		if row.region == nil && row.pairedRegion == nil {
			continue // it is that of the p-values
		}
		for _, alpha := range []float64{0.01, 0.05, 0.2} {
			if test.Paired() {
				checkCuts(t, test, row.pairedRegion(60, alpha), pairedRegionByP(context.Background(), row.p, 60, alpha))
			} else {
				fast, err := row.region(context.Background(), 23, 31, alpha)
				if err != nil {
					t.Fatal(err)
				}
				asked, err := regionByP(context.Background(), row.p, 23, 31, alpha)
				if err != nil {
					t.Fatal(err)
				}
				checkCuts(t, test, fast.cuts, asked.cuts)
			}
		}
	}
}

func checkCuts(t *testing.T, test Test, fast, asked []int) {
	t.Helper()
	for i := range asked {
		if fast[i] != asked[i] {
			t.Errorf("%v: row %d is cut at %d, and p-values are at most alpha up to %d", test, i, fast[i], asked[i])
		}
	}
}

func TestTestsRefuse(t *testing.T) {
	unknown := Test(len(tests))
	counts := Table{Baseline: Counts{1, 2}, Candidate: Counts{1, 2}}
	for name, err := range map[string]error{
		"unknown":               unknown.Validate(),
		"p of unknown":          errorOf(unknown.P(context.Background(), counts)),
		"region of unknown":     errorOf(unknown.Region(context.Background(), 5, 5, 0.05)),
		"no pairs":              errorOf(McNemarTest.P(context.Background(), counts)),
		"no trials":             errorOf(FisherTest.P(context.Background(), Table{})),
		"region of pairs":       errorOf(McNemarTest.Region(context.Background(), 5, 5, 0.05)),
		"paired region of none": errorOf(ZTest.PairedRegion(context.Background(), 5, 0.05)),
		"alpha":                 errorOf(McNemarTest.PairedRegion(context.Background(), 5, 1)),
	} {
		var argument *ArgumentError
		if !errors.As(err, &argument) {
			t.Errorf("%s: %v is no ArgumentError", name, err)
		}
	}
}

func TestUnknownNamesOfTests(t *testing.T) {
	read := ZTest
	if err := read.UnmarshalText([]byte("t")); err == nil || read != ZTest {
		t.Errorf("the name t is read as %v, %v", read, err)
	}
	if text, err := Test(len(tests)).MarshalText(); err == nil {
		t.Errorf("a value that is no test is written as %s", text)
	}
}

func TestDropOfATable(t *testing.T) {
	counts := Table{Baseline: Counts{9, 10}, Candidate: Counts{1, 2}}
	if got := counts.Drop(); math.Abs(got-0.4) > 1e-15 {
		t.Errorf("drop of the counts: %v", got)
	}
	counts.Pairs = &Pairs{BothPass: 5, Broke: 3, Mended: 1, BothFail: 1}
	if got := counts.Drop(); got != 0.2 {
		t.Errorf("drop of the pairs: %v", got)
	}
}

func TestFigureTitles(t *testing.T) {
	for name, want := range map[string]string{"z": "z", "p_two_sided": "two-sided p", "mid_p": "mid-p"} {
		if got := (Figure{Name: name}).Title(); got != want {
			t.Errorf("%s is shown as %q, want %q", name, got, want)
		}
		if got := (Figure{Name: name}).IsP(); got != (name != "z") {
			t.Errorf("%s is a p-value: %v", name, got)
		}
	}
}
