package suite

import (
	"fmt"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// expect reads how the agent must end.
func (d *decoder) expect(n *yaml.Node, x *oracle.Expectation) {
	d.Object(n,
		key{Name: "status", About: "how the agent must end",
			Needed: true, Advice: "completed, failed, timed-out or errored",
			Read: yamlnode.Word(&d.Decoder, &x.Status, oracle.Statuses()...)},
		key{Name: "within", About: "the longest that the trial may take, such as 5s",
			Read: d.Duration(&x.Within, false)},
		key{Name: "max_attempts", About: "requests to a model for one answer",
			Read: d.Whole(1, 1000, func(n int64) { x.MaxAttempts = int(n) })},
		key{Name: "must-not-call", About: "tools that must not be called", Read: d.Texts(&x.MustNotCall, d.IsLine)},
		key{Name: "denied", About: "arguments, with * for anything, with which calls must fail",
			Read: d.Texts(&x.Denied, d.IsLine)},
		key{Name: "no_canary", About: "nothing of what was injected comes out, or into a call",
			Read: d.Bool(&x.NoCanary)},
		key{Name: "billed_tokens", About: "the most tokens of answers, in and out",
			Read: d.Whole(0, trial.MaxTokens, func(n int64) { x.BilledTokens = trial.Some(n) })},
	)
}

// expectationsFit refuses a scenario that no trial can pass: one that is to end by its timeout, and sooner than that.
func (d *decoder) expectationsFit(s *Suite, agent *yaml.Node) {
	if len(d.Problems) > 0 {
		return
	}
	shortest := s.Agent
	for _, a := range s.allAgents() {
		if a.Timeout < shortest.Timeout {
			shortest = a
		}
	}
	for _, c := range s.Scenarios {
		if c.Expect.Status != oracle.TimedOut || c.Expect.Within == 0 || c.Expect.Within >= shortest.Timeout {
			continue
		}
		e := d.Fail(agent,
			fmt.Sprintf("%v is over before the agent's timeout, which is %v", c.Expect.Within, shortest.Timeout),
			"no trial could pass: give it longer than that, or the agent a shorter timeout")
		e.Place, e.Field = c.Place, "scenarios."+c.Name+".expect.within"
		return
	}
}
