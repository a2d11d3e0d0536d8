package stratified

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
)

// designs of every form, small enough to be judged often.
func designs(t *testing.T) []*Design {
	return []*Design{
		planned(t, Question{Scenarios: 4, Delta: 0.3}),
		planned(t, Question{Scenarios: 3, Delta: 0.3, Weights: []int{2, 1, 1}, Own: map[int]Floor{1: {0.9, 0.5}}}),
		planned(t, Question{Scenarios: 4, Delta: 0.3, Anytime: true}),
		planned(t, Question{Scenarios: 4, Delta: 0.3, Sides: SideBySide}),
		planned(t, Question{Scenarios: 4, Delta: 0.3, Sides: Matched}),
		planned(t, Question{Scenarios: 4, Delta: 0.3, Sides: Stored, MaxRounds: 6}),
	}
}

// drawn runs a design on letters that are drawn, each wave of trials in an order that is drawn, up to some waves.
func drawn(t *rapid.T, d *Design, letters string) Evidence {
	m := d.question.Scenarios
	e := Evidence{Candidate: make([]string, m), Baseline: make([]string, m)}
	letter := func(name string) string {
		return string(letters[rapid.IntRange(0, len(letters)-1).Draw(t, name)])
	}
	if d.question.Sides == Stored {
		for i := range e.Baseline {
			for range d.question.MaxRounds {
				e.Baseline[i] += letter("recorded")
			}
		}
	}
	for range 40 {
		got, err := d.Judge(e)
		if err != nil {
			t.Fatal(err)
		}
		if got.Outcome != sprt.Undecided {
			break
		}
		for _, i := range got.Next {
			e.Candidate[i] += letter("candidate")
			if d.question.Sides.Paired() {
				e.Baseline[i] += letter("baseline")
			}
		}
	}
	return e
}

// changed is evidence with one letter changed to another, of one side.
func changed(e Evidence, baseline bool, i, n int, to byte) Evidence {
	c := Evidence{append([]string(nil), e.Candidate...), append([]string(nil), e.Baseline...)}
	side := c.Candidate
	if baseline {
		side = c.Baseline
	}
	letters := []byte(side[i])
	letters[n] = to
	side[i] = string(letters)
	return c
}

func TestJudge(t *testing.T) {
	all := designs(t)
	thorough.Check(t, func(t *rapid.T) {
		d := all[rapid.IntRange(0, len(all)-1).Draw(t, "design")]
		letters := rapid.SampledFrom([]string{"PF", "PPPPF", "PPPPPPPPE", "PPPFE"}).Draw(t, "letters")
		e := drawn(t, d, letters)
		got, err := d.Judge(e)
		if err != nil {
			t.Fatal(err)
		}
		again, err := d.Judge(e)
		if err != nil || !cmp.Equal(got, again) {
			t.Fatalf("judged again: %v, %v", again, err)
		}
		if (got.Outcome == sprt.Undecided) != (len(got.Next) > 0) {
			t.Fatalf("%v with %d to try", got.Outcome, len(got.Next))
		}
		if got.Outcome == sprt.Pass && (got.Mean != sprt.Pass || len(got.Collapsed()) > 0) ||
			got.Outcome == sprt.Fail && got.Mean != sprt.Fail && len(got.Collapsed()) == 0 {
			t.Fatalf("%+v", got)
		}
		// What was under way when it was decided changes nothing.
		more := Evidence{append([]string(nil), e.Candidate...), append([]string(nil), e.Baseline...)}
		i := rapid.IntRange(0, d.question.Scenarios-1).Draw(t, "scenario")
		if got.Outcome == sprt.Pass || got.Outcome == sprt.Fail {
			letter := rapid.SampledFrom([]string{"P", "F", "E"}).Draw(t, "late")
			more.Candidate[i] += letter
			if d.question.Sides.Paired() {
				more.Baseline[i] += "P"
			}
			if late, err := d.Judge(more); err != nil || late.Outcome != got.Outcome {
				t.Fatalf("%v turned to %v (%v) by %v of scenario %d", got, late, err, letter, i)
			}
		}
		// A pass in place of an error, or of a failure, never makes a Fail of what was none, and the other way round.
		if n := len(e.Candidate[i]); n > 0 {
			place := rapid.IntRange(0, n-1).Draw(t, "place")
			better, err := d.Judge(changed(e, false, i, place, 'P'))
			if err != nil || better.Outcome == sprt.Fail && got.Outcome != sprt.Fail {
				t.Fatalf("%v turned to %v by a pass (%v)", got, better, err)
			}
			worse, err := d.Judge(changed(e, false, i, place, 'F'))
			if err != nil || worse.Outcome == sprt.Pass && got.Outcome != sprt.Pass {
				t.Fatalf("%v turned to %v by a failure (%v)", got, worse, err)
			}
		}
	})
}

func TestJudgeByHand(t *testing.T) {
	d := planned(t, Question{Scenarios: 20})
	evidence := func(letters string, others string) Evidence {
		e := Evidence{Candidate: make([]string, 20)}
		for i := range e.Candidate {
			e.Candidate[i] = others
		}
		e.Candidate[7] = letters
		return e
	}
	for _, x := range []struct {
		name     string
		evidence Evidence
		outcome  sprt.Outcome
		next     int
		standing Standing
	}{
		{"nothing yet", evidence("", ""), sprt.Undecided, 20, Open},
		{"a round", evidence("P", "P"), sprt.Undecided, 20, Open},
		{"two rounds of passes", evidence("PP", "PP"), sprt.Pass, 0, Cleared},
		{"one is missing", evidence("P", "PP"), sprt.Undecided, 1, Open},
		{"one has failed", evidence("FP", "PP"), sprt.Undecided, 1, Open},
		{"one always fails", evidence("FFFFFFF", "PP"), sprt.Fail, 0, Collapsed},
		{"one fails, and is under way", evidence("FFF?FFFF", "PP"), sprt.Undecided, 0, Open},
		{"all are under way", evidence("?", "?"), sprt.Undecided, 0, Open},
		{"all but one are under way", evidence("", "?"), sprt.Undecided, 1, Open},
		{"the second round is under way", evidence("P", "P?"), sprt.Undecided, 1, Open},
		{"all fail", evidence("F", "F"), sprt.Fail, 0, Open},
		{"all are errors", evidence("EEEEEEEEE", "EEEEEEEEE"), sprt.Undecided, 20, Open},
		{"one is broken", evidence("EEEEEEEEEEE", "PP"), sprt.Undecided, 1, Open},
	} {
		got, err := d.Judge(x.evidence)
		if err != nil {
			t.Fatal(err)
		}
		if x.name == "all are errors" || x.name == "one is broken" {
			// Either reading may still decide, or neither: it is no verdict.
			if got.Outcome == sprt.Pass || got.Outcome == sprt.Fail {
				t.Errorf("%s: %+v", x.name, got)
			}
			continue
		}
		if got.Outcome != x.outcome || len(got.Next) != x.next || got.Scenarios[7] != x.standing {
			t.Errorf("%s: %+v", x.name, got)
		}
	}
	if got, _ := d.Judge(evidence("FP", "PP")); got.Next[0] != 7 {
		t.Errorf("next are %v, want the open one", got.Next)
	}
	for _, e := range []Evidence{{}, evidence("x", "P"), {Candidate: make([]string, 19)}} {
		if _, err := d.Judge(e); err == nil {
			t.Errorf("%v was judged", e)
		}
	}
}

// A scenario whose trials all break ends without a verdict, in as many trials as its test has.
func TestErrorsEnd(t *testing.T) {
	d := planned(t, Question{Scenarios: 20})
	e := Evidence{Candidate: make([]string, 20)}
	for n := 0; ; n++ {
		got, err := d.Judge(e)
		if err != nil || n > 2000 {
			t.Fatal(n, err)
		}
		if got.Outcome != sprt.Undecided {
			if got.Outcome != sprt.Inconclusive || len(got.Collapsed()) > 0 {
				t.Errorf("%+v", got)
			}
			return
		}
		letter := "P"
		if got.Next[0] == 3 {
			letter = "E"
		}
		e.Candidate[got.Next[0]] += letter
	}
}

func TestDecisionAsJSON(t *testing.T) {
	d := planned(t, Question{Scenarios: 2, Delta: 0.3})
	got, err := d.Judge(Evidence{Candidate: []string{"PPP", "FFFFFFF"}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(got)
	if err != nil || !strings.Contains(string(text), `"collapsed"`) {
		t.Fatalf("%s, %v", text, err)
	}
	var back Decision
	if err := json.Unmarshal(text, &back); err != nil || !cmp.Equal(got, back) {
		t.Errorf("%s read as %+v (%v), want %+v", text, back, err, got)
	}
}
