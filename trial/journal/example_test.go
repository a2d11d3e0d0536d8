package journal_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// A run of one test is killed while its second trial runs. What it wrote says where to
// go on.
func Example() {
	folder, err := os.MkdirTemp("", "journal")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	name := filepath.Join(folder, "routing.journal.jsonl")

	header := journal.Header{
		Suite: "sha256:4dd7", Seed: 1, Version: "1.0",
		Tests: []journal.Test{{Name: "routing", Design: "sha256:f07c", Scenarios: []string{"refund"}}},
	}
	w, err := journal.Create(name, header)
	if err != nil {
		log.Fatal(err)
	}
	w.Launch(journal.Launch{Test: "routing", Scenario: "refund", Trial: 0, Seed: 11})
	w.Launch(journal.Launch{Test: "routing", Scenario: "refund", Trial: 1, Seed: 12})
	w.End(
		journal.End{Scenario: "refund", Trial: 0, Spent: journal.Spend{Attempts: 1, CostUSD: 0.02}},
		&trial.Trial{Scenario: "refund", Index: trial.Some(0), Outcome: trial.Pass},
	)
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}

	// Another session goes on, as the same run only: the header must be the same.
	w, history, err := journal.Resume(name, header, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	fmt.Printf("%d of %d trials ended, %d attempt was lost, $%.2f spent\n",
		history.Ended(), len(history.Trials), history.Lost(), history.Spent.CostUSD)
	for _, t := range history.Trials {
		if t.End == nil {
			fmt.Printf("not ended: %s, trial %d\n", t.Launch.Scenario, t.Launch.Trial)
		} else {
			fmt.Printf("%s, trial %d: %v\n", t.Launch.Scenario, t.Launch.Trial, t.Record.Outcome)
		}
	}
	// Output:
	// 1 of 2 trials ended, 1 attempt was lost, $0.02 spent
	// refund, trial 0: pass
	// not ended: refund, trial 1
}
