package ingest

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// The same run in two files counts once, in each format that names its runs: what is written
// here to the shape of each format, in two files with other bytes (a line feed more) and another name.
var namedRuns = map[Format]string{
	"otlp":          otlpText(`1 - run {"gen_ai.operation.name":"chat"}`),
	"langfuse":      `{"trace":{"id":"1","timestamp":"2026-02-26T09:25:37Z","projectId":"p"},"observations":[{"id":"a","type":"GENERATION","startTime":null}]}`,
	"langsmith":     `{"id":"r1","trace_id":"t1","run_type":"llm","name":"x","inputs":{},"outputs":{}}`,
	"openai-agents": `{"object":"trace","id":"trace_1","workflow_name":"desk","group_id":null,"metadata":{}}`,
	"claude-stream": `{"type":"system","subtype":"init","session_id":"s-1","model":"opus"}` + "\n" +
		`{"type":"assistant","message":{"id":"m-1","content":[]},"parent_tool_use_id":null,"session_id":"s-1"}`,
	"claude-session": `{"type":"user","uuid":"u-1","parentUuid":null,"sessionId":"s-1","isSidechain":false,"message":{"role":"user","content":"hi"}}`,
	"codex": `{"type":"thread.started","thread_id":"th-1"}` + "\n" +
		`{"type":"turn.completed","usage":{"input_tokens":150,"output_tokens":12}}`,
	"codex-session":       `{"timestamp":"2026-02-26T09:25:37Z","type":"session_meta","payload":{"id":"s-1","cwd":"/w"}}`,
	"gemini-session":      `{"sessionId":"g-1","projectHash":"a","startTime":"2026-02-26T09:25:37Z","messages":[]}`,
	"openhands":           `[{"kind":"MessageEvent","id":"0123456789abcdef","source":"user","llm_message":{"role":"user","content":[]}}]`,
	"openai-agents-state": `{"$schemaVersion":"1.0","originalInput":"hi","modelResponses":[{"responseId":"resp_0123456789abcdef","output":[]}],"generatedItems":[]}`,
	"deepeval":            `{"testCases":[{"name":"a","success":true,"metricsData":[],"trace":{"uuid":"0123456789abcdef","toolSpans":[{"uuid":"1","name":"f"}]}}]}`,
	"gemini-cli":          `{"type":"init","timestamp":"2026-02-26T09:25:37Z","session_id":"g-1","model":"auto"}`,
	"bedrock":             `{"trace":{"sessionId":"s","eventTime":"2026-02-26T09:25:37Z","trace":{"orchestrationTrace":{"modelInvocationInput":{"traceId":"x"}}}}}`,
	"inspect":             `{"version":2,"status":"success","eval":{"task":"t","run_id":"r","eval_id":"e"},"samples":[{"id":1,"epoch":1,"uuid":"u","input":"x","scores":{"m":{"value":"C"}}}]}`,
	"promptfoo":           `{"evalId":"eval-1","results":{"version":3,"prompts":[],"results":[{"promptIdx":0,"testIdx":0,"success":true,"score":1,"vars":{}}]}}`,
	"tau2":                `{"id":"sim","task_id":"7","trial":0,"termination_reason":"user_stop","reward_info":{"reward":1.0},"agent_cost":0.02}`,
	"atif":                `{"schema_version":"ATIF-v1.7","session_id":"run-1","agent":{"name":"walker"},"steps":[]}`,
	"harbor":              `{"id":"h","task_name":"hello","trial_name":"hello__a","agent_info":{"name":"w"},"verifier_result":{"rewards":{"reward":1}}}`,
	"terminal-bench":      `{"id":"tb","task_id":"hello","trial_name":"hello.1-of-3.run","is_resolved":true}`,
	"openai":              `{"messages":[{"role":"user","content":"hi"}],"response":{"id":"chatcmpl-123456789abc","object":"chat.completion","model":"m","choices":[{"message":{"role":"assistant","content":"hello"}}]}}`,
	"anthropic":           `{"id":"msg_0123456789abcdef","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"hello"}],"usage":{"input_tokens":1,"output_tokens":1}}`,
	"langchain":           `[{"type":"human","content":"hi"},{"type":"ai","id":"run-0123456789abcdef","content":"hello","tool_calls":[]}]`,
	"crewai":              `{"timestamp":"2026-02-26T09:25:37Z","type":"crew_kickoff_started","event_id":"0123456789abcdef","crew_name":"c"}`,
	"autogen":             `{"messages":[{"id":"0123456789abcdef","source":"user","type":"TextMessage","content":"hi"}],"stop_reason":null}`,
	"adk":                 `{"id":"s","appName":"a","userId":"u","events":[{"invocationId":"e-0123456789abcdef","author":"user","content":{"parts":[{"text":"hi"}]}}]}`,
}

func TestARunInTwoFilesCountsOnce(t *testing.T) {
	for format, text := range namedRuns {
		t.Run(string(format), func(t *testing.T) {
			a, b := file(t, "a.json", text+"\n"), file(t, "b.json", text+"\n\n")
			o := unjudged
			o.From = format
			s := Open([]string{a, b}, o)
			trials := 0
			for _, err := range s.Trials(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				trials++
			}
			if trials != 1 {
				t.Errorf("%d trials", trials)
			}
			o.AllowDuplicates = true
			if all := told(t, Open([]string{a, b}, o)); len(all) != 2 {
				t.Errorf("%d trials where both count", len(all))
			}
		})
	}
}

// What two recordings of one run say differently nobody can decide.
func TestARunThatIsRecordedInTwoWays(t *testing.T) {
	a, b := file(t, "a.json", namedRuns["harbor"]),
		file(t, "b.json", strings.Replace(namedRuns["harbor"], `"reward":1`, `"reward":0`, 1))
	_, err := written(Open([]string{a, b}, Options{}))
	want := fmt.Sprintf("%s:1: the run h is recorded in %s:1, too, and not in the same way; omit one of them, or "+
		"let both count with AllowDuplicates", b, a)
	if e, ok := errors.AsType[*repeatedError](err); !ok || err.Error() != want || e.ExitCode() != 65 || e.Again.File != b {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Two exports that overlap hold one of three spans both: they are one trial, with all of its
// steps, wherever its parts lie.
func TestOverlappingExportsAreOneTrial(t *testing.T) {
	const agent, chat = `{"gen_ai.operation.name":"invoke_agent"}`,
		`{"gen_ai.operation.name":"chat","gen_ai.usage.input_tokens":5,"gen_ai.usage.output_tokens":1}`
	first := file(t, "1.json", otlpText("1 - desk "+agent, "2 1 chat "+chat))
	other := file(t, "2.json", strings.ReplaceAll(otlpText("1 - desk "+agent), `"t"`, `"u"`))
	second := file(t, "3.json.gz", zipped(t, otlpText("1 - desk "+agent, "2 1 chat "+chat, "3 1 chat "+chat)))
	s := Open([]string{first, other, second}, unjudged)
	checkTold(t, s, "desk |  | 0 0 |  | ", "desk | respond(5,1) respond(5,1) | 10 2 |  | ")
	checkNotes(t, s, first+": 0 trials (otlp); left out: traces that a later file names, too (1)",
		other+": 1 trial (otlp)",
		second+": 1 trial (otlp); traces that are joined with what the files before have of them: 1")
	// Ids are written in either case.
	upper := file(t, "4.json", strings.ReplaceAll(otlpText("2 1 chat "+chat), `"t"`, `"0A"`))
	lower := file(t, "5.json", strings.ReplaceAll(otlpText("1 - desk "+agent), `"t"`, `"0a"`))
	checkTold(t, Open([]string{upper, lower}, unjudged), "desk | respond(5,1) | 5 1 |  | ")
}

// The id of a trace may lie across the blocks in which files are looked through.
func TestTraceIDsAcrossBlocks(t *testing.T) {
	one := otlpText(`1 - desk {"gen_ai.operation.name":"chat"}`)
	for _, before := range []int{1<<20 - 20, 1<<20 - 10, 1<<20 - 300, 1 << 20} {
		a := file(t, "a.json", one)
		b := file(t, "b.json", `{"resourceSpans":[],"x":"`+strings.Repeat("x", before)+`"}`+"\n"+one)
		if got := told(t, Open([]string{a, b}, unjudged)); len(got) != 1 {
			t.Errorf("%d: %d trials", before, len(got))
		}
	}
}

// A log without ids that lies in two files under two names is one recording.
func TestFilesOfTheSameBytes(t *testing.T) {
	text := "scenario,outcome\na,pass\nb,fail\n"
	a, b := file(t, "a.csv", text), file(t, "b.csv.gz", zipped(t, text))
	_, err := written(Open([]string{a, b}, Options{}))
	want := fmt.Sprintf("%s holds the same as %s, byte by byte; omit one of them: its trials would count twice, "+
		"unless AllowDuplicates lets them", b, a)
	if _, ok := errors.AsType[*trial.FileError](err); !ok || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := written(Open([]string{a, b}, Options{AllowDuplicates: true})); err != nil {
		t.Error(err)
	}
	if _, err := written(Open([]string{a, file(t, "c.csv", text+"c,pass\n")}, Options{})); err != nil {
		t.Error(err)
	}
	// What is so short may be the same without being a copy.
	for _, short := range []string{"pass\nfail\n", `{"scenario":"a","outcome":"pass"}`} {
		if _, err := written(Open([]string{file(t, "1", short), file(t, "2", short)}, Options{})); err != nil {
			t.Error(err)
		}
	}
}

// terminalBenchRun is a run of one task, tried three times, numbered from 1 as the harness
// names its trials. ids tell the trials of several runs apart.
func terminalBenchRun(run string, resolved ...bool) string {
	var results []string
	for i, r := range resolved {
		results = append(results, fmt.Sprintf(`{"id":"%s-%d","task_id":"hello","trial_name":"hello.%d-of-%d.%s","is_resolved":%v,"failure_mode":"unset"}`, run, i+1, i+1, len(resolved), run, r))
	}
	return `{"id":"` + run + `","results":[` + strings.Join(results, ",") + `],"n_resolved":1}`
}

func TestRunsThatAreNumberedFromOneGoOn(t *testing.T) {
	a, b := file(t, "a.json", terminalBenchRun("a", true, false, true)),
		file(t, "b.json", terminalBenchRun("b", false, true))
	s := Open([]string{a, b}, Options{})
	var numbers []string
	for x, err := range s.Trials(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, fmt.Sprint(x.Index.Value, x.Outcome))
	}
	if got := strings.Join(numbers, ", "); got != "1 pass, 2 fail, 3 pass, 4 fail, 5 pass" {
		t.Error(got)
	}
	checkNotes(t, s, a+": 3 trials (terminal-bench)",
		b+": 2 trials (terminal-bench); numbers that go on from the files before: 2")
	// Numbers that do not meet stay: trials of one run, a file each.
	one := `{"id":"x1","task_id":"hello","trial_name":"hello.1-of-2.x","is_resolved":true}`
	two := strings.NewReplacer("x1", "x2", "1-of", "2-of").Replace(one)
	checkWritten(t, Open([]string{file(t, "2.json", two), file(t, "1.json", one)}, Options{}), `
1 {"scenario":"hello","trial":2,"outcome":"pass","tags":{"trial_name":"hello.2-of-2.x"}}
1 {"scenario":"hello","trial":1,"outcome":"pass","tags":{"trial_name":"hello.1-of-2.x"}}`)
}

// Two files of a format without ids that say the same of a trial of the same number are
// copies, however they are laid out.
func TestACopyWithoutIDsIsNotNumberedOn(t *testing.T) {
	const row = `[{"task_id":0,"reward":1.0,"info":{"task":{"instruction":"x"}},"traj":[{"role":"user","content":"hi"},{"role":"assistant","content":"bye"}],"trial":0}]`
	_, err := written(Open([]string{file(t, "a.json", row), file(t, "b.json", row+"\n")}, Options{}))
	if _, ok := errors.AsType[*trial.DuplicateError](err); !ok {
		t.Error(err)
	}
	other := strings.Replace(row, "bye", "goodbye", 1)
	if _, err := written(Open([]string{file(t, "a.json", row), file(t, "b.json", other)}, Options{})); err != nil {
		t.Error(err)
	}
}

// put writes files into a folder.
func put(t *testing.T, files map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// A folder in which results lie beside what they sum up is read once.
func TestFoldersOfResultsAreReadOnce(t *testing.T) {
	trialOf := func(run string, i int) string {
		whole := terminalBenchRun(run, true, false)
		return strings.Split(strings.TrimSuffix(whole[strings.Index(whole, "[")+1:], `],"n_resolved":1}`), "},{")[i]
	}
	for name, c := range map[string]struct {
		files  map[string]string
		trials int
		parts  int
	}{
		"terminal-bench": {map[string]string{
			"run/results.json":                                terminalBenchRun("r", true, false),
			"run/hello/hello.1-of-2.r/results.json":           trialOf("r", 0) + "}",
			"run/hello/hello.2-of-2.r/results.json":           "{" + trialOf("r", 1),
			"run/hello/hello.2-of-2.r/agent-logs/events.json": namedRuns["claude-stream"],
		}, 2, 1},
		"harbor": {map[string]string{
			"job/result.json":                       `{"id":"j","n_total_trials":1,"stats":{}}`,
			"job/hello__a/result.json":              namedRuns["harbor"],
			"job/hello__a/agent/trajectory.json":    namedRuns["atif"],
			"job/hello__a/agent/sessions/1.jsonl":   namedRuns["claude-session"],
			"job/hello__a/verifier/ctrf.json":       `{"reportFormat":"CTRF","results":{"tool":{"name":"pytest"},"summary":{},"tests":[{"name":"x","status":"passed"}]}}`,
			"elsewhere/another/trajectory.json":     strings.Replace(namedRuns["atif"], "run-1", "run-2", 1),
			"elsewhere/another/agent/messages.json": namedRuns["anthropic"],
		}, 3, 3},
		"inspect": {map[string]string{
			"logs/1_popularity.eval": inspectArchive(t, namedRuns["inspect"]),
			"logs/1_popularity.json": namedRuns["inspect"],
		}, 1, 0},
		"swe-agent": {map[string]string{
			"run/django-1/django-1.traj": `{"trajectory":[{"action":"ls","observation":"x","response":"y"}],"history":[],"info":{"exit_status":"submitted"}}`,
			"run/preds.json":             `{"django-1":{"model_name_or_path":"m","instance_id":"django-1","model_patch":"x"}}`,
			"run/results.json":           `{"total_instances":1,"resolved_instances":1,"resolved_ids":["django-1"],"submitted_ids":["django-1"]}`,
		}, 1, 0},
		"tau2": {map[string]string{
			"run/results.json":       `{"info":{"agent_info":{"llm":"m"},"user_info":{}},"tasks":[],"simulation_index":[{"id":"sim"}]}`,
			"run/simulations/1.json": namedRuns["tau2"],
		}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := ListFolder(t.Context(), put(t, c.files), Auto)
			if err != nil || found.Parts != c.parts {
				t.Fatal(err, found)
			}
			if got := told(t, Open(found.Files, Options{Options: unjudged.Options, AllVariants: true})); len(got) != c.trials {
				t.Errorf("%d trials: %v", len(got), got)
			}
		})
	}
}

// A session that nothing happened in is no trial.
func TestSessionsWithoutEventsAreNoTrials(t *testing.T) {
	s := streamOf(`{"id":"s","appName":"a","userId":"u","state":{},"events":[]}`, unjudged)
	if _, err := written(s); err == nil ||
		err.Error() != "f holds no trials: every record was skipped (1); did anything run?" {
		t.Error(err)
	}
	checkNotes(t, s, "f: 0 trials (adk); left out: sessions without events (1)")
}

// inspectArchive is the log of a sample as the archive that inspect_ai writes by default.
func inspectArchive(t *testing.T, log string) string {
	t.Helper()
	var header map[string]json.RawMessage
	if err := json.Unmarshal([]byte(log), &header); err != nil {
		t.Fatal(err)
	}
	var samples []json.RawMessage
	if err := json.Unmarshal(header["samples"], &samples); err != nil {
		t.Fatal(err)
	}
	delete(header, "samples")
	head, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for name, text := range map[string][]byte{"header.json": head, "samples/1_epoch_1.json": samples[0]} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return archive.String()
}
