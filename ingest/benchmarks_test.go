package ingest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
)

// outline is what a sample is compared by: a call of a tool is its name, with ! if
// it failed, and > for each agent above the one that acted.
func outline(x *trial.Trial) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s#%d %s", x.Scenario, x.Index.Value, x.Outcome)
	if x.Variant != "" {
		fmt.Fprintf(&b, " variant=%s", x.Variant)
	}
	if x.Error != nil {
		fmt.Fprintf(&b, " error=%s/%s", x.Error.Origin, x.Error.Type)
	}
	known := func(name string, known bool, value any) {
		if known {
			fmt.Fprintf(&b, " %s=%v", name, value)
		}
	}
	known("score", x.Score.Known, x.Score.Value)
	known("in", x.InputTokens.Known, x.InputTokens.Value)
	known("out", x.OutputTokens.Known, x.OutputTokens.Value)
	known("cost", x.CostUSD.Known, math.Round(x.CostUSD.Value*1e9)/1e9)
	known("seconds", x.DurationSeconds.Known, math.Round(x.DurationSeconds.Value*1e6)/1e6)
	known("at", x.StartedAt != "", x.StartedAt)
	known("model", x.Model != "", x.Model)
	if x.Steps != nil {
		b.WriteString(":")
	}
	for _, s := range x.Steps {
		name := string(s.Action)
		if s.Action == trial.CallTool {
			name = s.Tool
		}
		if s.Error != "" {
			name += "!"
		}
		b.WriteString(" " + strings.Repeat(">", s.Depth.Value) + name)
	}
	return b.String()
}

// checkOutlines compares the trials of a stream, and the format that was found.
func checkOutlines(t *testing.T, s *Stream, format Format, want ...string) {
	t.Helper()
	var got []string
	for x, err := range s.Trials(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, outline(x))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := s.Notes()[0].Format; got != format {
		t.Errorf("format %v, want %v", got, format)
	}
}

// The expected lines are read in the files with jq.
func TestBenchmarkSamples(t *testing.T) {
	sample(t, "formats", "README.md") // one skip for all
	popularity := []string{
		"popularity/2#2 pass score=1 in=60 out=1 seconds=0.535602 at=2024-11-05T20:04:20.32232Z " +
			"model=Meta-Llama-3-405B-Instruct: respond",
		"popularity/2#1 pass score=1 in=60 out=2 seconds=0.577988 at=2024-11-05T20:04:20.318864Z " +
			"model=Meta-Llama-3-405B-Instruct: respond",
		"popularity/1#1 fail score=0 in=66 out=1 seconds=0.587926 at=2024-11-05T20:04:20.311501Z " +
			"model=Meta-Llama-3-405B-Instruct: respond",
		"popularity/1#2 pass score=1 in=66 out=2 seconds=0.627532 at=2024-11-05T20:04:20.32064Z " +
			"model=Meta-Llama-3-405B-Instruct: respond",
	}
	riddle := "riddle=I speak without a mouth and hear without ears. I have no body, but I come… #0111a861"
	for _, c := range []struct {
		name    string
		format  Format
		variant string
		want    []string
	}{
		{"inspect-deflate.eval", "inspect", "", popularity},
		{"inspect-zstd.eval", "inspect", "", popularity},
		{"inspect-log.json", "inspect", "", []string{
			"browser/1#1 pass score=1 in=15235 out=281 seconds=18.517 at=2025-05-13T00:27:38.46218Z " +
				"model=gpt-4o-mini-2024-07-18: " +
				"reason web_browser_go reason web_browser_click reason web_browser_click reason web_browser_click respond"}},
		{"inspect-log-tool-errors.json", "inspect", "", []string{".../1#4 unjudged model=...:"}},
		{"promptfoo-results.json", "promptfoo", "openai:gpt-5-mini", []string{
			riddle + "#0 fail variant=openai:gpt-5-mini error=/assertion score=0.75 in=37 out=245 cost=0.00049925 " +
				"seconds=5.794 model=openai:gpt-5-mini: respond"}},
		{"promptfoo-results.json", "promptfoo", "openai:gpt-5", []string{
			riddle + "#0 pass variant=openai:gpt-5 score=1 in=37 out=204 cost=0.00208625 seconds=2.197 model=openai:gpt-5: " +
				"respond",
			riddle + "#1 error variant=openai:gpt-5 error=infrastructure/error seconds=0.812 model=openai:gpt-5"}},
		{"pytest-json-report.json", "pytest-json", "", []string{
			"test_create_report.py::test_pass#0 pass seconds=0.000107",
			"test_create_report.py::test_fail_with_fixture#0 fail error=/ seconds=0.00016",
			"test_create_report.py::test_xfail_but_passing#0 pass seconds=9.9e-05",
			"test_create_report.py::test_fail_during_setup#0 error error=infrastructure/setup",
			"test_create_report.py::test_fail_during_teardown#0 error error=infrastructure/teardown seconds=0.000102",
			"test_create_report.py::test_fail_nested#0 fail error=/ seconds=0.000127",
			"test_create_report.py::test_parametrized[1]#0 pass seconds=0.000103",
			"test_create_report.py::test_parametrized[2]#0 fail error=/ seconds=0.000201"}},
		{"ctrf.json", "ctrf", "", []string{
			"test_outputs.py::TestA::test_exists#0 pass seconds=0.0005 at=2026-01-26T02:28:02.83Z",
			"test_outputs.py::TestA::test_count#0 fail error=/ seconds=0.0986 at=2026-01-26T02:28:02.84Z"}},
		{"tau-bench-results.json", "tau-bench", "", []string{
			"0#0 fail score=0: respond respond reason get_user_details reason search_direct_flight respond reason " +
				"search_onestop_flight respond " +
				"reason calculate respond reason book_reservation reason think reason calculate respond reason book_reservation " +
				"respond",
			"0#1 fail score=0: respond respond reason search_direct_flight respond reason search_onestop_flight respond " +
				"reason get_user_details reason book_reservation reason think reason book_reservation respond respond"}},
		{"tau2-results.json", "tau2", "", []string{
			"0#0 pass score=1 in=59931 out=1073 cost=0.02417325 seconds=31.15 at=2026-02-26T09:25:37.848742Z " +
				"model=gemini-3-flash-preview: " +
				"respond respond reason find_user_id_by_name_zip reason get_order_details respond reason get_product_details " +
				"get_product_details " +
				"respond reason exchange_delivered_order_items respond respond"}},
		{"atif-trajectory.json", "atif", "", []string{
			"atif-trajectory#0 unjudged variant=terminus-2 2.0.0 claude-sonnet-4-6 in=1160 out=92 cost=0.00075 seconds=5 " +
				"at=2026-05-16T12:00:00Z " +
				"model=claude-sonnet-4-6: reason bash respond"}},
		{"harbor-trial-result.json", "harbor", "", []string{
			"citation-check#0 pass variant=claude-code us.anthropic.claude-opus-4-5-20251101-v1:0 score=1 seconds=178.21795 " +
				"at=2026-01-26T02:24:45.626283Z model=us.anthropic.claude-opus-4-5-20251101-v1:0"}},
		{"terminal-bench-results.json", "terminal-bench", "", []string{
			"hello-world#1 pass seconds=80.726131 at=2025-07-11T19:11:55.503064Z",
			"play-zork#1 fail error=/agent_timeout seconds=1280.726131 at=2025-07-11T19:11:55.503064Z"}},
		{"swe-agent.traj", "swe-agent", "", []string{
			"swe-agent#0 unjudged in=7141 out=243 cost=0.01952 model=gpt-4o: reason find_file reason open reason edit reason " +
				"bash reason submit"}},
		{"mini-swe-agent.traj.json", "mini-swe-agent", "", []string{
			"mini-swe-agent#0 unjudged in=1860 out=60 cost=0.0061 seconds=2 at=2024-01-23T08:53:20Z model=claude-sonnet-4-5: " +
				"reason bash! reason bash"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Open([]string{sample(t, "formats", c.name)},
				Options{Variant: c.variant, Options: trial.Options{Unjudged: true}})
			checkOutlines(t, s, c.format, c.want...)
		})
	}
}

func TestBenchmarkSampleNotes(t *testing.T) {
	sample(t, "formats", "README.md") // one skip for all
	for name, want := range map[string]string{
		"inspect-log-tool-errors.json": "1 trial (inspect); left out: results without their call (11)",
		"pytest-json-report.json": "8 trials (pytest-json); left out: tests that were expected to fail, and did (1), " +
			"skipped tests (1)",
		"tau2-results.json": "1 trial (tau2)",
		"swe-agent.traj":    "1 trial (swe-agent)",
	} {
		file := sample(t, "formats", name)
		s := Open([]string{file}, Options{Options: trial.Options{Unjudged: true}})
		if _, err := written(s); err != nil {
			t.Error(err)
		}
		checkNotes(t, s, file+": "+want)
	}
}

// What comes of the recordings is counted with jq in the recordings themselves; the
// counts of calls and failures are also those of other readers of the same files.
func TestRecordings(t *testing.T) {
	sample(t, "formats", "README.md") // one skip for all
	type counts struct {
		Trials, Passes, Errors, Answers, Calls, Failed, Tasks int
		Input, Output                                         int64
		Cost                                                  float64
	}
	for _, c := range []struct {
		folder, name string
		format       Format
		want         counts
	}{
		{"tau-bench", "gpt-4o-airline.json.gz", "tau-bench", counts{200, 84, 0, 2454, 1164, 0, 50, 0, 0, 0}},
		{"tau2-retail-runs", "2026-02-21T00_37_20.185158_retail_llm_agent_gpt-4.1-mini_user_simulator_gpt-4.1-mini.jsonl.gz",
			"tau2",
			counts{114, 79, 0, 1552, 916, 70, 114, 7574058, 100053, 1.4727672}},
		{"tau2-retail-runs", "2026-02-21T14_34_07.403605_retail_llm_agent_gpt-4.1-mini_user_simulator_gpt-4.1-mini.jsonl.gz",
			"tau2",
			counts{114, 67, 0, 1609, 929, 87, 114, 7971229, 100223, 1.4741988}},
		{"tau2-retail-runs", "Retail_Base_Gpt-4.1-mini_2026-02-22T13_32_37.jsonl.gz", "tau2",
			counts{114, 66, 0, 1562, 896, 72, 114, 7791848, 103044, 1.5518432}},
		{"tau2-retail-runs", "gemini-3-flash_base_all.jsonl.gz", "tau2",
			counts{114, 89, 4, 1258, 866, 31, 114, 7844831, 117928, 2.6436418}},
		{"tau2-retail-runs", "gemini-3-flash_mermaid_harness_v1_all.jsonl.gz", "tau2",
			counts{114, 88, 1, 3148, 2491, 19, 114, 27730897, 177934, 10.95308165}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Open([]string{sample(t, c.folder, c.name)}, Options{})
			var got counts
			tasks := map[string]bool{}
			for x, err := range s.Trials(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				got.Trials++
				tasks[x.Scenario] = true
				switch x.Outcome {
				case trial.Pass:
					got.Passes++
				case trial.Error:
					got.Errors++
					if x.Error.Origin != trial.InfrastructureOrigin || x.Score.Known {
						t.Errorf("%s: %+v, score %v", x.Scenario, x.Error, x.Score)
					}
				}
				for _, step := range x.Steps {
					if step.Action != trial.CallTool {
						got.Answers++
						continue
					}
					got.Calls++
					if step.Error != "" {
						got.Failed++
					}
				}
				got.Input += x.InputTokens.Value
				got.Output += x.OutputTokens.Value
				got.Cost += x.CostUSD.Value
			}
			got.Tasks, got.Cost = len(tasks), math.Round(got.Cost*1e9)/1e9
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if n := s.Notes()[0]; n.Format != c.format || skippedIn(n) > 0 || len(n.Remarks) > 0 {
				t.Error(n)
			}
		})
	}
}
