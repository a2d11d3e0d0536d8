package running

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// doubtful are trials that passed although few would say so.
type doubtful struct {
	count int
	first string // the name of the first
}

func (d *doubtful) add(t *trial.Trial) {
	if d.count++; d.count == 1 {
		d.first = Numbered(t.Scenario, t.Variant, t.Index.Value)
	}
}

// tellOfDoubtfulPasses notes which trials passed though the agent ended badly, where no evaluator asks for its exit
// code, or though it did nothing, where all evaluators only say what must not be.
func tellOfDoubtfulPasses(a *world.World, s *suite.Suite, found *runner.Result) {
	if found == nil {
		return
	}
	scenarios := map[string]suite.Scenario{}
	for _, c := range s.Scenarios {
		scenarios[c.Name] = c
	}
	var ended, silent doubtful
	for _, record := range found.Trials {
		t := record.Trial
		if t == nil || t.Outcome != trial.Pass {
			continue
		}
		c := scenarios[t.Scenario]
		if p := record.Process; p != nil && p.ExitCode != 0 && !c.AsksExitCode() && !c.Expect.Asked() {
			ended.add(t)
		}
		isSilent := strings.TrimSpace(t.Output.Text()) == "" && len(t.Steps) == 0
		if isSilent && len(c.Evaluate) > 0 && !slices.ContainsFunc(c.Evaluate, asksForSomething) {
			silent.add(t)
		}
	}
	if ended.count > 0 {
		a.Notice("note", "%s passed with another exit code than 0, the first %s; evaluate: [exit-code: 0] makes them fail",
			prose.Count(ended.count, "trial"), ended.first)
	}
	if silent.count > 0 {
		a.Notice("note", "%s passed without any output, the first %s; say what an answer needs, such as evaluate: "+
			"[contains: TEXT]", prose.Count(silent.count, "trial"), silent.first)
	}
}

// asksForSomething reports whether an evaluator may fail an agent that does nothing.
func asksForSomething(e suite.Evaluation) bool {
	return !slices.Contains([]string{"not-contains", "must-not-call", "exit-code", "max_steps", "token-budget",
		"tool-call-count", "turn-count", "error-count", "wall-time"}, e.Name)
}
