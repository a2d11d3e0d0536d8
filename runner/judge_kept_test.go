//go:build unix

package runner

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/confine"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// keptSuite is a suite in a folder of its own, whose agent tries to have a judge that passes.
func keptSuite(t *testing.T, agent, judge string) (s *suite.Suite, folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range map[string]string{
		"judge": "#!/bin/sh\nexit 1\n",
		"agent.sh": "folder=$1\nprintf '#!/bin/sh\\nexit 0\\n' > \"$folder/judge\"\n" +
			"echo 'exit 0' > \"$folder/judge.sh\"\necho mine > own && ls\n",
		"judge.sh": "exit 1\n",
		"suite.yaml": "version: 1\nname: kept\nagent: {" + agent + "}\ntest: {threshold: 0.8}\nlimits: none\n" +
			"scenarios: [{name: one, evaluate: [command: [" + judge + "]]}]\n",
	} {
		text = strings.ReplaceAll(text, "FOLDER", folder)
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s, err := suite.Load(filepath.Join(folder, "suite.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return s, folder
}

// An agent that is confined and has no folder of its own in the suite works in an empty one, finds its program and
// script all the same, and has its judge as it was.
func TestConfinedAgentsDoNotReachTheirJudges(t *testing.T) {
	for _, judge := range []string{"./judge", "sh, judge.sh"} {
		for _, network := range []string{"none", "host"} {
			s, folder := keptSuite(t, "command: [sh, agent.sh, FOLDER], confine: {network: "+network+"}", judge)
			for _, c := range confinedAgents(s) {
				if len(c.lacks) > 0 {
					t.Skip("this machine cannot confine programs: " + confine.Told(c.lacks))
				}
			}
			if problems := s.Startable(s.Scenarios, false); problems != nil {
				t.Fatal(problems)
			}
			for _, record := range ran(t, s).Trials {
				if x := record.Trial; x.Outcome != trial.Fail || string(x.Output) != `"own"` {
					t.Errorf("%s, network %s: %v %s %+v", judge, network, x.Outcome, x.Output, x.Error)
				}
			}
			text, err := os.ReadFile(filepath.Join(folder, "judge"))
			if err != nil || string(text) != "#!/bin/sh\nexit 1\n" {
				t.Errorf("%q, %v", text, err)
			}
			if _, err := os.Stat(filepath.Join(folder, "own")); err == nil {
				t.Error("it wrote in the suite's folder")
			}
		}
	}
}

// One that is not confined can write its judge, and has an error for that.
func TestAgentsThatReplaceTheirJudgesDoNotPass(t *testing.T) {
	for _, judge := range []string{"./judge", "sh, judge.sh"} {
		s, _ := keptSuite(t, "command: [sh, agent.sh, FOLDER]", judge)
		o, err := Prepare(context.Background(), s, s.Scenarios, PrepareOptions{Record: 8})
		if err != nil {
			t.Fatal(err)
		}
		o.Journal = filepath.Join(t.TempDir(), "journal")
		r, err := Run(context.Background(), o)
		if r == nil {
			t.Fatal(err)
		}
		for _, record := range r.Trials {
			if x := record.Trial; x.Outcome != trial.Error || x.Error == nil ||
				!strings.Contains(x.Error.Message, "is not what it was when judging began") {
				t.Errorf("%s: %v %+v", judge, x.Outcome, x.Error)
			}
		}
	}
}
