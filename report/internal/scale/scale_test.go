package scale

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/report/internal/document"
)

// The ends are round and hold everything; what takes more than half of the range is shown on all of it.
func TestOf(t *testing.T) {
	spans := func(ends ...float64) (list []document.Span) {
		for i := 0; i < len(ends); i += 2 {
			list = append(list, document.Span{Low: ends[i], High: ends[i+1]})
		}
		return list
	}
	for _, test := range []struct {
		spans       []document.Span
		least, most float64
		marks       []float64
		want        Scale
	}{
		{spans(0.05, 0.3, 0.7, 0.9), 0, 1, []float64{0.5}, Scale{0, 1}},
		{spans(0.997652, 0.999166), 0, 1, []float64{0.995}, Scale{0.994, 1}},
		{spans(0.86, 0.97), 0, 1, []float64{0.9, 0.8}, Scale{0.8, 1}},
		{spans(-0.1814, -0.0345), -1, 1, []float64{-0.1, 0}, Scale{-0.2, 0}},
		{spans(math.NaN(), 1), 0, 1, nil, Scale{0, 1}},
		{nil, 0, 1, nil, Scale{0, 1}},
	} {
		if got := Of(test.spans, test.least, test.most, test.marks...); got != test.want {
			t.Errorf("%v and %v: %v, want %v", test.spans, test.marks, got, test.want)
		}
	}
}

// Whatever is within the range is between the ends, in its order.
func TestScaleHoldsEverything(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		unit := rapid.Float64Range(0, 1)
		low, high, mark := unit.Draw(t, "low"), unit.Draw(t, "high"), unit.Draw(t, "mark")
		s := Of([]document.Span{{Low: min(low, high), High: max(low, high), Mark: mark}}, 0, 1, mark)
		if !(s.Low <= min(low, high, mark) && max(low, high, mark) <= s.High && s.Low < s.High) {
			t.Fatalf("%v does not hold %v, %v and %v", s, low, high, mark)
		}
		if s.At(min(low, high)) > s.At(max(low, high)) || s.At(s.Low) != 0 || s.At(s.High) != 1 {
			t.Fatalf("%v is not in order", s)
		}
	})
}
