//go:build unix

package runner

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/trial"
)

func TestCommandAgentGetsTheRequest(t *testing.T) {
	agent := &CommandAgent{Command: program(t, "echo")}
	a := agent.Run(context.Background(), Request{Scenario: "x\"y", Input: trial.Raw(`{"text":"hi"}`), Trial: 3,
		Seed: 1<<53 - 1, Attempt: 2})
	if a.Err != nil {
		t.Fatal(a.Err)
	}
	want := `{"scenario":"x\"y","input":{"text":"hi"},"trial":3,"seed":9007199254740991}`
	if a.Trial.Output.Text() != want || a.Trial.Scenario != "x\"y" || !a.Trial.DurationSeconds.Known {
		t.Errorf("%+v, want %s", a.Trial, want)
	}
}

func TestInfrastructureErrors(t *testing.T) {
	slow := program(t, "echo")
	slow.Argv = []string{"sleep", "60"}
	slow.Timeout = 20 * time.Millisecond
	unparsable := errors.New("unparsable")
	for _, c := range []struct {
		name, kind string
		agent      CommandAgent
	}{
		{"no program", "start", CommandAgent{Command: process.Command{Argv: []string{"no-such-program-anywhere"}}}},
		{"silent exit", "exit", CommandAgent{Command: program(t, "exit", "3"), SilentExitIsError: true}},
		{"exit", "", CommandAgent{Command: program(t, "exit", "3")}},
		{"timeout", "timeout", CommandAgent{Command: slow, TimeoutIsError: true}},
		{"own timeout", "", CommandAgent{Command: slow}},
		{"output", "output", CommandAgent{Command: program(t, "echo"), OutputIsError: true,
			Parse: func(Request, []byte) (*trial.Trial, error) { return nil, unparsable }}},
		{"own output", "", CommandAgent{Command: program(t, "echo"),
			Parse: func(Request, []byte) (*trial.Trial, error) { return nil, unparsable }}},
	} {
		a := c.agent.Run(context.Background(), Request{Scenario: "x"})
		var got *InfrastructureError
		if errors.As(a.Err, &got) != (c.kind != "") || got != nil &&
			(got.Type != c.kind || got.Unbegun != (c.kind == "start")) {
			t.Errorf("%s: %+v", c.name, a)
		}
		switch c.name {
		case "silent exit":
			if !strings.Contains(a.Err.Error(), "exit code 3") || !strings.Contains(a.Err.Error(), "no luck") {
				t.Error(a.Err)
			}
		case "no program":
			if !errors.Is(a.Err, exec.ErrNotFound) {
				t.Error(a.Err)
			}
		case "output":
			if !errors.Is(a.Err, unparsable) {
				t.Error(a.Err)
			}
		}
	}
}
