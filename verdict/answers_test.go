package verdict

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// Answers of a recording are compared within their scenario, and told from two in five of five on. What is a label, and
// what has no outcome, is not compared.
func TestRecordedAnswers(t *testing.T) {
	long := func(n int) string { return fmt.Sprint(strings.Repeat("a word ", 10), n) } // 70 characters and more
	for _, c := range []struct {
		name    string
		answers []string // of the scenario a; those that begin with b: are of b, and those with e: are errors
		want    []ScenarioAnswers
	}{
		{"one answer of five", []string{long(1), long(1), long(1), long(1), long(1)},
			[]ScenarioAnswers{{"a", Answers{Compared: 5, Repeated: 4}}}},
		{"two in five", []string{long(1), long(1), long(1), long(2), long(3)},
			[]ScenarioAnswers{{"a", Answers{Compared: 5, Repeated: 2}}}},
		{"one in five", []string{long(1), long(1), long(4), long(2), long(3)}, nil},
		{"four", []string{long(1), long(1), long(1), long(1)}, nil},
		{"labels", []string{"yes", "yes", "yes", "yes", "yes"}, nil},
		{"two scenarios", []string{long(1), long(2), long(3), "b:" + long(1), "b:" + long(2), "b:" + long(3)}, nil},
		{"errors", []string{long(1), long(2), long(3), "e:" + long(1), "e:" + long(1)}, nil},
	} {
		var r RecordedAnswers
		for _, answer := range c.answers {
			x := &trial.Trial{Scenario: "a", Outcome: trial.Pass}
			if text, is := strings.CutPrefix(answer, "b:"); is {
				x.Scenario, answer = "b", text
			} else if text, is := strings.CutPrefix(answer, "e:"); is {
				x.Outcome, answer = trial.Error, text
			}
			x.Output = trial.RawString(answer)
			r.Add(x)
		}
		if got := r.Notable(); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// What cannot be of so many trials, and what would not be told, is found.
func TestForgedRecordedAnswers(t *testing.T) {
	judged := map[string]int{"a": 10}
	for _, c := range []struct {
		answers ScenarioAnswers
		ok      bool
	}{
		{ScenarioAnswers{"a", Answers{Compared: 10, Repeated: 9}}, true},
		{ScenarioAnswers{"a", Answers{Compared: 11, Repeated: 9}}, false},
		{ScenarioAnswers{"a", Answers{Compared: 10, Repeated: 10}}, false},
		{ScenarioAnswers{"a", Answers{Compared: 10, Repeated: 3}}, false},
		{ScenarioAnswers{"b", Answers{Compared: 10, Repeated: 9}}, false},
	} {
		if err := checkAnswers("answers", []ScenarioAnswers{c.answers}, judged); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.answers, err)
		}
	}
}
