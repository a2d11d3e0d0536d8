package report

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// coverageOf measures trials of which each is a list of calls, "tool" or "tool n" with
// the number as an argument.
func coverageOf(d coverage.Declaration, trials ...string) *coverage.Result {
	c := must(coverage.NewCollector(d))
	for i, calls := range trials {
		x := &trial.Trial{Scenario: fmt.Sprintf("s%d", i%3), Outcome: trial.Pass, Model: "small", Steps: []trial.Step{}}
		if i%3 == 1 {
			x.Outcome = trial.Fail
		}
		for _, call := range strings.Split(calls, ",") {
			tool, n, _ := strings.Cut(call, " ")
			x.Steps = append(x.Steps, trial.Step{Action: trial.CallTool, Tool: tool, Arguments: trial.Raw(`{"n": ` + n + `}`)})
		}
		c.Add(x)
	}
	return c.Measure()
}

func sampleCoverage() *coverage.Result {
	return coverageOf(coverage.Declaration{
		Tools: []string{"search", "refund", "close", "escalate"}, Models: []string{"small", "large"}, Lambda: 6,
		Boundaries: map[string]map[string]coverage.Domain{
			"refund": {"n": {Minimum: trial.Some(1.0), Maximum: trial.Some(500.0), Integer: true},
				"currency": {Enum: []trial.Raw{trial.Raw(`"EUR"`), trial.Raw(`"USD"`)}}},
			"close": {"reason": {MaxLength: trial.Some(80)}},
		},
		Minimum: trial.Some(0.6), Capabilities: []string{"infer", "switch", "stop"},
		Scenarios: []coverage.Scenario{
			{Name: "s0", Capabilities: []string{"infer"}, Threshold: 0.9}, {Name: "s1",
				Capabilities: []string{"infer", "switch"}, Threshold: 0.9},
		},
	}, "search 1,refund 500", "search 2", "search 3,refund 7", "search 4", "other 5")
}

func coverageSamples() map[string]*coverage.Result {
	weighted := sampleCoverage()
	weighted.Dimensions[0].Weight, weighted.Dimensions[4].Weight = 2, 0
	weighted.Minimum, weighted.Met = ptr(0.25), ptr(true)
	var tools []string
	domains := map[string]map[string]coverage.Domain{}
	for i := range 60 {
		tools = append(tools, fmt.Sprintf("tool-number-%d-with-a-rather-long-name-that-goes-on", i))
		domains[tools[i]] = map[string]coverage.Domain{"parameter": {MinLength: trial.Some(1), MaxLength: trial.Some(80)}}
	}
	return map[string]*coverage.Result{
		"coverage-all":      sampleCoverage(),
		"coverage-weighted": weighted,
		"coverage-nothing":  coverageOf(coverage.Declaration{Tools: []string{"search"}, Minimum: trial.Some(0.5)}),
		"coverage-paths":    coverageOf(coverage.Declaration{}, "a", "a", "b"),
		"coverage-many":     coverageOf(coverage.Declaration{Tools: tools, Boundaries: domains}, "a", "a"),
	}
}

func coverageRenders() map[string]render {
	all := map[string]render{}
	for name, r := range coverageSamples() {
		all[name] = func(w io.Writer, o Options) error { return Write(w, (*verdict.Coverage)(r), TextFormat, o) }
	}
	return all
}

// Worked out by hand: two of four tools; the paths (search, refund), (search) twice each
// and (other) once, that is, two of four later trials took a new path, of which the limit is .9024; the
// states are these three: 1-exp(-3/6); of five boundaries 500 is touched; one of two models.
func TestCoveragePage(t *testing.T) {
	page := func(w io.Writer, o Options) error {
		return Write(w, (*verdict.Coverage)(sampleCoverage()), TextFormat, o)
	}
	checkPage(t, page, 45,
		"COVERAGE 37.5% overall (at least 28.6% at 95% confidence), in 4 of 5 dimensions, from 5 trials",
		"tool 50%", "2 of 4 tools called",
		"path - 9.76%", "not measured: 5 trials are too few",
		"state 39.3%", "3 states, 6 expected",
		"boundary 20%", "1 of 5 boundaries touched",
		"model 50%", "1 of 2 models run",
		"not called close, escalate",
		`not touched refund currency: enum "EUR", "USD"`, "refund n: minimum 1", "close reason: maxLength 80",
		"not run large",
		"3 seen, 1 of them once, 2 twice; at least about 0.3 unseen",
		"capabilities 1 of 3 are covered by a scenario that passes",
		"not covered switch: s1 passed 0 of 2", "stop: no scenario has it",
		`weakest boundary: add a scenario that leads to extreme arguments: refund currency enum "EUR",`,
		"warning called, but not declared: other",
		"Overall coverage, at least 28.6% at 95% confidence, is below the minimum of 60%.",
	)
}

func TestCoverageRoundTrips(t *testing.T) {
	for name, r := range coverageSamples() {
		t.Run(name, func(t *testing.T) { roundTrip(t, r) })
	}
}

// A bar is full for 1 alone and empty for 0 alone, whatever rounding makes of the rest.
func TestCoverageBars(t *testing.T) {
	strokes := newPage(80, Options{ASCII: true}).strokes()
	for _, c := range []struct {
		x    float64
		want string
	}{{0, ".........."}, {1e-9, "#........."}, {0.5, "#####....."}, {0.999, "#########."}, {1, "##########"}} {
		if got := filled(c.x, 10, strokes); got != c.want {
			t.Errorf("%v: %s, want %s", c.x, got, c.want)
		}
	}
	if filled(1, 0, strokes) != "" {
		t.Error("a bar of no width")
	}
}

// Names come from servers and traces, and a result may come from a file.
func TestAnyCoverageIsSafe(t *testing.T) {
	for _, values := range []bool{false, true} {
		thorough.Check(t, func(rt *rapid.T) {
			r := sampleCoverage()
			for i := range r.Boundaries.Untouched {
				r.Boundaries.Untouched[i].Value = []byte(hostile().Draw(rt, "value"))
			}
			keep := r.Boundaries
			r.Boundaries = nil // its bytes are no numbers to scramble
			scramble{t: rt, texts: true, values: values}.walk(reflect.ValueOf(r))
			r.Boundaries = keep
			o := Options{Width: rapid.IntRange(40, 140).Draw(rt, "width"), ASCII: rapid.Bool().Draw(rt, "ascii"),
				Rows: rapid.IntRange(0, 5).Draw(rt, "lines")}
			var out bytes.Buffer
			if err := Write(&out, (*verdict.Coverage)(r), TextFormat, o); err != nil {
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
}
