// Package sample holds what the tests of several packages judge: a design, recorded
// trials of real agents, and trials made up from a seed.
package sample

import (
	"context"
	"math/rand/v2"
	"os"
	"sync"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
)

// T is a test, of rapid's or not.
type T interface {
	Helper()
	Fatal(...any)
	Context() context.Context
	Skipf(format string, arguments ...any)
}

// Hypotheses are the example of the manual: 0.9 against 0.8.
var Hypotheses = sprt.Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.05, Beta: 0.1}

// Design is the optimal design of at most 152 trials for [Hypotheses], computed once: it
// passes after 15 straight passes and fails after 4 straight failures.
var Design = sync.OnceValue(func() sprt.Design {
	found, err := sprt.Optimal(context.Background(), Hypotheses, sprt.OptimalOptions{MaxTrials: 152})
	if err != nil {
		panic(err)
	}
	return found.Design
})

// Trials reads the recorded trials of an agent. A test is skipped where they are not there.
func Trials(t T, name string, use func(*trial.Trial)) {
	t.Helper()
	path := refdata.Recorded(t, "trials", name+".jsonl.gz")
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for record, err := range trial.Read(file, trial.Options{File: path}) {
		if err != nil {
			t.Fatal(err)
		}
		use(record)
	}
}

// Working returns a sample of trials that call search so many times each, more or
// less, and write answers of some length.
func Working(trials, calls int, seed uint64) *fingerprint.Sample {
	random := rand.New(rand.NewPCG(seed, 99))
	var s fingerprint.Sample
	for range trials {
		t := &trial.Trial{Scenario: "a", Steps: []trial.Step{}}
		for range calls + random.IntN(3) {
			t.Steps = append(t.Steps, trial.Step{Action: trial.Reason}, trial.Step{Action: trial.CallTool,
				Tool: "search"})
		}
		t.Steps = append(t.Steps, trial.Step{Action: trial.Respond})
		t.OutputTokens = trial.Some(int64(100 + random.IntN(50)))
		s.Add(t)
	}
	return &s
}
