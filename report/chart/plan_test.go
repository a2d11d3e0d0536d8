package chart

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot/plotter"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

func planOf(t testing.TB, o plan.Options) *plan.Plan {
	t.Helper()
	if o.Hypotheses.Threshold == 0 {
		o.Hypotheses = sprt.Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.05, Beta: 0.1}
	}
	p, err := plan.Test(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func drawn(t testing.TB, p *plan.Plan) string {
	t.Helper()
	return documentOf(t, func(w io.Writer) error { return Plan(w, p) })
}

// documentOf returns what is drawn.
func documentOf(t testing.TB, draw func(io.Writer) error) string {
	t.Helper()
	var out bytes.Buffer
	if err := draw(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func samples(t testing.TB) map[string]*plan.Plan {
	b, err := sprt.FromBaseline(stats.Counts{Passes: 196, Trials: 200}, 0.1, 0.05, 0.1, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*plan.Plan{
		"optimal": planOf(t, plan.Options{MaxTrials: 152, Kind: sprt.OptimalKind}),
		"wald":    planOf(t, plan.Options{MaxTrials: 30, Kind: sprt.WaldKind}),
		"groups":  planOf(t, plan.Options{MaxTrials: 60, Kind: sprt.OptimalKind, Group: 10}),
		"history": planOf(t, plan.Options{MaxTrials: 50, Kind: sprt.DensityRatioKind,
			History: stats.Counts{Passes: 100, Trials: 100}}),
		"baseline": planOf(t, plan.Options{Hypotheses: b.Hypotheses, Baseline: &b, Kind: sprt.WaldKind, MaxTrials: 278}),
		"large": planOf(t, plan.Options{
			Hypotheses: sprt.Hypotheses{Threshold: 0.99, Delta: 0.01, Alpha: 0.05, Beta: 0.1}, Kind: sprt.WaldKind,
			MaxTrials: 5000,
		}),
		"small": planOf(t, plan.Options{
			Hypotheses: sprt.Hypotheses{Threshold: 0.9, Delta: 0.85, Alpha: 0.05, Beta: 0.1}, Kind: sprt.OptimalKind,
		}),
	}
}

// The same plan is always the same bytes.
func TestDrawingsAreDeterministic(t *testing.T) {
	for name, p := range samples(t) {
		first := drawn(t, p)
		for range 10 {
			if again := drawn(t, p); again != first {
				t.Fatalf("%s: another drawing of the same plan differs", name)
			}
		}
	}
}

// texts returns the document's texts; it fails the test unless it is well formed.
func texts(t *testing.T, document string) []string {
	t.Helper()
	var list []string
	decoder := xml.NewDecoder(strings.NewReader(document))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			if s := strings.TrimSpace(string(text)); s != "" {
				list = append(list, s)
			}
		}
	}
}

func TestDrawingsSayWhatTheyShow(t *testing.T) {
	for name, p := range samples(t) {
		document := drawn(t, p)
		shown := texts(t, document)
		want := []string{
			"trials", "failures", "true pass rate", "expected trials", "probability", "Expected trials",
			"Operating characteristic",
			"Pass", "Fail", "Inconclusive", "fixed sample", p.Design.Kind, "false Fail, false Pass",
			"mean path at " + rate(p.Threshold), "mean path at " + rate(p.LowerRate()), rate(p.Threshold), rate(p.LowerRate()),
		}
		if p.Wald != nil {
			want = append(want, "Wald, same limit")
		}
		for _, text := range want {
			if !slices.Contains(shown, text) {
				t.Errorf("%s: %q is not among %q", name, text, shown)
			}
		}
		if !strings.Contains(document, "<title>Is the pass rate at least "+rate(p.Threshold)) {
			t.Errorf("%s: no title", name)
		}
		for _, bad := range []string{"NaN", "Inf", "font-family:Liberation"} {
			if strings.Contains(document, bad) {
				t.Errorf("%s: %s in the document", name, bad)
			}
		}
	}
	shown := strings.Join(texts(t, drawn(t, samples(t)["optimal"])), "\n")
	for _, text := range []string{"with Pass after 15 straight passes at the earliest", "go on", "at most 152 trials",
		"Is the pass rate at least 0.9, or only 0.8 or less?"} {
		if !strings.Contains(shown, text) {
			t.Errorf("%q is not in %s", text, shown)
		}
	}
}

// Nothing is drawn beyond the sheet.
func TestDrawingsStayOnTheSheet(t *testing.T) {
	path := regexp.MustCompile(` d="([^"]*)"`)
	number := regexp.MustCompile(`-?[0-9.]+(e[-+][0-9]+)?`)
	for name, p := range samples(t) {
		points := 0
		for _, d := range path.FindAllStringSubmatch(drawn(t, p), -1) {
			if strings.Contains(d[1], "A") {
				continue // an arc has other numbers too
			}
			for i, text := range number.FindAllString(d[1], -1) {
				x, err := strconv.ParseFloat(text, 64)
				if err != nil {
					t.Fatal(err)
				}
				if limit := []float64{width.Points(), height.Points()}[i%2]; x < -0.01 || x > limit+0.01 {
					t.Errorf("%s: %v is not between 0 and %v: %.80s", name, x, limit, d[1])
				}
				points++
			}
		}
		if points < 1000 {
			t.Errorf("%s: only %d numbers", name, points)
		}
	}
}

func TestAreas(t *testing.T) {
	b := design.Boundaries{PassAtOrBelow: []int{-1, 0, 0, 1, -1, 2}, FailAtOrAbove: make([]*int, 6)}
	got := area(b, func(i int) (low, high int, ends bool) { return 0, b.PassAtOrBelow[i], b.PassAtOrBelow[i] >= 0 })
	want := []plotter.XYs{
		{{X: 1.5, Y: -0.5}, {X: 4.5, Y: -0.5}, {X: 4.5, Y: 1.5}, {X: 3.5, Y: 1.5}, {X: 3.5, Y: 0.5}, {X: 1.5, Y: 0.5}},
		{{X: 5.5, Y: -0.5}, {X: 6.5, Y: -0.5}, {X: 6.5, Y: 2.5}, {X: 5.5, Y: 2.5}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// failingWriter fails at the first write, or writes too little.
type failingWriter struct{ err error }

func (f failingWriter) Write(p []byte) (int, error) { return len(p) / 2, f.err }

func TestWriteErrorsAreReturned(t *testing.T) {
	p := planOf(t, plan.Options{MaxTrials: 30, Kind: sprt.WaldKind})
	full := errors.New("disk full")
	if err := Plan(failingWriter{full}, p); !errors.Is(err, full) {
		t.Error(err)
	}
	if err := Plan(failingWriter{}, p); !errors.Is(err, io.ErrShortWrite) {
		t.Error(err)
	}
}

// A plan may come from a file: what cannot be drawn is refused, without a panic.
func TestPlansThatCannotBeDrawn(t *testing.T) {
	if err := Plan(io.Discard, nil); !errors.Is(err, errNothing) {
		t.Error(err)
	}
	if err := Plan(io.Discard, &plan.Plan{}); !errors.Is(err, plan.ErrNoBoundaries) {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*plan.Plan){
		"no boundaries":       func(p *plan.Plan) { p.Design.Boundaries = design.Boundaries{} },
		"a boundary less":     func(p *plan.Plan) { p.Design.Boundaries.FailAtOrAbove = p.Design.Boundaries.FailAtOrAbove[1:] },
		"threshold NaN":       func(p *plan.Plan) { p.Threshold = math.NaN() },
		"delta infinite":      func(p *plan.Plan) { p.Delta = math.Inf(1) },
		"alpha NaN":           func(p *plan.Plan) { p.Design.Alpha = math.NaN() },
		"crossing boundaries": func(p *plan.Plan) { p.Design.Boundaries.PassAtOrBelow[29] = 1 << 30 },
		"below nothing":       func(p *plan.Plan) { p.Design.Boundaries.PassAtOrBelow[3] = -2 },
		"Wald without":        func(p *plan.Plan) { p.Wald = p.WaldUncut },
	} {
		p := planOf(t, plan.Options{MaxTrials: 30, Kind: sprt.WaldKind})
		spoil(p)
		if err := Plan(io.Discard, p); err == nil {
			t.Errorf("%s is drawn", name)
		}
	}
	p := planOf(t, plan.Options{MaxTrials: 30, Kind: sprt.WaldKind})
	p.Design.Kind = `<script>"&`
	if shown := texts(t, drawn(t, p)); !slices.Contains(shown, p.Design.Kind) {
		t.Errorf("%q", shown)
	}
	never := design.Boundaries{PassAtOrBelow: slices.Repeat([]int{-1}, 30), FailAtOrAbove: make([]*int, 30)}
	p.Design.Boundaries = never
	texts(t, drawn(t, p)) // a test that never ends before its limit can be drawn
}
