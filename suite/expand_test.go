package suite

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// borrowing is a suite whose programs need variables.
const borrowing = `version: 1
name: tiny
agent:
  command: ["sh", "${TRY_FOLDER}/agent", "$${HOME}", "$TRY_FOLDER", "${TRY_FOLDER:-x}"]
  env: {REGION: "${TRY_REGION}-1", PLAIN_KEY: in-the-suite, TEAM_API_KEY: "${TRY_TOKEN}"}
  env_file: my.env
test: {threshold: 0.9}
limits: none
scenarios:
  - {name: one, input: "${TRY_UNSET}", evaluate: [command: {command: [sh, -c, "echo ${TRY_JUDGE}"]}]}
  - {name: two}
`

// written writes a suite and a file of variables, and reads the suite.
func written(t *testing.T, text, variables string) *Suite {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "my.env"), []byte(variables), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Parse(filepath.Join(folder, FileName), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestExpanded(t *testing.T) {
	t.Setenv("TRY_REGION", "eu")
	t.Setenv("TRY_TOKEN", "swordfish")
	s := written(t, borrowing,
		"# mine\nTRY_FOLDER=bin\nexport TRY_REGION='us'\nDB_PASSWORD=\"hunter22\"\nPIN_KEY=1\nTRY_JUDGE=fine\n")
	e, err := s.Expanded(s.Scenarios)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"sh", "bin/agent", "${HOME}", "$TRY_FOLDER", "${TRY_FOLDER:-x}"},
		e.Agent.Command); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
	// A variable of the process goes before one of the file.
	want := map[string]string{"REGION": "eu-1", "PLAIN_KEY": "in-the-suite", "TEAM_API_KEY": "swordfish",
		"TRY_FOLDER": "bin",
		"TRY_REGION": "eu", "DB_PASSWORD": "hunter22", "PIN_KEY": "1", "TRY_JUDGE": "fine"}
	if diff := cmp.Diff(want, e.Agent.Env); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	// One of a single character would be found everywhere; one in the suite is no secret to its readers.
	if diff := cmp.Diff([]string{"DB_PASSWORD", "TEAM_API_KEY", "TRY_TOKEN"}, e.Redacted()); diff != "" {
		t.Errorf("redacted (-want +got):\n%s", diff)
	}
	// What is kept of the suite has no values, and the suite itself is left as it is.
	kept := strings.Join(append(s.AgentSettings(), e.digest, s.Agent.Env["REGION"]), "\n")
	if e.Digest() != s.Digest() || strings.Contains(kept, "swordfish") || !strings.Contains(kept, "${TRY_REGION}-1") {
		t.Error(kept)
	}
	values := s.Borrowed()
	if want := map[string]string{"TRY_FOLDER": "bin", "TRY_REGION": "eu", "TRY_JUDGE": "fine"}; !cmp.Equal(values, want) {
		t.Errorf("borrowed %v, want %v", values, want)
	}
	// The judge gets the value when it is asked.
	passed := oracle.Judge(t.Context(), oracle.Evidence{Trial: &trial.Trial{Scenario: "one"}}, s.Scenarios[0].Evaluators(),
		oracle.Limits{})
	if len(passed.Results) != 1 || passed.Results[0].Text != "fine" {
		t.Errorf("%+v", passed)
	}
}

// Whatever program of a suite inherits a variable, two runs in which it differs are not of one agent and its judges.
func TestInheritedVariables(t *testing.T) {
	t.Setenv("TRY_ONE", "1")
	t.Setenv("TRY_TWO", "2")
	const frame = `version: 1
name: tiny
agent: {command: [agent]AGENT}
test: {threshold: 0.9}
limits: none
scenarios: [{name: one, input: x, evaluate: [{all: [{command: {command: [judge]JUDGE}}]}]}]
`
	both := map[string]string{"TRY_ONE": "1", "TRY_TWO": "2"}
	for name, c := range map[string]struct {
		agent, judge, rest string
		want               map[string]string
		all                bool
	}{
		"none":               {want: map[string]string{}},
		"the agent":          {agent: "[TRY_ONE]", want: map[string]string{"TRY_ONE": "1"}},
		"a judge":            {judge: "[TRY_TWO]", want: map[string]string{"TRY_TWO": "2"}},
		"both":               {agent: "[TRY_ONE]", judge: "[TRY_TWO]", want: both},
		"a judge, by a star": {judge: "[TRY_*]", want: both},
		"a variant":          {rest: "variants: [{name: other, env_allow: [TRY_ONE]}]", want: map[string]string{"TRY_ONE": "1"}},
		"all, of the agent":  {agent: "all", want: map[string]string{}, all: true},
		"all, of a judge":    {judge: "all", want: map[string]string{}, all: true},
		"all, of a variant":  {rest: "variants: [{name: other, env_allow: all}]", want: map[string]string{}, all: true},
		"all, of the baseline": {rest: "baseline_agent: {command: [before], env_allow: all}", want: map[string]string{},
			all: true},
	} {
		t.Run(name, func(t *testing.T) {
			allow := func(names string) string {
				if names == "" {
					return ""
				}
				return ", env_allow: " + names
			}
			text := strings.NewReplacer("AGENT", allow(c.agent), "JUDGE", allow(c.judge)).Replace(frame)
			s := written(t, text+c.rest+"\n", "")
			if values := s.Borrowed(); !cmp.Equal(values, c.want) || s.InheritsAll() != c.all {
				t.Errorf("borrowed %v, all %v", values, s.InheritsAll())
			}
		})
	}
}

func TestUnsetVariables(t *testing.T) {
	s := written(t, borrowing, "TRY_FOLDER=bin\nTRY_REGION=us\n")
	_, err := s.Expanded(s.Scenarios)
	problems, _ := err.(Errors)
	var told []string
	for _, p := range problems {
		told = append(told, p.Error()[strings.Index(p.Error(), FileName):])
	}
	want := []string{
		"tribunal.yaml:5:75: agent.env.TEAM_API_KEY needs the variable TRY_TOKEN, which is not set; set it, or name a file " +
			"that " +
			"has it with agent.env_file; a text ${TRY_TOKEN} is written $${TRY_TOKEN}",
		"tribunal.yaml:10:79: scenarios[0].evaluate[0].command.command[2] needs the variable TRY_JUDGE, which is not set; " +
			"set " +
			"it, or name a file that has it with agent.env_file; a text ${TRY_JUDGE} is written $${TRY_JUDGE}",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// What a scenario that is not run needs is not asked for.
	_, err = s.Expanded(slices.Clone(s.Scenarios[1:]))
	if problems, _ = err.(Errors); len(problems) != 1 {
		t.Errorf("%v", err)
	}
	if err := s.Runnable(); err == nil {
		t.Error("the suite can be run")
	}
}

func TestFileOfVariablesThatCannotBeRead(t *testing.T) {
	for file, want := range map[string]string{
		"nowhere.env": `tribunal.yaml:6:13: agent.env_file names a file that is not there: "nowhere.env"`,
		".":           `tribunal.yaml:6:13: agent.env_file "." cannot be read: it is no regular file`,
		"my.env":      `tribunal.yaml:6:13: agent.env_file "my.env" cannot be read: `,
	} {
		s := written(t, strings.Replace(borrowing, "my.env", file, 1), "no variable\n")
		if _, err := s.Expanded(s.Scenarios[1:]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
