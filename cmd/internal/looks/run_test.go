package looks

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/verdict"
)

// A sequence of runs, and how many looks each has before it.
func TestRunsAreLooksFromTheirBeginning(t *testing.T) {
	type step struct {
		agent     string
		questions []string
		evidence  string          // "" has no end
		sample    string          // "" is not known
		verdict   verdict.Verdict // that it comes to
		newAgent  bool
		continues bool
		void      bool
		want      int
	}
	for name, steps := range map[string][]step{
		"an interrupted run is a look": {
			{agent: "A", questions: []string{"a"}},
			{agent: "A", questions: []string{"a"}},
			{agent: "A", questions: []string{"a"}, evidence: "3", verdict: verdict.Pass, want: 2},
			{agent: "A", questions: []string{"a"}, evidence: "4", verdict: verdict.Fail, want: 3},
		},
		"one that goes on is the same look": {
			{agent: "A", questions: []string{"a"}},
			{agent: "A", questions: []string{"a"}, evidence: "1", verdict: verdict.Inconclusive, continues: true, want: 0},
			{agent: "A", questions: []string{"a"}, evidence: "2", verdict: verdict.Fail, continues: true, want: 0},
			{agent: "A", questions: []string{"a"}, evidence: "3", verdict: verdict.Fail, want: 1},
		},
		"one that goes on takes the place of no Fail and no Pass": {
			{agent: "A", questions: []string{"a"}, evidence: "1", verdict: verdict.Fail},
			{agent: "A", questions: []string{"a"}, evidence: "2", verdict: verdict.Pass, continues: true, want: 1},
			{agent: "A", questions: []string{"a"}, evidence: "3", verdict: verdict.Inconclusive, continues: true, want: 2},
		},
		"one that goes on has the agent that it began with": {
			{agent: "A", questions: []string{"a"}, evidence: "1", verdict: verdict.Fail},
			{agent: "A", questions: []string{"a"}, newAgent: true},
			{agent: "A", questions: []string{"a"}, evidence: "2", verdict: verdict.Fail, continues: true, want: 0},
		},
		"where nothing was seen there was no look": {
			{agent: "A", questions: []string{"a"}, evidence: "1", void: true},
			{agent: "A", questions: []string{"a"}, evidence: "2", verdict: verdict.Fail, want: 0},
		},
		"going on where nothing was seen is no part of an earlier one": {
			{agent: "A", questions: []string{"a"}, evidence: "1", verdict: verdict.Fail, want: 0},
			{agent: "A", questions: []string{"a"}, evidence: "2", verdict: verdict.Pass, want: 1},
			{agent: "A", questions: []string{"a"}, evidence: "3", void: true, want: 2},
			{agent: "A", questions: []string{"a"}, evidence: "4", verdict: verdict.Fail, continues: true, want: 2},
		},
		"deleting a scenario resets nothing": {
			{agent: "A", questions: []string{"a", "b"}, evidence: "1", verdict: verdict.Fail, want: 0},
			{agent: "A", questions: []string{"a"}, evidence: "2", verdict: verdict.Pass, want: 1},
			{agent: "A", questions: []string{"a", "b"}, evidence: "3", verdict: verdict.Pass, want: 2},
			{agent: "A", questions: []string{"b"}, evidence: "4", verdict: verdict.Pass, want: 2}, // the first and the third
			{agent: "A", questions: []string{"c"}, evidence: "5", verdict: verdict.Pass, want: 0},
			{agent: "A", questions: []string{"c"}, evidence: "6", verdict: verdict.Fail, want: 0}, // after a Pass that was the first
		},
		"nor does adding one": {
			{agent: "A", questions: []string{"a"}, evidence: "1", verdict: verdict.Fail, want: 0},
			{agent: "A", questions: []string{"a", "b"}, evidence: "2", verdict: verdict.Pass, want: 1},
			{agent: "A", questions: []string{"c"}, evidence: "3", verdict: verdict.Pass, want: 0},
		},
		"a look at several scenarios counts once": {
			{agent: "A", questions: []string{"a", "b"}, evidence: "1", verdict: verdict.Fail, want: 0},
			{agent: "A", questions: []string{"a", "b"}, evidence: "2", verdict: verdict.Fail, want: 1},
		},
		"another agent": {
			{agent: "A", questions: []string{"a"}, evidence: "1", verdict: verdict.Fail, want: 0},
			{agent: "B", questions: []string{"a"}, evidence: "2", verdict: verdict.Fail, want: 0},
			{agent: "A", questions: []string{"a"}, evidence: "3", verdict: verdict.Fail, newAgent: true, want: 0},
			{agent: "A", questions: []string{"a"}, evidence: "4", verdict: verdict.Fail, want: 1},
		},
		"the same trials again": {
			{agent: "A", questions: []string{"a"}, evidence: "1", verdict: verdict.Fail, want: 0},
			{agent: "A", questions: []string{"a"}, evidence: "1", verdict: verdict.Fail, want: 0},
			{agent: "A", questions: []string{"a"}, evidence: "2", verdict: verdict.Fail, want: 1},
		},
		"a journal that is judged again": {
			{agent: "A", questions: []string{"a"}, evidence: "1", sample: "x", verdict: verdict.Fail, want: 0},
			{agent: "A", questions: []string{"a"}, evidence: "2", sample: "x", verdict: verdict.Fail, want: 0},
			{agent: "A", questions: []string{"a"}, evidence: "3", sample: "x", verdict: verdict.Pass, want: 1}, // by other rules
			{agent: "A", questions: []string{"a"}, evidence: "4", sample: "y", verdict: verdict.Pass, want: 2},
			{agent: "B", questions: []string{"a"}, evidence: "4", sample: "y", verdict: verdict.Pass, want: 2}, // still of A
			{agent: "B", questions: []string{"a"}, evidence: "5", sample: "z", verdict: verdict.Pass, want: 0},
		},
		"a journal that is judged again after a person has decided": {
			{agent: "A", questions: []string{"a"}, evidence: "1", sample: "x", verdict: verdict.Fail, want: 0},
			{agent: "A", questions: []string{"a"}, evidence: "2", sample: "y", verdict: verdict.Pass, want: 1},
			{agent: "A", questions: []string{"a"}, evidence: "2", sample: "y", verdict: verdict.Pass, newAgent: true, want: 0},
			{agent: "A", questions: []string{"a"}, evidence: "2", sample: "y", verdict: verdict.Pass, want: 0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := InFile(filepath.Join(t.TempDir(), File))
			for i, s := range steps {
				r := Run{Agent: s.agent, Questions: s.questions, NewAgent: s.newAgent, Look: verdict.Look{FalsePass: .1}}
				id, first, err := Begin(in, r, s.continues)
				if err != nil || first != (i == 0) {
					t.Fatalf("step %d: first %v, %v", i, first, err)
				}
				if s.evidence == "" {
					continue
				}
				r.ID, r.Evidence, r.Sample, r.Trials, r.Void, r.Verdict = id, s.evidence, s.sample, 1, s.void, s.verdict
				earlier, err := End(in, r, "")
				if err != nil || len(earlier) != s.want {
					t.Errorf("step %d: %d earlier looks, want %d: %+v, %v", i, len(earlier), s.want, earlier, err)
				}
			}
		})
	}
}

// Whoever runs a gate again until it deploys has an agent that is too bad deployed no more often than whoever runs it
// once: over all that four runs may come to, each of which passes with the chance of a false Pass.
func TestRunningUntilAGateDeploysGainsNothing(t *testing.T) {
	const runs, falsePass = 4, .1
	deployed := 0.0
	for passes := range 1 << runs { // a bit for each run
		in := InFile(filepath.Join(t.TempDir(), File))
		chance, deploys := 1.0, false
		for i := range runs {
			r := Run{Agent: "A", Questions: []string{"a"}, Look: verdict.Look{Verdict: verdict.Fail, FalsePass: falsePass}}
			if chance *= 1 - falsePass; passes>>i&1 == 1 {
				r.Verdict = verdict.Pass
				chance *= falsePass / (1 - falsePass)
			}
			var err error
			if r.ID, _, err = Begin(in, r, false); err != nil {
				t.Fatal(err)
			}
			r.Evidence = strconv.Itoa(i)
			earlier, err := End(in, r, "")
			if err != nil {
				t.Fatal(err)
			}
			deploys = deploys || r.Verdict == verdict.Pass && !verdict.NewLooks(earlier, 0, verdict.Risk{}).Open()
		}
		if deploys {
			deployed += chance
		}
	}
	if math.Abs(deployed-falsePass) > 1e-12 {
		t.Errorf("an agent that is too bad is deployed with a chance of %v, want %v", deployed, falsePass)
	}
}

// What earlier versions wrote, one question for a whole task, is still counted.
func TestRunsOfEarlierVersionsCount(t *testing.T) {
	file := filepath.Join(t.TempDir(), File)
	count(t, file, Entry{Question: "task", Evidence: "1", Look: verdict.Look{Verdict: verdict.Fail}}, Sight{})
	count(t, file, Entry{Question: "other", Evidence: "2", Look: verdict.Look{Verdict: verdict.Fail}}, Sight{})
	in := InFile(file)
	r := Run{Agent: "A", Questions: []string{"a"}}
	var err error
	if r.ID, _, err = Begin(in, r, false); err != nil {
		t.Fatal(err)
	}
	r.Evidence = "3"
	if earlier, err := End(in, r, "task"); err != nil || len(earlier) != 1 || earlier[0].Verdict != verdict.Fail {
		t.Errorf("%+v, %v", earlier, err)
	}
}

// A run is found by its trials, and told from one that has no end.
func TestAFinishedRunIsFound(t *testing.T) {
	in := InFile(filepath.Join(t.TempDir(), File))
	r := Run{Agent: "A", Files: "tree", Questions: []string{"a"}, Look: verdict.Look{Command: "run"}}
	var err error
	if r.ID, _, err = Begin(in, r, false); err != nil {
		t.Fatal(err)
	}
	if _, found, err := Finished(in, ""); found || err != nil {
		t.Errorf("one that goes on: %v, %v", found, err)
	}
	if _, err := End(in, Run{ID: r.ID, Evidence: "1", Trials: 3}, ""); err != nil {
		t.Fatal(err)
	}
	got, found, err := Finished(in, "1")
	if err != nil || !found || got.Agent != "A" || got.Files != "tree" || got.Command != "run" ||
		!slices.Equal(got.Questions, r.Questions) || got.Trials != 3 {
		t.Errorf("%+v, %v, %v", got, found, err)
	}
}

// Lines are added to a ledger, and none is taken away or changed: who does is seen.
func TestSealsOfLedgers(t *testing.T) {
	for name, c := range map[string]struct {
		change func(text string) string
		broken bool
	}{
		"nothing":        {func(text string) string { return text }, false},
		"more":           {func(text string) string { return text + "{}\n" }, false},
		"gone":           {func(string) string { return "" }, true},
		"the last line":  {func(text string) string { return text[:len(text)-2] }, true},
		"another figure": {func(text string) string { return strings.Replace(text, "a", "b", 1) }, true},
	} {
		file := filepath.Join(t.TempDir(), File)
		if _, _, err := Begin(InFile(file), Run{Agent: "a", Questions: []string{"q"}}, false); err != nil {
			t.Fatal(err)
		}
		seal, err := SealOf(InFile(file))
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(c.change(string(text))), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := seal.Broken(InFile(file)); err != nil || got != c.broken {
			t.Errorf("%s: broken %v, %v", name, got, err)
		}
	}
}
