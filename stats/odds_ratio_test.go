package stats

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
)

// statsmodels 0.13.5: Table2x2([[kc, nc-kc], [kb, nb-kb]]), oddsratio.
func TestOddsRatioAgainstStatsmodels(t *testing.T) {
	for _, test := range []struct {
		baseline, candidate Counts
		want                float64
	}{
		{Counts{93, 100}, Counts{71, 100}, 0.1842788283277716},
		{Counts{3, 10}, Counts{7, 9}, 8.166666666666666},
		{Counts{500, 1000}, Counts{520, 1001}, 1.0810810810810811},
		{Counts{1, 2}, Counts{1, 2}, 1},
	} {
		ratio, err := OddsRatio(test.baseline, test.candidate)
		if err != nil || !ratio.Finite() || ratio.Reason() != "" {
			t.Fatalf("%v, error %v", ratio, err)
		}
		refdata.Close(t, "ratio", ratio.Value, test.want, 1e-14)
	}
}

func TestOddsRatioWithEmptyCells(t *testing.T) {
	for _, test := range []struct {
		baseline, candidate Counts
		want                float64
		reason              string // how it begins
	}{
		{Counts{1, 2}, Counts{0, 2}, 0, ""},
		{Counts{2, 2}, Counts{1, 2}, 0, ""},
		{Counts{1, 2}, Counts{2, 2}, math.Inf(1), "infinite"},
		{Counts{0, 2}, Counts{1, 2}, math.Inf(1), "infinite"},
		{Counts{0, 2}, Counts{2, 2}, math.Inf(1), "infinite"},
		{Counts{2, 2}, Counts{2, 2}, math.NaN(), "undefined"},
		{Counts{0, 2}, Counts{0, 3}, math.NaN(), "undefined"},
	} {
		got, err := OddsRatio(test.baseline, test.candidate)
		if err != nil {
			t.Fatal(err)
		}
		if got.Value != test.want && !(math.IsNaN(got.Value) && math.IsNaN(test.want)) {
			t.Errorf("%v, %v: %v", test.baseline, test.candidate, got.Value)
		}
		if reason, _, _ := strings.Cut(got.Reason(), ":"); reason != test.reason || got.Finite() != (reason == "") {
			t.Errorf("%v, %v: reason %q, finite %v", test.baseline, test.candidate, got.Reason(), got.Finite())
		}
	}
}

func TestOddsRatioRefuses(t *testing.T) {
	var argument *ArgumentError
	if _, err := OddsRatio(Counts{}, Counts{1, 2}); !errors.As(err, &argument) {
		t.Errorf("no trials: error %v", err)
	}
}

func ExampleOddsRatio() {
	ratio, err := OddsRatio(Counts{Passes: 8, Trials: 10}, Counts{Passes: 10, Trials: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ratio.Value, ratio.Reason())
	// Output: +Inf infinite: the candidate never fails or the baseline never passes
}
