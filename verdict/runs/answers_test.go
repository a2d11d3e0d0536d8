package runs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
)

// answering is a test of passes that answer so, trial by trial.
func answering(answers ...string) TestEvidence {
	e := ran("a", sample.Design(), passes(len(answers)))
	for i, text := range answers {
		e.Trials[i].Trial.Output = trial.RawString(text)
	}
	return e
}

// long is an answer that is no label, and letter tells it from others.
func long(letter string) string {
	return "The parcel of order 17 was sent back on Monday, for this one reason: " + letter
}

func said(compared, repeated int) *verdict.Answers {
	return &verdict.Answers{Compared: compared, Repeated: repeated}
}

func TestAnswersThatCameAgain(t *testing.T) {
	served := func(trials, times int) (answers []string) {
		for i := range trials {
			answers = append(answers, long(fmt.Sprint("no. ", i/times)))
		}
		return answers
	}
	for name, c := range map[string]struct {
		answers []string
		want    *verdict.Answers
		warned  string // part of it; "" is not
	}{
		"one answer":         {served(15, 15), said(15, 14), "all 15 long answers are the same"},
		"served twice":       {served(15, 2), said(15, 7), "7 of 15 long answers are those of an earlier trial"},
		"each its own":       {served(15, 1), &verdict.Answers{Compared: 15}, ""},
		"few":                {served(4, 4), said(4, 3), ""},
		"a fifth":            {append(served(4, 1), long("no. 3")), said(5, 1), ""},
		"two of five":        {append(served(3, 1), long("no. 2"), long("no. 1")), said(5, 2), "2 of 5 long answers"},
		"labels":             {strings.Fields(strings.Repeat("APPROVE ", 15)), nil, ""},
		"labels of 64":       {[]string{strings.Repeat("x", 64), strings.Repeat("x", 64)}, nil, ""},
		"one of 65":          {[]string{strings.Repeat("ü", 65), "REJECT"}, &verdict.Answers{Compared: 1}, ""},
		"labels among them":  {append(served(5, 5), "APPROVE", "APPROVE"), said(5, 4), "all 5 long answers"},
		"nothing was judged": {nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := judgeRun(t, answering(c.answers...)).Tests[0]
			if fmt.Sprint(got.Answers) != fmt.Sprint(c.want) {
				t.Errorf("%+v, not %+v", got.Answers, c.want)
			}
			text := warned(got.Warnings, verdict.WarnAnswers)
			if (text == "") != (c.warned == "") || !strings.Contains(text, c.warned) {
				t.Errorf("%q, not %q", text, c.warned)
			}
		})
	}
}

// The same words after other steps are another answer, whatever the white space of their arguments; another scenario
// has answers of its own; an error has none, and what was not judged is not counted.
func TestWhatIsAnotherAnswer(t *testing.T) {
	steps := answering(long("a"), long("a"), long("a"))
	for i, arguments := range []string{`{"n":1}`, `{ "n": 1 }`, `{"n":2}`} {
		steps.Trials[i].Trial.Steps = []trial.Step{{Action: "call_tool", Tool: "look", Arguments: trial.Raw(arguments)}}
	}
	two := answering(long("a"), long("a"))
	two.Scenarios, two.Trials[1].Scenario = []string{"a", "b"}, "b"
	wrong := answering(long("a"), long("a"), long("a"))
	wrong.Trials[2].Trial.Outcome = trial.Error
	overrun := answering(strings.Split(strings.Repeat(long("a")+"|", 16), "|")[:16]...)
	brief := answering(long("a"), long("a"))
	for i := range brief.Trials {
		brief.Trials[i].Answer = new(uint64(7 + i))
	}
	for name, c := range map[string]struct {
		test TestEvidence
		want verdict.Answers
	}{
		"steps": {steps, *said(3, 1)}, "scenarios": {two, verdict.Answers{Compared: 2}}, "errors": {wrong, *said(2, 1)},
		"overrun": {overrun, *said(15, 14)}, "as they were before they were cut": {brief, verdict.Answers{Compared: 2}},
	} {
		if got := judgeRun(t, c.test).Tests[0].Answers; got == nil || *got != c.want {
			t.Errorf("%s: %+v, not %+v", name, got, c.want)
		}
	}
}

// Counts that cannot be are found, and what they say is said again.
func TestForgedAnswers(t *testing.T) {
	fresh := func() *Result {
		r := judgeRun(t, answering(long("a"), long("a"), long("b"), long("a"), long("a")))
		r.Spent.Trials, r.Spent.Attempts = 5, 5
		return r
	}
	rejudge := func(r *Result) (*Result, error) {
		found, err := r.Rejudge(t.Context())
		if err == nil {
			err = found.Then()
		}
		if err != nil {
			return nil, err
		}
		return found.Again.(*Result), nil
	}
	again, err := rejudge(fresh())
	if err != nil || *again.Tests[0].Answers != *said(5, 3) || warned(again.Tests[0].Warnings, verdict.WarnAnswers) == "" {
		t.Fatalf("%+v, %v", again, err)
	}
	for _, a := range []*verdict.Answers{said(6, 3), said(0, 0), said(5, 5), said(5, -1)} {
		r := fresh()
		r.Tests[0].Answers = a
		if _, err := rejudge(r); err == nil {
			t.Errorf("%+v is taken", a)
		}
	}
	r := fresh()
	r.Tests[0].BaselineAnswers = &verdict.Answers{Compared: 1}
	if _, err := rejudge(r); err == nil {
		t.Error("answers of a baseline that is none are taken")
	}
	r = fresh()
	r.Tests[0].Answers.Repeated = 1
	if again, err := rejudge(r); err != nil || warned(again.Tests[0].Warnings, verdict.WarnAnswers) != "" {
		t.Errorf("the warning does not follow from the counts: %v", err)
	}
}

func TestAttemptsOftenMadeAgain(t *testing.T) {
	for _, c := range []struct {
		attempts int
		repeated map[string]int
		want     bool
	}{
		{20, nil, false}, {16, map[string]int{"refused": 2}, false}, {30, map[string]int{"refused": 3}, false},
		{29, map[string]int{"refused": 3}, true}, {100, map[string]int{"refused": 6, "start": 5}, true},
		{20, map[string]int{"stopped": 8}, false}, {20, map[string]int{"stopped": 8, "start": 2}, false},
	} {
		s := Expense{Attempts: c.attempts, Repeated: c.repeated}
		if s.OftenRedrawn() != c.want {
			t.Errorf("%+v: %v", c, !c.want)
		}
	}
}
