package runs

import (
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// Passes that few would call so are counted of the judged trials, by what their evaluators ask for, and what a saved
// result says of them is within its passes.
func TestDoubtfulPasses(t *testing.T) {
	found := func(names ...string) (list []oracle.Result) {
		for _, name := range names {
			list = append(list, oracle.Result{Evaluator: name, Outcome: trial.Pass})
		}
		return list
	}
	any := []oracle.Result{{Evaluator: "any", Outcome: trial.Pass, Parts: found("contains", "exit-code")}}
	for name, c := range map[string]struct {
		output         string
		code           int
		results        []oracle.Result
		byCode, silent int
	}{
		"sound":               {"yes", 0, found("contains"), 0, 0},
		"exit code":           {"yes", 1, found("contains"), 1, 0},
		"asked for":           {"yes", 1, any, 0, 0},
		"expected":            {"yes", 1, found(oracle.ExpectName), 0, 0},
		"silent":              {" \n", 0, found("not-contains", "exit-code"), 0, 1},
		"own outcome":         {"", 0, nil, 0, 0},
		"silent and asked of": {"", 0, found("not-contains", "command"), 0, 0},
	} {
		recording, err := sprt.Recording(3)
		if err != nil {
			t.Fatal(err)
		}
		e := ran("a", recording, passes(3))
		for i := range e.Trials {
			x := &e.Trials[i]
			x.Trial.Output = trial.RawString(c.output)
			if err := (oracle.Judgement{Outcome: trial.Pass, Results: c.results}).Record(x.Trial); err != nil {
				t.Fatal(err)
			}
			if c.code != 0 {
				x.Process = &journal.Process{ExitCode: c.code}
			} else if i == 1 { // which no result lists
				*x = TrialEvidence{Scenario: x.Scenario, Number: x.Number, Kept: new(KeptOf(*x))}
			}
		}
		r := judgeRun(t, e)
		test := &r.Tests[0]
		if test.CodePasses != 3*c.byCode || test.SilentPasses != 3*c.silent {
			t.Errorf("%s: %d and %d", name, test.CodePasses, test.SilentPasses)
		}
		if (warned(r.Warnings, warnExitCode) != "") != (c.byCode > 0) ||
			(warned(r.Warnings, warnSilent) != "") != (c.silent > 0) {
			t.Errorf("%s: %+v", name, r.Warnings)
		}
		if test.CodePasses = 4; test.checkDoubtful("") == nil {
			t.Errorf("%s: more than the passes are taken", name)
		}
	}
}
