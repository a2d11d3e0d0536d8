package trial

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

func TestSeriesText(t *testing.T) {
	none := Optional[float64]{}
	for text, s := range map[string]Series{
		"":                  nil,
		"-":                 {none},
		"5*3 - 0.1 -2":      {Some(5.0), Some(5.0), Some(5.0), none, Some(0.1), Some(-2.0)},
		"-*2 0 -0 1e-300*2": {none, none, Some(0.0), Some(math.Copysign(0, -1)), Some(1e-300), Some(1e-300)},
	} {
		got, err := s.MarshalText()
		if err != nil || string(got) != text {
			t.Errorf("%v is written %q, %v; want %q", s, got, err, text)
		}
		var again Series
		if err := again.UnmarshalText([]byte(text)); err != nil || cmp.Diff(s, again) != "" {
			t.Errorf("%q is read %v, %v", text, again, err)
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := (Series{Some(x)}).MarshalText(); err == nil {
			t.Errorf("%v is written", x)
		}
	}
}

func TestSeriesRefuses(t *testing.T) {
	for _, text := range []string{"x", "1*", "1*1", "1*-2", "1*0", "1*9999999999999999999", "1*1048577",
		"1*1048576 1", "NaN", "Inf", "1e999", "--", "1,2", "*3", "1**2"} {
		var s Series
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, s)
		}
	}
}

// What is written is read again, whatever the numbers are.
func TestSeriesRoundTrip(t *testing.T) {
	number := rapid.Custom(func(t *rapid.T) Optional[float64] {
		if rapid.Bool().Draw(t, "unknown") {
			return Optional[float64]{}
		}
		if rapid.Bool().Draw(t, "small") {
			return Some(float64(rapid.IntRange(0, 2).Draw(t, "count")))
		}
		return Some(rapid.Float64().Filter(func(x float64) bool {
			return !math.IsNaN(x) && !math.IsInf(x, 0)
		}).Draw(t, "value"))
	})
	thorough.Check(t, func(t *rapid.T) {
		s := Series(rapid.SliceOf(number).Draw(t, "series"))
		text, err := s.MarshalText()
		var again Series
		if err != nil || again.UnmarshalText(text) != nil || len(s) != len(again) {
			t.Fatalf("%v: %q, %v", s, text, err)
		}
		for i := range s {
			if !same(s[i], again[i]) {
				t.Fatalf("%q: number %d is %v", text, i, again[i])
			}
		}
	})
}

func TestSeriesNumbers(t *testing.T) {
	s := Series{Some(3.0), {}, Some(2.5), Some(-1.0), Some(9.0)}
	want := []bool{true, false, false, false, false, false}
	for i, ok := range want {
		if n, got := s.Whole(i, 8); got != ok || ok && n != 3 {
			t.Errorf("number %d: %d, %v", i, n, got)
		}
	}
	if s.Anything() == nil || (Series{{}, {}}).Anything() != nil {
		t.Error("a series that knows nothing is kept, or one that knows something is not")
	}
}

func FuzzSeries(f *testing.F) {
	f.Add("5*3 - 0.1 -2")
	f.Fuzz(func(t *testing.T, text string) {
		var s, again Series
		if s.UnmarshalText([]byte(text)) != nil {
			return
		}
		written, err := s.MarshalText()
		if err != nil || again.UnmarshalText(written) != nil || len(again) != len(s) ||
			strings.Contains(string(written), "NaN") {
			t.Errorf("%q: %q, %v", text, written, err)
		}
	})
}
