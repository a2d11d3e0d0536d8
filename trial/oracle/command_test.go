package oracle

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/confine"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// The test binary is the judge where this variable says what it does.
const judgeRole = "TRIBUNAL_TEST_JUDGE"

func TestMain(m *testing.M) {
	confine.Main() // so that judges can be confined
	role, isJudge := os.LookupEnv(judgeRole)
	if !isJudge {
		os.Exit(m.Run())
	}
	os.Exit(playJudge(role))
}

func playJudge(role string) int {
	switch role {
	case "echo":
		_, _ = io.Copy(os.Stdout, os.Stdin)
		return 1
	case "deaf": // does not read its input
		return 0
	case "wait":
		_, _ = io.Copy(io.Discard, os.Stdin)
		select {}
	case "flood":
		for {
			if _, err := fmt.Println(strings.Repeat("x", 1000)); err != nil {
				return 0
			}
		}
	case "complain":
		fmt.Fprintln(os.Stderr, "first\nno key")
		return 3
	case "crash":
		fmt.Fprintln(os.Stderr, "Traceback\nConnectionError: 429")
		return 1
	case "refuse":
		return 1
	}
	code, text, _ := strings.Cut(role, " ")
	fmt.Println(text)
	return len(code) // "" is 0, "1" is 1
}

func asked(t *testing.T, role string, o CommandOptions, record *trial.Trial) Result {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Env = map[string]string{judgeRole: role}
	r := made(t)(Command([]string{self}, o)).Evaluate(t.Context(), Evidence{Trial: record})
	r.Text = strings.ReplaceAll(r.Text, prose.Excerpt(self), "J")
	return r
}

func TestCommand(t *testing.T) {
	answered := func(o trial.Outcome, score float64, text string) Result {
		return Result{Evaluator: "command", Outcome: o, Score: trial.Some(score), Text: text}
	}
	broken := func(text string) Result { return Result{Evaluator: "command", Outcome: trial.Error, Text: text} }
	for _, c := range []struct {
		role    string
		options CommandOptions
		want    Result
	}{
		{" fine", CommandOptions{}, answered(trial.Pass, 1, "fine")},
		{" ", CommandOptions{}, answered(trial.Pass, 1, "the judge J gave no reason")},
		{"1 too long", CommandOptions{}, answered(trial.Fail, 0, "too long")},
		{"deaf", CommandOptions{}, answered(trial.Pass, 1, "the judge J gave no reason")},
		{` {"score":0.5,"reason":"so so"}`, CommandOptions{}, answered(trial.Pass, 0.5, "so so")},
		{` {"score":0.5,"reason":"so so"}`, CommandOptions{Threshold: 0.7}, answered(trial.Fail, 0.5, "so so")},
		{` {"score":0.9,"pass":false,"reason":"rude"}`, CommandOptions{}, answered(trial.Fail, 0.9, "rude")},
		{`1 {"score":0.2,"reason":"bad"}`, CommandOptions{}, answered(trial.Fail, 0.2, "bad")},
		{`1 {"score":0.9}`, CommandOptions{},
			broken("the judge J contradicts itself: exit code 1, and an answer that passes")},
		{` {"score":1.5}`, CommandOptions{}, broken("the score 1.5 of the judge J is not in [0,1]")},
		{` {"score":}`, CommandOptions{},
			broken("the answer of the judge J cannot be read: invalid character '}' looking for beginning of value")},
		{` {"skore":1}`, CommandOptions{},
			broken(`the answer of the judge J cannot be read: json: unknown field "skore"`)},
		{` {"score":1}{"score":0}`, CommandOptions{}, broken("the judge J printed more than one JSON object")},
		{` {"score":true}`, CommandOptions{}, broken("the answer of the judge J cannot be read: score is a bool")},
		{" loading\n{\"score\": 0}", CommandOptions{},
			broken("the judge J printed other text before its JSON object: print that to standard error")},
		{" loading\n{\n  \"pass\": true\n}\ndone", CommandOptions{},
			broken("the judge J printed other text before its JSON object: print that to standard error")},
		{" see\n{\"order\": 7}\n{no object", CommandOptions{}, answered(trial.Pass, 1, `see\n{"order": 7}\n{no object`)},
		{" False", CommandOptions{}, broken("the judge J contradicts itself: exit code 0 passes, and it printed False: " +
			`print {"score": 0} or {"pass": false}, or end with exit code 1`)},
		{" 0.4", CommandOptions{}, broken("the judge J contradicts itself: exit code 0 passes, and it printed 0.4: " +
			`print {"score": 0} or {"pass": false}, or end with exit code 1`)},
		{" 1.0", CommandOptions{}, answered(trial.Pass, 1, "1.0")},
		{" 12", CommandOptions{}, answered(trial.Pass, 1, "12")},
		{"1 0", CommandOptions{}, answered(trial.Fail, 0, "0")},
		{"12 fine", CommandOptions{}, broken("the judge J ended with exit status 2")},
		{"refuse", CommandOptions{}, answered(trial.Fail, 0, "the judge J gave no reason")},
		{"crash", CommandOptions{}, broken("the judge J ended with exit status 1 and without a reason on standard " +
			"output: ConnectionError: 429")},
		{"complain", CommandOptions{}, broken("the judge J ended with exit status 3: no key")},
		{"flood", CommandOptions{MaxOutputBytes: 2500}, broken("the judge J printed more than 2500 bytes")},
		{"wait", CommandOptions{Timeout: time.Millisecond}, broken("the judge J was stopped: it took longer than 1ms")},
	} {
		t.Run(c.role, func(t *testing.T) {
			if diff := cmp.Diff(c.want, asked(t, c.role, c.options, traced())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The judge reads the trial, with its outcome only where the agent gave one.
func TestCommandReadsTheTrial(t *testing.T) {
	record := printed(`,"outcome":"error"`)
	want := prose.Excerpt(`{"scenario":"s","output":",\"outcome\":\"error\""}`)
	// What is echoed begins with a brace, and is no answer: that tells it apart.
	if got := asked(t, "echo", CommandOptions{}, record); !strings.Contains(got.Text, `unknown field "scenario"`) {
		t.Errorf("%+v", got)
	}
	line, err := judgedLine(record)
	if err != nil || strings.TrimSpace(string(line)) != want {
		t.Errorf("got %s %v, want %s", line, err, want)
	}
	record.Outcome = trial.Error
	if line, _ = judgedLine(record); !strings.Contains(string(line), `"outcome":"error",`) {
		t.Errorf("the agent's outcome is missing: %s", line)
	}
}

func TestCommandThatDoesNotExist(t *testing.T) {
	got := made(t)(Command([]string{"no-such-judge"}, CommandOptions{})).Evaluate(t.Context(),
		Evidence{Trial: traced()})
	const want = `the judge no-such-judge could not be run: exec: "no-such-judge": executable file not found in $PATH`
	if got.Outcome != trial.Error || got.Text != want {
		t.Errorf("%+v", got)
	}
}
