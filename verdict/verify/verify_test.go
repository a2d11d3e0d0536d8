package verify_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	verdictrecording "github.com/tribunal-dev/tribunal/verdict/recording"
	verdictruns "github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

// judgedRun is a run of two tests, one of them of two scenarios, with the outcomes.
func judgedRun(t *testing.T, outcomes ...string) *verdictruns.Result {
	t.Helper()
	design, err := sprt.Wald(sprt.Hypotheses{Threshold: 0.9, Delta: 0.2, Alpha: 0.05, Beta: 0.1}, 60)
	if err != nil {
		t.Fatal(err)
	}
	cost, tokens := 1.5, int64(10)
	e := verdictruns.Evidence{
		Suite: "shop", Digest: "sha256:00", Seed: 7, Version: "v1", StoppedBy: verdictruns.StoppedByDecision,
		Spent: verdictruns.Expense{CostUSD: &cost, InputTokens: &tokens, OutputTokens: &tokens, Duration: 2},
	}
	for i, marks := range outcomes {
		names := [][]string{{"alone"}, {"first", "second"}}[i%2]
		test := verdictruns.TestEvidence{Name: fmt.Sprintf("test %d", i), Scenarios: names, Design: design}
		for k, mark := range marks {
			x := verdictruns.TrialEvidence{Scenario: names[k%len(names)], Number: k / len(names)}
			if mark != '.' {
				x.Trial = &trial.Trial{Scenario: x.Scenario, DurationSeconds: trial.Some(float64(k)),
					Output: trial.RawString("answer"), Steps: []trial.Step{{Action: trial.Respond}}}
				outcome := map[rune]trial.Outcome{'P': trial.Pass, 'F': trial.Fail, 'E': trial.Error}[mark]
				limit := oracle.LimitResult{Name: "max_turns", Max: 3, Actual: trial.Some(float64(k % 3)), Outcome: trial.Pass}
				if err := (oracle.Judgement{Outcome: outcome, Text: "because",
					Limits: []oracle.LimitResult{limit}}).Record(x.Trial); err != nil {
					t.Fatal(err)
				}
				x.CostUSD = trial.Some(0.1 + 0.01*float64(k))
				e.Spent.Trials++
			}
			test.Trials = append(test.Trials, x)
		}
		e.Tests = append(e.Tests, test)
	}
	e.Spent.Attempts = e.Spent.Trials
	e.StoppedBy = stopOf(t, e)
	r, err := verdictruns.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func again(t *testing.T, result verdict.Result) verdict.Result {
	t.Helper()
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(result, r); diff != "" {
		t.Errorf("the result changed when it was read again: %s", diff)
	}
	return r
}

var runs = map[string][]string{
	"pass":      {"PPPPPPPPPPPPPPPPPP", "PPPPPPPPPPPPPPPPPPPPPP"},
	"fail":      {"FFPFFFFF", "PPPPPPPPPPPPPPPPPPPPPP"},
	"stopped":   {"PPF.PP", "PEPPPPP"},
	"errors":    {"EEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE", "PPEPPFPEPPPPPPPPPPPPPPPPPPPPPPPPPPP"},
	"no trials": {"", ""},
	"no tests":  {},
}

func TestRunsAreVerified(t *testing.T) {
	for name, outcomes := range runs {
		r := judgedRun(t, outcomes...)
		v, err := verify.Verify(t.Context(), again(t, r))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if v.Verdict != r.Verdict || strings.Join(v.Skipped, " ") != takenOfRuns {
			t.Errorf("%s: %v, not %v; skipped %v", name, v.Verdict, r.Verdict, v.Skipped)
		}
	}
}

// leaves calls f for every number, word and truth value of a result, with its path.
func leaves(path string, v reflect.Value, f func(path string, v reflect.Value, store func())) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			leaves(path, v.Elem(), f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if name == "" {
				name = v.Type().Field(i).Name
			}
			leaves(path+"."+name, v.Field(i), f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			leaves(fmt.Sprintf("%s[%d]", path, i), v.Index(i), f)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			f(path+"."+key.String(), value, func() { v.SetMapIndex(key, value) })
		}
	default:
		f(path, v, func() {})
	}
}

// Whatever figure of a run is changed, it is found; what has no raw value is listed
// here, and nothing else is.
func TestEveryChangedFigureIsFound(t *testing.T) {
	free := map[string]bool{}
	for _, path := range []string{
		".suite", ".suite_digest", ".seed", ".version", ".finished_at", ".commit", // what was run, not what came of it
		".spent.cost_usd", ".spent.input_tokens", ".spent.output_tokens", ".spent.duration_s", ".spent.attempts",
		".spent.cost_unknown", ".spent.lost",
		".budget", ".stopped_by", // a word that a reason names only where a test has not ended
	} {
		free[path] = true
	}
	free[".scenarios[].variant"] = true         // a name
	free[".scenarios[].failures[].text"] = true // listed with the trial
	for _, word := range []string{"trial", "text", "input", "output", "scenario"} {
		free[".trials[]."+word] = true
	}
	for _, word := range []string{"action", "tool", "arguments", "output", "error"} {
		free[".trials[].steps[]."+word] = true
	}
	free[".trials[].steps_omitted"], free[".trials[].evaluators_omitted"] = true, true
	free[".trials[].limits[].Outcome"], free[".trials[].limits[].Name"] = true, true
	plain := func(path string) string {
		var b strings.Builder
		inside := false
		for _, r := range path {
			inside = r == '[' || inside && r != ']'
			if !inside || r == '[' {
				b.WriteRune(r)
			}
		}
		return b.String()
	}
	result := judgedRun(t, runs["fail"]...)
	changed, missed := 0, map[string]bool{}
	leaves("", reflect.ValueOf(result).Elem(), func(path string, v reflect.Value, store func()) {
		if !v.CanSet() || free[plain(path)] || strings.HasPrefix(plain(path), ".trials[].limits") {
			return
		}
		before := reflect.New(v.Type()).Elem()
		before.Set(v)
		switch v.Kind() {
		case reflect.Int, reflect.Int64:
			v.SetInt(v.Int() + 1)
		case reflect.Uint8, reflect.Uint64:
			v.SetUint((v.Uint() + 1) % 3)
		case reflect.Float64:
			v.SetFloat(v.Float()*1.001 + 0.001)
		case reflect.String:
			v.SetString(v.String() + "x")
		case reflect.Bool:
			v.SetBool(!v.Bool())
		default:
			t.Fatalf("%s is a %s", path, v.Kind())
		}
		store()
		changed++
		if _, err := verify.Verify(t.Context(), result); err == nil {
			missed[plain(path)] = true
		}
		v.Set(before)
		store()
	})
	if len(missed) > 0 {
		t.Errorf("these can be changed: %v", missed)
	}
	if changed < 300 {
		t.Errorf("only %d figures were changed", changed)
	}
	if _, err := verify.Verify(t.Context(), result); err != nil {
		t.Errorf("the result is not as it was: %v", err)
	}
}

func TestFirstDifferenceIsNamed(t *testing.T) {
	r := judgedRun(t, runs["pass"]...)
	r.Tests[1].Passes--
	_, err := verify.Verify(t.Context(), r)
	different, ok := errors.AsType[*verdict.DifferenceError](err)
	if !ok || different.Path != "scenarios[1].passes" {
		t.Errorf("the error is %v", err)
	}
}

// Counts of other results, with both policies that change the trials.
func TestCountsAreVerified(t *testing.T) {
	tallies := []verdict.Tally{{Scenario: "a", Passes: 45, Fails: 5, Errors: 2,
		Cost: verdict.Cost{Trials: 52, Known: 50, Passes: 44, TotalUSD: 1.3}}, {Scenario: "b", Passes: 20, Fails: 20}}
	for _, policy := range []verdict.ErrorPolicy{verdict.RobustErrors, verdict.ExcludeErrors, verdict.FailErrors} {
		for _, by := range []verdict.Grouping{verdict.BySuite, verdict.ByScenario} {
			r, err := verdict.JudgeThreshold(t.Context(), tallies, verdict.ThresholdOptions{Threshold: 0.8, Errors: policy,
				By: by, Interval: stats.ClopperPearsonInterval})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := verify.Verify(t.Context(), again(t, r)); err != nil {
				t.Errorf("%v, %v: %v", policy, by, err)
			}
			r.Scenarios[0].Interval.Low += 0.001
			if _, err := verify.Verify(t.Context(), r); err == nil {
				t.Errorf("%v, %v: a changed limit is not found", policy, by)
			}
		}
	}
}

func TestComparisonsAreVerified(t *testing.T) {
	recording := func(name string, scenarios int, passes ...int) *verdictrecording.Recording {
		r := &verdictrecording.Recording{Name: name}
		for s := range scenarios {
			for i := range 20 {
				outcome := trial.Fail
				if i < passes[s%len(passes)] {
					outcome = trial.Pass
				}
				r.Add(&trial.Trial{Scenario: fmt.Sprint("s", s), Index: trial.Some(i), Outcome: outcome,
					Input: trial.RawString(fmt.Sprint("task ", i)), CostUSD: trial.Some(float64(i)),
					Output: trial.RawString("answer of " + name)})
			}
		}
		return r
	}
	boschloo := stats.BoschlooTest
	for name, o := range map[string]compare.Options{"paired": {}, "independent": {Test: &boschloo},
		"paper": {Test: &boschloo, Rule: compare.PaperRule}, "scenario": {Test: &boschloo, By: verdict.ByScenario}} {
		r, err := compare.Judge(t.Context(), recording("before", 3, 19, 18, 20), recording("after", 3, 10, 18, 19), o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := verify.Verify(t.Context(), again(t, r)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		r.Tests.Rates[stats.FisherTest].P *= 1.01
		if _, err := verify.Verify(t.Context(), r); err == nil {
			t.Errorf("%s: a changed p-value is not found", name)
		}
		if name == "paired" && (r.Pairs == nil || len(r.Pairs.Flips) == 0 ||
			r.Pairs.Flips[0].BaselineOutput != "answer of before" || r.Pairs.Flips[0].CandidateOutput != "answer of after") {
			t.Errorf("the flips are without the answers: %+v", r.Pairs)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	var text bytes.Buffer
	if err := json.NewEncoder(&text).Encode(judgedRun(t, runs["pass"]...)); err != nil {
		t.Fatal(err)
	}
	good := text.String()
	for name, bad := range map[string]string{
		"empty": "", "no object": "[]", "no schema": "{}", "cut": good[:len(good)/2],
		"another schema": `{"schema":"tribunal/run/v2"}`,
		"unknown field":  strings.Replace(good, `"seed"`, `"seeds"`, 1), "twice": good + good,
		"verdict": strings.Replace(good, `"pass"`, `"passed"`, 1),
	} {
		if _, err := verify.Decode([]byte(bad)); err == nil {
			t.Errorf("%s is read", name)
		} else if _, ok := errors.AsType[*verify.DecodeError](err); !ok {
			t.Errorf("%s: %T", name, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"schema":"tribunal/run/v1","verdict":"pass","scenarios":[{"outcomes":"P","trials":1}]}`))
	f.Add([]byte(`{"schema":"tribunal/verdict/v1","verdict":"fail","scenarios":[{"passes":1,"trials":-1}],"reliability":{"cost":{}}}`))
	f.Add([]byte(`{"schema":"tribunal/compare/v1","pairs":{},"tests":{},"scenarios":[{}]}`))
	f.Add([]byte(`{"schema":"tribunal/sequential/v1","path":[0,1,1]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if r, err := verify.Decode(text); err == nil && len(text) < 2000 {
			_, _ = verify.Verify(t.Context(), r)
		}
	})
}

// stopOf is why a run ends that nothing but its tests stops, or the interrupt that keeps one from its end.
func stopOf(t *testing.T, e verdictruns.Evidence) verdictruns.StopCause {
	t.Helper()
	cause, err := verdictruns.StopOf(e.Tests)
	if err != nil {
		t.Fatal(err)
	}
	if cause == verdictruns.StoppedByRecording {
		return verdictruns.StoppedByInterrupt
	}
	return cause
}

// takenOfRuns are the parts of every run that nothing follows from: the figures of what it took, and what
// the program and the agent said.
const takenOfRuns = "suite suite_digest task settings seed version finished_at spent trials.text trials.input " +
	"trials.output trials.steps"
