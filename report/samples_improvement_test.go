package report

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt/keep"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
)

// improvementSample is a loop in which attempts came to every end that there is.
func improvementSample() *improvement.Result {
	cost, input, output := 0.0123, int64(1500), int64(320)
	call := func(attempt int, stage, model string) improvement.Call {
		return improvement.Call{Attempt: attempt, Stage: stage, Route: "mid", Model: model, InputTokens: &input,
			OutputTokens: &output, CostUSD: &cost}
	}
	r, err := improvement.Judge(context.Background(), improvement.Evidence{
		Name: "orders", Tests: []string{"test_parse", "test_total", "test_upload"}, Stop: improvement.Guarded,
		StopText: "git push --force", Seed: 3, Asked: improvement.LoopSettings{By: improvement.ByCount, Attempts: 8},
		Attempts: []improvement.Attempt{
			{Number: 0, State: improvement.Tried, Outcomes: "FFE"},
			{Number: 1, State: improvement.Tried, Outcomes: "PFF", Again: ".FP"},
			{Number: 2, State: improvement.Tried, Outcomes: "FFF"},
			{Number: 3, State: improvement.Unread, Problem: "service.py does not parse: SyntaxError: invalid syntax"},
			{Number: 4, State: improvement.Tampered, Problem: "it changed tests/test_service.py"},
			{Number: 5, State: improvement.Ended, Problem: "guardrail"},
		},
		Calls: []improvement.Call{call(1, "generate", "m-1"), call(1, "review", "small"), call(2, "fix", "m-1"),
			{Attempt: 3, Stage: "fix", Model: "m-1"}},
	})
	if err != nil {
		panic(err) // of what stands above
	}
	return r
}

// improvementByPairs is a session that reverted one challenger and has not decided another.
func improvementByPairs() *improvement.Result {
	spending := keep.Bonferroni
	r, err := improvement.Judge(context.Background(), improvement.Evidence{
		Name: "support", Stop: improvement.AttemptsOut, Seed: 1,
		Asked: improvement.LoopSettings{By: improvement.ByPairs, Alpha: 0.05, Spending: &spending, Question: &keep.Question{},
			Sets: &improvement.Sets{Search: 10, HeldOut: 6, Final: 4, Digest: "sha256:0123"}},
		Attempts: []improvement.Attempt{
			{Number: 1, State: improvement.Tried, Pairs: "bb", MaxPairs: 60},
			{Number: 2, State: improvement.Tried, Pairs: "+m-e", MaxPairs: 60},
		},
	})
	if err != nil {
		panic(err) // of what stands above
	}
	return r
}

func improvementRenders() map[string]render {
	count, pairs := improvementSample(), improvementByPairs()
	return map[string]render{
		"improvement-count": func(w io.Writer, o Options) error { return Write(w, count, TextFormat, o) },
		"improvement-pairs": func(w io.Writer, o Options) error { return Write(w, pairs, TextFormat, o) },
	}
}

// Names of tests, models and files are written by others: they change no terminal, page or log.
func TestImprovementsAreInert(t *testing.T) {
	r := improvementSample()
	const hostile = "<script>alert(1)</script>\x1b]0;x\a\n::error::x"
	r.Name, r.Flaky[0], r.Attempts[3].Problem, r.Spending[0].Model, r.Spending[0].Stage = hostile, hostile, hostile,
		hostile, hostile
	r.Reasons[0].Text, r.Warnings[0].Text = hostile, hostile
	for _, f := range Formats() {
		if f == metricsFormat || f == JSONFormat {
			continue
		}
		var out bytes.Buffer
		if err := Write(&out, r, f, Options{}); err != nil {
			t.Fatal(f, err)
		}
		text := out.String()
		if strings.ContainsAny(text, "\x1b\a") || strings.Contains(text, "\n::error::x") || f == HTMLFormat &&
			strings.Contains(text, "<script>alert(1)") {
			t.Errorf("%v: the text of others is taken for more", f)
		}
	}
}
