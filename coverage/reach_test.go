package coverage

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

// What is said to reach a boundary touches it by the rules that calls of an agent are measured with, whatever the
// domain and the recorded argument are.
func TestReachedIsTouched(t *testing.T) {
	recordings := []trial.Raw{
		nil, trial.Raw(`"abc"`), trial.Raw(`""`), trial.Raw("12.5"), trial.Raw("[1,2]"), trial.Raw("[]"),
		trial.Raw(`{"a":1}`),
		trial.Raw("null"), trial.Raw(`"äö"`),
	}
	optional := func(t *rapid.T, name string, x float64) trial.Optional[float64] {
		return trial.Optional[float64]{Value: x, Known: rapid.Bool().Draw(t, name)}
	}
	thorough.Check(t, func(t *rapid.T) {
		low := float64(rapid.IntRange(-1000, 1000).Draw(t, "low"))
		high := low + float64(rapid.IntRange(3, 1000).Draw(t, "width"))
		short := rapid.IntRange(0, 20).Draw(t, "short")
		long := short + rapid.IntRange(3, 50).Draw(t, "more")
		types := []string{"integer", "number", "string", "array", "object"}
		for i, d := range []Domain{
			{Minimum: optional(t, "minimum", low), Maximum: optional(t, "maximum", high),
				Integer: rapid.Bool().Draw(t, "whole")},
			{ExclusiveMinimum: optional(t, "above", low), ExclusiveMaximum: optional(t, "below", high),
				Integer: rapid.Bool().Draw(t, "whole")},
			{MinLength: trial.Some(short), MaxLength: trial.Some(long)},
			{MinItems: trial.Some(short), MaxItems: trial.Some(long)},
			{Enum: []trial.Raw{trial.Raw("1.0"), trial.Raw(`"x"`), trial.Raw("null"), trial.Raw(`{"b":1,"a":2}`)}},
			{Types: rapid.SliceOfN(rapid.SampledFrom(types), 1, 3).Draw(t, "types")},
		} {
			for _, l := range append(d.limits("t", "p"), d.extremes("t", "p")...) {
				recorded := rapid.SampledFrom(recordings).Draw(t, "recorded")
				argument, ok := l.Reach(d, recorded)
				if !ok || !l.touchedBy([]byte(argument)) {
					t.Fatalf("domain %d: %s is not touched by %s (%v), from %s", i, l.Boundary, argument, ok, recorded)
				}
			}
		}
	})
}

// A value of a limit that is exclusive stays inside, so that a tool takes it.
func TestReachStaysInside(t *testing.T) {
	d := Domain{ExclusiveMinimum: trial.Some(0.0), ExclusiveMaximum: trial.Some(0.5)}
	for _, l := range d.limits("t", "p") {
		argument, ok := l.Reach(d, nil)
		if x, err := strconv.ParseFloat(string(argument), 64); err != nil || !ok || x <= 0 || x >= 0.5 {
			t.Errorf("%s: %s", l.Boundary, argument)
		}
	}
}

// Of recorded arguments the nearest one is moved: its distance is what it lacks.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		kind            BoundaryKind
		value, recorded string
		want            float64
	}{
		{maximumBoundary, "500", "420", 80},
		{maximumBoundary, "500", `"420"`, math.Inf(1)},
		{maximumBoundary, "500", "", math.Inf(1)},
		{maxLengthBoundary, "80", `"äöü"`, 77},
		{emptyString, "", `"abc"`, 3},
		{minItemsBoundary, "1", "[1,2,3]", 2},
		{emptyArray, "", "[4]", 1},
		{negativeNumber, "", "7", 7},
		{EnumBoundary, `"EUR"`, `"USD"`, 1},
	} {
		b := Boundary{Tool: "t", Parameter: "p", Kind: c.kind}
		if c.value != "" {
			b.Value = []byte(c.value)
		}
		if got := b.Distance(trial.Raw(c.recorded)); got != c.want {
			t.Errorf("%s from %s: %v, want %v", b, c.recorded, got, c.want)
		}
	}
}
