package runner

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/confine"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// confineProblem is the type of an error of an attempt that did not begin, as its program could not be confined.
const confineProblem = "confine"

// notBegun is the error of an attempt whose program did not begin.
func notBegun(err error) error {
	e := &InfrastructureError{Type: startProblem, Problem: err.Error(), Err: err, Unbegun: true}
	if _, ok := errors.AsType[*confine.Error](err); ok {
		e.Type = confineProblem
	}
	return e
}

// confinedAgent is an agent of a suite that is to be confined, and how this machine can do that.
type confinedAgent struct {
	called string         // as a suite calls it: agent, baseline_agent, variant small
	rules  confine.Rules  // without the wire
	lacks  []confine.Lack // what cannot be held
	try    bool
}

// confinedAgents are those of a suite that are to be confined. Where a network is to be held that is tried, with a
// program that ends at once.
func confinedAgents(s *suite.Suite) (all []confinedAgent) {
	add := func(called string, a suite.Agent) {
		if a.Confine == nil {
			return
		}
		rules := confine.Rules{Write: s.Writable(a), Network: a.Confine.Network}
		all = append(all, confinedAgent{called, rules, rules.Lacks(), a.Confine.OnMissing == suite.TryMissing})
	}
	add("agent", s.Agent)
	if s.BaselineAgent != nil {
		add("baseline_agent", *s.BaselineAgent)
	}
	for _, v := range s.Variants {
		add("variant "+v.Name, v.Agent)
	}
	return all
}

// Confinable says, a line for each agent that is to be confined, what of that this machine holds.
func Confinable(s *suite.Suite) (lines []string) {
	for _, c := range confinedAgents(s) {
		if len(c.lacks) > 0 && !c.try {
			continue // which is refused
		}
		if held := c.rules.Without(c.lacks).String(); held != "" {
			lines = append(lines, fmt.Sprintf("%s.confine: this machine can hold it: %s", c.called, held))
		}
	}
	return lines
}

// unconfined says what of the agents cannot be held, and refuses that where the suite does.
func unconfined(s *suite.Suite) (lines []string, err error) {
	for _, c := range confinedAgents(s) {
		if len(c.lacks) > 0 && !c.try {
			return nil, &suiteError{
				Place:   trial.Place{File: s.File},
				Problem: fmt.Sprintf("%s.confine cannot be held on this machine: %s", c.called, confine.Told(c.lacks)),
				Advice: "on_missing: try in confine, or confine: try, goes on without, and the result says so; " +
					"confine: false confines nothing",
			}
		}
		for _, l := range c.lacks {
			lines = append(lines, c.called+".confine: "+l.String())
		}
	}
	return lines, nil
}

// partsOf are the same without the reasons, which another session may word otherwise.
func partsOf(unconfined []string) (parts []string) {
	for _, line := range unconfined {
		agent, rest, _ := strings.Cut(line, ".confine: ")
		part, _, _ := strings.Cut(rest, ": ")
		parts = append(parts, agent+": "+part)
	}
	return parts
}

// tellUnconfined says it before the first trial.
func tellUnconfined(lines []string, warn func(string)) {
	if len(lines) > 0 && warn != nil {
		warn(runs.UnconfinedText(lines))
	}
}

// rulesOf are what the programs of an agent are held to, as far as this machine can; nil where nothing is.
func rulesOf(s *suite.Suite, a suite.Agent) *confine.Rules {
	if a.Confine == nil {
		return nil
	}
	rules := confine.Rules{Network: a.Confine.Network}
	for _, path := range s.Writable(a) {
		rules.Write = append(rules.Write, confine.Resolved(path))
	}
	return new(rules.Without(rules.Lacks()))
}

// placed is a command whose program works in a folder of its own, where it is to: an empty one, in which it may write
// whatever else it may. tidy removes it.
func (a *CommandAgent) placed(c process.Command) (placed process.Command, tidy func(), err error) {
	if !a.fresh {
		return c, func() {}, nil
	}
	folder, err := os.MkdirTemp("", "tribunal-work-")
	if err != nil {
		return c, nil, err
	}
	c.Dir = confine.Resolved(folder)
	rules := *c.Confine
	rules.Write = append(slices.Clip(rules.Write), c.Dir)
	c.Confine = &rules
	return c, func() { os.RemoveAll(folder) }, nil
}

// fromElsewhere is a command line that is started in another folder than that of the suite, where its files are.
func fromElsewhere(s *suite.Suite, argv []string) []string {
	for i, word := range argv {
		path := s.Resolve(word)
		information, err := os.Stat(path)
		if i == 0 || err != nil || !information.Mode().IsRegular() && !strings.ContainsAny(word, `/\`) {
			continue
		}
		if absolute, err := filepath.Abs(path); err == nil {
			argv[i] = absolute
		}
	}
	return argv
}

// confined is a command whose program reaches the wire, where it is to reach nothing else.
func (w *wiring) confined(c process.Command) process.Command {
	if c.Confine == nil || c.Confine.Network != confine.Wire {
		return c
	}
	rules := *c.Confine
	rules.Port, rules.Serve = w.opened.Port(), w.opened.Serve // it is open, as there is a route
	c.Confine = &rules
	return c
}

// mayWrite reports whether an agent may write a file that it is to write from a folder. Where writes cannot be held it
// may; a suite is refused all the same, as it would be elsewhere.
func mayWrite(s *suite.Suite, a suite.Agent, folder, file string) bool {
	if a.Confine == nil {
		return true
	}
	if a.Fresh() && filepath.IsLocal(file) {
		return true
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(folder, file)
	}
	file, err := filepath.Abs(file)
	if err != nil {
		return false
	}
	for _, path := range s.Writable(a) {
		if strings.Contains(path, "${") { // which only a run knows
			return true
		}
		inner, err := filepath.Rel(path, file)
		if err == nil && inner != ".." && !strings.HasPrefix(inner, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}
