package compare

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// outcomesOf is a recording of one outcome a letter: P, F and E, scenario by scenario.
func outcomesOf(scenarios map[string]string, order ...string) *recording.Recording {
	r := &recording.Recording{Name: "r"}
	for _, name := range order {
		for _, letter := range scenarios[name] {
			r.Add(&trial.Trial{Scenario: name, Outcome: map[rune]trial.Outcome{'P': trial.Pass, 'F': trial.Fail,
				'E': trial.Error}[letter]})
		}
	}
	return r
}

func lettersOf(word string, n int) (text string) {
	for range n {
		text += word
	}
	return text
}

func anytime(t *testing.T, baseline, candidate *recording.Recording, o AnytimeOptions) *Anytime {
	t.Helper()
	r, err := JudgeAnytime(baseline, candidate, o)
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.Rejudge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if difference := cmp.Diff(r, again.Again); difference != "" {
		t.Errorf("judged again: %s", difference)
	}
	return r
}

func TestEvidenceDecides(t *testing.T) {
	good, bad := lettersOf("P", 200), lettersOf("PF", 100)
	one := func(text string) *recording.Recording { return outcomesOf(map[string]string{"s": text}, "s") }
	for name, c := range map[string]struct {
		baseline, candidate string
		want                verdict.Verdict
		code                verdict.Code
	}{
		"worse":     {good, bad, verdict.Fail, CodeWorse},
		"the same":  {good, good, verdict.Pass, CodeNotWorseByDelta},
		"too few":   {good[:5], bad[:5], verdict.Inconclusive, CodeUndecided},
		"nothing":   {good, "", verdict.Inconclusive, verdict.CodeNoTrials},
		"errors":    {good, lettersOf("E", 200), verdict.Inconclusive, CodeUndecided},
		"by little": {lettersOf("P", 3000), lettersOf(lettersOf("P", 49)+"F", 60), verdict.Pass, CodeWorseWithinDelta},
	} {
		r := anytime(t, one(c.baseline), one(c.candidate), AnytimeOptions{})
		if r.Verdict != c.want || r.Reasons[0].Code != c.code || r.ExitCode != c.want.ExitCode() {
			t.Errorf("%s: %v, %v", name, r.Verdict, r.Reasons)
		}
	}
	if _, err := JudgeAnytime(one("P"), one("P"), AnytimeOptions{Delta: 2}); err == nil {
		t.Error("a delta of 2")
	}
}

// Five pairs that broke of six: the mean over bets of (1 + l)^5, by hand. Those of an earlier edition were even.
func TestEvidenceOfPairs(t *testing.T) {
	r := anytime(t, outcomesOf(map[string]string{"a": "PPPFP", "b": "PPP"}, "a", "b"),
		outcomesOf(map[string]string{"b": "FP", "a": "FFFFFP"}, "b", "a"), AnytimeOptions{})
	want, before := 0.0, 0.0
	for i := 1; i <= 20; i++ {
		from, to := float64((i-1)*(i-1))/400, float64(i*i)/400
		want += (to - from) * math.Pow(1+(from+to)/2, 5)
		before += math.Pow(1+float64(i)/21, 5) / 20
	}
	earlier := *r
	earlier.Edition = 0
	earlier.decide()
	if math.Abs(r.Worse-math.Log(want)) > 1e-12 || math.Abs(earlier.Worse-math.Log(before)) > 1e-12 {
		t.Errorf("evidence %v, want %v; before %v, want %v", r.Worse, math.Log(want), earlier.Worse, math.Log(before))
	}
	if a, b := r.Scenarios[0], r.Scenarios[1]; a.Broke != 4 || a.BothFail != 1 || a.Unpaired != 1 || b.Broke != 1 ||
		b.BothPass != 1 || b.Unpaired != 1 {
		t.Errorf("%+v", r.Scenarios)
	}
	if len(r.Warnings) != 2 || r.Warnings[0].Code != warnUnevenRounds || r.Warnings[1].Code != warnTrialsUnused {
		t.Errorf("%v", r.Warnings)
	}
}

// Robust evidence is the least over all ways in which the errors could have ended.
func TestRobustEvidence(t *testing.T) {
	baseline, candidate := "PEPFEPPF", "FPEEEFPP"
	r := anytime(t, outcomesOf(map[string]string{"s": baseline}, "s"), outcomesOf(map[string]string{"s": candidate}, "s"),
		AnytimeOptions{})
	worse, notWorse := math.Inf(1), math.Inf(1)
	var each func(b, c []byte, i int)
	each = func(b, c []byte, i int) {
		if i == 2*len(b) {
			one := anytime(t, outcomesOf(map[string]string{"s": string(b)}, "s"), outcomesOf(map[string]string{"s": string(c)},
				"s"),
				AnytimeOptions{})
			worse, notWorse = math.Min(worse, one.Worse), math.Min(notWorse, one.NotWorse)
			return
		}
		side := b
		if i >= len(b) {
			side = c
		}
		k := i % len(b)
		if side[k] != 'E' {
			each(b, c, i+1)
			return
		}
		for _, outcome := range []byte("PF") {
			side[k] = outcome
			each(b, c, i+1)
		}
		side[k] = 'E'
	}
	each([]byte(baseline), []byte(candidate), 0)
	if math.Abs(r.Worse-worse) > 1e-12 || math.Abs(r.NotWorse-notWorse) > 1e-12 {
		t.Errorf("robust %v and %v, the least are %v and %v", r.Worse, r.NotWorse, worse, notWorse)
	}
}

// Of three scenarios the one all of whose pairs broke leaves a Pass open once its evidence, the mean over bets of
// (1 + l)^n by hand, is three times what one comparison takes.
func TestAnytimePassBesideAWorseScenario(t *testing.T) {
	seen := map[verdict.Code]bool{}
	for n := 1; n <= 20; n++ {
		evidence := 0.0
		for i := 1; i <= 20; i++ {
			from, to := float64((i-1)*(i-1))/400, float64(i*i)/400
			evidence += (to - from) * math.Pow(1+(from+to)/2, float64(n))
		}
		good, names := strings.Repeat("P", 200), []string{"a", "b", "c"}
		r := anytime(t, outcomesOf(map[string]string{"a": good, "b": good, "c": good}, names...),
			outcomesOf(map[string]string{"a": good, "b": good, "c": strings.Repeat("F", n)}, names...), AnytimeOptions{Delta: .2})
		want, code := verdict.Pass, CodeNotWorseByDelta
		if evidence >= 3/r.Alpha {
			want, code = verdict.Inconclusive, verdict.CodeScenariosFail
		} else if evidence := math.Exp(r.Worse); evidence >= 1/r.Alpha {
			code = CodeWorseWithinDelta
		}
		if r.Verdict != want || r.Reasons[0].Code != code {
			t.Errorf("%d pairs, evidence %v: %v, %v", n, evidence, r.Verdict, r.Reasons)
		}
		seen[r.Reasons[0].Code] = true
		earlier := *r
		earlier.Edition, earlier.Verdict = anytimePooled, verdict.Pass
		if again, err := earlier.Rejudge(t.Context()); err != nil || again.Again.(*Anytime).Verdict != verdict.Pass {
			t.Errorf("judged again as before: %+v, %v", again, err)
		}
	}
	if len(seen) != 3 {
		t.Errorf("only %v", seen)
	}
}
