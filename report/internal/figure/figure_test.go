package figure

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

func TestNumbers(t *testing.T) {
	for _, test := range []struct {
		got, want string
	}{
		{Rate(0.42), "0.4200"}, {Rate(1), "1.0000"}, {Optional(nil, Rate), "-"},
		{Signed(0.1053), "+10.5"}, {Signed(-0.1053), "-10.5"}, {Signed(0), "0"}, {Signed(-1e-9), "0"},
		{Signed(0.00004), "0"}, {Points(-0.01), "-1 point"}, {Points(0.1053), "+10.5 points"}, {Points(-1e-9), "0 points"},
		{Exact(0.05), "0.05"}, {Exact(0.9), "0.9"}, {Level(0.95), "95%"}, {Level(1 - 0.01), "99%"}, {Level(1 - 0.001),
			"99.9%"},
		{PValue(0), "< 0.0001"}, {PValue(0.00009999), "< 0.0001"}, {PValue(0.0001), "0.0001"}, {PValue(0.007538), "0.00754"},
		{PValue(0.05), "0.05"}, {PValue(0.0494), "0.0494"}, {PValue(0.99999), "> 0.999"}, {PValue(1), "1"},
		{PValue(math.NaN()), "NaN"},
		{Equals("p", PValue(0.02)), "p = 0.02"}, {Equals("p", PValue(0)), "p < 0.0001"}, {Equals("p", PValue(0.9999)),
			"p > 0.999"},
		{Chance(0), "0%"}, {Chance(1), "100%"}, {Chance(0.02841), "2.84%"}, {Chance(1e-9), "< 0.01%"}, {Chance(0.00012),
			"0.012%"},
		{Chance(0.9987), "99.87%"}, {Chance(0.99999), "> 99.99%"}, {Chance(0.8), "80%"},
		{Money(0), "$0"}, {Money(1.74), "$1.74"}, {Money(7.4), "$7.40"}, {Money(0.0153), "$0.0153"},
		{Money(0.5), "$0.500"}, {Money(0.00123), "$0.00123"},
		{Money(1234567.891), "$1,234,567.89"}, {Money(-0.25), "-$0.250"}, {Money(-12), "-$12.00"},
		{Money(0.99961), "$1.00"}, {Money(1.5e-9), "$1.5e-09"}, {Money(1e300), "$1e+300"},
		{Quantity(0), "0"}, {Quantity(7.6), "7.60"}, {Quantity(21.94), "21.9"}, {Quantity(51234.4), "51,234"},
		{Quantity(-51234.6), "-51,235"}, {Quantity(999.4), "999"}, {Quantity(999.6), "1,000"},
		{Quantity(0.0526), "0.0526"}, {Quantity(2.5e12), "2.5e+12"}, {Quantity(math.Inf(-1)), "-+Inf"},
		{PercentChange(nil), "n/a"}, {PercentChange(new(1.0)), "0.0%"}, {PercentChange(new(1.5)), "+50.0%"},
		{PercentChange(new(0.968)), "-3.2%"},
		{PercentChange(new(4.27)), "+327%"}, {PercentChange(new(0.0)), "-100%"}, {PercentChange(new(101.0)), "+10,000%"},
		{PercentChange(new(1.9996)), "+100%"}, {PercentChange(new(1e12)), "+1e+14%"},
		{grouped("1"), "1"}, {grouped("123"), "123"}, {grouped("1234"), "1,234"}, {grouped("1234567"), "1,234,567"},
		{prose.Count(1, "trial"), "1 trial"}, {prose.Count(0, "trial"), "0 trials"}, {OfTrials(1, 2), "1 of 2 trials"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
