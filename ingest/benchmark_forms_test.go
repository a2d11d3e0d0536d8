package ingest

import (
	"testing"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// Dialects and edges of the formats, each as one line about a trial.
func TestBenchmarkForms(t *testing.T) {
	for _, c := range []struct {
		name, text string
		format     Format
		o          Options
		want       string
	}{
		{"rows of promptfoo", `{"testIdx":0,"promptIdx":0,"success":false,"score":0,"provider":{"id":"exec:run.py","label":"mine"},"vars":{"a":"1"},"response":{"error":"boom"}}`,
			"promptfoo", Options{}, "a=1#0 error variant=mine error=infrastructure/error"},
		{"a table of promptfoo", `{"version":2,"table":{"head":{"prompts":[{"provider":"acme:big"}],"vars":["a"]},"body":[{"vars":["1"],"outputs":[{"pass":true,"score":1,"text":"x","latencyMs":500}]}]}}`,
			"promptfoo", Options{}, "a=1#0 pass variant=acme:big score=1 seconds=0.5 model=acme:big: respond"},
		{"a CTRF report in seconds",
			`{"results":{"tool":{"name":"pytest"},"summary":{"start":1772097937.5},"tests":[{"name":"a[trial2]","status":"passed","duration":1.5}]}}`,
			"ctrf", Options{}, "a#2 pass seconds=1.5"},
		{"a CTRF report without times",
			`{"reportFormat":"CTRF","results":{"tests":[{"name":"a","status":"passed","duration":1500}]}}`,
			"ctrf", Options{}, "a#0 pass"},
		{"a simulation of its own",
			`{"id":"s","task_id":"4","termination_reason":"agent_stop","agent_cost":0.5,"reward_info":{"reward":0.0},"trial":3,"messages":[{"role":"assistant","content":"x"}]}`,
			"tau2", Options{}, "4#3 fail score=0 cost=0.5: respond"},
		{"a line of a fork", `{"task_id":"4","run_info":{"termination_reason":"agent_error","agent_cost":null,"duration_sec":0.0,"timestamp":"2026-02-26T09:27:56"},"reward_info":{"reward":0.0},"messages":[]}`,
			"tau2", Options{}, "4#0 error error=infrastructure/agent_error seconds=0 at=2026-02-26T09:27:56Z:"},
		{"a time that no timestamp can hold",
			`{"schema_version":"ATIF-v1.7","agent":{},"steps":[{"source":"agent","message":"x","timestamp":"0000-01-01T00:00:00+23:59"}]}`,
			"atif", unjudged, "f#0 unjudged: respond"},
		{"a reward that is chosen",
			`{"task_name":"a","trial_name":"b","agent_info":{},"verifier_result":{"rewards":{"tests":1,"style":0}}}`,
			"harbor", Options{Scorer: "style"}, "a#0 fail score=0"},
		{"a reward in parts", `{"task_name":"a","trial_name":"b","agent_info":{},"verifier_result":{"rewards":{"reward":0.5}}}`,
			"harbor", Options{Options: trial.Options{PassScore: trial.Some(0.5)}}, "a#0 pass score=0.5"},
		{"a result of its own", `{"trial_name":"b.2-of-2.x","task_id":"b","is_resolved":false,"failure_mode":"unset"}`,
			"terminal-bench", Options{}, "b#2 fail"},
		{"a trajectory that an interface broke",
			`{"trajectory":[{"action":"ls","observation":""}],"info":{"exit_status":"exit_api"}}`,
			"swe-agent", Options{}, "f#0 error error=infrastructure/exit_api: reason ls"},
		{"a run that a provider broke",
			`{"info":{"mini_version":"1.9","exit_status":"RateLimitError"},"messages":[{"role":"user","content":"x"}]}`,
			"mini-swe-agent", Options{}, "f#0 error error=infrastructure/RateLimitError:"},
	} {
		t.Run(c.name, func(t *testing.T) { checkOutlines(t, streamOf(c.text, c.o), c.format, c.want) })
	}
}

func TestBadBenchmarks(t *testing.T) {
	for _, c := range []struct {
		text string
		from Format
		want string
	}{
		{`{"status":"success","eval":{"task":"t"}}`, Auto,
			"f holds no samples; a log that was written without samples (log_samples) says nothing of single trials"},
		{`{"info":{"agent_info":{},"user_info":{}},"simulations":[],"simulation_index":[]}`, Auto,
			"f holds no trials: every record was skipped (1); it lists its simulations, and holds none: they are the files of " +
				"the folder simulations beside it"},
		{`{"created":1,"exitcode":0,"summary":{}}`, Auto,
			"f holds no tests; was it written with --json-report-summary or --json-report-omit? The tests are needed"},
		{`{"reportFormat":"CTRF","results":{}}`, Auto, "f holds no tests; a CTRF report has them in results.tests"},
		{`{"info":{"mini_version":"1"}}`, Auto, "f holds no messages; is it a trajectory of mini-swe-agent?"},
		{"{\"trajectory\":[{\"action\":\"ls\",\n\"observation\":", "swe-agent",
			"f:2:15: the JSON ends inside a value; it seems to be cut off: was the program that wrote it stopped?"},
		{`{"trajectory":[]} {}`, "swe-agent", "f:1:17: more follows after the end of the JSON value"},
	} {
		_, err := written(streamOf(c.text, Options{From: c.from, Options: trial.Options{Unjudged: true}}))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

// A file whose values are of other types than they should be is read all the same:
// what is not understood is not known.
func TestBenchmarksOfOtherTypes(t *testing.T) {
	for text, format := range map[string]Format{
		`{"status":5,"eval":{"task":"t"},"samples":[{"id":{},"epoch":"x","messages":[1,{"role":7}],"scores":[],"events":[0],"output":3,"total_time":-1,"attachments":[]}]}`: "inspect",
		`{"evalId":1,"results":{"results":[{"success":"maybe","provider":[],"vars":7,"response":"x","testCase":[],"prompt":{}}]}}`:                                          "promptfoo",
		`{"created":1,"exitcode":0,"tests":[{"nodeid":"a","outcome":"passed","call":7,"metadata":[],"user_properties":{}}]}`:                                                "pytest-json",
		`{"reportFormat":"CTRF","results":{"tests":[{"name":"a","status":"passed","suite":{},"duration":"x","retryAttempts":7}]}}`:                                          "ctrf",
		`[{"task_id":[],"reward":{},"trial":-1,"info":{"task":{}},"traj":[{"role":"assistant","content":7,"tool_calls":"x"}]}]`:                                             "tau-bench",
		`{"task_id":1,"termination_reason":2,"agent_cost":"x","messages":{"a":1},"start_time":"never"}`:                                                                     "tau2",
		`{"schema_version":"ATIF-v1.7","steps":{"a":1},"agent":[],"final_metrics":7}`:                                                                                       "atif",
		`{"task_name":1,"trial_name":2,"agent_info":[],"verifier_result":[],"exception_info":"x"}`:                                                                          "harbor",
		`{"testCases":[{"name":[],"actualOutput":1,"success":"maybe","metricsData":[7],"toolsCalled":[1],"turns":{},"trace":{"llmSpans":[8]}},7]}`:                          "deepeval",
		`{"task_id":1,"trial_name":2,"is_resolved":"yes","total_input_tokens":-5}`:                                                                                          "terminal-bench",
		`{"trajectory":[{"action":7,"observation":[1],"execution_time":"x"}],"history":7,"info":[]}`:                                                                        "swe-agent",
		`{"trajectory_format":"mini-swe-agent-1","messages":[7,{"role":"assistant","extra":{"actions":[7]}},{"role":"user","extra":[]}]}`:                                   "mini-swe-agent",
	} {
		s := streamOf(text, unjudged)
		if got, err := written(s); err != nil || got == "" || s.Notes()[0].Format != format {
			t.Errorf("%s: %v, %v, %s", text, s.Notes()[0].Format, err, got)
		}
	}
}

// Repeats of a scenario are numbered within each variant.
func TestNumbersOfVariants(t *testing.T) {
	row := func(provider string) string {
		return `{"testIdx":0,"promptIdx":0,"success":true,"provider":{"id":"` + provider + `"},"vars":{"a":"1"}}` + "\n"
	}
	text := row("x") + row("y") + row("x") + row("y")
	for _, variant := range []string{"x", "y"} {
		s := streamOf(text, Options{Variant: variant})
		checkOutlines(t, s, "promptfoo", "a=1#0 pass variant="+variant, "a=1#1 pass variant="+variant)
	}
}

func TestSpoken(t *testing.T) {
	for text, want := range map[string]string{
		`"a"`: "a", `null`: "", `7`: "7", `{"text":"a"}`: "a",
		`[{"type":"text","text":"a"},{"type":"image"},"b",{"text":"c"}]`: "a\nb\nc",
	} {
		n, err := record.DecodeNode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := n.Speech(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// Python writes numbers that JSON does not have; inside a text they are a text.
func TestNumbersThatAreNone(t *testing.T) {
	n, err := record.DecodeNode([]byte(`{"a":NaN,"b":[-Infinity,Infinity,1],"c":"NaN \" NaN","NaN":2}`))
	if err != nil || string(n.Raw()) != `{"NaN":2,"a":null,"b":[null,null,1],"c":"NaN \" NaN"}` {
		t.Errorf("%v, %s", err, n.Raw())
	}
	for _, text := range []string{`{"a":NaNo}`, `NaN NaN`, `{"a":NaN`} {
		if n, err := record.DecodeNode([]byte(text)); err == nil {
			t.Errorf("%s: %s", text, n.Raw())
		}
	}
}
