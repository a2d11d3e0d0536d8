package verify

import (
	"testing"

	"github.com/tribunal-dev/tribunal/sprt/keep"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
)

// exampleLoop is a loop by count of three tests, of attempts with these outcomes.
func exampleLoop(t *testing.T, stop improvement.Stop, outcomes ...string) *improvement.Result {
	t.Helper()
	e := improvement.Evidence{Name: "orders", Stop: stop, Tests: exampleNames[:3], Seed: 1,
		Asked: improvement.LoopSettings{By: improvement.ByCount, Attempts: 5, Stalled: 3}}
	cost := 0.0125
	for i, o := range outcomes {
		a := improvement.Attempt{Number: i, State: improvement.Tried, Outcomes: o}
		switch o {
		case "unread":
			a.State, a.Outcomes, a.Problem = improvement.Unread, "", "service.py does not parse"
		case "tampered":
			a.State, a.Outcomes, a.Problem = improvement.Tampered, "", "it changed tests/test_service.py"
		case "ended":
			a.State, a.Outcomes, a.Problem = improvement.Ended, "", "max-cost"
		}
		e.Attempts = append(e.Attempts, a)
		if i > 0 {
			e.Calls = append(e.Calls, improvement.Call{Attempt: i, Stage: "fix", Model: "m-1", CostUSD: &cost})
		}
	}
	return judgedLoop(t, e)
}

func judgedLoop(t *testing.T, e improvement.Evidence) *improvement.Result {
	t.Helper()
	r, err := improvement.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// examplePairs is a session by pairs, each attempt with letters that are cut where they decide.
func examplePairs(t *testing.T, stop improvement.Stop, pairs ...string) *improvement.Result {
	t.Helper()
	spending := keep.Bonferroni
	asked := improvement.LoopSettings{By: improvement.ByPairs, Alpha: 0.05, Spending: &spending,
		Question: &keep.Question{}}
	e := improvement.Evidence{Name: "support", Asked: asked, Stop: stop, Seed: 1}
	var kept []bool
	for i, letters := range pairs {
		a := improvement.Attempt{Number: i + 1, State: improvement.Tried, MaxPairs: 60}
		design, err := asked.Design(t.Context(), kept, a.MaxPairs)
		if err != nil {
			t.Fatal(err)
		}
		test := design.Begin()
		for k := 0; k < len(letters) && test.Decision() == keep.Open; k++ {
			test.Observe(keep.Pair(letters[k]))
			a.Pairs += string(letters[k])
		}
		kept = append(kept, test.Decision() == keep.Keep)
		e.Attempts = append(e.Attempts, a)
	}
	return judgedLoop(t, e)
}

// improvementsSaid are those of loops.
func improvementsSaid(t *testing.T, s *sentenceList) {
	tell := func(r *improvement.Result) { s.result("improve ratchet run", r) }
	tell(exampleLoop(t, improvement.AllPass, "FFE", "PPP"))
	tell(exampleLoop(t, improvement.AttemptsOut, "FFE", "PFF", "tampered", "unread"))
	tell(exampleLoop(t, improvement.Stalled, "PFF", "FFF", "FFF", "FFF"))
	tell(exampleLoop(t, improvement.Unlikely, "PFF", "FFF"))
	tell(exampleLoop(t, improvement.CostCap, "PFF", "ended"))
	tell(exampleLoop(t, improvement.Failed))
	flaky := exampleLoop(t, improvement.AttemptsOut, "PFF", "PFF")
	flaky.Attempts[1].Again = ".PF"
	flaky.Calls[0].CostUSD = nil
	flaky.Calls = append(flaky.Calls, improvement.Call{Attempt: 1, Stage: "fix", Lost: true})
	for i := range flaky.Attempts {
		flaky.Attempts[i].Judged = nil
	}
	tell(judgedLoop(t, improvement.Evidence{Name: flaky.Name, Asked: flaky.Asked, Tests: flaky.Tests,
		Attempts: flaky.Attempts,
		Calls:    flaky.Calls, Stop: flaky.Stop}))
	mended, broke, open := marksOf("m", 30), marksOf("b", 30), "+-m"
	for _, stop := range []improvement.Stop{improvement.AttemptsOut, improvement.AskedAlone} {
		for _, pairs := range [][]string{{mended}, {broke}, {open}, {"e" + open}} {
			s.result(map[improvement.Stop]string{improvement.AttemptsOut: "improve ratchet run",
				improvement.AskedAlone: "improve ratchet try"}[stop],
				examplePairs(t, stop, pairs...))
		}
	}
}

// A result of a loop is judged again from what its attempts recorded, and one that was changed is not taken.
func TestForgedImprovements(t *testing.T) {
	count := exampleLoop(t, improvement.AttemptsOut, "FFE", "PFF", "FFF", "PPF")
	pairs := examplePairs(t, improvement.AttemptsOut, marksOf("b", 30), marksOf("m", 30))
	for _, r := range []*improvement.Result{count, pairs} {
		if v, err := Verify(t.Context(), r); err != nil || v.Compared < 20 {
			t.Fatalf("%+v, %v", v, err)
		}
	}
	refused(t, count, map[string]func(r *improvement.Result){
		"verdict":      func(r *improvement.Result) { r.Verdict, r.ExitCode = verdict.Pass, 0 },
		"champion":     func(r *improvement.Result) { r.Champion = 2 },
		"averted":      func(r *improvement.Result) { r.Averted = 3 },
		"passes":       func(r *improvement.Result) { r.Attempts[2].Judged.Counts.Passes++ },
		"line":         func(r *improvement.Result) { r.Attempts[2].Judged.Best.Passes = 0 },
		"decision":     func(r *improvement.Result) { r.Attempts[2].Judged.Decision = keep.Keep },
		"its champion": func(r *improvement.Result) { r.Attempts[2].Judged.Champion = 0 },
		"outcomes":     func(r *improvement.Result) { r.Attempts[3].Outcomes = "PPP" },
		"again":        func(r *improvement.Result) { r.Attempts[3].Again = "..P" },
		"state":        func(r *improvement.Result) { r.Attempts[3].State = improvement.Tampered },
		"dropped":      func(r *improvement.Result) { r.Attempts = r.Attempts[:3] },
		"test":         func(r *improvement.Result) { r.Tests = r.Tests[:2] },
		"chance":       func(r *improvement.Result) { r.Chance = 0.9 },
		"money":        func(r *improvement.Result) { r.Spending[0].CostUSD = 0.01 },
		"calls":        func(r *improvement.Result) { r.Calls = r.Calls[1:] },
		"no amount":    func(r *improvement.Result) { *r.Calls[0].CostUSD = -1 },
		"flaky":        func(r *improvement.Result) { r.Flaky = []string{"refund"} },
		"stop":         func(r *improvement.Result) { r.Stop = improvement.CostCap },
	})
	refused(t, pairs, map[string]func(r *improvement.Result){
		"alpha":     func(r *improvement.Result) { r.Asked.Alpha = 0.5 },
		"spending":  func(r *improvement.Result) { *r.Asked.Spending = keep.LORD },
		"pairs":     func(r *improvement.Result) { r.Attempts[0].Pairs = marksOf("m", len(r.Attempts[0].Pairs)) },
		"more":      func(r *improvement.Result) { r.Attempts[0].Pairs += "b" },
		"level":     func(r *improvement.Result) { r.Attempts[1].Judged.Level = 0.05 },
		"tally":     func(r *improvement.Result) { r.Attempts[1].Judged.Tally.Mended++ },
		"decision":  func(r *improvement.Result) { r.Attempts[0].Judged.Decision = keep.Undecided },
		"max pairs": func(r *improvement.Result) { r.Attempts[0].MaxPairs = 0 },
		"dropped":   func(r *improvement.Result) { r.Attempts = r.Attempts[1:] },
	})
}
