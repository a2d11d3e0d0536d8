package report

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
)

// scramble replaces parts of a result by what the drawing functions return: a
// report is also made of results that were read from a file.
type scramble struct {
	t      *rapid.T
	texts  bool
	values bool
}

func (s scramble) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		switch {
		case v.IsNil():
		case s.values && v.CanSet() && rapid.IntRange(0, 5).Draw(s.t, "nil") == 0:
			v.SetZero()
		default:
			s.walk(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			s.walk(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			s.walk(v.Index(i))
		}
	case reflect.Map:
		if s.texts && !v.IsNil() {
			key := reflect.ValueOf(hostile().Draw(s.t, "key")).Convert(v.Type().Key())
			value := reflect.Zero(v.Type().Elem())
			if value.CanFloat() {
				value = reflect.ValueOf(0.5).Convert(value.Type())
			}
			v.SetMapIndex(key, value)
		}
	case reflect.String:
		if s.texts {
			v.SetString(hostile().Draw(s.t, "text"))
		}
	case reflect.Float64:
		if s.values {
			v.SetFloat(rapid.SampledFrom([]float64{
				0, 1, -1, 0.5, 1e-300, 1e300, -1e300, 0.99999999, 123456.789, math.NaN(), math.Inf(1), math.Inf(-1),
				math.MaxFloat64,
			}).Draw(s.t, "float"))
		}
	case reflect.Int:
		if s.values {
			v.SetInt(rapid.SampledFrom([]int64{0, 1, -1, 7, 1 << 40, math.MaxInt64, math.MinInt64}).Draw(s.t, "int"))
		}
	case reflect.Uint8:
		if s.values {
			v.SetUint(rapid.Uint64Range(0, 5).Draw(s.t, "enumeration"))
		}
	}
}

// few keeps results small, so that drawing them is quick.
func few[T any](list []T) []T { return list[:min(len(list), 6)] }

func checkPages(t *testing.T, s func(*rapid.T) scramble) {
	thorough.Check(t, func(rt *rapid.T) {
		o := Options{
			Width: rapid.IntRange(40, 140).Draw(rt, "width"),
			ASCII: rapid.Bool().Draw(rt, "ascii"),
			Rows:  rapid.IntRange(0, 5).Draw(rt, "scenarios"),
		}
		threshold := rapid.SampledFrom([]func() *verdict.ThresholdResult{
			sampleInconclusive, samplePass, sampleSuite, sampleErrors, sampleByScenario, sampleAllErrors,
		}).Draw(rt, "threshold")()
		threshold.Scenarios = few(threshold.Scenarios)
		comparison := rapid.SampledFrom([]func() *compare.Result{
			sampleCounts, samplePaired, sampleMetrics, sampleScenarios, sampleUndecided,
		}).Draw(rt, "comparison")()
		comparison.Scenarios = few(comparison.Scenarios)
		s(rt).walk(reflect.ValueOf(threshold))
		s(rt).walk(reflect.ValueOf(comparison))
		var out bytes.Buffer
		if err := Write(&out, threshold, TextFormat, o); err != nil {
			rt.Fatal(err)
		}
		if err := Write(&out, comparison, TextFormat, o); err != nil {
			rt.Fatal(err)
		}
		checkSafe(rt, out.String())
		for _, line := range strings.Split(out.String(), "\n") {
			if table.Width(line) > o.Width {
				rt.Fatalf("%q has %d columns, not %d", line, table.Width(line), o.Width)
			}
		}
	})
}

func TestAnyTextsAreSafe(t *testing.T) {
	checkPages(t, func(rt *rapid.T) scramble { return scramble{t: rt, texts: true} })
}

func TestAnyNumbersAreSafe(t *testing.T) {
	checkPages(t, func(rt *rapid.T) scramble { return scramble{t: rt, texts: true, values: true} })
}
