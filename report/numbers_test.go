package report

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

func TestNumbers(t *testing.T) {
	for _, test := range []struct {
		got, want string
	}{
		{rate(0.42), "0.4200"}, {rate(1), "1.0000"}, {optional(nil, rate), "-"},
		{signed(0.1053), "+0.1053"}, {signed(-0.1053), "-0.1053"}, {signed(0), "0.0000"}, {signed(-1e-9), "0.0000"},
		{signed(0.00004), "0.0000"},
		{exact(0.05), "0.05"}, {exact(0.9), "0.9"}, {level(0.95), "95%"}, {level(1 - 0.01), "99%"}, {level(1 - 0.001),
			"99.9%"},
		{pValue(0), "< 0.0001"}, {pValue(0.00009999), "< 0.0001"}, {pValue(0.0001), "0.0001"}, {pValue(0.007538), "0.00754"},
		{pValue(0.05), "0.05"}, {pValue(0.0494), "0.0494"}, {pValue(0.99999), "> 0.999"}, {pValue(1), "1"},
		{pValue(math.NaN()), "NaN"},
		{equals("p", pValue(0.02)), "p = 0.02"}, {equals("p", pValue(0)), "p < 0.0001"}, {equals("p", pValue(0.9999)),
			"p > 0.999"},
		{chance(0), "0%"}, {chance(1), "100%"}, {chance(0.02841), "2.84%"}, {chance(1e-9), "< 0.01%"}, {chance(0.00012),
			"0.012%"},
		{chance(0.9987), "99.87%"}, {chance(0.99999), "> 99.99%"}, {chance(0.8), "80%"},
		{money(0), "$0"}, {money(1.74), "$1.74"}, {money(7.4), "$7.40"}, {money(0.0153), "$0.0153"},
		{money(0.5), "$0.500"}, {money(0.00123), "$0.00123"},
		{money(1234567.891), "$1,234,567.89"}, {money(-0.25), "-$0.250"}, {money(-12), "-$12.00"},
		{money(0.99961), "$1.00"}, {money(1.5e-9), "$1.5e-09"}, {money(1e300), "$1e+300"},
		{quantity(0), "0"}, {quantity(7.6), "7.60"}, {quantity(21.94), "21.9"}, {quantity(51234.4), "51,234"},
		{quantity(-51234.6), "-51,235"}, {quantity(999.4), "999"}, {quantity(999.6), "1,000"},
		{quantity(0.0526), "0.0526"}, {quantity(2.5e12), "2.5e+12"}, {quantity(math.Inf(-1)), "-+Inf"},
		{percentChange(nil), "n/a"}, {percentChange(ptr(1.0)), "0.0%"}, {percentChange(ptr(1.5)), "+50.0%"},
		{percentChange(ptr(0.968)), "-3.2%"},
		{percentChange(ptr(4.27)), "+327%"}, {percentChange(ptr(0.0)), "-100%"}, {percentChange(ptr(101.0)), "+10,000%"},
		{percentChange(ptr(1.9996)), "+100%"}, {percentChange(ptr(1e12)), "+1e+14%"},
		{grouped("1"), "1"}, {grouped("123"), "123"}, {grouped("1234"), "1,234"}, {grouped("1234567"), "1,234,567"},
		{prose.Count(1, "trial"), "1 trial"}, {prose.Count(0, "trial"), "0 trials"}, {ofTrials(1, 2), "1 of 2 trials"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
