//go:build unix

package runner

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/suite/mutation"
)

// asksKindly is what an agent asks that was offered two tools, one of which has answered.
const asksKindly = `{"model":"m","messages":[{"role":"system","content":"Be kind. Never guess."},{"role":"user","content":"Why?"},` +
	`{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"a","arguments":"{}"}}]},` +
	`{"role":"tool","tool_call_id":"c","content":"seven"}],` +
	`"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b"}}]}`

// An agent that is on the wire alone is mutated there: what it is made of is learned from what it asks first, and each
// mutant runs as a variant of the suite. One whose change never gets there is told from those whose does.
func TestMutantsOnAWire(t *testing.T) {
	for _, mode := range []string{"process", "session"} {
		t.Run(mode, func(t *testing.T) {
			var mutex sync.Mutex
			var asked []string
			s := wiredSuite(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				mutex.Lock()
				asked = append(asked, string(body))
				mutex.Unlock()
				io.WriteString(w, answersFine)
			}, "limits: none\nscenarios: [{name: one, input: 1, trials: 1, evaluate: [contains: fine]}]\n")
			if mode == "session" {
				s.Agent.Mode = suite.SessionMode
			}
			s.Agent.Env["WIRE_TEST_BODY"] = asksKindly
			s.Agent.Config = &suite.Config{Models: mutation.Models{Older: []string{"n"}}}
			base, err := Learn(context.Background(), s, s.Scenarios[0])
			if err != nil {
				t.Fatal(err)
			}
			if base.Prompt != "Be kind. Never guess." || len(base.Tools) != 2 || base.Model != "m" {
				t.Fatalf("learned %+v", base)
			}
			all, err := mutation.Mutants(context.Background(), base, mutation.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{ // what a request has then
				"prompt.weaken": `"content":"Be kind. Rarely guess."`, "model.version": `{"model":"n",`,
				"result.empty a": `"tool_call_id":"c","content":""`, "result.empty b": "",
				"tool.remove b": `"tools":[{"type":"function","function":{"name":"a"}}]`,
			}
			mutants := map[string]string{}
			for name := range want {
				operator, tool, _ := strings.Cut(name, " ")
				for _, m := range all {
					if m.Operator != operator || tool != "" && m.Site.Tool != tool {
						continue
					}
					agent, err := s.Agent.Rewritten(m, base)
					if err != nil {
						t.Fatal(err)
					}
					s.Variants = append(s.Variants, suite.Variant{Name: m.ID, Agent: agent})
					mutants[m.ID] = name
				}
			}
			if len(mutants) != len(want) {
				t.Fatalf("mutants %v", mutants)
			}
			asked = nil
			o, err := Prepare(context.Background(), s, s.Scenarios, PrepareOptions{Record: 1})
			if err != nil {
				t.Fatal(err)
			}
			o.Journal = filepath.Join(t.TempDir(), "journal")
			r, err := Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Trials) != len(want) || len(asked) != len(want) {
				t.Fatalf("%d trials, %d requests", len(r.Trials), len(asked))
			}
			for _, name := range mutants {
				text, found := want[name], 0
				for _, body := range asked {
					if text == "" && body == asksKindly || text != "" && strings.Contains(body, text) {
						found++
					}
				}
				if found != 1 {
					t.Errorf("%s: %d requests have %s", name, found, text)
				}
			}
			for _, record := range r.Trials {
				for _, v := range s.Variants {
					if v.Name != record.Variant {
						continue
					}
					name := mutants[v.Name]
					if got := Reached(v.Agent, record.Trial); got != (want[name] != "") {
						t.Errorf("%s reached the model: %v", name, got)
					}
					if record.Trial.Error != nil {
						t.Errorf("%s: %s", name, record.Trial.Error.Message)
					}
				}
			}
		})
	}
}

// Without a wire, and where nothing is asked, there is nothing to learn.
func TestNothingToLearn(t *testing.T) {
	s := wiredSuite(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, answersFine) },
		"limits: none\nscenarios: [{name: one, input: 0, trials: 1, evaluate: [contains: fine]}]\n")
	if _, err := Learn(context.Background(), s, s.Scenarios[0]); err == nil ||
		!strings.Contains(err.Error(), "asked no model") {
		t.Errorf("an agent that asks nothing: %v", err)
	}
	s.Agent.Wire = nil
	if _, err := Learn(context.Background(), s, s.Scenarios[0]); err == nil ||
		!strings.Contains(err.Error(), "not on the wire") {
		t.Errorf("an agent without a wire: %v", err)
	}
	if _, err := s.Agent.Rewritten(mutation.Mutant{}, mutation.Configuration{}); err == nil {
		t.Error("an agent without a wire is rewritten")
	}
}
