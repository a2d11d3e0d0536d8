package plan

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
)

func TestForecast(t *testing.T) {
	trials := []ForecastTrial{
		{true, trial.Some(0.02), trial.Some(1000.0)}, {true, trial.Some(0.04), trial.Some(3000.0)},
		{false, trial.Some(0.06), trial.Some(2000.0)}, {true, trial.Optional[float64]{}, trial.Some(2000.0)},
	}
	f, err := NewForecast(trials, ForecastOptions{RunsPerDay: 1000})
	if err != nil {
		t.Fatal(err)
	}
	// .12 USD over 2 passes, 8,000 tokens over 3; 30,437.5 runs a month.
	if math.Abs(f.Cost.PerSuccess-.06) > 1e-12 || math.Abs(f.Cost.Month-1826.25) > 1e-9 || f.Cost.Known != 3 ||
		math.Abs(f.Tokens.PerSuccess-8000.0/3) > 1e-9 {
		t.Errorf("%+v, %+v", f.Cost, f.Tokens)
	}
	if f.Cost.Low != nil || f.Cost.MonthHigh != nil {
		t.Errorf("an interval of four trials: %+v", f.Cost)
	}
	if len(f.Warnings) != 2 {
		t.Errorf("%+v", f.Warnings)
	}
	price := 10.0
	if f, err = NewForecast(trials, ForecastOptions{RunsPerDay: 1000, Price: &price}); err != nil || f.Cost.Known != 4 ||
		math.Abs(f.Cost.PerSuccess-.14/3) > 1e-12 {
		t.Errorf("%+v, %v", f.Cost, err) // the fourth costs 2,000 tokens at $10 a million
	}
	if _, err := json.Marshal(f); err != nil {
		t.Error(err)
	}
	if f, err = NewForecast([]ForecastTrial{{Passed: false, CostUSD: trial.Some(1.0)}},
		ForecastOptions{RunsPerDay: 1}); err != nil || f.Cost != nil || f.Tokens != nil {
		t.Errorf("nothing passed: %+v, %v", f, err)
	}
	for _, runs := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := NewForecast(trials, ForecastOptions{RunsPerDay: runs}); err == nil {
			t.Errorf("%v runs a day", runs)
		}
	}
	negative := -1.0
	if _, err := NewForecast(trials, ForecastOptions{RunsPerDay: 1, Price: &negative}); err == nil {
		t.Error("a negative price")
	}
}

// A twentieth of 100 trials that costs twenty times as much is 100 of 195 of all: the interval may miss. Of 40 trials a
// share of 1-0.05^(1/40), which is 7.2 %, may show nothing with a chance of 5 %, and of 60 one of 4.9 %.
func TestForecastOfDearTrials(t *testing.T) {
	for _, c := range []struct {
		trials, dear int
		want         string // part of the warning; "" is none
	}{
		{100, 5, "5 of 100 trials took 51.3% of the cost"}, {100, 4, ""}, {100, 0, ""}, {60, 0, ""},
		{40, 0, "40 trials may show nothing of what up to 7.22% of trials do"},
		{40, 2, "2 of 40 trials took 51.3% of the cost"},
	} {
		var trials []ForecastTrial
		for i := range c.trials {
			x := ForecastTrial{Passed: i%5 > 0, CostUSD: trial.Some(1.0)}
			if i < c.dear {
				x.CostUSD.Value = 20
			}
			trials = append(trials, x)
		}
		f, err := NewForecast(trials, ForecastOptions{RunsPerDay: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Warnings) > 0 != (c.want != "") {
			t.Errorf("%+v: %v", c, f.Warnings)
		}
		for _, w := range f.Warnings {
			if w.Code != warnForecastDear || !strings.Contains(w.Text, c.want) {
				t.Errorf("%+v: %v", c, w)
			}
		}
		found, err := f.Rejudge(t.Context())
		if err != nil || len(found.Again.(*Forecast).Warnings) != len(f.Warnings) {
			t.Errorf("%+v: %v, %v", c, found, err)
		}
		f.Cost.Dearest = nil // as in results of earlier versions
		if found, err = f.Rejudge(t.Context()); err != nil || len(found.Again.(*Forecast).Warnings) > 0 {
			t.Errorf("%+v: %v, %v of an earlier version", c, found, err)
		}
	}
}

// A fixed price a trial: a success costs 1/p of it, so the limits are those of the rate.
func TestForecastOfFixedPrice(t *testing.T) {
	var trials []ForecastTrial
	for i := range 60 {
		trials = append(trials, ForecastTrial{Passed: i%4 > 0, CostUSD: trial.Some(2.0)})
	}
	f, err := NewForecast(trials, ForecastOptions{RunsPerDay: 1})
	limits, err2 := stats.ClopperPearson(stats.Counts{Passes: 45, Trials: 60}, 0.05)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "low", *f.Cost.Low, 2/limits.High, 1e-12)
	refdata.Close(t, "high", *f.Cost.High, 2/limits.Low, 1e-12)
	refdata.Close(t, "month", *f.Cost.MonthHigh, *f.Cost.High*365.25/12, 1e-12)

	// With the end of a test it is the rate of that which counts.
	rate := &StoppedRate{Rate: 0.8, Limits: stats.Interval{Low: 0.5, High: 0.9}}
	f, err = NewForecast(trials, ForecastOptions{RunsPerDay: 1, Sequential: true, Rate: rate})
	if err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "low", *f.Cost.Low, 2/0.9, 1e-12)
	refdata.Close(t, "high", *f.Cost.High, 4, 1e-12)
	refdata.Close(t, "per success", f.Cost.PerSuccess, 2.5, 1e-12)
	if len(f.Warnings) != 1 || f.Warnings[0].Code != warnForecastEnd {
		t.Errorf("%+v", f.Warnings)
	}
	// Without it there is no interval.
	f, err = NewForecast(trials, ForecastOptions{RunsPerDay: 1, Sequential: true})
	if err != nil || f.Cost.Low != nil || len(f.Warnings) != 1 || f.Warnings[0].Code != warnForecastStop {
		t.Errorf("%+v, error %v", f, err)
	}
}
