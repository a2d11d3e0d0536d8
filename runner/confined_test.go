//go:build unix

package runner

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/confine"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// escapee does what it must not before each answer, and tells what it could.
func escapee(outside, address string) int {
	if os.WriteFile(outside, nil, 0o600) == nil {
		fmt.Fprintln(os.Stderr, "wrote", outside)
	}
	if c, err := net.Dial("tcp", address); err == nil {
		c.Close()
		fmt.Fprintln(os.Stderr, "reached", address)
	}
	if os.WriteFile(filepath.Join(os.TempDir(), "temporary"), nil, 0o600) != nil ||
		os.WriteFile("inside", nil, 0o600) != nil {
		fmt.Fprintln(os.Stderr, "could not write where it may")
		return 70
	}
	return asker()
}

// An agent that is confined asks its model over the wire, writes in its folder and nowhere else, and reaches nobody.
func TestConfinedAgent(t *testing.T) {
	for _, mode := range []suite.Mode{suite.ProcessMode, suite.SessionMode} {
		t.Run("mode "+string(mode), func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			reached := &atomic.Int64{}
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					reached.Add(1)
					c.Close()
				}
			}()
			root := t.TempDir()
			work, outside := filepath.Join(root, "work"), filepath.Join(root, "outside")
			if err := os.Mkdir(work, 0o755); err != nil {
				t.Fatal(err)
			}
			s := wiredSuite(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, answersFine) }, `
concurrency: 3
limits: none
scenarios: [{name: fine, input: 2, trials: 8, evaluate: [contains: fine]}]
`)
			s.Agent.WorkingDir, s.Agent.Mode = work, mode
			s.Agent.Command = append(s.Agent.Command, outside, l.Addr().String())
			s.Agent.Env[roleVariable] = "escapee"
			s.Agent.Confine = &suite.Confine{Write: []string{"."}, Network: confine.Wire, OnMissing: suite.RefuseMissing}
			for _, c := range confinedAgents(s) {
				if len(c.lacks) > 0 {
					t.Skip("this machine cannot confine programs: " + confine.Told(c.lacks))
				}
			}
			r := ran(t, s)
			for _, record := range r.Trials {
				x := record.Trial
				if x.Outcome != trial.Pass || len(x.Steps) != 2 || !strings.Contains(string(x.Output), "fine") {
					t.Errorf("%+v %+v", x, x.Error)
				}
				if record.Process != nil && record.Process.Stderr != "" {
					t.Error(record.Process.Stderr)
				}
			}
			if len(r.Trials) < 8 || reached.Load() > 0 {
				t.Errorf("%d trials, %d connections", len(r.Trials), reached.Load())
			}
			if _, err := os.Stat(outside); err == nil {
				t.Error("it wrote outside")
			}
			if _, err := os.Stat(filepath.Join(work, "inside")); err != nil {
				t.Error(err)
			}

			// What is to be written to is gone when it begins: an error of the trial, and no answer of the agent.
			s.Agent.Confine.Write = []string{".", "gone"}
			r = ran(t, s)
			for _, record := range r.Trials {
				if x := record.Trial; x.Outcome != trial.Error || x.Error.Type != confineProblem ||
					x.Error.Origin != trial.InfrastructureOrigin || record.Spent.Unstarted == 0 {
					t.Errorf("%+v %+v", x, x.Error)
				}
			}
		})
	}
}

// ran runs eight trials of each scenario of a suite.
func ran(t *testing.T, s *suite.Suite) *Result {
	t.Helper()
	s.Agent.Retries = suite.Retries{}
	o, err := Prepare(context.Background(), s, s.Scenarios, PrepareOptions{Record: 8})
	if err != nil {
		t.Fatal(err)
	}
	o.Journal = filepath.Join(t.TempDir(), "journal")
	r, err := Run(context.Background(), o)
	if r == nil {
		t.Fatal(err)
	}
	return r
}

// A file that it is to write must be where it may.
func TestConfinedOutputFile(t *testing.T) {
	s := parse(t, `
version: 1
name: confined
agent: {command: [sh], output_file: "../out-{id}", confine: {network: none, on_missing: try}}
test: {threshold: 0.8}
limits: none
scenarios: [{name: one, evaluate: [contains: x]}]
`)
	_, err := commandAgents(s)
	if err == nil || !strings.Contains(err.Error(),
		`agent.output_file: "../out-{id}" is where confine keeps it from writing`) {
		t.Error(err)
	}
	s.Agent.OutputFile = "out/x-{id}"
	if _, err := commandAgents(s); err != nil {
		t.Error(err)
	}
}
