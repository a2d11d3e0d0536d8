//go:build unix

package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// scripted returns a suite whose agent is a script of the shell. Its $1 is the name
// of the attempt, which ends in the attempt's number.
func scripted(t testing.TB, script, agent, rest string) *suite.Suite {
	t.Helper()
	return parse(t, fmt.Sprintf(`
version: 1
name: scripted
agent:
  command: [sh, -c, %q, sh, "{id}"]
  env: {ID: "of {id}", HIDDEN: unseen}
  retries: {infrastructure: 2, backoff: 0s}
  grace: 100ms
  %s
test: {threshold: 0.8, delta: 0.4, alpha: 0.1, beta: 0.1}
scenarios:
  - name: one
    trials: 9
    %s
`, script, agent, strings.ReplaceAll(rest, "\n", "\n    ")))
}

// tried runs so many trials of a suite with a journal, and returns them and its text.
func tried(t testing.TB, s *suite.Suite, trials int) ([]Record, string) {
	t.Helper()
	o := prepared(t, s)
	o.Budget.MaxTrials, o.Journal = trials, filepath.Join(t.TempDir(), "journal")
	r, err := Run(context.Background(), o)
	if err != nil && !errors.Is(err, ErrAllErrors) {
		t.Fatal(err)
	}
	text, err := os.ReadFile(o.Journal)
	if err != nil {
		t.Fatal(err)
	}
	history, err := journal.Read(o.Journal)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(r.Trials, func(a, b Record) int { return a.Number - b.Number })
	for i, record := range history.Records("one", "one") {
		a, errA := trial.Append(nil, r.Trials[i].Trial)
		b, errB := trial.Append(nil, record)
		if diff := cmp.Diff(string(a), string(b)); diff != "" || errA != nil || errB != nil {
			t.Errorf("trial %d is another one in the journal: %s", i, diff)
		}
		r.Trials[i].Trial = record // what a later session would have
	}
	return r.Trials, string(text)
}

const (
	brokenOff = `{"outcome":"error","error":{"origin":"infrastructure","type":"net","message":"no network"},"cost_usd":0.3,"steps":[{"action":"respond"}]}`
	went      = `{"outcome":"pass","output":"billing","cost_usd":0.3,"steps":[{"action":"respond"}]}`
)

func TestJudging(t *testing.T) {
	const contains, none = "limits: none\nevaluate: [contains: billing]", "limits: none"
	second := fmt.Sprintf(`case $1 in *-0) echo '%s';; *) echo '%s';; esac`, brokenOff, went)
	for _, c := range []struct {
		name, script, agent, scenario string
		outcome                       trial.Outcome
		attempts                      int
		text                          string // of the judgement, or of the error where nothing was judged
		errorType                     string
	}{
		// Evaluators decide; the outcome of its own counts where there are none.
		{"evaluators pass", `echo '{"outcome":"fail","output":"billing"}'`, "output: trial", contains, trial.Pass, 1, "", ""},
		{"evaluators fail", `echo '{"outcome":"pass","output":"sales"}'`, "output: trial", contains, trial.Fail, 1,
			"contains: ", ""},
		{"own pass", `echo '{"outcome":"pass"}'`, "output: trial", none, trial.Pass, 1, "", ""},
		{"own fail", `echo '{"outcome":"fail"}'`, "output: trial", none, trial.Fail, 1, "reported as failed", ""},
		{"own error", `echo '{"outcome":"error","error":{"type":"odd","message":"lost"}}'`, "output: trial", contains,
			trial.Error, 1, "lost", "odd"},
		{"own error of infrastructure", `echo '` + brokenOff + `'`, "output: trial", contains, trial.Error, 1, "no network",
			"agent"},
		// The exit code fails where there are neither.
		{"exit code", "echo billing; exit 3", "output: text", none, trial.Fail, 1, "exit code 3", "exit"},
		{"exit code and evaluators", "echo billing; exit 3", "output: text", contains, trial.Pass, 1, "", "exit"},
		{"exit code asked for", "exit 3", "output: text", "limits: none\nevaluate: [exit-code: [0, 3]]", trial.Pass, 1, "",
			"exit"},
		{"other exit code", "exit 4", "output: text", "limits: none\nevaluate: [exit-code: [0, 3]]", trial.Fail, 1,
			"exit-code: ", "exit"},
		{"nothing to go by", "echo billing", "output: text", none, trial.Error, 1, "brings no outcome", "judge"},
		// A timeout fails whatever else holds.
		{"timeout", "echo billing; exec sleep 60", "{output: text, timeout: 300ms}", contains, trial.Fail, 1,
			"did not end within 300ms", "timeout"},
		{"timeout without evaluators", "echo billing; exec sleep 60", "timeout: 100ms", none, trial.Fail, 1,
			"did not end within 100ms", "timeout"},
		{"timeout as infrastructure", "echo billing; exec sleep 60", "{timeout: 50ms, infrastructure: [timeout]}", contains,
			trial.Error, 1, "did not end within 50ms", "timeout"},
		// A signal from elsewhere is the trial's error, and a crash the agent's failure. Neither is repeated.
		{"signal", "echo billing; kill -9 $$", "output: text", contains, trial.Error, 1, "killed", "signal"},
		{"signal at first", "case $1 in *-0) kill -9 $$;; esac; echo billing", "output: text", contains, trial.Error, 1,
			"killed", "signal"},
		{"asked to end", "echo billing; kill -TERM $$", "output: text", contains, trial.Error, 1, "terminated", "signal"},
		{"crash", "echo billing; kill -SEGV $$", "output: text", contains, trial.Fail, 1, "segmentation fault", "signal"},
		{"crash without evaluators", "echo '{\"outcome\":\"pass\"}'; kill -ABRT $$", "output: trial", none, trial.Fail, 1,
			"abort", "signal"},
		{"crash at first", "case $1 in *-0) kill -BUS $$;; esac; echo billing", "output: text", contains, trial.Fail, 1,
			"bus error", "signal"},
		{"crash as error", "echo billing; kill -SEGV $$", "{output: text, infrastructure: [signal]}", contains, trial.Error,
			1, "segmentation fault", "signal"},
		{"no such command", "exit 127", "output: text", contains, trial.Error, 1, "cannot be run", "command"},
		{"not executable at first", "case $1 in *-0) exit 126;; esac; echo billing", "output: text", contains, trial.Error, 1,
			"cannot be run", "command"},
		{"silent", "echo no luck >&2; exit 1", "infrastructure: [no-output]", contains, trial.Error, 1, "no luck", "exit"},
		{"silent by default", "echo no luck >&2; exit 1", "output: text", contains, trial.Error, 1,
			`printed nothing and ended with exit code 1; its standard error ends with "no luck"`, "exit"},
		{"silent and no reason to excuse it", "exit 1", "infrastructure: []", contains, trial.Fail, 1, "contains: ", "exit"},
		{"silent and asked for in a part", "exit 4", "output: text",
			"limits: none\nevaluate: [any: [{contains: x}, {exit-code: 4}]]", trial.Pass, 1, "", "exit"},
		{"silent, and another word", "exit 4", "output: text", "limits: none\nevaluate: [contains: exit-code]", trial.Error,
			1, "exit code 4", "exit"},
		{"crash without a word", "kill -SEGV $$", "output: text", contains, trial.Fail, 1, "segmentation fault", "signal"},
		{"unreadable", "echo '{'", "output: trial", contains, trial.Fail, 1, "cannot be used", "output"},
		{"unreadable, and would pass", "echo '{billing'", "output: trial", contains, trial.Fail, 1, "cannot be used",
			"output"},
		{"unreadable at first", `case $1 in *-0) echo '{"outcome":"pa';; *) echo '{"outcome":"pass"}';; esac`,
			"output: trial", none, trial.Fail, 1, "cannot be used", "output"},
		{"unreadable as error", "echo '{'", "{output: trial, infrastructure: [output]}", contains, trial.Error, 1,
			"cannot be used", "output"},
		{"unreadable lines", "echo billing", "output: lines", contains, trial.Fail, 1, "is not an outcome", "output"},
		// What is unknown is no reason to try again.
		{"unknown steps", "echo billing", "output: text", "limits: none\nevaluate: [must-call: search]", trial.Error, 1,
			"the steps are not recorded", "judge"},
		{"unknown cost", "echo billing", "output: text",
			"limits: {max_cost_usd: 1, max_turns: none}\nevaluate: [contains: billing]", trial.Error, 1,
			"max_cost_usd: not recorded, and the limit is 1.00", "judge"},
		{"unknown and failed", "echo sales", "output: text",
			"limits: {max_cost_usd: 1, max_turns: 3}\nevaluate: [contains: billing]", trial.Fail, 1, "contains: ", ""},
		// What the agent says broke off had begun.
		{"own error at first", second, "output: trial", contains, trial.Error, 1, "no network", "agent"},
		// Limits hold whatever the evaluators say.
		{"cost", `echo '` + went + `'`, "output: trial", "limits: {max_cost_usd: 0.2, max_turns: none}", trial.Fail, 1,
			"max_cost_usd: 0.30, above the limit of 0.20", ""},
		{"within", `echo '` + went + `'`, "output: trial",
			"limits: {max_cost_usd: 0.3, max_turns: 1}\nevaluate: [contains: billing]", trial.Pass, 1, "", ""},
		// The format tells the outcome.
		{"lines", "echo pass", "output: lines", none, trial.Pass, 1, "", ""},
		{"found", `echo '{"outcome":"fail"}'`, "output: auto", none, trial.Fail, 1, "reported as failed", ""},
		{"output and its cost", `echo '{"output":"billing","cost_usd":0.3}'`, "output: auto",
			"limits: {max_cost_usd: 0.2, max_turns: none}\nevaluate: [equals: billing]", trial.Fail, 1,
			"max_cost_usd: 0.30, above the limit of 0.20", ""},
		{"an answer that is an object", `echo '{"output":"billing","cost":0.3}'`, "output: auto",
			"limits: none\nevaluate: [contains: cost]", trial.Pass, 1, "", ""},
		{"not found", "echo billing", "output: auto", contains, trial.Pass, 1, "", ""},
		{"as text", "echo words: fail", "output: text", "limits: none\nevaluate: [contains: words]", trial.Pass, 1, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			agent := strings.ReplaceAll(strings.Trim(c.agent, "{}"), ", ", "\n  ")
			records, _ := tried(t, scripted(t, c.script, agent, c.scenario), 1)
			got := records[0]
			if got.Trial == nil || got.Trial.Outcome != c.outcome || got.Spent.Attempts != c.attempts {
				t.Fatalf("%d attempts, %+v", got.Spent.Attempts, got.Trial)
			}
			judgement, judged := oracle.Recorded(got.Trial)
			text, kind := judgement.Text, ""
			if got.Trial.Error != nil {
				kind = got.Trial.Error.Type
				if !judged {
					text = got.Trial.Error.Message
				}
			}
			// What reached no outcome was not judged, be it for the judge's own reasons.
			if wantJudged := c.outcome != trial.Error || kind == "judge"; judged != wantJudged {
				t.Errorf("judged: %v", judged)
			}
			if kind != c.errorType || !strings.Contains(text, c.text) || (text == "") != (c.text == "") {
				t.Errorf("%q of type %q, want %q of %q", text, kind, c.text, c.errorType)
			}
			if judged && judgement.Outcome != c.outcome {
				t.Errorf("%+v", judgement)
			}
		})
	}
}

// What a judgement says is in the journal as the oracle wrote it.
func TestJudgementIsRecorded(t *testing.T) {
	records, _ := tried(t, scripted(t, "echo '"+went+"'", "output: trial",
		"limits: {max_cost_usd: 0.2, max_turns: 4}\nevaluate: [contains: billing, {regex: '^b'}, turn-count: 3]"), 1)
	j, ok := oracle.Recorded(records[0].Trial)
	var names []string
	for _, r := range j.Results {
		names = append(names, fmt.Sprint(r.Evaluator, " ", r.Outcome, " ", r.Score.Value))
	}
	if diff := cmp.Diff([]string{"contains pass 1", "regex pass 1", "turn-count pass 1"}, names); diff != "" || !ok {
		t.Errorf("%v %s", ok, diff)
	}
	want := []oracle.LimitResult{
		{Name: oracle.TurnLimit, Max: 4, Actual: trial.Some(1.0), Outcome: trial.Pass},
		{Name: oracle.CostLimit, Max: .2, Actual: trial.Some(.3), Outcome: trial.Fail},
	}
	if diff := cmp.Diff(want, j.Limits); diff != "" || j.Text != "max_cost_usd: 0.30, above the limit of 0.20" ||
		j.Outcome != trial.Fail {
		t.Errorf("%+v %s", j, diff)
	}
}

// The name of an attempt stands in arguments and variables, and is no other's.
func TestAttemptsHaveNames(t *testing.T) {
	s := scripted(t, `echo "$1,$ID"`, "output: text", "limits: none\nevaluate: [contains: of]")
	records, _ := tried(t, s, 5)
	seen := map[string]bool{}
	for _, r := range records {
		id, variable, _ := strings.Cut(strings.TrimSpace(r.Trial.Output.Text()), ",")
		if want := fmt.Sprintf("-%d-%d", r.Number, r.Spent.Attempts-1); variable != "of "+id || seen[id] ||
			!strings.HasPrefix(id, "one-") || !strings.HasSuffix(id, want) {
			t.Errorf("trial %d: %q, and %q in a variable; want the end %s", r.Number, id, variable, want)
		}
		seen[id] = true
	}
	if len(seen) != 5 {
		t.Errorf("%d names", len(seen))
	}
	first, second := (Request{Scenario: "one"}).id(), (Request{Scenario: "one", Attempt: 1}).id()
	if first == second || !strings.HasSuffix(second, "-0-1") {
		t.Errorf("two attempts at one trial are %s and %s", first, second)
	}
}

func TestOutputFiles(t *testing.T) {
	for name, c := range map[string]struct{ file, agent string }{
		"one for each": {`"out $1.json"`, "{output: trial, output_file: 'out {id}.json'}"},
		"in a folder":  {`"out.json"`, "{output: trial, output_file: work/out.json}"},
	} {
		s := scripted(t, `[ -e `+c.file+` ] && exit 9; echo noise; echo '{"outcome":"pass","output":"'$1'"}' > `+c.file,
			strings.ReplaceAll(strings.Trim(c.agent, "{}"), ", ", "\n  "), "limits: none")
		if name == "in a folder" {
			s.Concurrency, s.Agent.WorkingDir, s.Agent.OutputFile = 1, "work", "out.json"
			if err := os.Mkdir(filepath.Join(s.Dir(), "work"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		records, _ := tried(t, s, 5)
		for _, r := range records {
			if r.Trial.Outcome != trial.Pass || !strings.HasSuffix(r.Trial.Output.Text(), fmt.Sprintf("-%d-0", r.Number)) {
				t.Errorf("%s: trial %d: %v, %s", name, r.Number, r.Trial.Outcome, r.Trial.Output)
			}
		}
		left, err := filepath.Glob(filepath.Join(s.Dir(), "*", "out*"))
		more, _ := filepath.Glob(filepath.Join(s.Dir(), "out*"))
		if err != nil || len(left)+len(more) > 0 {
			t.Errorf("%s: %q %q are left", name, left, more)
		}
	}
	// A file that is not there is the agent's failure, and so is an exit code.
	missing := strings.ReplaceAll("output: text, output_file: 'out{id}'", ", ", "\n  ")
	if records, _ := tried(t, scripted(t, "true", missing, "limits: none"), 1); records[0].Spent.Attempts != 1 ||
		records[0].Trial.Outcome != trial.Fail || records[0].Trial.Error.Type != "output" {
		t.Errorf("no file: %+v", records[0].Trial)
	}
	if records, _ := tried(t, scripted(t, "exit 3", missing, "limits: none"), 1); records[0].Spent.Attempts != 1 ||
		records[0].Trial.Outcome != trial.Error || records[0].Trial.Error.Type != "exit" {
		t.Errorf("no file and exit code 3: %+v", records[0].Trial)
	}
}

func TestEnvironmentOfTheSuite(t *testing.T) {
	t.Setenv("RUNNER_TEST_SEEN", "seen")
	t.Setenv("HIDDEN", "never")
	// The judge sees the same, unless it is given more of its own.
	const same, more = `[sh, -c, 'echo "judge: $RUNNER_TEST_SEEN.$HIDDEN.$PATH" | cut -c -16']`,
		", env_allow: [RUNNER_TEST_SEEN]"
	for _, c := range []struct{ agent, judge, want, judged string }{
		{"env_allow: [HOME]", "", ".unseen", "judge: ../"},
		{"env_allow: []", "", ".unseen", "judge: ../"},
		{"output: text", "", ".unseen", "judge: ../"},
		{"output: text", more, ".unseen", "judge: seen../"},
		{"env_allow: [RUNNER_TEST_SEEN]", "", "seen.unseen", "judge: seen../"},
		{"env_allow: [RUNNER_TEST_*]", "", "seen.unseen", "judge: seen../"},
		{"env_allow: [RUNNER_*, OTHER]", ", env_allow: []", "seen.unseen", "judge: ../"},
		{"env_allow: all", "", "seen.unseen", "judge: seen.neve"},
		{"output: text", ", env_allow: all", ".unseen", "judge: seen.neve"},
	} {
		scenario := "limits: none\nevaluate: [contains: unseen, {command: {command: " + same + c.judge + "}}]"
		records, _ := tried(t, scripted(t, `echo $RUNNER_TEST_SEEN.$HIDDEN`, c.agent, scenario), 1)
		if got := records[0].Trial.Output.Text(); got != c.want {
			t.Errorf("%s: %q, want %q", c.agent, got, c.want)
		}
		judgement, _ := oracle.Recorded(records[0].Trial)
		if got := judgement.Results[1].Text; !strings.HasPrefix(got, c.judged) {
			t.Errorf("%s%s: the judge says %q, want %q", c.agent, c.judge, got, c.judged)
		}
	}
}

// A file that an agent makes as its output may be anything: none is waited for or followed, and what cannot
// be read is the agent's failure, whatever its exit code and whatever it printed.
func TestOutputFileThatIsNone(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	const file = "output: text\n  output_file: 'out{id}'"
	for name, c := range map[string]struct {
		script, agent string
		want          trial.Outcome
	}{
		"pipe":     {`mkfifo "out$1"; echo secret`, file, trial.Fail},
		"exits":    {`mkfifo "out$1"; exit 3`, file, trial.Fail},
		"link":     {`ln -s ` + secret + ` "out$1"`, file, trial.Fail},
		"device":   {`ln -s /dev/zero "out$1"`, file, trial.Fail},
		"folder":   {`mkdir "out$1"`, file, trial.Fail},
		"as error": {`mkfifo "out$1"`, file + "\n  infrastructure: [output]", trial.Error},
	} {
		records, text := tried(t, scripted(t, c.script, c.agent, "limits: none\nevaluate: [contains: secret]"), 1)
		got := records[0].Trial
		if got.Outcome != c.want || got.Error == nil || got.Error.Type != "output" ||
			!strings.Contains(text, "is not a regular file") || name == "link" && strings.Contains(text, "secret\"") {
			t.Errorf("%s: %+v: %s", name, got, text)
		}
	}
}

// An agent that never stops printing is ended, and has failed; one that prints too much and ends is judged by
// what is kept.
func TestEndlessOutputFails(t *testing.T) {
	const agent, scenario = "output: text\n  max_output_bytes: 3000", "limits: none\nevaluate: [contains: yyy]"
	for _, c := range []struct {
		script, agent string
		want          trial.Outcome
		problem       string
	}{
		{"exec yes yyyy", agent, trial.Fail, "printed more than max_output_bytes, which is 3000, "},
		{"trap '' PIPE TERM; while :; do yes yyyy; done", agent, trial.Fail,
			"printed more than max_output_bytes, which is 3000, "},
		{"exec yes yyyy", agent + "\n  infrastructure: [output]", trial.Error,
			"printed more than max_output_bytes, which is 3000, "},
		{"yes yyyy | head -c 1000000", agent, trial.Pass, ""},
	} {
		records, text := tried(t, scripted(t, c.script, c.agent, scenario), 1)
		got := records[0].Trial
		if got.Outcome != c.want || (c.problem != "") != (got.Error != nil) || !strings.Contains(text, c.problem) ||
			len(text) > 50_000 {
			t.Errorf("%s: %v, %+v, %d bytes of journal", c.script, got.Outcome, got.Error, len(text))
		}
	}
}

// No secret reaches the journal, whatever way an agent tells it.
func TestSecretsStayOutOfTheJournal(t *testing.T) {
	const secret = `s3cr"et-7719`
	t.Setenv("API_KEY", secret)
	for name, c := range map[string]struct{ script, agent, scenario, shown string }{
		"output": {`printf '%s billing' "$API_KEY"`, "output: text", "evaluate: [contains: billing]",
			"[redacted API_KEY] billing"},
		"record": {`echo '{"outcome":"pass","output":"s3cr\"et-7719"}'`, "output: trial", "", "[redacted API_KEY]"},
		"file": {`printf '%s billing' "$API_KEY" > "$1"`, "output_file: '{id}'", "evaluate: [contains: billing]",
			"[redacted API_KEY] billing"},
		"complaint": {`echo "bad key $API_KEY" >&2; exit 1`, "infrastructure: [no-output]", "",
			"bad key [redacted API_KEY]"},
		"crash": {`echo "bad key $API_KEY" >&2; echo sales; exit 1`, "output: text", "evaluate: [contains: billing]",
			`"stderr":"bad key [redacted API_KEY]"`},
		"evaluator": {`echo billing`, "output: text", `evaluate: [{command: [sh, -c, "echo because of $API_KEY; exit 1"]}]`,
			"because of [redacted API_KEY]"},
		"judge's end": {`echo billing`, "output: text",
			`evaluate: [{command: [sh, -c, "echo because of $API_KEY >&2; exit 7"]}]`, "because of [redacted API_KEY]"},
	} {
		s := scripted(t, c.script, "redact: [API_KEY]\n  env_allow: [API_KEY]\n  "+c.agent, "limits: none\n"+c.scenario)
		_, journal := tried(t, s, 2)
		if strings.Contains(journal, "et-7719") || strings.Count(journal, "launched") < 2 ||
			!strings.Contains(journal, c.shown) {
			t.Errorf("%s: %s", name, journal)
		}
	}
}

// An agent that prints more than is kept, and then what it must not.
func TestWhatIsCutOffIsNotJudged(t *testing.T) {
	s := scripted(t, `printf '%2000s' x; echo sorry, I deleted everything`, "output: text\n  max_output_bytes: 1000",
		"limits: none\nevaluate: [not-contains: sorry]")
	records, _ := tried(t, s, 2)
	for _, r := range records {
		if r.Trial.Outcome != trial.Error || !strings.Contains(r.Trial.Error.Message, "longer than max_output_bytes") {
			t.Errorf("%v %+v", r.Trial.Outcome, r.Trial.Error)
		}
	}
	if len(records) == 0 {
		t.Error("no trials")
	}
}

// Two documents on standard output are no record of one trial, in either order.
func TestTwoDocumentsAreNoTrial(t *testing.T) {
	for _, output := range []string{"auto", "trial"} {
		for _, script := range []string{
			`echo '{"outcome":"pass","steps":[]}'; echo '{"outcome":"fail","steps":[]}'`,
			`echo '{"outcome":"fail","steps":[]}'; echo '{"outcome":"pass","steps":[]}'`,
			`printf '{"outcome":"pass"}{"outcome":"pass"}'`,
			`echo '{"outcome":"pass"}'; echo sorry`,
		} {
			records, _ := tried(t, scripted(t, script, "output: "+output, "limits: none"), 1)
			for _, r := range records {
				if r.Trial.Outcome == trial.Pass {
					t.Errorf("output: %s, %s: passes", output, script)
				}
			}
			if len(records) == 0 {
				t.Errorf("output: %s, %s: no trial", output, script)
			}
		}
	}
}

// A program that logs before it prints its record is told so, where that matters.
func TestRecordBehindLinesOfLogIsToldOf(t *testing.T) {
	const record = `{"output":"hello","cost_usd":0.001}`
	for script, told := range map[string]bool{
		"echo loading; echo '" + record + "'": true,
		"echo loading; echo hello you":        false,
		"echo '" + record + "'":               false,
	} {
		s := scripted(t, script, "output: auto", "limits: none\nevaluate: [{equals: bye}]")
		records, _ := tried(t, s, 1)
		if len(records) == 0 {
			t.Fatal("no trial")
		}
		judgement, ok := oracle.Recorded(records[0].Trial)
		if !ok || strings.Contains(judgement.Text, "log to standard error, or write the record to an output_file") != told {
			t.Errorf("%s: %q", script, judgement.Text)
		}
	}
}
