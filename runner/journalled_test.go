package runner

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// The result of a run says which journal it is of, also where it is printed again.
func TestResultNamesItsJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(quick(t), simulated(.9), "a")
		if r := mustRun(t, o); r.Journal != nil {
			t.Errorf("a journal that was not kept: %+v", r.Journal)
		}
		o.Journal, o.Suite = filepath.Join(t.TempDir(), "journal"), "s"
		for _, o.Resume = range []bool{false, true} {
			found := mustRun(t, o)
			history, err := journal.Read(o.Journal)
			if err != nil {
				t.Fatal(err)
			}
			chain := history.Chain
			result, err := runs.Judge(t.Context(), found.Evidence("suite", "digest", "1"))
			if err != nil {
				t.Fatal(err)
			}
			want := runs.Journal{Chain: chain.String(), Lines: chain.Lines()}
			if result.Journal == nil || *result.Journal != want || want.Lines < 4 {
				t.Errorf("%+v, want %+v", result.Journal, want)
			}
		}
	})
}

// A record that takes more than a line of the journal may have is an error of its trial: who continues the run
// finds there what this one judged.
func TestRecordThatIsTooLongIsAnError(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some hundred megabytes of memory")
	}
	long := strings.Repeat("x", journal.MaxLineBytes)
	agent := AgentFunc(func(context.Context, Request) Attempt {
		return Attempt{Trial: &trial.Trial{Outcome: trial.Pass, Output: trial.RawString(long)}}
	})
	o := options(quick(t), agent, "a")
	o.Concurrency, o.MaxErrors = 1, 1
	o.Journal, o.Suite = filepath.Join(t.TempDir(), "journal"), "s"
	r, err := Run(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "takes more than 268435456 bytes of the journal") {
		t.Fatalf("%+v, %v", r.StoppedBy, err)
	}
	history, err := journal.Read(o.Journal)
	if err != nil || history.Ended() != 1 || r.Trials[0].Trial.Outcome != trial.Error {
		t.Errorf("%d ended, %v", history.Ended(), err)
	}
}
