//go:build unix

package runner

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/suite"
)

// TestFaultsOnAWire breaks what an agent asks that goes on whatever it gets. A trial whose fault never was is an error,
// whatever end is expected of it.
func TestFaultsOnAWire(t *testing.T) {
	for _, mode := range []string{"process", "session"} {
		t.Run(mode, func(t *testing.T) {
			s := wiredSuite(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, answersFine) }, `
limits: none
scenarios:
  - {name: hasty, input: 3, trials: 1, faults: [{kind: rate-limit, at: 2}], evaluate: [contains: fine]}
  - {name: unasked, input: 3, trials: 1, faults: [overloaded], expect: {status: completed, billed_tokens: 0, max_attempts: 3}}
  - {name: stubborn, input: 3, trials: 1, faults: [overloaded], expect: {status: completed, max_attempts: 2}}
  - {name: reset, input: 1, trials: 1, faults: [reset], expect: {status: failed}}
  - {name: never, input: 1, trials: 1, faults: [{kind: reset, at: 9}], evaluate: [contains: fine]}
  - {name: never as expected, input: 1, trials: 1, faults: [tool-lie], expect: {status: completed}}
  - {name: never as an error, input: 1, trials: 1, faults: [tool-lie], expect: {status: errored}}
`)
			if mode == "session" {
				s.Agent.Mode = suite.SessionMode
			}
			o, err := Prepare(context.Background(), s, s.Scenarios, PrepareOptions{Record: 6})
			if err != nil {
				t.Fatal(err)
			}
			o.Journal = filepath.Join(t.TempDir(), "journal")
			r, err := Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, record := range r.Trials {
				x := record.Trial
				line := x.Outcome.String()
				if x.Error != nil {
					line += " " + x.Error.Type
				}
				for _, step := range x.Steps {
					line += " " + string(step.Action)
					for _, e := range step.Events() {
						line += "/" + strings.TrimPrefix(e, "fault: ")
					}
				}
				got[x.Scenario] = line
				if strings.HasPrefix(x.Scenario, "never") && !strings.Contains(x.Error.Message, "never happened") {
					t.Error(x.Error.Message)
				}
			}
			overloaded := " request/overloaded request/overloaded request/overloaded"
			want := map[string]string{
				"hasty":             "pass respond request/rate-limit respond/client: ignored-retry-after",
				"unasked":           "pass" + overloaded,
				"stubborn":          "fail" + overloaded,
				"reset":             "pass exit request/reset",
				"never":             "error void respond",
				"never as expected": "error void respond",
				"never as an error": "error void respond",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
