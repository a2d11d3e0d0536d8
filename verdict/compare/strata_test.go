package compare

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// sideOf is a recording of scenarios with so many passes among so many trials; numbers gives each trial
// its own, and input its input.
func sideOf(passes, trials []int, numbers func(i int) int, input func(s, i int) string) *recording.Recording {
	r := &recording.Recording{Name: "side"}
	for s, n := range trials {
		for i := range n {
			x := trialOf(fmt.Sprint("s", s), numbers(i), trial.Fail)
			if i < passes[s] {
				x.Outcome = trial.Pass
			}
			if input != nil {
				x.Input = trial.RawString(input(s, i))
			}
			r.Add(x)
		}
	}
	return r
}

func inOrder(i int) int { return i }

func judged(t *testing.T, b, k *recording.Recording, o Options) *Result {
	t.Helper()
	r, err := Judge(t.Context(), b, k, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The numbers of the trials, and their order, have no part in the verdict.
func TestNumberingDoesNotMatter(t *testing.T) {
	trials := []int{12, 12, 12}
	baseline := sideOf([]int{11, 12, 10}, trials, inOrder, nil)
	var first *Result
	for seed := range uint64(5) {
		order := rand.New(rand.NewPCG(seed, 1)).Perm(12)
		r := judged(t, baseline, sideOf([]int{7, 10, 8}, trials, func(i int) int { return order[i] }, nil), Options{})
		if first == nil {
			first = r
		}
		p, _ := r.Tests.Of(r.DecidedBy)
		want, _ := first.Tests.Of(first.DecidedBy)
		if r.DecidedBy != stats.StratifiedTest || r.Pairs != nil || p.P != want.P || r.Verdict != first.Verdict ||
			*r.Tests.NonInferiority != *first.Tests.NonInferiority {
			t.Errorf("numbering %d: %v by %v, p %v; want p %v", seed, r.Verdict, r.DecidedBy, p.P, want.P)
		}
	}
}

// Two recordings that differ in the numbers of their trials alone, where they are at hand.
func TestRenumberedRecordings(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "shared", "repro", "ux")
	read := func(name string) *recording.Recording {
		file, err := os.Open(filepath.Join(folder, name))
		if err != nil {
			t.Skip("the recordings are not at hand")
		}
		defer file.Close()
		r := &recording.Recording{Name: name}
		for lines := bufio.NewScanner(file); lines.Scan(); {
			var x struct {
				Scenario string
				Trial    int
				Outcome  string
			}
			if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
				t.Fatal(err)
			}
			outcome := trial.Fail
			if x.Outcome == "pass" {
				outcome = trial.Pass
			}
			r.Add(trialOf(x.Scenario, x.Trial, outcome))
		}
		return r
	}
	a := judged(t, read("b.jsonl"), read("cA.jsonl"), Options{})
	b := judged(t, read("b.jsonl"), read("cB.jsonl"), Options{})
	if a.Verdict != b.Verdict || a.Reasons[0] != b.Reasons[0] {
		t.Errorf("%v and %v", a.Reasons, b.Reasons)
	}
}

// An unchanged agent whose candidate ran more of the hard scenario is not found worse, and one test that
// pools is said not to hold.
func TestAnotherMixIsNoRegression(t *testing.T) {
	b := sideOf([]int{79, 12}, []int{80, 20}, inOrder, nil)
	k := sideOf([]int{49, 30}, []int{50, 50}, inOrder, nil)
	r := judged(t, b, k, Options{})
	if r.Verdict == verdict.Fail || r.DecidedBy != stats.StratifiedTest || r.Difference.Method != "stratified-newcombe" {
		t.Errorf("%v by %v, %v", r.Verdict, r.DecidedBy, r.Difference)
	}
	// .98-.9875 with weight 50*80/130 and .6-.6 with weight 20*50/70.
	w1, w2 := 50*80/130.0, 20*50/70.0
	if want := (w1*(.98-.9875) + w2*0) / (w1 + w2); *r.Difference.Value-want > 1e-12 || want-*r.Difference.Value > 1e-12 {
		t.Errorf("difference %v, want %v", *r.Difference.Value, want)
	}
	boschloo := stats.BoschlooTest
	r = judged(t, b, k, Options{Test: &boschloo})
	if r.Verdict != verdict.Fail ||
		!slices.ContainsFunc(r.Warnings, func(w verdict.Warning) bool { return w.Code == warnScenarioMix }) {
		t.Errorf("%v, %v", r.Verdict, r.Warnings)
	}
}

// Inputs that both sides tried are compared within; inputs that each side has alone, several times, change
// sides as wholes.
func TestLayoutByInput(t *testing.T) {
	trials := []int{20}
	shared := func(_, i int) string { return fmt.Sprint("task ", i%5) }
	own := func(side string) func(int, int) string {
		return func(_, i int) string { return fmt.Sprint(side, i%5) }
	}
	once := func(side string) func(int, int) string {
		return func(_, i int) string { return fmt.Sprint(side, i) }
	}
	for _, c := range []struct {
		name             string
		b, k             func(int, int) string
		groups, clusters int
		by               stats.Test
	}{
		{"shared", shared, shared, 5, 0, stats.StratifiedTest},
		{"own", own("b"), own("k"), 0, 10, stats.StratifiedTest},
		{"own, once each", once("b"), once("k"), 0, 0, stats.BoschlooTest},
		{"one input each", func(int, int) string { return "b" }, func(int, int) string { return "k" }, 0, 0,
			stats.BoschlooTest},
		{"pairs", once("x"), once("x"), 20, 0, stats.McNemarTest},
	} {
		r := judged(t, sideOf([]int{15}, trials, inOrder, c.b), sideOf([]int{10}, trials, inOrder, c.k), Options{})
		if r.DecidedBy != c.by || (r.Strata == nil) != (c.groups+c.clusters == 0) {
			t.Errorf("%s: by %v, %+v", c.name, r.DecidedBy, r.Strata)
		} else if s := r.Strata; s != nil && (s.Groups != c.groups || s.Clusters != c.clusters || !s.ByInput) {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
}

// Changes that cancel in the mean are told: both groups by name. Together they would pass, and the scenario that is
// worse leaves that open.
func TestOppositeChangesAreTold(t *testing.T) {
	trials := []int{200, 200, 200, 200}
	r := judged(t, sideOf([]int{190, 100, 190, 190}, trials, inOrder, nil),
		sideOf([]int{150, 140, 190, 190}, trials, inOrder, nil), Options{})
	h := r.Heterogeneity
	if r.Verdict != verdict.Inconclusive || r.Reasons[0].Code != verdict.CodeScenariosFail ||
		!strings.Contains(r.Reasons[0].Text, `: "s0"`) || r.Reasons[1].Code != CodeNotWorseByDelta {
		t.Errorf("%v: %v", r.Verdict, r.Reasons)
	}
	// A result of a version that said Pass is judged as that did.
	old := *r
	old.Verdict, old.ExitCode, old.Reasons = verdict.Pass, 0, slices.Clone(r.Reasons)
	old.Reasons[0].Code = codePassedWhileWorse
	for _, saved := range []*Result{r, &old} {
		again, err := saved.Rejudge(t.Context())
		if err != nil || again.Again.(*Result).Verdict != saved.Verdict ||
			again.Again.(*Result).Reasons[0].Code != saved.Reasons[0].Code {
			t.Errorf("judged again: %v, %+v", err, again)
		}
	}
	if h == nil || !h.Differ || !slices.Equal(h.Worse, []string{"s0"}) || !slices.Equal(h.Better, []string{"s1"}) {
		t.Errorf("%+v", h)
	}
	if !slices.ContainsFunc(r.Warnings, func(w verdict.Warning) bool { return w.Code == warnOppositeEffects }) {
		t.Errorf("%v", r.Warnings)
	}
}

// The parts of a page share alpha, and the verdict has its own.
func TestFamilyOfErrors(t *testing.T) {
	trials := []int{10, 10}
	r := judged(t, sideOf([]int{9, 9}, trials, inOrder, nil), sideOf([]int{9, 8}, trials, inOrder, nil),
		Options{BehaviourBeside: true})
	f := r.Family
	if f == nil || !slices.Equal(f.Parts, []string{"scenarios", "differing changes", "behaviour"}) || f.Verdict != .05 ||
		f.Others != .05 ||
		f.Any != .1 || f.Each*3 < .05-1e-12 || f.Each*3 > .05+1e-12 || f.Scenarios != f.Each {
		t.Errorf("%+v", f)
	}
}

// Two sides that share no scenario have no difference: a mean over nothing. It can be written as JSON, and
// the one warning says so.
func TestNoScenarioInCommon(t *testing.T) {
	b, k := &recording.Recording{Name: "b"}, &recording.Recording{Name: "k"}
	for i, outcome := range []trial.Outcome{trial.Pass, trial.Pass, trial.Fail} {
		b.Add(trialOf(fmt.Sprint("b", i), 1, outcome))
		k.Add(trialOf(fmt.Sprint("k", i), 1, trial.Fail))
	}
	r := judged(t, b, k, Options{})
	if _, err := json.Marshal(r); err != nil || r.Difference.Value != nil || r.Difference.Low != -1 ||
		r.Difference.High != 1 {
		t.Errorf("%v; difference %+v", err, r.Difference)
	}
	if r.Verdict != verdict.Inconclusive {
		t.Error(r.Verdict)
	}
	mix := slices.DeleteFunc(slices.Clone(r.Warnings), func(w verdict.Warning) bool { return w.Code != warnScenarioMix })
	if len(mix) != 1 || !strings.HasPrefix(mix[0].Text, "no scenario was tried on both sides") {
		t.Errorf("%v", r.Warnings)
	}
}

// Where one side tried the dear scenario far more often, the fall within scenarios is more than the whole mean of the
// other side: it is no share of it.
func TestAnotherMixHasNoShareOfTheMean(t *testing.T) {
	sides := [2]*recording.Recording{{Name: "b"}, {Name: "c"}}
	for side, many := range [][2]int{{10, 190}, {10, 1}} {
		for i := range many[0] {
			dear := trialOf("dear", i, trial.Pass)
			dear.CostUSD = trial.Some([]float64{1, .5}[side] + .001*float64(i))
			sides[side].Add(dear)
		}
		for i := range many[1] {
			cheap := trialOf("cheap", i, trial.Pass)
			cheap.CostUSD = trial.Some(.001)
			sides[side].Add(cheap)
		}
	}
	for _, m := range judged(t, sides[0], sides[1], Options{}).Metrics {
		if d := m.Difference; m.Name == recording.CostMetric && (d.Ratio != nil || d.Value >= -m.Baseline.Mean) {
			t.Errorf("a difference of %v of %v, as a ratio %v", d.Value, m.Baseline.Mean, d.Ratio)
		}
	}
}
