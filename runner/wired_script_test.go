//go:build unix

package runner

import (
	"context"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire/script"
)

// An agent whose model is a script asks no server and needs no key. What it asks beyond the script is an error of the
// trial, whatever end is expected of it.
func TestAgentOfAScript(t *testing.T) {
	n := thorough.Draws(20, 40)
	for _, mode := range []string{"process", "session"} {
		t.Run(mode, func(t *testing.T) {
			s := wiredSuite(t, func(http.ResponseWriter, *http.Request) { t.Error("a server is asked") }, `
limits: none
concurrency: 2
scenarios:
  - {name: drawn, input: 1, evaluate: [contains: fine]}
  - {name: own, input: 2, evaluate: [contains: fine]}
  - {name: beyond, input: 2, evaluate: [contains: fine]}
  - {name: beyond as expected, input: 2, expect: {status: failed}}
`)
			if mode == "session" {
				s.Agent.Mode = suite.SessionMode
			}
			wire := *s.Agent.Wire
			wire.Upstream, wire.Upstreams, wire.KeyEnv, wire.Keys = nil, nil, nil, nil
			wire.Script = parseScript(t, `
turns:
  - variants: [{text: I am fine., weight: 3, tokens: {in: 1000, out: 10}}, {text: I am ill., tokens: {in: 1000, out: 10}}]`)
			s.Agent.Wire = &wire
			s.Scenarios[1].ModelScript = parseScript(t, `turns: [{text: Well.}, {text: I am fine.}]`)
			var runs [2]map[string][]string
			for i := range runs {
				o, err := Prepare(context.Background(), s, s.Scenarios, PrepareOptions{Record: n})
				if err != nil {
					t.Fatal(err)
				}
				o.Journal = filepath.Join(t.TempDir(), "journal")
				r, err := Run(context.Background(), o)
				if err != nil {
					t.Fatal(err)
				}
				runs[i] = outcomesOf(t, r.Trials)
			}
			if diff := cmp.Diff(runs[0], runs[1]); diff != "" {
				t.Errorf("the same seed draws others (-first +second):\n%s", diff)
			}
			got := runs[0]
			well := strings.Count(strings.Join(got["drawn"], " "), "pass I am fine.")
			// A share of 3/4 among n has the standard deviation √(3n)/4; this is 5 of them.
			if len(got["drawn"]) != n || float64(well) < 0.75*float64(n)-1.25*math.Sqrt(3*float64(n)) || well == n {
				t.Errorf("%d of %d are well", well, len(got["drawn"]))
			}
			const beyond = "error the script has no turn 2: it ends with turn 1"
			for name, want := range map[string]string{"own": "pass I am fine.", "beyond": beyond, "beyond as expected": beyond} {
				if diff := cmp.Diff(slices.Repeat([]string{want}, n), got[name]); diff != "" {
					t.Errorf("%s: %s", name, diff)
				}
			}
		})
	}
}

// outcomesOf are the outcomes of trials by their scenarios and numbers, with the last answer, or the message of an
// error.
func outcomesOf(t *testing.T, trials []Record) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, record := range trials {
		x := record.Trial
		list := all[x.Scenario]
		for len(list) <= x.Index.Value {
			list = append(list, "")
		}
		list[x.Index.Value] = x.Outcome.String() + " "
		if x.Outcome == trial.Error {
			list[x.Index.Value] += x.Error.Message
		} else {
			list[x.Index.Value] += x.Steps[len(x.Steps)-1].Output.Text()
		}
		all[x.Scenario] = list
	}
	return all
}

func parseScript(t *testing.T, text string) *script.Script {
	t.Helper()
	s, err := script.Parse("script", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
