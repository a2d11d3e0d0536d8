package seams_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// row is a document that a command makes, and what is known of it from how it is made.
type row struct {
	name, kind    string // kind is its schema
	interrupted   string // a command that is ended once the agent gave three answers
	before        []string
	args          string // of the command
	code          int    // its exit code
	stdin         string
	then          func(*testing.T) // nil is nothing
	file          string           // that it writes; "" is what it prints
	gate, compare string           // what they say of it; "" where they refuse it, "other" where it is of another suite
	verdict       string           // "" is none
	want          map[string]any   // figures of the document by their path

	text     string            // of the document
	answered map[string][2]int // by the agent, good and bad
}

// made is the file of the document.
func (r *row) made() string { return "made/" + strings.ReplaceAll(r.name, " ", "-") + ".json" }

// make makes the document.
func (r *row) make(t *testing.T, tried *agent) {
	t.Helper()
	ctx, end := context.WithCancel(context.Background())
	defer end()
	if r.interrupted != "" {
		tried.forget()
		tried.most, tried.end = 3, end
		if got := tribunal(ctx, "", strings.Fields(r.interrupted)...); got.code != 130 {
			t.Errorf("%s: exit code %d: %s", r.interrupted, got.code, got.stderr)
		}
	}
	for _, line := range r.before {
		if got := tribunal(context.Background(), "", strings.Fields(line)...); got.code > 2 {
			t.Fatalf("%s: %s: exit code %d: %s", r.name, line, got.code, got.stderr)
		}
	}
	tried.forget()
	got := tribunal(context.Background(), r.stdin, strings.Fields(r.args)...)
	r.answered, r.text = tried.counts(), got.stdout
	if got.code != r.code {
		t.Errorf("%s: exit code %d, want %d: %s%s", r.name, got.code, r.code, got.stdout, got.stderr)
	}
	if kind, is := strings.CutPrefix(r.name, "stated "); is {
		write(t, r.file, `{"schema": "tribunal/`+kind+`/v1"}`)
	}
	if r.file != "" {
		text, err := os.ReadFile(r.file)
		if err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
		r.text = string(text)
	}
	if r.then != nil {
		r.then(t)
	}
	if lines := strings.Split(strings.TrimSpace(r.text), "\n"); r.kind == "monitor-event" {
		r.text = lines[len(lines)-1]
	}
	write(t, r.made(), r.text)
	var head struct{ Schema, Verdict string }
	if err := json.Unmarshal([]byte(r.text), &head); err != nil || head.Schema != "tribunal/"+r.kind+"/v1" {
		t.Errorf("%s: it is a %q, want %q, %v", r.name, head.Schema, r.kind, err)
	}
}

// rows are all documents, in the order in which they are made.
func rows() []*row {
	return []*row{
		{
			name: "resumed", kind: "run", interrupted: "run --fresh --ledger off", args: "run --resume --ledger off",
			file: ".tribunal/shop.result.json", verdict: "pass", gate: "deploy", compare: "inconclusive",
			want: map[string]any{"scenarios.0.passes": 3, "scenarios.1.passes": 6, "scenarios.1.errors": 1, "spent.lost": 1},
		},
		{
			name: "fresh", kind: "run", args: "run --fresh --ledger off", file: ".tribunal/shop.result.json",
			verdict: "pass", gate: "deploy", compare: "inconclusive",
		},
		{
			name: "failed", kind: "run", args: "run fails.yaml --ledger off", code: 1,
			file: ".tribunal/fails.result.json", verdict: "fail", gate: "other", compare: "fail",
		},
		{
			name: "open", kind: "run", args: "run open.yaml --ledger off", code: 2, file: ".tribunal/open.result.json",
			verdict: "inconclusive", gate: "other", compare: "inconclusive",
		},
		{
			name: "extended", kind: "run", before: []string{"run wald.yaml --ledger off"},
			args: "run wald.yaml --extend 4 --ledger off", code: 2, file: ".tribunal/wald.result.json",
			verdict: "inconclusive", gate: "other", compare: "inconclusive",
			want: map[string]any{"scenarios.0.passes": 6, "scenarios.0.trials": 12, "scenarios.1.passes": 6, "scenarios.1.trials": 12},
		},
		{
			name: "recorded run", kind: "run",
			args: "run --record 6 --fresh --ledger off -o base.json --journal base.jsonl", file: "base.json",
			gate: "review", compare: "pass", want: map[string]any{"recorded": true, "spent.trials": 12, "exit_code": 0},
		},
		{
			name: "merged", kind: "run", before: []string{"run --shard 1/2 --fresh", "run --shard 2/2 --fresh"},
			args: "run merge --fresh --ledger off -o merged.json", file: "merged.json", verdict: "pass", gate: "deploy",
			compare: "inconclusive",
			want:    map[string]any{"scenarios.0.passes": 3, "scenarios.1.passes": 3, "stopped_by": "decision"},
		},
		{
			name: "conform", kind: "run", args: "run conformance --fresh --ledger off corpus -o conform.json",
			file: "conform.json", verdict: "pass", gate: "other", compare: "other",
			want: map[string]any{"suite": "corpus", "scenarios.0.name": "conformance/first"},
		},
		{
			name: "repeat", kind: "run", args: "repeat --fresh --stdout --name cat -o repeat.json -- cat main.jsonl",
			code: 1, file: "repeat.json", verdict: "fail", gate: "other", compare: "fail",
			want: map[string]any{"scenarios.0.name": "a", "scenarios.0.passes": 0, "scenarios.1.fails": 3},
		},
		{
			name: "decide", kind: "run", args: "verdict decide --threshold 0.5 --delta 0.4 -o decide.json",
			stdin: strings.Repeat("{\"outcome\":\"pass\"}\n", 30), file: "decide.json", verdict: "pass", gate: "other",
			compare: "inconclusive", want: map[string]any{"scenarios.0.passes": 2, "scenarios.0.name": "all"},
		},
		{
			name: "gated", kind: "gate", args: "gate --fresh --ledger off --json", verdict: "pass", gate: "deploy",
			compare: "inconclusive", want: map[string]any{"decision": "deploy", "run.spent.trials": 6},
		},
		{
			name: "gate of a recording", kind: "gate", args: "gate plain.yaml --results long.jsonl --json", code: 0,
			verdict: "pass", gate: "other", compare: "other",
			want: map[string]any{"decision": "deploy", "run.spent.trials": 240, "run.spent.cost_usd": 2.64},
		},
		{
			name: "verdict", kind: "verdict", args: "verdict main.jsonl --threshold 0.8 --ledger off --json",
			verdict: "pass", gate: "review",
			want: map[string]any{"suite.passes": 72, "suite.trials": 80, "scenarios.1.passes": 36},
		},
		{
			name: "verdict below", kind: "verdict", args: "verdict worse.jsonl --threshold 0.8 --ledger off --json",
			code: 1, verdict: "fail", gate: "block", want: map[string]any{"suite.passes": 24, "suite.trials": 80},
		},
		{
			name: "judge label key", kind: "label-key", before: []string{"judge tribunal.yaml strange.jsonl -o judged.jsonl"},
			args: "judge label judged.jsonl --n 12 -o sheet.csv", file: "sheet.key.json", then: labelled,
			want: map[string]any{"judged": 80, "left_out": 1},
		},
		{
			name: "judge check", kind: "judge-check", args: "judge check sheet.csv --json",
			want: map[string]any{"judged": 80, "passed": 72, "labels.pass_fail": 0, "labels.fail_pass": 0, "kappa": 1},
		},
		{
			name: "verdict of labels", kind: "verdict",
			args: "verdict judged.jsonl --threshold 0.3 --labels sheet.csv --ledger off --json", verdict: "pass",
			gate: "review", want: map[string]any{"suite.passes": 72},
		},
		{
			name: "verdict at any time", kind: "verdict",
			args: "verdict long.jsonl --threshold 0.6 --anytime --ledger off --json", verdict: "pass", gate: "review",
			want: map[string]any{"suite.passes": 216, "suite.trials": 240, "anytime": true},
		},
		{
			name: "verdict of scores", kind: "verdict-score",
			args: "verdict scored.jsonl --threshold 0.6 --score --json", verdict: "pass", gate: "review",
			want: map[string]any{"trials": 80, "mean": 0.875},
		},
		{
			name: "compare", kind: "compare", args: "compare main.jsonl worse.jsonl --ledger off --json", code: 1,
			verdict: "fail", gate: "block",
			want: map[string]any{"baseline.passes": 72, "candidate.passes": 24, "difference.value": -0.6},
		},
		{
			name: "compare unchanged", kind: "compare", args: "compare main.jsonl better.jsonl --ledger off --json",
			verdict: "pass", gate: "review",
			want: map[string]any{"baseline.passes": 72, "candidate.passes": 80, "difference.value": 0.1},
		},
		{
			name: "compare runs", kind: "compare-runs",
			args: "compare made/fresh.json made/failed.json --ledger off --json", code: 1, verdict: "fail", gate: "block",
			want: map[string]any{"scenarios.1.difference": -1, "scenarios.0.difference": 0},
		},
		{
			name: "compare anytime", kind: "compare-anytime",
			args: "compare main.jsonl worse.jsonl --anytime --ledger off --json", code: 1, verdict: "fail",
			want: map[string]any{"scenarios.0.both_pass": 12, "scenarios.0.broke": 24, "scenarios.0.both_fail": 4},
		},
		{
			name: "compare proxy", kind: "compare-proxy",
			args: "compare main.jsonl worse.jsonl --proxy main.jsonl,worse.jsonl --json", code: 1, verdict: "fail",
			want: map[string]any{"baseline.both_pass": 72, "candidate.both_fail": 56, "result.difference": -0.6, "gain": 1},
		},
		{
			name: "behaviour", kind: "behaviour", args: "compare main.jsonl worse.jsonl --behaviour-only --json",
			code: 1, verdict: "fail", want: map[string]any{"behaviour.baseline_trials": 80, "behaviour.changed": true},
		},
		{
			name: "sequential", kind: "sequential",
			args: "verdict main.jsonl --threshold 0.8 --delta 0.4 --sequential --ledger off --json", verdict: "pass",
			gate: "review", want: map[string]any{"recorded": 80, "passes": 7, "trials": 9},
		},
		{name: "plan", kind: "plan", args: "plan --threshold 0.8 --delta 0.4 --json"},
		{name: "plan against", kind: "plan-baseline", args: "plan --delta 0.4 --baseline 57/60 --json"},
		{
			name: "plan sizes", kind: "plan-sizes", args: "plan --delta 0.4 --sides 0.9 --json",
			want: map[string]any{"rate": 0.9, "delta": 0.4},
		},
		{
			name: "plan behaviour", kind: "plan-behaviour",
			args: "plan --behaviour main.jsonl --distance 3 --power 0.5 --behaviour-test hotelling-t2 --json",
		},
		{
			name: "plan proxy", kind: "plan-proxy",
			args: "plan --proxy main.jsonl,worse.jsonl --price 9 --proxy-price 1 --json",
			want: map[string]any{"pairs": 80, "sample.target_only": 48},
		},
		{name: "pipeline", kind: "pipeline", args: "plan tribunal.yaml --pipeline --json"},
		{name: "check", kind: "check", args: "check --json", want: map[string]any{"suite": "shop", "scenarios": 2}},
		{name: "offline", kind: "offline", args: "check tribunal.yaml --offline main.jsonl --json"},
		{
			name: "forecast", kind: "forecast", args: "plan month main.jsonl --runs-per-day 5 --json",
			want: map[string]any{"trials": 80, "passes": 72, "runs_per_month": 152.1875},
		},
		{
			name: "contract", kind: "contract", args: "check contract contract.yaml main.jsonl --json", verdict: "pass",
			want: map[string]any{"trials.trials": 80, "trials.kept": 80},
		},
		{
			name: "coverage", kind: "coverage", args: "check coverage main.jsonl --json",
			want: map[string]any{"trials": 80, "tools.called": 2},
		},
		{
			name: "fingerprint", kind: "fingerprint", args: "compare fingerprint main.jsonl --json",
			want: map[string]any{"sides.0.trials": 80},
		},
		{
			name: "nearest", kind: "nearest",
			args: "compare fingerprint main.jsonl worse.jsonl main.jsonl --nearest --json",
			want: map[string]any{"nearest": 1, "versions.1.distance": 0, "changed": false},
		},
		{
			name: "mutation", kind: "mutation",
			args:    "run mutants mutate.yaml --operators prompt.drop --fresh --record 40 --kill-delta 0.5 --json",
			verdict: "pass", want: map[string]any{"score.mutants": 2, "score.killed": 0},
		},
		{
			name: "mutants", kind: "mutants", args: "run mutants mutate.yaml --operators prompt.drop --list --json",
			want: map[string]any{"suite": "mutate"},
		},
		{
			name: "checks", kind: "mutation-checks",
			args: "run mutants tribunal.yaml --recorded main.jsonl --json", verdict: "pass",
			want: map[string]any{"trials": 80, "changes": 2, "noticed": 2, "score": 1},
		},
		{
			name: "relations", kind: "relations", args: "run relations --fresh --json", verdict: "pass",
			want: map[string]any{"pairs": 20, "suite": "shop"},
		},
		{
			name: "race", kind: "race", args: "improve race race.yaml --delta 0.4 --fresh --ledger off --json", code: 1,
			verdict: "fail", want: map[string]any{"chosen": "agent", "arms.0.passes": 2, "arms.1.passes": 0},
		},
		{
			name: "improve race plan", kind: "race-plan", args: "improve race race.yaml --delta 0.4 --plan --json",
			want: map[string]any{"arms": 2},
		},
		{
			name: "ratchet", kind: "ratchet", before: []string{"improve ratchet init ratchet.yaml"},
			args: "improve ratchet try --suite ratchet.yaml --challenger never --json", code: 1, verdict: "fail",
			want: map[string]any{"champion": 0, "averted": 1, "attempts.0.pairs": "bbb"},
		},
		{name: "improve ratchet promise", kind: "ratchet-promise", args: "improve ratchet init ratchet.yaml --fresh --json"},
		{
			name: "rank", kind: "rank", args: "compare rank base.json made/fresh.json --json",
			want: map[string]any{"results.0.trials": 12, "results.1.trials": 6},
		},
		{
			name: "history", kind: "history",
			before: []string{"import main.jsonl --store runs.db --suite kept --at 2026-01-01", "import long.jsonl --store runs.db --suite kept --at 2026-01-02"},
			args:   "store history kept --store runs.db --json",
			want:   map[string]any{"runs": 2, "points.0.passes": 72, "points.1.passes": 216},
		},
		{
			name: "store", kind: "store", args: "store info --store runs.db --json",
			want: map[string]any{"runs": 2, "trials": 320},
		},
		{
			name: "baselines", kind: "baselines", before: []string{"store baseline record main --trials 3 --store runs.db"},
			args: "store baseline list --store runs.db --json", want: map[string]any{"baselines.0.name": "main"},
		},
		{
			name: "baseline", kind: "baseline", args: "store baseline show main --store runs.db --json",
			want: map[string]any{"runs.0.trials": 6, "rates.0.passes": 3},
		},
		{name: "try", kind: "try", args: "try --json", want: map[string]any{"outcome": "pass", "scenario": "a"}},
		{
			name: "run failed", kind: "run-failed", args: "run fails.yaml --failed --json", code: 1,
			want: map[string]any{"failed_again": 3, "passed_now": 0},
		},
		{
			name: "suggest", kind: "suggest", args: "check suggest tribunal.yaml main.jsonl --json",
			want: map[string]any{"trials": 80},
		},
		{name: "limits", kind: "limits", args: "plan limits main.jsonl --share 0.5 --json"},
		{name: "prices", kind: "prices", args: "plan prices list --json"},
		{
			name: "plan prices check", kind: "prices-check", args: "plan prices check main.jsonl --json",
			want: map[string]any{"trials": 80},
		},
		{name: "evaluators", kind: "evaluators", args: "check evaluators --list --json"},
		{
			name: "monitor event", kind: "monitor-event",
			args: "monitor worse.jsonl --baseline 72/80 --state state.json --json", code: 1,
			want: map[string]any{"exit_code": 1, "streams.0.trials": 40},
		},
		{
			name: "monitor state", kind: "monitor-state",
			args: "monitor main.jsonl --baseline 72/80 --state state2.json", file: "state2.json",
			want: map[string]any{"monitor.streams.0.trials": 40},
		},
		stated("gap"), stated("bench-calibration"), stated("bench-faults"), stated("bench-growth"), stated("bench-paper"),
		stated("bench-savings"),
	}
}

// stated is a document of which readers see the schema alone: what makes it takes long, or hands it to another program.
func stated(kind string) *row {
	return &row{name: "stated " + kind, kind: kind, args: "version", file: "stated/" + kind + ".json"}
}

// labelled writes into the sheet what the answers were: the judge is right of each.
func labelled(t *testing.T) {
	sheet, err := os.ReadFile("sheet.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(sheet), "\n")
	for i, line := range lines {
		if i > 0 && strings.HasSuffix(line, ",,") {
			label := "fail"
			if strings.Contains(line, "good ") {
				label = "pass"
			}
			lines[i] = strings.TrimSuffix(line, ",") + label + ","
		}
	}
	write(t, "sheet.csv", strings.Join(lines, "\n"))
}
