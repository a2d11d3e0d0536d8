package web_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/web"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// judgedRun adds a run of twenty trials, of which so many pass, with the result of a threshold of 80%.
func judgedRun(t *testing.T, s *store.Store, r store.Run, version string, passes int) string {
	t.Helper()
	judged, err := verdict.JudgeThreshold(t.Context(), []verdict.Tally{
		{Scenario: "charge", Passes: passes, Fails: 20 - passes}}, verdict.ThresholdOptions{Threshold: .8})
	if err != nil {
		t.Fatal(err)
	}
	var saved bytes.Buffer
	if err := report.Write(&saved, judged, report.JSONFormat, report.Options{}); err != nil {
		t.Fatal(err)
	}
	r.Verdict, r.Result = judged.Verdict.String(), &store.Result{Name: judged.Schema, Text: saved.Bytes()}
	if r.Kind == "" {
		r.Kind = "run"
	}
	added, err := s.Add(t.Context(), r, each(trialsOf("charge", version, 20, passes)))
	if err != nil {
		t.Fatal(err)
	}
	return added.ID
}

// textOf is the text of a page without its elements and with single blanks.
func textOf(page string) string {
	page = page[strings.Index(page, "<main"):]
	return strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " ")), " ")
}

// The first page begins with the suites that do not pass, since when and why; experiments, and what nobody judged, say
// nothing of it.
func TestFirstPageSaysWhatIsRed(t *testing.T) {
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "runs.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	hour := func(n int) time.Time { return now.Add(time.Duration(n) * time.Hour) }
	// Fails for thirty runs, of which the first is more than a page of its latest runs ago.
	pass := judgedRun(t, s, store.Run{Suite: "support", Started: hour(-100), Commit: strings.Repeat("a", 40)}, "v1", 20)
	first := judgedRun(t, s, store.Run{Suite: "support", Started: hour(-80), Commit: strings.Repeat("b", 40),
		Changed: []string{"prompt.txt is another"}}, "v2", 3)
	judgedRun(t, s, store.Run{Suite: "support", Kind: "mutate", Started: hour(-70)}, "M1", 20)
	last := ""
	for i := range 29 {
		last = judgedRun(t, s, store.Run{Suite: "support", Started: hour(-60 + i)}, "v2", 2+i%2)
	}
	if _, err := s.Add(t.Context(), store.Run{Suite: "support", Kind: "import", Started: hour(-1)},
		each(trialsOf("charge", "v2", 3, 3))); err != nil {
		t.Fatal(err)
	}
	judgedRun(t, s, store.Run{Suite: "open", Started: hour(-2)}, "v1", 16)
	for i := range 125 {
		judgedRun(t, s, store.Run{Suite: "never", Started: hour(-200 + i)}, "v1", 0)
	}
	judgedRun(t, s, store.Run{Suite: "shop", Started: hour(-3)}, "v1", 20)
	address, _ := started(t, web.Options{Store: s})
	_, page := get(t, address+"/")
	text := textOf(page)
	for _, want := range []string{
		"2 of 4 suites fail fail support", "2 of 20 trials passed (10%): below the 80% you require",
		"Since 2026-03-29 04:00 UTC 3 days ago , version v2 , commit bbbbbbbbbbbb : 30 runs in a row without a Pass. " +
			"The last Pass was 2026-03-28 08:00 UTC , version v1 .",
		"Changed since the run before: prompt.txt is another .",
		"UTC 8 days ago or earlier, version v1 : at least 120 runs in a row without a Pass. Latest run",
		"inconclusive open", "1 run without a Pass. No run before it passed.", "Other suites", "pass 2026-04-01 09:00 UTC",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	// Of the list of runs two of one suite are chosen: the newest, and that before it.
	_, list := get(t, address+"/runs")
	if chosen := regexp.MustCompile(`name="baseline" value="([0-9a-f]+)"[^>]* checked`).FindAllStringSubmatch(list,
		-1); len(chosen) != 1 || chosen[0][1] != last {
		t.Errorf("chosen as the baseline: %v, want %s", chosen, last)
	}
	if link := fmt.Sprintf(`href="/compare?baseline=%s&amp;candidate=%s"`, pass, first); !strings.Contains(page, link) {
		t.Errorf("no link leads to what changed: %s", page)
	}
	if at := strings.Index(text, "inconclusive open"); at < strings.Index(text, "fail support") ||
		at > strings.Index(text, "Other suites") {
		t.Errorf("the suites are not in their order: %s", text)
	}
	// Once it passes it is one of the others, and all is well.
	judgedRun(t, s, store.Run{Suite: "support", Started: hour(0)}, "v3", 20)
	judgedRun(t, s, store.Run{Suite: "open", Started: hour(0)}, "v3", 20)
	judgedRun(t, s, store.Run{Suite: "never", Started: hour(0)}, "v3", 20)
	if _, page := get(t, address+"/"); !strings.HasPrefix(textOf(page), "All 4 suites pass Suites suite verdict") {
		t.Errorf("of suites that pass it says %s", textOf(page))
	}
	// What was recorded since has no verdict; the suite keeps that of the latest run that was judged.
	if _, err := s.Add(t.Context(), store.Run{Suite: "shop", Kind: "import", Started: hour(1)},
		each(trialsOf("charge", "v2", 3, 3))); err != nil {
		t.Fatal(err)
	}
	_, page = get(t, address+"/")
	for _, want := range []string{"shop pass 2026-04-01 13:00 UTC", "import not judged 3 of 3"} {
		if text := textOf(page); !strings.Contains(text, want) {
			t.Errorf("after a recording %q is not in %s", want, text)
		}
	}
}

// The page of a run is the report of its result, with what the store knows besides; where reports were, it is found
// too. Of a result that cannot be read, what its trials come to is shown.
func TestRunIsItsReport(t *testing.T) {
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "runs.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	before := judgedRun(t, s, store.Run{Suite: "support", Started: now.Add(-time.Hour)}, "v1", 20)
	run := judgedRun(t, s, store.Run{Suite: "support", Started: now, Build: "#77", Labels: map[string]string{"model": "m1"}},
		"v2", 3)
	broken, err := s.Add(t.Context(), store.Run{Kind: "run", Suite: "support", Started: now.Add(time.Hour), Verdict: "fail",
		Result: &store.Result{Name: "tribunal/none/v1", Text: []byte("{}")}}, each(trialsOf("charge", "v2", 20, 4)))
	if err != nil {
		t.Fatal(err)
	}
	address, _ := started(t, web.Options{Store: s})
	for path, says := range map[string][]string{
		"/runs/" + run: {"tribunal verdict", "3 of 20", `<a href="/runs" aria-current="page">Runs</a>`,
			`<a href="/">Suites</a>`, `href="/compare?baseline=` + before + "&amp;candidate=" + run,
			`href="/traces?outcome=fail&amp;run=` + run, "<dt>build</dt><dd>#77</dd>", "<dt>label model</dt><dd>m1</dd>"},
		"/compare?baseline=" + before + "&candidate=" + run: {">Baseline, 2026-", ">Candidate, 2026-",
			`<a href="/compare" aria-current="page">Compare</a>`},
		"/runs/" + run + "/report": {"tribunal verdict"},
		"/runs/" + broken.ID:       {"The result of this run cannot be shown", "4 of 20 passed (20%)", "Scenarios"},
	} {
		answer, text := get(t, address+path)
		first, at := path[:5], answer.Request.URL.Path
		if answer.StatusCode != 200 || !strings.HasPrefix(at, first) || strings.HasSuffix(at, "report") {
			t.Errorf("%s: %d at %s", path, answer.StatusCode, answer.Request.URL)
		}
		for _, want := range says {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in %s", path, want, text)
			}
		}
	}
}

// A history draws the threshold, and joins no runs that nothing joins: of other versions, of other tests, and after a
// long break. Mutants are no points unless they are asked for.
func TestHistoryJoinsWhatBelongsTogether(t *testing.T) {
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "runs.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	day := func(n int) time.Time { return now.AddDate(0, 0, n) }
	for i, r := range []struct {
		day           int
		task, version string
	}{{-60, "a", "v1"}, {-59, "a", "v1"}, {-58, "a", "v2"}, {-57, "a", "v2"}, {-56, "b", "v2"}, {-55, "b", "v2"}, {-1, "b", "v2"},
		{0, "b", "v2"}} {
		judgedRun(t, s, store.Run{Suite: "support", Task: r.task, Started: day(r.day)}, r.version, 18+i%3)
	}
	judgedRun(t, s, store.Run{Suite: "support", Kind: "mutate", Task: "b", Started: day(-1).Add(time.Hour)}, "M1", 1)
	address, _ := started(t, web.Options{Store: s})
	_, page := get(t, address+"/history?suite=support")
	chart := page[strings.Index(page, `<figure class="series">`):strings.Index(page, "</figure>")]
	line := regexp.MustCompile(`<path class="line walk" d="([^"]*)"`).FindStringSubmatch(chart)
	if line == nil {
		t.Fatal(chart)
	}
	// Two points each of four pieces.
	if joined := regexp.MustCompile(`[0-9. ]+`).ReplaceAllString(line[1], ""); joined != "MLMLMLML" {
		t.Errorf("the line goes %s: %s", joined, line[1])
	}
	if band := regexp.MustCompile(`<path class="within" d="([^"]*)"`).FindStringSubmatch(chart); band == nil ||
		strings.Count(band[1], "M") != 4 {
		t.Errorf("the intervals are joined otherwise: %v", band)
	}
	if n := strings.Count(chart, "<circle"); n != 8 {
		t.Errorf("%d points are drawn", n)
	}
	for _, want := range []string{"<title>threshold 80%</title>", ">50%</text>", ">100%</text>",
		"The dashed line is the threshold, 80%.", `class="dot pass"`} {
		if !strings.Contains(chart, want) {
			t.Errorf("%q is not in %s", want, chart)
		}
	}
	// So does the report of a version, and of its rates alone.
	_, page = get(t, address+"/history/report?suite=support&version=v2")
	if !strings.Contains(page, "<title>threshold 80%</title>") {
		t.Errorf("the report of a history has no threshold: %s", page)
	}
	_, page = get(t, address+"/history/report?suite=support&version=v2&metric=cost")
	if strings.Contains(page, "<title>threshold") {
		t.Errorf("a cost has the threshold of a rate: %s", page)
	}
	_, page = get(t, address+"/history?suite=support&kind=mutate")
	if n := strings.Count(page, "<circle"); n != 1 || !strings.Contains(page, "1 of 20 passed") {
		t.Errorf("where mutants are asked for, there are %d points: %s", n, page)
	}
}

// The page of a trial says why it failed before what happened in it, and writes numbers as people do; lists say why too.
func TestTraceSaysWhy(t *testing.T) {
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "runs.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	failed := trialsOf("charge", "v1", 1, 0)[0]
	failed.CostUSD, failed.DurationSeconds, failed.InputTokens = trial.Some(0.0871), trial.Some(1.714543259),
		trial.Some(int64(12345))
	failed.Extra = []trial.Member{{Name: "judgement", Value: trial.Raw(`{"judge":"x","text":"contains: the output does not ` +
		`contain \"look up\"","results":[{"evaluator":"contains","outcome":"fail","score":0,"text":"the output does not contain ` +
		`\"look up\""},{"evaluator":"rubric","outcome":"pass","score":0.75,"text":"polite"}],"limits":[{"name":"max_turns",` +
		`"max":5,"actual":3,"outcome":"pass"}]}`)}}
	broken := trialsOf("charge", "v1", 2, 0)[1]
	broken.Outcome, broken.Error = trial.Error, &trial.Cause{Origin: "agent", Type: "exit", Message: "model API key missing"}
	added, err := s.Add(t.Context(), store.Run{Kind: "run", Suite: "support", Started: now.Add(-time.Hour)},
		each([]*trial.Trial{failed, broken}))
	if err != nil {
		t.Fatal(err)
	}
	address, _ := started(t, web.Options{Store: s})
	for path, says := range map[string][]string{
		"/0/0": {`fail contains: the output does not contain &#34;look up&#34; Next trial`,
			`Evaluators ✗ fail contains score 0: the output does not contain &#34;look up&#34; ✓ pass rubric score 0.75: polite ` +
				`Limits pass max_turns: 3, within the limit of 5 Input`, "cost $0.0871", "time 1.71 s", "input tokens 12,345"},
		"/0/1": {"error model API key missing Trial before", "Error origin: agent · type: exit Input"},
	} {
		_, page := get(t, address+"/traces/"+added.ID+path)
		for _, want := range says {
			if text := textOf(page); !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in %s", path, want, text)
			}
		}
	}
	_, page := get(t, address+"/traces?suite=support")
	for _, want := range []string{`charge #0 fail contains: the output does not contain &#34;look up&#34; v1`,
		"charge #1 error model API key missing v1"} {
		if text := textOf(page); !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
}
