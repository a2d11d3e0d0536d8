package looks

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

func entry(evidence string, v verdict.Verdict) Entry {
	return Entry{Question: "q", Evidence: evidence, Trials: 1, Look: verdict.Look{Verdict: v, FalsePass: .1}}
}

func count(t *testing.T, file string, e Entry, s Sight) int {
	t.Helper()
	earlier, err := Count(InFile(file), e, s)
	if err != nil {
		t.Fatal(err)
	}
	return len(earlier)
}

// A Pass after others, which were not planned, ends no count: whoever tries on until there are two would have them.
func TestLooksAreCountedUntilAFirstPass(t *testing.T) {
	file := filepath.Join(t.TempDir(), File)
	for i, step := range []struct {
		e    Entry
		s    Sight
		want int
	}{
		{entry("a", verdict.Fail), Sight{}, 0},
		{entry("b", verdict.Inconclusive), Sight{}, 1},
		{entry("b", verdict.Inconclusive), Sight{}, 1}, // the same look
		{entry("b2", verdict.Fail), Sight{Continues: true}, 1},
		{entry("c", verdict.Pass), Sight{}, 3},
		{entry("d", verdict.Fail), Sight{}, 4}, // the Pass is one of them
		{entry("e", verdict.Pass), Sight{}, 5},
		{Entry{Question: "q", Evidence: "f", NewAgent: true, Look: verdict.Look{Verdict: verdict.Pass}}, Sight{}, 0},
		{entry("g", verdict.Fail), Sight{}, 0}, // after a Pass that was the first
		{entry("h", verdict.Pass), Sight{}, 1},
		{Entry{Question: "planned", Evidence: "a", Look: verdict.Look{Verdict: verdict.Fail, Declared: 2}}, Sight{}, 0},
		{Entry{Question: "planned", Evidence: "b", Look: verdict.Look{Verdict: verdict.Pass, Declared: 2}}, Sight{}, 1},
		{Entry{Question: "planned", Evidence: "c", Look: verdict.Look{Verdict: verdict.Pass, Declared: 2}}, Sight{}, 0},
		{Entry{Question: "other", Evidence: "a"}, Sight{}, 0},
	} {
		if got := count(t, file, step.e, step.s); got != step.want {
			t.Errorf("step %d: %d earlier looks, want %d", i, got, step.want)
		}
	}
}

// A line that was cut short loses itself alone.
func TestATornLineIsPassedOver(t *testing.T) {
	file := filepath.Join(t.TempDir(), File)
	count(t, file, entry("a", verdict.Fail), Sight{})
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	torn := string(text) + string(text[:len(text)/2])
	if err := os.WriteFile(file, []byte(torn), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := count(t, file, entry("b", verdict.Fail), Sight{}); got != 1 {
		t.Errorf("%d earlier looks after a torn line, want 1", got)
	}
	if got := count(t, file, entry("c", verdict.Fail), Sight{}); got != 2 {
		t.Errorf("%d earlier looks, want 2", got)
	}
	whole, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(whole), torn) {
		t.Errorf("what was there has changed: %v", err)
	}
}

// Looks at the same time are all counted, each once.
func TestLooksAtTheSameTime(t *testing.T) {
	file := filepath.Join(t.TempDir(), File)
	seen := make([]int, 20)
	var all sync.WaitGroup
	for i := range seen {
		all.Go(func() { seen[i] = count(t, file, entry(strings.Repeat("x", i+1), verdict.Fail), Sight{}) })
	}
	all.Wait()
	taken := make([]bool, len(seen))
	for _, n := range seen {
		if taken[n] {
			t.Fatalf("two looks have %d before them: %v", n, seen)
		}
		taken[n] = true
	}
}

func TestNoPlaceForALedger(t *testing.T) {
	if _, err := Count(InFile(filepath.Join(t.TempDir(), "none", File)), entry("a", verdict.Fail), Sight{}); err == nil {
		t.Error("a ledger in a folder that is not there")
	}
}

// A recording that grew is known by its beginning, and by nothing less.
func TestARecordingThatGrewIsKnown(t *testing.T) {
	var short, long, other Prefixes
	for i := range 30 {
		one := &trial.Trial{Scenario: "s", Outcome: trial.Pass, CostUSD: trial.Some(float64(i))}
		if i < 20 {
			short.Add(one)
		}
		long.Add(one)
		one.CostUSD = trial.Some(float64(i + 1))
		other.Add(one)
	}
	if !long.Same(short.Trials(), short.Digest()) || other.Same(short.Trials(), short.Digest()) ||
		short.Same(long.Trials(), long.Digest()) || short.Same(0, "") || !long.Told() {
		t.Error("a beginning is not known, or what is none is")
	}
}

// Every beginning of a long one is known, and by its own number of trials alone.
func TestEveryBeginningIsKnown(t *testing.T) {
	var p Prefixes
	digests := []string{p.Digest()}
	for i := range 2*part + 7 {
		p.Add(&trial.Trial{Scenario: "s", Outcome: trial.Pass, CostUSD: trial.Some(float64(i))})
		digests = append(digests, p.Digest())
	}
	for n := 1; n < len(digests); n++ {
		if !p.Same(n, digests[n]) || p.Same(n-1, digests[n]) || p.Same(n+1, digests[n]) {
			t.Fatalf("the beginning of %d trials", n)
		}
	}
}
