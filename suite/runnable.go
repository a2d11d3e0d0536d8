package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
)

// startedProgram is a program that the suite starts, or the script that an interpreter is given: an agent, or a judge.
type startedProgram struct {
	trial.Place
	field    string // such as agent.command
	name     string // as the suite has it
	scenario string // whose judge it is; "" is an agent
	scoring  bool   // it judges a part of an axis, in every scenario
	script   bool
}

// noteProgram keeps the last word of a command that was read so far for [Suite.Runnable], where that is to be there.
func (d *decoder) noteProgram(n *yaml.Node, argv []string) {
	script := len(argv) == 2 && isScript(argv[0], argv[1])
	if len(argv) == 1 || script {
		d.programs = append(d.programs, startedProgram{d.Place(n), d.Field, argv[len(argv)-1], "", false, script})
	}
}

// isScript reports whether an interpreter takes its first argument for a script, by how that is written.
func isScript(interpreter, word string) bool {
	if strings.HasPrefix(word, "-") || strings.ContainsAny(word, "{:") {
		return false
	}
	ending, here := filepath.Ext(word), strings.HasPrefix(word, "./")
	switch strings.TrimRight(filepath.Base(interpreter), "0123456789.") { // such as python3.11
	case "sh", "bash", "dash", "zsh", "ksh":
		return here || slices.Contains([]string{".sh", ".bash", ".zsh"}, ending)
	case "python", "pypy":
		return here || ending == ".py"
	case "ruby":
		return here || ending == ".rb"
	case "perl":
		return here || ending == ".pl"
	case "php":
		return here || ending == ".php"
	case "node", "bun", "tsx", "ts-node": // which find a script without its ending, too
		return slices.Contains([]string{".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"}, ending)
	}
	return false
}

// Runnable returns [Errors] where the suite can be read, and a run of it would come to nothing here: a
// program that is not there, or a scenario that nothing judges. A suite may be run elsewhere than here.
func (s *Suite) Runnable() error {
	if _, err := s.Expanded(s.Scenarios); err != nil {
		return err
	}
	agents := append([]Agent{s.Agent}, s.alternatives()...)
	if s.BaselineAgent != nil {
		agents = append(agents, *s.BaselineAgent)
	}
	problems := s.missing(agents, func(startedProgram) bool { return true })
	silent := s.silentOutput()
	for i, c := range s.Scenarios {
		if len(c.Evaluate) > 0 || c.Expect.Asked() || silent == "" || len(problems) >= yamlnode.MaxErrors {
			continue
		}
		problems = append(problems, &Error{
			Place: c.Place, Field: fmt.Sprintf("scenarios[%d]", i),
			Problem: "is judged by nothing: it has no evaluator, and output: " + silent + " states no outcome",
			Advice:  "such as evaluate: [contains: billing], or output: trial for an agent that states its outcome",
		})
	}
	if len(problems) == 0 {
		return nil
	}
	return problems
}

// Startable returns [Errors] where a run of some scenarios would start what cannot be started here: an agent or
// a judge of theirs that is not there, or a folder to start it in. What only other scenarios or other agents need
// is not looked for; that of the baseline is where it runs beside the agent.
func (s *Suite) Startable(scenarios []Scenario, sideBySide bool) error {
	agents := s.alternatives()
	if len(agents) == 0 {
		agents = []Agent{s.Agent}
	}
	if sideBySide && s.BaselineAgent != nil {
		agents = append(agents, *s.BaselineAgent)
	}
	problems := s.missing(agents, func(p startedProgram) bool {
		if p.scoring {
			return true
		}
		if p.scenario == "" {
			return slices.ContainsFunc(agents, func(a Agent) bool { return slices.Contains(a.Command, p.name) })
		}
		return slices.ContainsFunc(scenarios, func(c Scenario) bool { return c.Name == p.scenario })
	})
	if len(problems) == 0 {
		return nil
	}
	return problems
}

// alternatives are the agents of the variants.
func (s *Suite) alternatives() (agents []Agent) {
	for _, v := range s.Variants {
		agents = append(agents, v.Agent)
	}
	return agents
}

// missing says which of the programs that are asked for cannot be started, and which folders the agents cannot be
// started in.
func (s *Suite) missing(agents []Agent, asked func(startedProgram) bool) (problems Errors) {
	places := append([]string{s.Dir()}, filepath.SplitList(os.Getenv("PATH"))...) // where a shell looks for scripts
	for _, a := range agents {
		if a.WorkingDir != "" {
			places = append(places, s.Resolve(a.WorkingDir))
		}
	}
	seen := map[trial.Place]bool{} // what stands in a matrix is read for each combination
	for _, p := range s.programs {
		if seen[p.Place] || !asked(p) {
			continue
		}
		seen[p.Place] = true
		p.name = expand(p.name, s.anyVariable())
		if e := p.missing(s.Dir(), places); e != nil && len(problems) < yamlnode.MaxErrors {
			problems = append(problems, e)
		}
	}
	folders := map[string]bool{}
	confined := map[string]bool{}
	for _, a := range agents {
		for _, e := range s.unwritable(a) {
			if !confined[e.Error()] && len(problems) < yamlnode.MaxErrors {
				problems = append(problems, e)
			}
			confined[e.Error()] = true
		}
	}
	for _, a := range agents {
		if a.WorkingDir == "" || folders[a.WorkingDir] || len(problems) >= yamlnode.MaxErrors {
			continue
		}
		folders[a.WorkingDir] = true
		if info, err := os.Stat(s.Resolve(a.WorkingDir)); err != nil || !info.IsDir() {
			problems = append(problems, &Error{
				Place: trial.Place{File: s.File}, Field: "working_dir",
				Problem: fmt.Sprintf("names a folder that is not there: %q", a.WorkingDir),
				Advice:  "its path is from the folder of the suite",
			})
		}
	}
	return problems
}

// silentFormats are those whose records never say that an agent did well: logs of what was said and done.
var silentFormats = []string{
	OutputText, "claude-stream", "claude-session", "codex", "codex-session", "gemini-cli", "gemini-session",
	"openai-agents", "openai-agents-state", "openai", "anthropic", "langchain", "crewai", "autogen", "smolagents",
	"semantic-kernel", "bedrock", "mcp",
}

// silentOutput returns the output of an agent of the suite that prints what never says whether it did well; "" if
// there is none.
func (s *Suite) silentOutput() string {
	outputs := []string{s.Agent.Output}
	if s.BaselineAgent != nil {
		outputs = append(outputs, s.BaselineAgent.Output)
	}
	for _, v := range s.Variants {
		outputs = append(outputs, v.Agent.Output)
	}
	for _, output := range outputs {
		if slices.Contains(silentFormats, output) {
			return output
		}
	}
	return ""
}

// missing says that the program cannot be started from a suite in the folder, or that a script is in none of the
// places; nil where it can. One whose name holds that of the attempt is not looked for.
func (p startedProgram) missing(dir string, places []string) *Error {
	if strings.Contains(p.name, "{id}") {
		return nil
	}
	problem, advice := "", ""
	if !p.script {
		problem, advice = process.Missing(dir, p.name, "the suite")
	} else if !slices.ContainsFunc(places, func(place string) bool {
		_, err := os.Stat(resolve(place, p.name))
		return err == nil
	}) {
		problem = fmt.Sprintf("names a script that is not there: %q", p.name)
		advice = "its path is from the folder in which the program starts: that of the suite, or working_dir"
	}
	if problem == "" {
		return nil
	}
	return &Error{Place: p.Place, Field: p.field, Problem: problem, Advice: advice}
}
