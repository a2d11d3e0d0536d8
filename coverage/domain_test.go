package coverage

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

// touchedBy returns the limits that the arguments touch, as "kind value".
func touchedBy(domains map[string]Domain, arguments string) (list []string) {
	p, all := newParameters("t", domains, true)
	p.addCall(trial.Raw(arguments))
	for _, l := range all {
		if l.touched {
			list = append(list, strings.TrimPrefix(l.String(), "t "))
		}
	}
	return list
}

func TestTouches(t *testing.T) {
	whole := Domain{Minimum: trial.Some(1.0), Maximum: trial.Some(500.0), Integer: true}
	real := Domain{Minimum: trial.Some(0.0), Maximum: trial.Some(100.0)}
	for _, c := range []struct {
		name      string
		domain    Domain
		path      string
		arguments string
		want      []string
	}{
		{"on the limit", whole, "n", `{"n": 1}`, []string{"n minimum 1"}},
		{"just inside", whole, "n", `{"n": 2}`, []string{"n minimum 1"}},
		{"just outside", whole, "n", `{"n": 501}`, []string{"n maximum 500"}},
		{"too far", whole, "n", `{"n": 3}`, nil},
		{"the middle", whole, "n", `{"n": 250}`, nil},
		{"another type", whole, "n", `{"n": "1"}`, nil},
		{"another parameter", whole, "n", `{"m": 1}`, nil},
		{"within 1 percent", real, "n", `{"n": 99.0}`, []string{"n maximum 100"}},
		{"beyond 1 percent", real, "n", `{"n": 98.9}`, nil},
		{"one side open", Domain{Maximum: trial.Some(50.0)}, "n", `{"n": 49.5}`, []string{"n maximum 50"}},
		{"zero, one side open", Domain{Minimum: trial.Some(0.0)}, "n", `{"n": 0.001}`, nil},
		{"negative zero", Domain{Minimum: trial.Some(0.0)}, "n", `{"n": -0}`, []string{"n minimum 0"}},
		{"exclusive", Domain{ExclusiveMinimum: trial.Some(0.0), Integer: true}, "n", `{"n": 1}`,
			[]string{"n exclusiveMinimum 0"}},
		{"two values", Domain{Minimum: trial.Some(0.0), Maximum: trial.Some(1.0), Integer: true}, "n", `{"n": 0}`,
			[]string{"n minimum 0"}},
		{"three values", Domain{Minimum: trial.Some(0.0), Maximum: trial.Some(2.0), Integer: true}, "n", `{"n": 1}`, nil},
		{"one value", Domain{Minimum: trial.Some(5.0), Maximum: trial.Some(5.0)}, "n", `{"n": 5}`,
			[]string{"n minimum 5", "n maximum 5"}},
		{"length in characters", Domain{MaxLength: trial.Some(4)}, "s", `{"s": "ééé"}`, []string{"s maxLength 4"}},
		{"too short", Domain{MaxLength: trial.Some(4)}, "s", `{"s": "éé"}`, nil},
		{"empty text", Domain{MinLength: trial.Some(1), MaxLength: trial.Some(9)}, "s", `{"s": ""}`,
			[]string{"s minLength 1"}},
		{"items", Domain{MaxItems: trial.Some(3)}, "l", `{"l": [1, [2], {"a": 3}]}`, []string{"l maxItems 3"}},
		{"empty list", Domain{MinItems: trial.Some(0), MaxItems: trial.Some(9)}, "l", `{"l": []}`, []string{"l minItems 0"}},
		{"enum", Domain{Enum: []trial.Raw{trial.Raw(`"a"`), trial.Raw(`1`), trial.Raw("null")}}, "e", `{"e": 1.0}`,
			[]string{"e enum 1"}},
		{"enum by an escape", Domain{Enum: []trial.Raw{trial.Raw(`"a"`)}}, "e", `{"e": "\u0061"}`, []string{`e enum "a"`}},
		{"enum object", Domain{Enum: []trial.Raw{trial.Raw(`{"a":1,"b":2}`)}}, "e", `{"e": {"b":2, "a":1}}`,
			[]string{`e enum {"a":1,"b":2}`}},
		{"nested", whole, "a.b.c", `{"a": {"x": 1, "b": {"c": 1}}}`, []string{"a.b.c minimum 1"}},
		{"a name with a dot", whole, "a.b", `{"a.b": 1}`, []string{"a.b minimum 1"}},
		{"in a list", whole, "l[].n", `{"l": [{"n": 7}, {"n": 500}]}`, []string{"l[].n maximum 500"}},
		{"a list of them", whole, "l[]", `{"l": [7, 1]}`, []string{"l[] minimum 1"}},
		{"lists of lists", whole, "l[][]", `{"l": [[7, 1]]}`, []string{"l[][] minimum 1"}},
		{"arguments in a text", whole, "n", `"{\"n\": 1}"`, []string{"n minimum 1"}},
		{"no object", whole, "n", `[1]`, nil},
		{"cut off", whole, "n", `"{\"n\": 1, \"m\": "`, []string{"n minimum 1"}},
		{"no JSON", whole, "n", `"n=1"`, nil},
	} {
		if diff := cmp.Diff(c.want, touchedBy(map[string]Domain{c.path: c.domain}, c.arguments)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Whole numbers against the definition, value by value.
func TestTouchesByDefinition(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		low := rapid.IntRange(-5, 5).Draw(t, "low")
		high := low + rapid.IntRange(0, 8).Draw(t, "width")
		x := rapid.IntRange(-10, 18).Draw(t, "x")
		d := Domain{Minimum: trial.Some(float64(low)), Maximum: trial.Some(float64(high)), Integer: true}
		text, _ := json.Marshal(map[string]int{"n": x})
		got := touchedBy(map[string]Domain{"n": d}, string(text))
		near := func(at, other int) bool {
			off, far := int(math.Abs(float64(x-at))), int(math.Abs(float64(x-other)))
			return off == 0 || off == 1 && far > off
		}
		want := 0
		for _, pair := range [][2]int{{low, high}, {high, low}} {
			if near(pair[0], pair[1]) {
				want++
			}
		}
		if len(got) != want {
			t.Fatalf("%d in [%d, %d] touches %q, want %d", x, low, high, got, want)
		}
	})
}

// Arguments are what agents wrote: whatever they are, nothing breaks.
func FuzzArguments(f *testing.F) {
	for _, text := range []string{`{"n":1,"l":[{"n":2}],"s":"x"}`, `"{\"n\":1}"`, `{"n":`, `[[[[`, `{"l":[[1]]}`, "\xff",
		`{"a":"\ud800"}`} {
		f.Add([]byte(text))
	}
	d := Declaration{Boundaries: map[string]map[string]Domain{"t": {
		"n": {Minimum: trial.Some(1.0)}, "l[].n": {Maximum: trial.Some(2.0)}, "l[][]": {MinItems: trial.Some(0)},
		"s": {MaxLength: trial.Some(1)}, "a": {Enum: []trial.Raw{trial.Raw("1")}},
	}}}
	f.Fuzz(func(t *testing.T, arguments []byte) {
		c, err := NewCollector(d)
		if err != nil {
			t.Fatal(err)
		}
		given := string(arguments)
		c.Add(of("s", "m", "t", given))
		if r := c.Measure(); r.Boundaries.Declared != 5 || r.Boundaries.Touched+len(r.Boundaries.Untouched) != 5 {
			t.Errorf("%+v", r.Boundaries)
		}
	})
}
