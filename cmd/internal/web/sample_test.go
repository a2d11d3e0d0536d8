package web_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/web"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict"
)

// now is the time of the servers of tests.
var now = time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)

// hostile are names and texts that would be something else in a page, in a header or on a screen.
var hostile = []string{
	`</title></textarea></script><script>document.title='owned'</script>`, `"><img src=x onerror=alert(1)>`,
	"' onfocus=alert(1) autofocus='", `javascript:alert(1)`, "\x1b[31mred\x07\r\nSet-Cookie: a=b", "\u202egnp.exe\u2066",
	"{{.}}", `\u003cb\u003e`, "data: x\n\nevent: state\ndata: owned", strings.Repeat("W", 300), "a/../../etc/passwd",
	"]]><![CDATA[", "<!-- -->", "%00%0d%0a", "&lt;b&gt;&amp;", "*", "refund-[a",
}

// each hands out trials.
func each(list []*trial.Trial) iter.Seq2[*trial.Trial, error] {
	return func(yield func(*trial.Trial, error) bool) {
		for _, t := range list {
			if !yield(t, nil) {
				return
			}
		}
	}
}

// trialsOf are trials of a scenario, of which so many pass.
func trialsOf(scenario, version string, n, passes int) (list []*trial.Trial) {
	for i := range n {
		t := &trial.Trial{Scenario: scenario, Index: trial.Some(i), Variant: version, Outcome: trial.Fail,
			CostUSD: trial.Some(0.01), DurationSeconds: trial.Some(2.5), InputTokens: trial.Some(int64(900)),
			OutputTokens: trial.Some(int64(80)), Turns: trial.Some(3), ToolCalls: trial.Some(2),
			Input: trial.RawString("cancel order " + fmt.Sprint(i)), Output: trial.RawString("the order cannot be cancelled"),
			Steps: []trial.Step{
				{Action: trial.CallTool, Tool: "find_order",
					Arguments: trial.Raw(`{"order_id":"#W12","with":["items","address","payment","history"]}`),
					Output:    trial.RawString("found"), DurationSeconds: trial.Some(0.4)},
				{Action: trial.CallTool, Tool: "cancel_order", Arguments: trial.Raw(`{"order_id":"#W12"}`),
					Error: "the order was shipped"},
				{Action: trial.Respond, Output: trial.RawString("the order cannot be cancelled")},
			}}
		if i < passes {
			t.Outcome, t.Output = trial.Pass, trial.RawString("it is cancelled")
		}
		list = append(list, t)
	}
	return list
}

// sampleStore is a store with runs of two suites over some weeks, baselines, hostile names, and results.
func sampleStore(t testing.TB, name string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), name, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	add := func(r store.Run, list []*trial.Trial) string {
		t.Helper()
		added, err := s.Add(t.Context(), r, each(list))
		if err != nil {
			t.Fatal(err)
		}
		return added.ID
	}
	var ids []string
	for i := range 35 {
		passes := 18 - i%3
		if i > 25 {
			passes -= 6
		}
		judged, err := verdict.JudgeThreshold(t.Context(), []verdict.Tally{
			{Scenario: "cancel-order", Passes: passes, Fails: 20 - passes}},
			verdict.ThresholdOptions{Threshold: .7})
		if err != nil {
			t.Fatal(err)
		}
		var saved bytes.Buffer
		if err := report.Write(&saved, judged, report.JSONFormat, report.Options{}); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, add(store.Run{Kind: "verdict", Suite: "shop", Commit: fmt.Sprintf("%040x", 1000+i), Branch: "main",
			Build: fmt.Sprint(i), Started: now.AddDate(0, 0, i-36), Verdict: judged.Verdict.String(),
			Result: &store.Result{Name: judged.Schema, Text: saved.Bytes()}, Labels: map[string]string{"model": "small"}},
			append(trialsOf("cancel-order", "v1", 20, passes), trialsOf("refund", "v1", 10, 9)...)))
	}
	list := []*trial.Trial{}
	for i, text := range hostile {
		x := trialsOf(text, text, 1, i%2)[0]
		x.Model, x.Input, x.Output = text, trial.RawString(text), trial.RawString(text)
		x.Tags = []trial.Member{{Name: fmt.Sprint("k", i), Value: trial.RawString(text)}}
		x.Error = &trial.Cause{Origin: "agent", Type: text, Message: text}
		x.Steps = append(x.Steps, trial.Step{Action: trial.CallTool, Tool: text, Arguments: trial.RawString(text),
			Output: trial.RawString(text), Error: text})
		list = append(list, x)
	}
	for i, text := range hostile {
		add(store.Run{Kind: "import", Suite: text, Commit: text, Branch: text, Build: text, Verdict: text, Task: text,
			Agent: text, Changed: []string{text}, Labels: map[string]string{"k": text},
			Started: now.Add(time.Duration(i) * time.Minute)}, list)
	}
	for i, b := range []store.Baseline{
		{Name: "main", Runs: ids[:2], Who: "ada", Reason: "first", At: now.AddDate(0, 0, -40)},
		{Name: "main", Runs: ids[1:4], Who: "ada", At: now.AddDate(0, 0, -30), Policy: store.Policy{MaxAge: 24 * time.Hour}},
		{Name: hostile[0], Runs: ids[:1], Who: hostile[1], Reason: hostile[2], At: now},
	} {
		if _, err := s.SetBaseline(t.Context(), b); err != nil {
			t.Fatal(i, err)
		}
	}
	return s
}

// sampleJournal begins a journal with some trials.
func sampleJournal(t testing.TB, name string) *journal.Writer {
	t.Helper()
	w, err := journal.Create(name, journal.Header{Suite: "sha256:4dd7", Seed: 1, Version: "1.0", Tests: []journal.Test{
		{Name: "refund", Design: "sha256:f07c", Scenarios: []string{"refund"}, Stops: &journal.Stops{Fixed: 20}},
		{Name: hostile[0], Design: "sha256:f07c", Scenarios: []string{"greeting"}},
		{Name: "cancel", Design: "sha256:f07c", Scenarios: []string{"cancel"}},
		{Name: hostile[8], Design: "sha256:f07c", Scenarios: []string{"never"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	for i := range 4 {
		began(t, w, "refund", "refund", i)
		ended(t, w, "refund", i, []trial.Outcome{trial.Pass, trial.Fail, trial.Error, trial.Pass}[i])
	}
	began(t, w, hostile[0], "greeting", 0)
	began(t, w, "cancel", "cancel", 0)
	ended(t, w, "cancel", 0, trial.Fail)
	w.Decide(journal.Decision{Test: "cancel", Design: "sha256:f07c", Outcome: "fail", Trials: 1, Failures: 1})
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
	return w
}

// began notes the launch of a trial.
func began(t testing.TB, w *journal.Writer, test, scenario string, number int) {
	t.Helper()
	w.Launch(journal.Launch{Test: test, Scenario: scenario, Trial: number})
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
}

// ended notes the end of a trial that took ten seconds.
func ended(t testing.TB, w *journal.Writer, scenario string, number int, o trial.Outcome) {
	t.Helper()
	judged := &trial.Trial{Scenario: scenario, Index: trial.Some(number), Outcome: o}
	switch o {
	case trial.Fail:
		judged.Extra = []trial.Member{{Name: "judgement", Value: trial.Raw(`{"text":"contains: no <b>look up</b>"}`)}}
	case trial.Error:
		judged.Error = &trial.Cause{Origin: "agent", Message: "no key"}
	}
	if err := w.End(journal.End{Scenario: scenario, Trial: number, ElapsedSeconds: float64(10 * (number + 1)),
		Spent: journal.Spend{Attempts: 1, CostUSD: 0.25, InputTokens: 100, OutputTokens: 10, Duration: 10 * time.Second}},
		judged); err != nil {
		t.Fatal(err)
	}
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
}

// started serves on loopback until the test ends, and returns the address of the server and what ends it.
func started(t testing.TB, o web.Options) (address string, end func()) {
	t.Helper()
	o.Now = func() time.Time { return now }
	server, err := web.New(o)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, listener) }()
	// A test may end it beside what it does, and its end does in any case.
	end = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(end)
	return "http://" + listener.Addr().String(), end
}

// sampled is a server over the sample store and a journal.
func sampled(t testing.TB) (address string, s *store.Store, w *journal.Writer) {
	t.Helper()
	folder := t.TempDir()
	s = sampleStore(t, filepath.Join(folder, "runs.db"))
	file := filepath.Join(folder, "night.journal.jsonl")
	w = sampleJournal(t, file)
	address, _ = started(t, web.Options{Store: s, Journal: file})
	return address, s, w
}
