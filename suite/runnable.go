package suite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
)

// started is a program that the suite starts: an agent, or a judge.
type started struct {
	trial.Place
	field string // such as agent.command
	name  string // as the suite has it
}

// noteProgram keeps the first word of a command for [Suite.Runnable].
func (d *decoder) noteProgram(n *yaml.Node, name string) {
	d.programs = append(d.programs, started{d.Place(n), d.Field, name})
}

// Runnable returns [Errors] where the suite can be read, and a run of it would come to nothing here: a
// program that is not there, or a scenario that nothing judges. A suite may be run elsewhere than here.
func (s *Suite) Runnable() error {
	var problems Errors
	seen := map[trial.Place]bool{} // what stands in a matrix is read for each combination
	for _, p := range s.programs {
		if seen[p.Place] {
			continue
		}
		seen[p.Place] = true
		if e := p.missing(s.Dir()); e != nil && len(problems) < yamlnode.MaxErrors {
			problems = append(problems, e)
		}
	}
	for i, c := range s.Scenarios {
		if len(c.Evaluate) > 0 || !s.someOutputIsText() || len(problems) >= yamlnode.MaxErrors {
			continue
		}
		problems = append(problems, &Error{
			Place: c.Place, Field: fmt.Sprintf("scenarios[%d]", i),
			Problem: "is judged by nothing: it has no evaluator, and output: text states no outcome",
			Advice:  "such as evaluate: [contains: billing], or output: trial for an agent that states its outcome",
		})
	}
	if len(problems) == 0 {
		return nil
	}
	return problems
}

// someOutputIsText reports whether an agent of the suite prints what never says whether it did well.
func (s *Suite) someOutputIsText() bool {
	if s.Agent.Output == OutputText || s.BaselineAgent != nil && s.BaselineAgent.Output == OutputText {
		return true
	}
	for _, v := range s.Variants {
		if v.Agent.Output == OutputText {
			return true
		}
	}
	return false
}

// missing says that the program cannot be started from a suite in the folder; nil where it can. One whose
// name holds that of the attempt is not looked for.
func (p started) missing(dir string) *Error {
	if strings.Contains(p.name, "{id}") {
		return nil
	}
	resolved := programPath(dir, p.name)
	_, err := exec.LookPath(resolved)
	if err == nil || errors.Is(err, exec.ErrDot) {
		return nil
	}
	e := &Error{Place: p.Place, Field: p.field, Problem: fmt.Sprintf("names a program that is not there: %q", p.name)}
	switch {
	case errors.Is(err, fs.ErrPermission):
		e.Problem = fmt.Sprintf("names a program that cannot be executed: %q", p.name)
		e.Advice = "make it executable, or begin with what runs it, such as python3"
	case resolved != p.name:
		e.Advice = "its path is from the folder of the suite"
	default:
		e.Problem = fmt.Sprintf("names a program that is not in PATH: %q", p.name)
		if info, err := os.Stat(filepath.Join(dir, p.name)); err == nil && !info.IsDir() {
			e.Advice = fmt.Sprintf("the one in the folder of the suite is %q", "./"+p.name)
		} else if near, ok := prose.Nearest(p.name, interpreters()); ok {
			e.Advice = fmt.Sprintf("did you mean %q?", near)
		}
	}
	if folder, err := os.Stat(resolved); err == nil && folder.IsDir() {
		e.Problem, e.Advice = fmt.Sprintf("names a folder, which cannot be executed: %q", p.name), ""
	}
	return e
}

// interpreters are programs that agents and judges are often written for, as far as they are here.
func interpreters() (found []string) {
	for _, name := range []string{
		"python3", "python", "node", "npx", "deno", "bun", "ruby", "perl", "php", "java", "go", "uv", "sh", "bash",
		"docker", "claude", "codex", "gemini",
	} {
		if _, err := exec.LookPath(name); err == nil {
			found = append(found, name)
		}
	}
	return found
}
