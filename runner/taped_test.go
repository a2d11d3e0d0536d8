//go:build unix

package runner

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

func TestCassetteOfASuite(t *testing.T) {
	for _, mode := range []string{"process", "session"} {
		t.Run(mode, func(t *testing.T) {
			var asked atomic.Int64
			s := wiredSuite(t, func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				io.WriteString(w, answersFine)
			}, `
limits: none
concurrency: 2
scenarios:
  - {name: fine, input: 2, trials: 4, evaluate: [contains: fine]}
`)
			if mode == "session" {
				s.Agent.Mode = suite.SessionMode
			}
			s.Agent.Wire.Cassette.File = filepath.Join(t.TempDir(), "c")
			recorded := taped(t, s, 4)
			up := asked.Load()
			if up == 0 {
				t.Fatal("nothing was recorded")
			}
			s.Agent.Wire.Cassette.Replay = "strict"
			for i, again := range taped(t, s, 4) {
				first := recorded[i]
				if again.Outcome != trial.Pass || len(again.Steps) != 2 || again.InputTokens != first.InputTokens ||
					again.Output.Text() != first.Output.Text() {
					t.Errorf("trial %d was recorded as %+v, and replayed as %+v", i, first, again)
				}
			}
			s.Scenarios[0].Input = trial.Raw("3") // it asks once more than was recorded
			o, err := Prepare(context.Background(), s, s.Scenarios, PrepareOptions{Record: 4})
			if err != nil {
				t.Fatal(err)
			}
			o.Journal = filepath.Join(t.TempDir(), "journal")
			_, err = Run(context.Background(), o)
			if err == nil || !strings.Contains(err.Error(), "2 times, and it is asked once more") {
				t.Errorf("all trials ask what was not recorded: %v", err)
			}
			if n := asked.Load(); n != up {
				t.Errorf("%d requests went up while it was replayed", n-up)
			}
		})
	}
}

// taped runs trials of a suite, and returns them by their numbers.
func taped(t *testing.T, s *suite.Suite, trials int) []*trial.Trial {
	t.Helper()
	o, err := Prepare(context.Background(), s, s.Scenarios, PrepareOptions{Record: trials})
	if err != nil {
		t.Fatal(err)
	}
	o.Journal = filepath.Join(t.TempDir(), "journal")
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]*trial.Trial, trials)
	for _, record := range r.Trials {
		all[record.Trial.Index.Value] = record.Trial
	}
	for i, one := range all {
		if one == nil {
			t.Fatalf("trial %d was not run", i)
		}
	}
	return all
}
