package detection

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
)

// long reports whether the tests are to measure as much as the manual prints.
func long() bool { return os.Getenv("TRIBUNAL_LONG") != "" }

// effort returns the number of runs and of relabelings.
func effort() (runs, permutations int) {
	switch {
	case long():
		return DefaultRuns, 0
	case testing.Short(): // as with the race detector
		return 30, 99
	}
	return 200, 99
}

// alarmsOf measures a setting and checks the default test.
func alarmsOf(t *testing.T, name string, split Split, pooled bool) Alarms {
	t.Helper()
	runs, permutations := effort()
	alarms, err := FalseAlarms(context.Background(), split, Options{
		Runs: runs, Seed: 5, Compare: fingerprint.Options{Permutations: permutations, Pooled: pooled},
	})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if !alarms.Default.Within(0.05) {
		t.Errorf("%s: a change is found in %v of the splits of a system that did not change", name, alarms.Default)
	}
	return alarms
}

// TestFalseAlarmsOfSimulatedAgents: above the level in none of the settings. Logged
// is a table of the manual, with TRIBUNAL_LONG=1 as it is printed there.
func TestFalseAlarmsOfSimulatedAgents(t *testing.T) {
	sizes := [][2]int{{5, 5}, {10, 10}, {20, 20}, {50, 50}, {100, 100}, {100, 10}}
	if !long() {
		sizes = [][2]int{{5, 5}, {20, 20}, {50, 10}}
	}
	for _, agent := range Agents() {
		row, beside := "| "+agent.Name, "| "+agent.Name
		for _, n := range sizes {
			alarms := alarmsOf(t, fmt.Sprint(agent.Name, " ", n), Halves(agent, n[0], n[1]), false)
			row, beside = fmt.Sprintf("%s | %v", row, alarms.Default), fmt.Sprintf("%s | %v", beside, alarms.Hotelling)
		}
		t.Logf("default     %s |", row)
		t.Logf("F reference %s |", beside)
	}
}

// recordings are the recordings of real trials beside the project, if they are there,
// and whether each scenario was tried once.
var recordings = []struct {
	name string
	once bool
}{
	{"tau-airline-gpt-4o", false}, {"retail-gemini-3-flash-base", true}, {"retail-gemini-3-flash-harness", true},
	{"retail-gpt-4.1-mini-before", true}, {"retail-gpt-4.1-mini-after", true}, {"retail-gpt-4.1-mini-later", true},
}

// TestFalseAlarmsOfRecordings splits recordings of real agents into random halves.
func TestFalseAlarmsOfRecordings(t *testing.T) {
	for _, r := range recordings {
		t.Run(r.name, func(t *testing.T) {
			trials := recordedTrials(t, r.name)
			alarms := alarmsOf(t, r.name, Recording(trials), r.once)
			t.Logf("| %s | %d | %v | %v |", r.name, len(trials), alarms.Default, alarms.Hotelling)
		})
	}
}

func recordedTrials(t *testing.T, name string) (trials []*trial.Trial) {
	t.Helper()
	file, err := os.Open(refdata.Recorded(t, "trials", name+".jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for one, err := range trial.Read(file, trial.Options{File: name}) {
		if err != nil {
			t.Fatal(err)
		}
		trials = append(trials, one.Clone())
	}
	return trials
}

// A test that finds half of all splits to differ is seen as what it is.
func TestFalseAlarmsAreCounted(t *testing.T) {
	agent := Agents()[0]
	changed := agent
	changed.Draw = func(random *randSource, scenario int) *trial.Trial {
		one := agent.Draw(random, scenario)
		one.OutputTokens.Value *= 1000
		return one
	}
	split := func(random *randSource) (*fingerprint.Sample, *fingerprint.Sample) {
		baseline, candidate := Halves(agent, 10, 10)(random)
		if random.IntN(2) == 0 {
			_, candidate = Halves(changed, 10, 10)(random)
		}
		return baseline, candidate
	}
	o := Options{Runs: 200, Compare: fingerprint.Options{Permutations: 99}}
	alarms, err := FalseAlarms(context.Background(), split, o)
	if err != nil {
		t.Fatal(err)
	}
	if s := alarms.Default.Share(); s < 0.4 || s > 0.65 || alarms.Default.Within(0.05) || alarms.Default.Runs != 200 {
		t.Errorf("%+v", alarms)
	}
	again, err := FalseAlarms(context.Background(), split, o)
	if diff := cmp.Diff(alarms, again); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// The paper's test has too few degrees of freedom for many columns, which is no alarm.
func TestRefusalsAreCounted(t *testing.T) {
	constant := Agent{Name: "constant", Draw: func(*randSource, int) *trial.Trial { return answer(nil, 1, 1) }}
	o := Options{Runs: 10, Compare: fingerprint.Options{Permutations: 99}}
	alarms, err := FalseAlarms(context.Background(), Halves(constant, 1, 1), o)
	if err != nil || alarms.Default.Found != 0 || alarms.Default.Refused != 0 {
		t.Errorf("%+v, %v", alarms, err)
	}
	alarms, err = FalseAlarms(context.Background(), Halves(Agents()[2], 1, 1), o)
	if err != nil || alarms.Hotelling.Refused != 10 || alarms.Hotelling.String() != "refused" {
		t.Errorf("%+v, %v", alarms, err)
	}
	if _, err := FalseAlarms(context.Background(), Halves(constant, 0, 0), Options{Runs: 3}); err != nil {
		t.Errorf("no trials are a refusal: %v", err)
	}
}

// Halves hold every trial once, and as many of each scenario.
func TestRecordingsAreSplitWithinScenarios(t *testing.T) {
	var trials []*trial.Trial
	for i := range 40 {
		trials = append(trials, &trial.Trial{Scenario: string(rune('a' + i%5)), Outcome: trial.Pass,
			Steps: []trial.Step{{Action: trial.CallTool, Tool: fmt.Sprintf("t%02d", i)}}})
	}
	seen := make(map[string]bool)
	for i := range 20 {
		baseline, candidate := Recording(trials)(seeded.Stream(3, uint64(i)))
		if baseline.Len() != 20 || candidate.Len() != 20 {
			t.Fatalf("%d and %d trials", baseline.Len(), candidate.Len())
		}
		counts := make(map[string]int)
		for _, v := range fingerprint.NewVocabulary(baseline).Vectors(baseline) {
			counts[v.Scenario]++
		}
		if diff := cmp.Diff(map[string]int{"a": 4, "b": 4, "c": 4, "d": 4, "e": 4}, counts); diff != "" {
			t.Error(diff)
		}
		tools := append(baseline.Tools(), candidate.Tools()...)
		distinct := make(map[string]bool)
		for _, tool := range tools {
			distinct[tool] = true
		}
		if len(tools) != 40 || len(distinct) != 40 {
			t.Fatalf("%d trials, %d different", len(tools), len(distinct))
		}
		seen[strings.Join(baseline.Tools(), " ")] = true
	}
	if len(seen) < 20 {
		t.Errorf("only %d of 20 splits differ", len(seen))
	}
}

func TestCancelledMeasurements(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := FalseAlarms(ctx, Halves(Agents()[0], 5, 5), Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := FalseAlarms(context.Background(), nil, Options{Runs: -1}); err == nil {
		t.Error("negative runs are accepted")
	}
	o := Options{Runs: 4, Compare: fingerprint.Options{Alpha: 2}}
	var argument *stats.ArgumentError
	if _, err := FalseAlarms(context.Background(), Halves(Agents()[0], 5, 5), o); !errors.As(err, &argument) {
		t.Error(err)
	}
}
