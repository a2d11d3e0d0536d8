package report

import (
	"bytes"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

func TestPlansRoundTrip(t *testing.T) {
	for name, p := range planSamples() {
		t.Run(name, func(t *testing.T) { roundTrip(t, p) })
	}
	for name, r := range sequentialSamples() {
		t.Run(name, func(t *testing.T) { roundTrip(t, r) })
	}
}

// The page of the manual's example: 0.9 against 0.8 within 152 trials.
func TestPlannedPage(t *testing.T) {
	p := planOf(plan.Options{Hypotheses: usualHypotheses(), MaxTrials: 152, Kind: sprt.OptimalKind, Prior: "stable"})
	page := func(w io.Writer, o Options) error { return Write(w, p, TextFormat, o) }
	checkPage(t, page, 40,
		"PLAN does the system pass at least 90% of its trials, or only 80% or less?",
		"with Pass after 15 straight passes, with Fail after 4 straight failures",
		"109 trials each time, of which 16 may fail",
		"no valid test passes before 11 straight passes or fails before 2 straight failures",
		"none that always decides expects fewer than 54.4 trials at 90% or 53.5 at 80%",
		"without a limit: 3.8996% and 9.6571%", // computed in Python
		"certified in integers",
		"Expect about 15 trials when nothing is broken, at most 152.",
		"is failed by mistake at most 5% of the time",
	)
	compare := func(w io.Writer, o Options) error { return planCompare(w, p, o) }
	checkPage(t, compare, 40, "fixed n", "Wald, cut off", "optimal", "most trials 109 none 152 152",
		"at 100% 109 20.0 20.0 15.0",
		"the optimal design takes 15 trials on average, Wald's test 20, the fixed sample always 109")
}

// Every character of a chart is the region of one exact point: whoever reads the
// axes off it finds the boundaries.
func TestChartsShowTheBoundaries(t *testing.T) {
	for _, trials := range []int{1, 2, 9, 30, 71, 72, 152, 1000} {
		for _, width := range []int{40, 80, 200} {
			b := must(sprt.Wald(usualHypotheses(), trials)).Boundaries
			shown := design.Boundaries{PassAtOrBelow: b.PassAtOrBelow, FailAtOrAbove: make([]*int, trials)}
			for i, fail := range b.FailAtOrAbove {
				if fail != sprt.Never {
					shown.FailAtOrAbove[i] = ptr(fail)
				}
			}
			c := newBoundaryChart(shown, trials)
			g := c.grid(width)
			if len(g.columns) > width || len(g.rows) > chartHeight || g.columns[0] < 1 ||
				g.columns[len(g.columns)-1] != trials || g.rows[len(g.rows)-1] != 0 {
				t.Fatalf("%d trials in %d columns: trials %v, failures %v", trials, width, g.columns, g.rows)
			}
			for _, n := range g.columns {
				for _, f := range g.rows {
					want := goingOn
					if f <= n && f <= b.PassAtOrBelow[n-1] {
						want = passes
					} else if f <= n && f >= b.FailAtOrAbove[n-1] {
						want = fails
					}
					if got := c.at(n, f); got != want {
						t.Fatalf("%d trials, %d failures: region %d, want %d", n, f, got, want)
					}
				}
			}
		}
	}
}

// The path goes through the counted failures: read back from the chart, it is
// within half a row of them.
func TestChartsShowThePath(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		path := []int{0}
		for i := range rapid.IntRange(0, 300).Draw(t, "trials") {
			path = append(path, path[i]+rapid.IntRange(0, 9).Draw(t, "step")/8)
		}
		boundaries := design.Boundaries{PassAtOrBelow: make([]int, 400), FailAtOrAbove: make([]*int, 400)}
		c := newBoundaryChart(boundaries, 400).along(path)
		g := c.grid(rapid.IntRange(30, 200).Draw(t, "width"))
		half := float64(g.rows[0]-g.rows[len(g.rows)-1])/float64(max(len(g.rows)-1, 1))/2 + 1e-9
		for i, row := range g.walk(c.path) {
			switch n := g.columns[i]; {
			case n > len(path) && row >= 0:
				t.Fatalf("a path after its end, at %d of %d trials", n, len(path))
			case n > len(path):
			case row < 0 || math.Abs(float64(g.rows[row]-path[n-1])) > max(half, float64(path[n-1]-g.rows[0])+1e-9):
				t.Fatalf("after %d trials the path is at %d, drawn at row %d of %v", n, path[n-1], row, g.rows)
			}
		}
	})
}

func TestAxisLabelsStandUnderTheirTicks(t *testing.T) {
	p := newPage(80, Options{})
	p.chart(newBoundaryChart(samplePricedPlan().Design.Boundaries, 152))
	at := len(p.lines) - 3
	ticks, labels := []rune(p.lines[at]), p.lines[at+1]
	for _, label := range strings.Fields(labels) {
		from := strings.Index(labels, label)
		under := string(ticks[from : from+len(label)])
		if !strings.Contains(under, "┴") {
			t.Errorf("no tick above %q: %q", label, under)
		}
		if _, err := strconv.Atoi(label); err != nil {
			t.Error(err)
		}
	}
}

func checkSequentialPages(t *testing.T, s func(*rapid.T) scramble) {
	thorough.Check(t, func(rt *rapid.T) {
		o := Options{Width: rapid.IntRange(40, 140).Draw(rt, "width"), ASCII: rapid.Bool().Draw(rt, "ascii")}
		planned := rapid.SampledFrom([]func() *plan.Plan{sampleSmallPlan, sampleGroups, sampleHostilePlan}).Draw(rt, "plan")()
		result := sequentialResult("pfpffpppffff", sequential.Options{})
		result.Design.Boundaries = smallBoundaries()
		s(rt).walk(reflect.ValueOf(planned))
		s(rt).walk(reflect.ValueOf(result))
		var out bytes.Buffer
		for _, write := range []func(io.Writer, *plan.Plan, Options) error{planText, planCompare, planChart} {
			if err := write(&out, planned, o); err != nil {
				rt.Fatal(err)
			}
		}
		if err := Write(&out, result, TextFormat, o); err != nil {
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

// sampleHostilePlan has everything that can be there.
func sampleHostilePlan() *plan.Plan {
	p := sampleGroups()
	p.Baseline = &plan.Baseline{Passes: 196, Trials: 200, Delta: 0.1, Gamma: 0.05, Low: 0.9496, High: 0.9945}
	p.Fixed = &plan.FixedTest{Trials: 15, MaxFailures: 3, Alpha: 0.05, Beta: 0.09}
	money := plan.Spending{USD: ptr(1.8), Seconds: ptr(600.0)}
	p.Price = &plan.Price{PerTrialUSD: ptr(0.12), SecondsPerTrial: ptr(40.0), Worst: money, Fixed: &money}
	for _, point := range p.Design.Points {
		p.Price.Points = append(p.Price.Points, plan.PricePoint{P: point.P, Spending: money})
	}
	return p
}

func TestAnyTextsOfPlansAreSafe(t *testing.T) {
	checkSequentialPages(t, func(rt *rapid.T) scramble { return scramble{t: rt, texts: true} })
}

func TestAnyNumbersOfPlansAreSafe(t *testing.T) {
	checkSequentialPages(t, func(rt *rapid.T) scramble { return scramble{t: rt, texts: true, values: true} })
}

func TestDurations(t *testing.T) {
	for seconds, want := range map[float64]string{
		0: "0 s", 0.5: "0.500 s", 40: "40 s", 89: "89 s", 90: "1.50 min", 600: "10 min", 5399: "90.0 min", 5400: "1.50 h",
		36 * 3600: "1.50 days", 1e9: "11,574 days",
	} {
		if got := figure.Duration(seconds); got != want {
			t.Errorf("%v s: %q, want %q", seconds, got, want)
		}
	}
}
