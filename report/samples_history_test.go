package report

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict/history"
)

// historyPoints are nightly runs with a drop after the 14th, and so many of them.
func historyPoints(nights int) (list []history.Point) {
	start := time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)
	for i := range nights {
		passes := 19 - i%3/2
		if i >= nights*2/3 {
			passes = 12 + i%4
		}
		list = append(list, history.Point{
			From: start.AddDate(0, 0, i), Runs: 1, Commit: fmt.Sprintf("4f0c%036x", i), Branch: "main", Passes: passes,
			Failures: 20 - passes,
			Sum:      &history.Sum{Known: 20, Total: 0.4 + float64(i%5)/100, Squares: 0.01 + float64(i%5)/1000},
		})
	}
	return list
}

// historySample is a history of so many nights, with the scenarios of either side.
func historySample(nights int, o history.Options) *history.Result {
	o.Suite = "shop"
	r, err := history.Judge(context.Background(), historyPoints(nights),
		func(_ context.Context, from, _ int) ([]history.Tally, error) {
			var list []history.Tally
			for i := range 12 {
				passes := 24 - i%2
				if from > 0 && i < 4 {
					passes = 3 * i
				}
				list = append(list, history.Tally{Name: fmt.Sprintf("scenario-%d", i),
					Counts: stats.Counts{Passes: passes, Trials: 24}})
			}
			return list, nil
		}, o)
	if err != nil {
		panic(err) // of options that are wrong
	}
	return r
}

// shortHistory is of few runs, of which little is known.
func shortHistory(o history.Options) *history.Result {
	few := historyPoints(4)
	few[1].Errors, few[2].Passes, few[2].Failures, few[3].From = 2, 0, 0, time.Time{}
	few[3].Commit, few[1].Runs = "", 3
	o.Suite = "shop"
	r, err := history.Judge(context.Background(), few, nil, o)
	if err != nil {
		panic(err)
	}
	return r
}

// historyRenders are the samples as texts; they are judged once.
func historyRenders() map[string]render {
	all := map[string]render{}
	for name, r := range historySamples() {
		all[name] = func(w io.Writer, o Options) error { return Write(w, r, TextFormat, o) }
	}
	return all
}

var historySamples = sync.OnceValue(func() map[string]*history.Result {
	return map[string]*history.Result{
		"history":         historySample(21, history.Options{}),
		"history-cost":    historySample(24, history.Options{Metric: history.Cost}),
		"history-few":     shortHistory(history.Options{Version: "small", Branch: "main", Scenario: "refund-*"}),
		"history-unknown": shortHistory(history.Options{Metric: history.Distance, Baseline: "main"}),
		"history-long":    historySample(200, history.Options{Version: "small"}),
	}
})

// A page of as many points as a history shows has at most 80 kB, and no script.
func TestHistoryPage(t *testing.T) {
	text := written(t, historySamples()["history-long"], HTMLFormat)
	t.Logf("%d bytes", len(text))
	if len(text) > 80_000 {
		t.Error("the page is too large")
	}
	if n := strings.Count(text, `<circle class="dot"`); n != 200 {
		t.Errorf("%d points are drawn", n)
	}
	for _, want := range []string{"4f0c000000 (2026-03-01): 19 of 20 passed (95%)", `class="within"`, `class="threshold"`,
		`default-src 'none'`, "Over time", "scenario-0"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, unwanted := range []string{"<script", "href=\"http"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("%q is there", unwanted)
		}
	}
}

// A history in whose runs no test finds a change, however large, is not said to be without one. Of n points in two
// halves, one order and its reverse are 2 of the ways to divide them: 2/C(7,3) = 0.057, 2/C(8,4) = 0.029,
// 2/C(9,4) = 0.016, 2/C(10,5) = 0.008, 2/C(6,3) = 0.1.
func TestHistoryOfTooFew(t *testing.T) {
	for alpha, want := range map[float64]int{0.05: 8, 0.01: 10, 0.02: 9, 0.1: 6} {
		if got := leastPoints(alpha); got != want {
			t.Errorf("%d points at %g, not %d", got, alpha, want)
		}
	}
	drop := func(runs int) *history.Result {
		points := historyPoints(runs)
		for i := range points {
			points[i].Passes, points[i].Failures = 20, 0
			if i >= runs/2 {
				points[i].Passes, points[i].Failures = 0, 20
			}
		}
		r, err := history.Judge(t.Context(), points, nil, history.Options{Suite: "shop"})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if text := written(t, drop(7), TextFormat); !strings.HasPrefix(text,
		"HISTORY  7 runs are too few to tell whether the pass rate changed: at least 8\n         are needed\n") {
		t.Errorf("%s", text)
	}
	if text := written(t, drop(8), TextFormat); !strings.HasPrefix(text, "HISTORY  pass rate 0% since ") {
		t.Errorf("%s", text)
	}
}

// BenchmarkHistoryPage writes the page of a history of 200 points.
func BenchmarkHistoryPage(b *testing.B) {
	r := historySamples()["history-long"]
	for b.Loop() {
		if err := Write(io.Discard, r, HTMLFormat, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHistoryJudged looks for changes in 200 points, of which one is found.
func BenchmarkHistoryJudged(b *testing.B) {
	points := historyPoints(200)
	for b.Loop() {
		if _, err := history.Judge(b.Context(), points, nil, history.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
