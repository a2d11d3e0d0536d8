package recording

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

// A recording that puts columns aside holds what one holds that keeps all in memory, read in order and one by one.
func TestWhatIsPutAsideIsReadAgain(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3*chunkWords).Draw(t, "trials")
		beyond := rapid.IntRange(1, n+1).Draw(t, "beyond")
		from := rapid.IntRange(0, n).Draw(t, "from") // where inputs begin
		var inMemory, aside Recording
		aside.PutAside(beyond)
		for i := range n {
			x := &trial.Trial{Scenario: fmt.Sprint("s", i%7), Outcome: trial.Outcome(1 + i%3),
				CostUSD: trial.Some(float64(i) / 8)}
			if i%5 > 0 {
				x.Index, x.DurationSeconds = trial.Some(i-3), trial.Some(float64(i%11))
			}
			if i >= from && i%2 == 0 {
				x.Input = trial.RawString(fmt.Sprint(i % 1000))
				x.CostBasis = trial.EstimatedCost
			}
			inMemory.Add(x)
			aside.Add(x)
		}
		same := func(a, b Observation) bool {
			for i := range a.Metrics {
				if math.Float64bits(a.Metrics[i]) != math.Float64bits(b.Metrics[i]) {
					return false
				}
			}
			a.Metrics, b.Metrics = [metricCount]float64{}, [metricCount]float64{}
			return a == b
		}
		rows := 0
		for i, o := range aside.Observations() {
			if rows++; !same(o, inMemory.At(i)) || i%997 == 0 && !same(o, aside.At(i)) {
				t.Fatalf("trial %d is %+v; want %+v", i, o, inMemory.At(i))
			}
		}
		if rows != n || aside.Len() != n || aside.Err() != nil {
			t.Fatalf("%d of %d trials, %v", rows, n, aside.Err())
		}
		if err := aside.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// Without a folder for temporary files everything stays in memory.
func TestWithoutADiskNothingIsPutAside(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()+"/missing")
	t.Setenv("TMP", t.TempDir()+"/missing")
	var r Recording
	r.PutAside(10)
	for i := range 2 * chunkWords {
		r.Add(&trial.Trial{Scenario: "s", Outcome: trial.Pass, CostUSD: trial.Some(float64(i))})
	}
	if got := r.At(chunkWords).Metrics[CostMetric]; got != chunkWords || r.Close() != nil {
		t.Errorf("cost %v", got)
	}
}

// What cannot be read again is told, and nothing is made of it in silence.
func TestWhatCannotBeReadAgainIsAnError(t *testing.T) {
	var r Recording
	r.PutAside(10)
	for i := range 2 * chunkWords {
		r.Add(&trial.Trial{Scenario: "s", Outcome: trial.Pass, CostUSD: trial.Some(float64(i))})
	}
	if r.table.aside == nil {
		t.Skip("no temporary file can be made")
	}
	if err := r.table.aside.file.Truncate(0); err != nil {
		t.Fatal(err)
	}
	r.At(1)
	if r.Err() == nil {
		t.Error("what is gone is read without an error")
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
