package runs

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// asked plans a question.
func asked(t testing.TB, q stratified.Question) *stratified.Design {
	t.Helper()
	d, err := stratified.New(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// inJoint are tests of one question, with outcomes by scenario as ran has them; those of a baseline come second.
func inJoint(j *Joint, candidate, base []string) (tests []TestEvidence) {
	for i, outcomes := range candidate {
		name := fmt.Sprintf("s%d", i)
		e := ran(name, sprt.Design{}, outcomes)
		e.Joint = j
		switch {
		case j.Paired():
			b, c := ran(name, sprt.Design{}, base[i]), e.Trials
			e.Trials = nil
			for n := range b.Trials {
				b.Trials[n].Baseline = true
				e.Trials = append(e.Trials, b.Trials[n], c[n])
			}
		case j.stored():
			e.Recorded = strings.ToUpper(base[i])
		}
		tests = append(tests, e)
	}
	return tests
}

// each repeats outcomes, for so many scenarios.
func each(n int, outcomes string) []string { return slices.Repeat([]string{outcomes}, n) }

// reads decodes a result again, and judges it from what it holds: that must give the same.
func reads(t *testing.T, r *Result) *Result {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var saved Result
	if err := json.Unmarshal(text, &saved); err != nil {
		t.Fatal(err)
	}
	again, err := saved.Rejudge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want, _ := json.Marshal(again.Again)
	if diff := cmp.Diff(string(want), string(text)); diff != "" {
		t.Errorf("judged again it is another (-again +saved):\n%s", diff)
	}
	return &saved
}

// What a question comes to is told of it and of each scenario, and follows from the saved result.
func TestQuestionsAboutASuite(t *testing.T) {
	threshold := asked(t, stratified.Question{Scenarios: 20})
	sides := asked(t, stratified.Question{Scenarios: 20, Sides: stratified.SideBySide})
	stored := asked(t, stratified.Question{Scenarios: 20, Sides: stratified.Stored, MaxRounds: 15})
	dead := each(20, "ppp")
	dead[3] = strings.Repeat("f", 12)
	open := each(20, "pp")
	open[7] = "fp"
	lost := each(20, "pp")
	lost[0], lost[1] = ".", "p"
	lostBase := slices.Clone(lost)
	low := each(20, "fp")
	for _, c := range []struct {
		name            string
		designs         []*stratified.Design
		candidate, base []string
		want            verdict.Verdict
		codes           []verdict.Code
		collapsed, open []string
	}{
		{"all pass", []*stratified.Design{threshold}, each(20, "pp"), nil, verdict.Pass, []verdict.Code{codeSuitePasses}, nil, nil},
		{"a dead one", []*stratified.Design{threshold}, dead, nil, verdict.Fail, []verdict.Code{codeCollapses},
			[]string{"s3"}, nil},
		{"all too low", []*stratified.Design{threshold}, low, nil, verdict.Fail, []verdict.Code{codeMeanLow}, nil, nil},
		{"one open", []*stratified.Design{threshold}, open, nil, verdict.Inconclusive,
			[]verdict.Code{CodeNotEnded, codeOpen}, nil, []string{"s7"}},
		{"a round that has begun", []*stratified.Design{threshold}, lost, nil, verdict.Inconclusive,
			[]verdict.Code{CodeNotEnded, codeOpen}, nil, []string{"s0", "s1"}},
		{"side by side", []*stratified.Design{sides}, each(20, "pp"), each(20, "pp"), verdict.Pass,
			[]verdict.Code{codeSuitePasses}, nil, nil},
		{"side by side, begun", []*stratified.Design{sides}, lost, lostBase, verdict.Inconclusive,
			[]verdict.Code{CodeNotEnded, codeOpen}, nil, []string{"s0", "s1"}},
		{"stored, worse", []*stratified.Design{stored}, each(20, "pfff"), each(20, passes(15)), verdict.Fail,
			[]verdict.Code{codeMeanLow}, nil, nil},
		{"both", []*stratified.Design{threshold, stored}, each(20, "pp"), each(20, passes(15)), verdict.Pass,
			[]verdict.Code{codeSuitePasses, codeSuitePasses}, nil, nil},
		{"errors alone", []*stratified.Design{threshold}, each(20, "ee"), nil, verdict.Inconclusive,
			[]verdict.Code{verdict.CodeErrorsMatter}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := &Joint{Designs: c.designs, Source: BaselineSource{File: "main.json", Changed: []string{}}}
			tests := inJoint(j, c.candidate, c.base)
			e := Evidence{Suite: "s", Digest: "sha256:d", Seed: 4, Version: "1", Tests: tests, StoppedBy: StoppedByInterrupt}
			for _, x := range tests {
				for _, y := range x.Trials {
					if y.Trial != nil {
						e.Spent.Trials++
						e.Spent.Attempts++
					}
				}
			}
			if stop, err := StopOf(tests); err != nil {
				t.Fatal(err)
			} else if stop != StoppedByRecording {
				e.StoppedBy = stop
			}
			r, err := Judge(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != c.want || r.ExitCode != c.want.ExitCode() || len(r.SuiteTests) != len(c.designs) {
				t.Errorf("%v %v", r.Verdict, r.Reasons)
			}
			if diff := cmp.Diff(c.codes, codesOf(r.Reasons)); diff != "" {
				t.Errorf("reasons (-want +got):\n%s%v", diff, r.Reasons)
			}
			q := r.SuiteTests[0]
			if c.name != "errors alone" && (strings.Join(q.Collapsed, " ") != strings.Join(c.collapsed, " ") ||
				c.want != verdict.Fail && strings.Join(q.Open, " ") != strings.Join(c.open, " ")) {
				t.Errorf("collapsed %v, open %v", q.Collapsed, q.Open)
			}
			risk := r.Risk()
			p := c.designs[0].Promise()
			if len(c.designs) == 1 && (risk.FalseFail != p.FalseFail || risk.FalsePass != p.FalsePass) ||
				risk != DesignedRisk(tests, nil) {
				t.Errorf("%+v, promised %+v", risk, p)
			}
			// As failures the errors decide in the first round, as passes in the second: the counts are of all trials.
			if said := "0 of 40 passed, 0 failed and 40 ended in errors: the errors would decide, so find the cause and run " +
				"again"; c.name == "errors alone" && (q.Rounds != 1 || q.Reasons[0].Text != said) {
				t.Errorf("%d, %v", q.Rounds, q.Reasons)
			}
			// Counts that are not those of all trials say of which they are: here of 2 of 15 of the baseline.
			if rest := ", the baseline 40 of 40, in the first 2 rounds (40 trials in all, the baseline 300): "; c.name == "both" &&
				!strings.HasPrefix(r.SuiteTests[1].Reasons[0].Text, "40 of 40 passed"+rest) {
				t.Errorf("%v", r.SuiteTests[1].Reasons)
			}
			reads(t, r)
		})
	}
}

// A question that has no end because the other one failed says so.
func TestQuestionEndedByTheOther(t *testing.T) {
	threshold := asked(t, stratified.Question{Scenarios: 20})
	stored := asked(t, stratified.Question{Scenarios: 20, Sides: stratified.Stored, MaxRounds: 15})
	j := &Joint{Designs: []*stratified.Design{threshold, stored}}
	tests := inJoint(j, each(20, "fp"), each(20, strings.Repeat("fp", 7)+"f"))
	r, err := Judge(t.Context(), Evidence{Suite: "s", Digest: "sha256:d", Seed: 4, Version: "1", Tests: tests,
		StoppedBy: StoppedByDecision})
	if err != nil {
		t.Fatal(err)
	}
	want := "and the comparison with the threshold had failed before this could be decided"
	if text := r.SuiteTests[1].Reasons[0].Text; r.Verdict != verdict.Fail || !strings.HasSuffix(text, want) {
		t.Errorf("%v %q", r.Verdict, text)
	}
	reads(t, r)
}

// However many trials run at once, those that are launched ahead count: beyond what a decision used there is nothing but
// the rest of the round that decided. Some rounds are launched together.
func TestTrialsThatRunAtOnceAreNeeded(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 7))
	most := 0
	for _, q := range []stratified.Question{
		{Scenarios: 2}, {Scenarios: 3, Weights: []int{1, 3, 1}, Alpha: .2, Beta: .2},
		{Scenarios: 3, Sides: stratified.SideBySide, Delta: .4, Alpha: .2, Beta: .2},
		{Scenarios: 3, Sides: stratified.Stored, Delta: .4, Alpha: .2, Beta: .2, MaxRounds: 12},
	} {
		j := &Joint{Designs: []*stratified.Design{asked(t, q)}}
		if q.Sides == stratified.Stored {
			j.Designs = append(j.Designs, asked(t, stratified.Question{Scenarios: 3, Alpha: .2, Beta: .2}))
		}
		for range 60 {
			rates := []float64{.2, .6, .9, 1}
			rate := rates[random.IntN(len(rates))]
			none := make([]string, q.Scenarios)
			recorded := none
			if j.stored() {
				recorded = slices.Repeat([]string{strings.Repeat("P", 12)}, q.Scenarios)
			}
			list, err := newDeciders(inJoint(j, none, recorded))
			if err != nil {
				t.Fatal(err)
			}
			launched, flight := make([]int, q.Scenarios), [][2]int{}
			for {
				for i, x := range list {
					allowed := x.WasteFree()
					most = max(most, allowed)
					for launched[i]-x.Trials() < allowed {
						flight = append(flight, [2]int{i, launched[i]})
						launched[i]++
					}
				}
				if len(flight) == 0 {
					break
				}
				n := random.IntN(len(flight))
				o := trial.Pass
				switch x := random.Float64(); {
				case x < .03:
					o = trial.Error
				case x > rate:
					o = trial.Fail
				}
				if err := list[flight[n][0]].Observe(flight[n][1], o); err != nil {
					t.Fatal(err)
				}
				flight = slices.Delete(flight, n, n+1)
			}
			rounds := 0
			for k := range j.Designs {
				rounds = max(rounds, list[0].member.of(k).Rounds)
			}
			for i, x := range list {
				sides := list[0].member.sides
				if x.Outcome() == sprt.Undecided || launched[i] > max(x.Trials(), rounds*j.Designs[0].Question().Weight(i)*sides) {
					t.Fatalf("%+v: %v, scenario %d: %d launched, %d used, in %d rounds", q, x.Outcome(), i, launched[i],
						x.Trials(), rounds)
				}
			}
		}
	}
	if most < 3 {
		t.Errorf("at most %d of a scenario at once", most)
	}
}

// Observed in any order of scenarios, deciders are where the design is, and no trial that is needed whatever comes is
// refused nor one that is not needed asked for.
func TestDecidersOfAQuestion(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 9))
	for _, q := range []stratified.Question{
		{Scenarios: 5, Alpha: .2, Beta: .2}, {Scenarios: 4, Weights: []int{1, 3, 1, 2}, Alpha: .2, Beta: .2},
		{Scenarios: 5, Sides: stratified.SideBySide, Alpha: .2, Beta: .2},
	} {
		d := asked(t, q)
		j := &Joint{Designs: []*stratified.Design{d}}
		for range 60 {
			rates := []float64{.2, .6, .9, 1}
			rate := rates[random.IntN(len(rates))]
			none := make([]string, q.Scenarios)
			tests := inJoint(j, none, none)
			list, err := NewDeciders(tests)
			if err != nil {
				t.Fatal(err)
			}
			known := stratified.Evidence{Candidate: make([]string, q.Scenarios), Baseline: make([]string, q.Scenarios)}
			places := make([]int, q.Scenarios)
			for steps := 0; ; steps++ {
				want, err := d.Judge(known)
				if err != nil || steps > 5000 {
					t.Fatal(steps, err)
				}
				var ready []int
				for i, x := range list {
					if x.Outcome() != want.Outcome || x.Decided() != (want.Outcome != sprt.Undecided) {
						t.Fatalf("%v, the design says %v", x.Outcome(), want.Outcome)
					}
					needed := slices.Contains(want.Next, i) || j.Paired() && places[i]%2 == 1 && want.Outcome == sprt.Undecided
					if needed && x.WasteFree() == 0 {
						t.Fatalf("scenario %d: %d more are needed, the design asks for %v", i, x.WasteFree(), want.Next)
					}
					if needed && places[i] < x.MaxTrials() {
						ready = append(ready, i)
					}
				}
				if want.Outcome != sprt.Undecided {
					break
				}
				i := ready[random.IntN(len(ready))]
				o, letter := trial.Pass, "P"
				switch x := random.Float64(); {
				case x < .03:
					o, letter = trial.Error, "E"
				case x > rate:
					o, letter = trial.Fail, "F"
				}
				side := &known.Candidate[i]
				if j.Paired() && places[i]%2 == 0 { // the baseline's has the even place
					side = &known.Baseline[i]
				}
				*side += letter
				if err := list[i].Observe(places[i], o); err != nil {
					t.Fatal(err)
				}
				if list[i].Observe(places[i], o) == nil {
					t.Fatal("a trial was observed twice")
				}
				places[i]++
			}
		}
	}
}

// What does not fit together is found where it stands.
func TestForgedQuestions(t *testing.T) {
	d := asked(t, stratified.Question{Scenarios: 20})
	outcomes := each(20, "ppp")
	outcomes[3] = strings.Repeat("f", 12)
	r := judgeRun(t, inJoint(&Joint{Designs: []*stratified.Design{d}}, outcomes, nil)...)
	for name, change := range map[string]func(*Result){
		"another standing":   func(r *Result) { r.Tests[3].Standing = "cleared" },
		"another verdict":    func(r *Result) { r.SuiteTests[0].Verdict = verdict.Pass },
		"none collapsed":     func(r *Result) { r.SuiteTests[0].Collapsed = []string{} },
		"a better promise":   func(r *Result) { r.SuiteTests[0].Promise.FalsePass = 0 },
		"another question":   func(r *Result) { r.SuiteTests[0].Question.Floor.To = .1 },
		"no question":        func(r *Result) { r.SuiteTests = nil },
		"fewer scenarios":    func(r *Result) { r.Tests = r.Tests[:19] },
		"a test of its own":  func(r *Result) { r.Tests[3].Standing = "" },
		"a question twice":   func(r *Result) { r.SuiteTests = append(r.SuiteTests, r.SuiteTests[0]) },
		"other outcomes":     func(r *Result) { r.Tests[3].Outcomes = strings.Repeat("P", 12) },
		"a baseline":         func(r *Result) { r.Tests[3].Baseline = &Side{} },
		"a planned disaster": func(r *Result) { r.SuiteTests[0].Question.Scenarios = 1e6 },
	} {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var forged Result
		if err := json.Unmarshal(text, &forged); err != nil {
			t.Fatal(err)
		}
		change(&forged)
		changed, _ := json.Marshal(&forged)
		again, err := forged.Rejudge(t.Context())
		if err != nil {
			continue
		}
		if got, _ := json.Marshal(again.Again); string(got) == string(changed) {
			t.Errorf("%s: it is found to be right", name)
		}
	}
}

// A question that does not fit its tests is refused.
func TestQuestionsThatDoNotFit(t *testing.T) {
	three := asked(t, stratified.Question{Scenarios: 3})
	stored := asked(t, stratified.Question{Scenarios: 3, Sides: stratified.Stored, MaxRounds: 15})
	j := &Joint{Designs: []*stratified.Design{three}}
	alone := ran("alone", sprt.Design{}, "p")
	for problem, tests := range map[string][]TestEvidence{
		"2 tests are asked together":    inJoint(j, each(2, "p"), nil),
		"more tests are asked together": inJoint(j, each(4, "p"), nil),
		"some by themselves":            append(inJoint(j, each(3, "p"), nil), alone),
		"not letters":                   inJoint(&Joint{Designs: []*stratified.Design{stored}}, each(3, "p"), each(3, "p?")),
		"more tests":                    inJoint(&Joint{}, each(1, "p"), nil),
	} {
		if _, err := NewDeciders(tests); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", problem, err)
		}
	}
	if _, err := NewDecider(inJoint(j, each(3, "p"), nil)[0]); err == nil {
		t.Error("a test of several was decided alone")
	}
	saved := judgeRun(t, inJoint(j, each(3, strings.Repeat("p", 20)), nil)...)
	if _, err := BaselineOf(saved, "s0"); err == nil || !strings.Contains(err.Error(), "a test of the whole suite") {
		t.Error(err)
	}
}
