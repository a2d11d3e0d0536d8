package relation

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// answered is an execution with an output, which is JSON.
func answered(output string) Execution {
	return Execution{Input: trial.Raw(`{"max_words": 3, "n": "x"}`), Trial: &trial.Trial{
		Scenario: "s", Outcome: trial.Pass, Output: trial.Raw(output)}}
}

func path(t testing.TB, text string) oracle.Path {
	t.Helper()
	p, err := oracle.ParsePath(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestHolds(t *testing.T) {
	numbers := SameFacts(Facts{Patterns: []*regexp.Regexp{regexp.MustCompile(`[0-9]+`)}})
	named := SameFacts(Facts{Patterns: []*regexp.Regexp{regexp.MustCompile(`(\w+) wins`)}, IgnoreCase: true})
	paths := SameFacts(Facts{Paths: []oracle.Path{path(t, "city"), path(t, "sources")}})
	brief, err := oracle.Contains(oracle.Path{}, "ok", oracle.TextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	limit := at(t, "input.max_words")
	for _, c := range []struct {
		name   string
		holds  Criterion
		a, b   string
		held   bool
		why    string
		vacant bool
	}{
		{"equal", Equal(), `"a\n"`, `"a"`, true, `both answered "a"`, false},
		{"unequal", Equal(), `"a"`, `"A"`, false, `the source answered "a", and the follow-up "A"`, false},
		{"equal JSON", EqualJSON(oracle.Path{}), `"{\"a\": 1, \"b\": [2]}"`, `{"b":[2.0],"a":1e0}`, true,
			`both answered "{"a":1,"b":[2]}"`, false},
		{"items in another order", EqualJSON(oracle.Path{}), `[1,2]`, `[2,1]`, false,
			`the source answered "[1,2]", and the follow-up "[2,1]"`, false},
		{"no JSON", EqualJSON(oracle.Path{}), `{}`, `"none"`, false, `the output of the follow-up is no JSON: "none"`, false},
		{"at a path", EqualJSON(path(t, "a")), `{"a":1,"b":1}`, `{"a":1,"b":2}`, true, `both answered "1"`, false},
		{"not at a path", EqualJSON(path(t, "a")), `{"b":1}`, `{"a":1}`, false, `the output of the source has nothing at a`,
			false},
		{"same numbers", numbers, `"3 of 12"`, `"Of 12 it is 3; 3!"`, true, `both say "12" and "3"`, false},
		{"a number less", numbers, `"3 of 12"`, `"12"`, false, `the follow-up does not say "3"`, false},
		{"a number more", numbers, `"12"`, `"12 or 13"`, false, `only the follow-up says "13"`, false},
		{"other numbers", numbers, `"1"`, `"2"`, false, `the source says "1", and the follow-up "2"`, false},
		{"no numbers", numbers, `"none"`, `"zero"`, true, `neither output has a fact`, true},
		{"groups and case", named, `"Anna wins."`, `"It is ANNA wins"`, true, `both say "anna"`, false},
		{"paths", paths, `{"city":"Rome","sources":["b","a"]}`, `{"sources":["a","b","a"],"city":"Rome"}`, true,
			`both say "Rome", "a" and "b"`, false},
		{"score lower", ScoreNotHigher(path(t, "p"), 0), `{"p":0.9}`, `{"p":0.4}`, true,
			`the score is 0.9, and 0.4 on the harder input`, false},
		{"score the same", ScoreNotHigher(path(t, "p"), 0), `{"p":0.9}`, `{"p":"0.9"}`, true,
			`the score is 0.9, and 0.9 on the harder input`, false},
		{"score higher", ScoreNotHigher(path(t, "p"), 0), `{"p":0.4}`, `{"p":0.9}`, false,
			`the score is 0.4, and higher on the harder input: 0.9`, false},
		{"score a little higher", ScoreNotHigher(path(t, "p"), 0.5), `{"p":0.4}`, `{"p":0.9}`, true,
			`the score is 0.4, and 0.9 on the harder input`, false},
		{"no score", ScoreNotHigher(path(t, "p"), 0), `{"p":0.4}`, `{"p":null}`, false, `the follow-up has no score`, false},
		{"no score of a trial", ScoreNotHigher(oracle.Path{}, 0), `1`, `2`, false, `the source has no score`, false},
		{"numbers within", Within(oracle.Path{}, 0.5), `10.2`, `"10.5"`, true, `"10.2" and "10.5" are 0.3 apart`, false},
		{"numbers apart", Within(path(t, "x"), 0.5), `{"x":1}`, `{"x":-1}`, false, `"1" and "-1" are 2 apart, more than 0.5`,
			false},
		{"texts within", Within(oracle.Path{}, 0.5), `"kitten"`, `"sitting"`, true,
			`"kitten" and "sitting" are 0.429 apart`, false}, // 3 edits of 7
		{"texts apart", Within(oracle.Path{}, 0.4), `"kitten"`, `"sitting"`, false,
			`"kitten" and "sitting" are 0.429 apart, more than 0.4`, false},
		{"conforms", Conforms(brief), `"bad"`, `"ok then"`, true, "", false},
		{"does not conform", Conforms(brief), `"ok"`, `"bad"`, false, "", false},
		{"the pair is judged", Judged(brief), `"ok"`, `"bad"`, true, "", false},
		{"the pair is judged badly", Judged(brief), `"good"`, `"bad"`, false, "", false},
		{"few words", AtMost(Words, limit), `"many words are here"`, `"one two  three"`, true,
			`the output has 3 words, and input.max_words allows 3`, false},
		{"many words", AtMost(Words, limit), `"x"`, `"one two three four"`, false,
			`the output has 4 words, and input.max_words allows 3`, false},
		{"characters", AtMost(characters, limit), `"x"`, `"déj"`, true,
			`the output has 3 characters, and input.max_words allows 3`, false},
		{"lines", AtMost(lines, limit), `"x"`, `"a\n\nb\nc\n d"`, false,
			`the output has 4 lines, and input.max_words allows 3`, false},
		{"items", AtMost(Items, limit), `"x"`, `"[1, 2]"`, true, `the output has 2 items, and input.max_words allows 3`,
			false},
		{"no items", AtMost(Items, limit), `"x"`, `"1, 2"`, false, `the output is no list`, false},
	} {
		got, err := c.holds.Check(t.Context(), answered(c.a), answered(c.b))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got.Held != c.held || c.why != "" && got.Why != c.why || got.Vacuous != c.vacant {
			t.Errorf("%s: %+v; want held %v, %q", c.name, got, c.held, c.why)
		}
	}
}

func TestOutcomesHold(t *testing.T) {
	execution := func(o trial.Outcome) Execution { return Execution{Trial: &trial.Trial{Scenario: "s", Outcome: o}} }
	for _, c := range []struct {
		a, b                 trial.Outcome
		same, right, vacuous bool
	}{
		{trial.Pass, trial.Pass, true, true, false},
		{trial.Pass, trial.Fail, false, false, false},
		{trial.Fail, trial.Pass, false, true, true},
		{trial.Fail, trial.Fail, true, true, true},
	} {
		same, err := SameOutcome().Check(t.Context(), execution(c.a), execution(c.b))
		if err != nil || same.Held != c.same {
			t.Errorf("%v, %v: %+v, %v", c.a, c.b, same, err)
		}
		right, err := RightAfterRight().Check(t.Context(), execution(c.a), execution(c.b))
		if err != nil || right.Held != c.right || right.Vacuous != c.vacuous {
			t.Errorf("%v, %v: %+v, %v", c.a, c.b, right, err)
		}
	}
	got, err := SameOutcome().Check(t.Context(), execution(trial.Pass), execution(trial.Fail))
	if want := "the source passed, and the follow-up failed"; err != nil || got.Why != want {
		t.Errorf("%q, %v; want %q", got.Why, err, want)
	}
}

// What cannot be judged is no violation: the agent is not to blame.
func TestWhatCannotBeJudgedIsAnError(t *testing.T) {
	broken, err := oracle.Command([]string{"./not there"}, oracle.CommandOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, holds := range map[string]Criterion{
		"an evaluator": Conforms(broken), "of the pair": Judged(broken),
		"no limit": AtMost(Words, at(t, "input.most")), "no number": AtMost(Words, at(t, "input.n")),
	} {
		if found, err := holds.Check(t.Context(), answered(`"a"`), answered(`"a"`)); err == nil {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// Every relation of equality holds between an execution and itself, and does not depend on which of two is the source.
func TestHoldsAreReflexiveAndSymmetric(t *testing.T) {
	facts := SameFacts(Facts{Patterns: []*regexp.Regexp{regexp.MustCompile(`[a-z]`)}})
	all := map[string]Criterion{
		"equal": Equal(), "json": EqualJSON(oracle.Path{}), "facts": facts, "within": Within(oracle.Path{}, 0.3),
		"outcome": SameOutcome(),
	}
	thorough.Check(t, func(r *rapid.T) {
		draw := func(name string) Execution {
			e := answered(string(trial.RawString(rapid.StringMatching(`[1-9]{1,2}|"[a-c]{0,3}"`).Draw(r, name))))
			if rapid.Bool().Draw(r, name+" fails") {
				e.Trial.Outcome = trial.Fail
			}
			return e
		}
		a, b := draw("a"), draw("b")
		check := func(h Criterion, x, y Execution) bool {
			found, err := h.Check(context.Background(), x, y)
			if err != nil {
				r.Fatal(err)
			}
			return found.Held
		}
		for name, h := range all {
			if !check(h, a, a) {
				r.Errorf("%s does not hold of %s and itself", name, a.Trial.Output)
			}
			if check(h, a, b) != check(h, b, a) {
				r.Errorf("%s depends on the side: %s and %s", name, a.Trial.Output, b.Trial.Output)
			}
		}
	})
}

// Distances of texts are those of the definition, by recursion.
func TestTextsApart(t *testing.T) {
	var edits func(a, b []rune) int
	edits = func(a, b []rune) int {
		switch {
		case len(a) == 0:
			return len(b)
		case len(b) == 0:
			return len(a)
		}
		cost := 1
		if a[0] == b[0] {
			cost = 0
		}
		return min(edits(a[1:], b)+1, edits(a, b[1:])+1, edits(a[1:], b[1:])+cost)
	}
	thorough.Check(t, func(r *rapid.T) {
		a := rapid.StringMatching(`[aé日]{0,6}`).Draw(r, "a")
		b := rapid.StringMatching(`[aé日]{0,6}`).Draw(r, "b")
		x, y := []rune(a), []rune(b)
		want := 0.0
		if len(x)+len(y) > 0 {
			want = float64(edits(x, y)) / float64(max(len(x), len(y)))
		}
		if got := textsApart(a, b); got != want {
			r.Errorf("%q and %q: %v; want %v", a, b, got, want)
		}
	})
	if got := textsApart(strings.Repeat("a", 5000), strings.Repeat("a", 4000)+"bb"); got != 0 {
		t.Errorf("beyond the first 4,000 characters: %v", got)
	}
}

func TestPairs(t *testing.T) {
	a := Execution{Trial: &trial.Trial{Scenario: "s", Outcome: trial.Fail}}
	got, err := json.Marshal(PairOf(a, answered(`"b"`)))
	want := `{"source":{"input":null,"output":null,"outcome":"fail"},` +
		`"follow_up":{"input":{"max_words":3,"n":"x"},"output":"b","outcome":"pass"}}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}
