package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/joho/godotenv"
	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/redact"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
)

// referencePattern is a variable in a command or in the value of a variable: ${NAME}, which $${NAME} is not. What a
// shell knows besides, such as ${NAME:-x}, stays as it is.
var referencePattern = lazy.Regexp(`\$?\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// reference is a variable that a suite names in the command or the environment of a program.
type reference struct {
	trial.Place
	field    string // such as agent.env.REGION
	name     string // of the variable
	scenario string // whose judge has it; "" is an agent
	key      bool   // its value is a secret, whatever its name
}

// dotenv is a file of variables that an agent is given.
type dotenv struct {
	trial.Place
	field string // such as agent.env_file
	file  string // as the suite has it
}

// noteReferences keeps the variables of a text for [Suite.Expanded].
func (d *decoder) noteReferences(n *yaml.Node, text string) {
	for _, found := range referencePattern().FindAllString(text, -1) {
		if name, ok := referenced(found); ok {
			d.references = append(d.references, reference{d.Place(n), d.Field, name, "", false})
		}
	}
}

// referenced returns the name in what the pattern found; false where two signs make it a text.
func referenced(found string) (name string, ok bool) {
	return strings.TrimSuffix(strings.TrimPrefix(found, "${"), "}"), !strings.HasPrefix(found, "$$")
}

// expand puts the values of variables in a text.
func expand(text string, value func(name string) (string, bool)) string {
	return referencePattern().ReplaceAllStringFunc(text, func(found string) string {
		name, ok := referenced(found)
		if !ok {
			return found[1:]
		}
		if v, set := value(name); set {
			return v
		}
		return found
	})
}

// maxDotenvBytes bounds a file of variables. It is chosen: they are a screen or two.
const maxDotenvBytes = 1 << 20

// readDotenv reads a file of variables.
func (s *Suite) readDotenv(file string) (map[string]string, error) {
	path := s.Resolve(file)
	switch info, err := input.Stat(s.reading(), path); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	case info.Size() > maxDotenvBytes:
		return nil, fmt.Errorf("it has more than %d bytes", maxDotenvBytes)
	}
	text, err := input.Open(s.reading(), path)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	return godotenv.Parse(io.LimitReader(text, maxDotenvBytes))
}

// reading is the context that files are opened with which are read after the suite.
func (s *Suite) reading() context.Context {
	if s.room != nil {
		return s.room
	}
	return context.Background()
}

// variables are those of a file, and what a reference stands for: a variable of this process goes before one of the
// file, so that a pipeline need not change the file.
type variables map[string]string

func (v variables) value(name string) (string, bool) {
	if value, set := os.LookupEnv(name); set {
		return value, true
	}
	value, set := v[name]
	return value, set
}

// anyVariable returns the value of a variable, be it in a file of one of the agents.
func (s *Suite) anyVariable() func(name string) (string, bool) {
	files := variables{}
	for _, f := range s.dotenvs {
		read, _ := s.readDotenv(f.file)
		maps.Copy(files, read)
	}
	return files.value
}

// Expanded returns the suite as a run of some scenarios starts it here: with the values of variables in place of
// ${NAME} in commands and environments, and what env_file has among the variables of the agents. Values whose names
// are those of secrets are redacted. The digest stays that of the suite as it is written, and so do the settings.
//
// The error is [Errors]: a variable that is not set, or a file that cannot be read.
func (s *Suite) Expanded(scenarios []Scenario) (*Suite, error) {
	var problems Errors
	files := map[string]variables{}
	for _, f := range s.dotenvs {
		if files[f.file] != nil {
			continue
		}
		read, err := s.readDotenv(f.file)
		if err != nil {
			problems = append(problems, f.unreadable(err))
			read = map[string]string{}
		}
		files[f.file] = read
	}
	problems = append(problems, s.unset(files, scenarios)...)
	if len(problems) > 0 {
		return nil, problems[:min(len(problems), yamlnode.MaxErrors)]
	}
	for _, a := range s.allAgents() {
		var err error
		switch a.kind() {
		case "http":
			_, err = a.HTTP.expanded(files[a.EnvFile].value)
		case "model":
			_, err = a.Model.expanded(files[a.EnvFile].value)
		}
		if a.Wire != nil {
			if _, err := a.Wire.expanded(files[a.EnvFile].value, a.Env); err != nil {
				return nil, Errors{{Place: trial.Place{File: s.File}, Field: "wire", Problem: err.Error()}}
			}
		}
		if err != nil {
			return nil, Errors{{
				Place: trial.Place{File: s.File}, Field: "agent." + a.kind() + ".url", Problem: err.Error(),
				Advice: "such as https://agent.example/run; it is so with the values of variables",
			}}
		}
	}
	e := *s
	e.Agent = s.expandedAgent(s.Agent, files)
	if s.BaselineAgent != nil {
		e.BaselineAgent = new(s.expandedAgent(*s.BaselineAgent, files))
	}
	e.Variants = slices.Clone(s.Variants)
	for i := range e.Variants {
		e.Variants[i].Agent = s.expandedAgent(s.Variants[i].Agent, files)
	}
	e.Relations = slices.Clone(s.Relations)
	for i := range e.Relations {
		if a := s.Relations[i].Agent; a != nil {
			e.Relations[i].Agent = new(s.expandedAgent(*a, files))
		}
	}
	return &e, nil
}

// unreadable says that a file of variables cannot be read.
func (f dotenv) unreadable(err error) *Error {
	e := &Error{Place: f.Place, Field: f.field, Problem: fmt.Sprintf("%s cannot be read: %v", yamlnode.Shown(f.file), err)}
	if errors.Is(err, fs.ErrNotExist) {
		e.Problem = "names a file that is not there: " + yamlnode.Shown(f.file)
		e.Advice = "its path is from the folder of the suite; an empty file will do where the variables are set already"
	}
	return e
}

// unset says which variables have no value that the agents and the scenarios' judges need.
func (s *Suite) unset(files map[string]variables, scenarios []Scenario) (problems Errors) {
	seen := map[trial.Place]bool{} // what stands in a matrix is read for each combination
	for _, r := range s.references {
		known := func(v variables) bool {
			value, set := v.value(r.name)
			return set && (value != "" || !r.key) // an empty key opens nothing
		}
		chosen := func(c Scenario) bool { return c.Name == r.scenario }
		switch {
		case seen[r.Place], known(nil), r.scenario != "" && !slices.ContainsFunc(scenarios, chosen):
			continue
		// Which agent's file it is that has to have it, a place does not say: of several, any.
		case slices.ContainsFunc(slices.Collect(maps.Values(files)), known):
			continue
		}
		seen[r.Place] = true
		advice := fmt.Sprintf(
			"set it, or name a file that has it with agent.env_file; a text ${%s} is written $${%[1]s}", r.name)
		if r.key {
			advice = "set it, or name another one with key_env, or a file that has it with agent.env_file"
		}
		problems = append(problems, &Error{
			Place: r.Place, Field: r.field, Problem: fmt.Sprintf("needs the variable %s, which is not set", r.name),
			Advice: advice,
		})
	}
	return problems
}

// expandedAgent returns an agent with the values of variables.
func (s *Suite) expandedAgent(a Agent, files map[string]variables) Agent {
	from := files[a.EnvFile]
	command := slices.Clone(a.Command)
	for i, word := range command {
		command[i] = expand(word, from.value)
	}
	env := map[string]string{}
	for name := range from {
		env[name], _ = from.value(name)
	}
	for name, value := range a.Env {
		env[name] = expand(value, from.value)
	}
	a.Redact = slices.Clone(a.Redact)
	for _, name := range s.secretNames(a, env) {
		if !slices.Contains(a.Redact, name) {
			a.Redact = append(a.Redact, name)
		}
	}
	if a.HTTP != nil {
		for _, name := range a.HTTP.headerVariables() {
			if value, _ := from.value(name); len(value) >= redact.MinBytes && !slices.Contains(a.Redact, name) {
				a.Redact = append(a.Redact, name)
			}
		}
		a.HTTP, _ = a.HTTP.expanded(from.value) // which was tried
	}
	if a.Model != nil {
		a.Model, _ = a.Model.expanded(from.value) // which was tried
		name := a.Model.KeyVariable()
		if len(a.Model.Key) >= redact.MinBytes && !slices.Contains(a.Redact, name) {
			a.Redact = append(a.Redact, name)
		}
	}
	if a.Wire != nil {
		a.Wire, _ = a.Wire.expanded(from.value, env) // which was tried
		for _, name := range a.Wire.keyNames() {
			if value, _ := from.value(name); len(value) >= redact.MinBytes && !slices.Contains(a.Redact, name) {
				a.Redact = append(a.Redact, name)
			}
		}
	}
	if a.Confine != nil {
		a.Confine = a.Confine.expanded(from.value)
	}
	a.Command, a.Env = command, env
	return a
}

// secretNames are the names of secrets among the variables of an agent that come from a file or from elsewhere, and
// among those that its judges name. A value that is too short to be found in texts is left out: nobody asked for it.
func (s *Suite) secretNames(a Agent, env map[string]string) (names []string) {
	long := func(value string) bool { return len(value) >= redact.MinBytes }
	for name, value := range env {
		written, own := a.Env[name]
		if own && !referencePattern().MatchString(written) {
			continue // it stands in the suite for all to read
		}
		if isSecretName(name) && long(value) {
			names = append(names, name)
		}
	}
	for _, r := range s.references {
		value := os.Getenv(r.name)
		if value == "" && r.key {
			value = env[r.name] // from a file
		}
		if (r.key || isSecretName(r.name)) && long(value) {
			names = append(names, r.name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// isSecretName reports whether a variable of this name most often holds a secret, such as OPENAI_API_KEY.
func isSecretName(name string) bool {
	name = strings.ToUpper(name)
	for _, end := range []string{"_KEY", "_TOKEN", "_SECRET", "PASSWORD", "_PASS", "_CREDENTIALS"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return slices.Contains([]string{"KEY", "APIKEY", "TOKEN", "SECRET"}, name)
}

// expands reports whether there are variables in what a program is started with.
func (d *decoder) expands(argv []string, env map[string]string) bool {
	return slices.ContainsFunc(append(slices.Collect(maps.Values(env)), argv...), referencePattern().MatchString)
}

// expander puts the values of variables into what a judge is started with, when it is. Whether all of them are set
// was looked at before.
func (d *decoder) expander() func([]string, map[string]string) ([]string, map[string]string) {
	dir, held := d.dir, d.held()
	return func(argv []string, env map[string]string) ([]string, map[string]string) {
		return held().into(argv, env, dir)
	}
}

// held are the variables of the agent's file, for commands and models that judge.
func (d *decoder) held() func() variables {
	if d.judgeEnv == nil {
		return func() variables { return nil }
	}
	return d.judgeEnv
}

// heldVariables are those of a file as it is when they are first asked for: what is judged may write it afterwards.
func (s *Suite) heldVariables(file string) func() variables {
	return sync.OnceValue(func() (read variables) {
		if file != "" {
			read, _ = s.readDotenv(file)
		}
		return read
	})
}

// namer returns what tells a judge from others: its command and variables as they are written, with the values of
// variables in them that are no secrets. Another key is no other judge.
func (d *decoder) namer(argv []string, env map[string]string) func() ([]string, map[string]string) {
	held := d.held()
	return func() ([]string, map[string]string) {
		from := held()
		public := func(name string) (string, bool) {
			if isSecretName(name) {
				return "", false
			}
			return from.value(name)
		}
		named, values := slices.Clone(argv), map[string]string{}
		for i, word := range named {
			named[i] = expand(word, public)
		}
		for name, value := range env {
			if values[name] = ""; !isSecretName(name) {
				values[name] = expand(value, public)
			}
		}
		return named, values
	}
}

// into puts values into a command and its variables, and resolves the path of the program.
func (v variables) into(argv []string, env map[string]string, dir string) ([]string, map[string]string) {
	argv, env = slices.Clone(argv), maps.Clone(env)
	for i, word := range argv {
		argv[i] = expand(word, v.value)
	}
	for name, value := range env {
		env[name] = expand(value, v.value)
	}
	return program(dir, argv), env
}

// Borrowed are the values of variables that agents and judges have from elsewhere than the suite, by their names and
// as far as these are not those of secrets. Two runs in which they differ are not of one agent. Where one of them
// [Suite.InheritsAll] variables, these are not among them: some always differ.
func (s *Suite) Borrowed() map[string]string {
	value, values := s.anyVariable(), map[string]string{}
	note := func(name string) {
		if text, set := value(name); set && !isSecretName(name) {
			values[name] = text
		}
	}
	for _, f := range s.dotenvs {
		read, _ := s.readDotenv(f.file)
		for name := range read {
			note(name)
		}
	}
	for _, r := range s.references {
		if !r.key {
			note(r.name)
		}
	}
	for _, name := range s.inherited {
		prefix, several := strings.CutSuffix(name, "*")
		if !several {
			note(name)
			continue
		}
		for _, variable := range os.Environ() {
			if name, _, _ := strings.Cut(variable, "="); prefix != "" && strings.HasPrefix(name, prefix) {
				note(name)
			}
		}
	}
	return values
}

// InheritsAll reports whether an agent or a judge inherits all variables.
func (s *Suite) InheritsAll() bool { return slices.Contains(s.inherited, "*") }
