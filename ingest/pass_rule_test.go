package ingest

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

func mustPassRule(t testing.TB, text string) PassRule {
	t.Helper()
	r, err := ParsePassRule(text)
	if err != nil {
		t.Fatal(err)
	}
	if r.String() != text {
		t.Errorf("%q is written %q", text, r)
	}
	return r
}

func TestPassRule(t *testing.T) {
	record := &trial.Trial{
		Score:  trial.Some(0.5),
		Output: trial.RawString("  The seat is 12A and paid.\n"),
		Steps: []trial.Step{
			{Action: trial.Reason, Tool: "thought"}, {Action: trial.CallTool, Tool: "book"},
			{Action: trial.CallTool, Tool: "pay now"},
		},
		Tags: []trial.Member{
			{Name: "status", Value: trial.Raw(`"done"`)}, {Name: "reward", Value: trial.Raw(`"1.0"`)},
			{Name: "ok", Value: trial.Raw(`true`)},
			{Name: "meta", Value: trial.Raw(`{"grade":3}`)}, {Name: "empty", Value: trial.Raw(`""`)},
			{Name: "quote", Value: trial.Raw(`"say \"a and b\""`)},
		},
		Extra: []trial.Member{{Name: "level", Value: trial.Raw(`-2`)}},
	}
	failed := record.Clone()
	failed.Steps[1].Error = "no seat"
	number := &trial.Trial{Output: trial.Raw(`{"seat":12}`)}
	for _, c := range []struct {
		rule    string
		trial   *trial.Trial
		want    trial.Outcome
		missing string
	}{
		{"score>=0.5", record, trial.Pass, ""},
		{"score > 0.5", record, trial.Fail, ""},
		{"score<=0.5", record, trial.Pass, ""},
		{"score<0.5", record, trial.Fail, ""},
		{"score==0.5", record, trial.Pass, ""},
		{"score=5e-1", record, trial.Pass, ""},
		{"score>-1", record, trial.Pass, ""},
		{"score>=0.5", number, trial.Unjudged, "score unknown"},
		{"tag:status=done", record, trial.Pass, ""},
		{"attribute:status = don", record, trial.Fail, ""},
		{"attribute:reward=1", record, trial.Pass, ""},
		{"attribute:reward==1.00", record, trial.Pass, ""},
		{"attribute:reward>=1", record, trial.Pass, ""},
		{"attribute:reward<1", record, trial.Fail, ""},
		{"attribute:ok=true", record, trial.Pass, ""},
		{"attribute:meta.grade>2", record, trial.Pass, ""},
		{"attribute:level<=-2", record, trial.Pass, ""},
		{"attribute:status~^d.n", record, trial.Pass, ""},
		{"attribute:status~^n", record, trial.Fail, ""},
		{`attribute:empty=""`, record, trial.Pass, ""},
		{`attribute:quote="say ""a and b"""`, record, trial.Pass, ""},
		{"attribute:status>1", record, trial.Unjudged, "attribute status unknown or no number"},
		{"attribute:meta=3", record, trial.Unjudged, "attribute meta unknown"},
		{"tag:none=1", record, trial.Unjudged, "attribute none unknown"},
		{"output~12[A-F]", record, trial.Pass, ""},
		{"output~^12", record, trial.Fail, ""},
		{`output~"12A and paid"`, record, trial.Pass, ""},
		{`output="The seat is 12A and paid."`, record, trial.Pass, ""},
		{"output=The seat", record, trial.Fail, ""},
		{`output~"seat":12`, number, trial.Pass, ""},
		{"output=x", &trial.Trial{}, trial.Unjudged, "output unknown"},
		{"no-error", record, trial.Pass, ""},
		{"no-error", failed, trial.Fail, ""},
		{"no-error", &trial.Trial{}, trial.Unjudged, "steps unknown"},
		{"no-error", &trial.Trial{Steps: []trial.Step{}, Error: &trial.Cause{}}, trial.Unjudged, "the run ended early"},
		{"no-error", &trial.Trial{Steps: []trial.Step{{Error: "x"}}, Error: &trial.Cause{}}, trial.Fail, ""},
		{"no-error", &trial.Trial{Steps: []trial.Step{}}, trial.Pass, ""},
		{"tool:book", record, trial.Pass, ""},
		{"tool:pay now", record, trial.Pass, ""},
		{"tool:thought", record, trial.Fail, ""},
		{"tool:book", number, trial.Unjudged, "steps unknown"},
		{"no-error and tool:book and score>=0.5", record, trial.Pass, ""},
		{"no-error AND tool:refund", record, trial.Fail, ""},
		{"tool:refund or tool:book", record, trial.Pass, ""},
		{"tool:refund\tor\nscore>1", record, trial.Fail, ""},
		{"no-error and score>=0.5", number, trial.Unjudged, "steps unknown"},
		{"output~seat and score>=0.5", number, trial.Unjudged, "score unknown"},
		{"output~nothing and score>=0.5", number, trial.Fail, ""}, // whatever the score
		{"score>=0.5 and output~nothing", number, trial.Fail, ""},
		{"score>=0.5 or output~seat", number, trial.Pass, ""},
		{"score>=0.5 or output~nothing", number, trial.Unjudged, "score unknown"},
	} {
		rule := strings.Replace(c.rule, `~"seat":12`, `~"""seat"":12"`, 1)
		if got, missing := mustPassRule(t, rule).rule.Judge(c.trial); got != c.want || missing != c.missing {
			t.Errorf("%s: %v, %q; want %v, %q", rule, got, missing, c.want, c.missing)
		}
	}
}

func TestBadPassRules(t *testing.T) {
	const forms = "the conditions are score>=NUMBER, attribute:KEY=VALUE, output~PATTERN, output=TEXT, no-error and " +
		"tool:NAME"
	const quotes = "a text that holds and, or, && or || stands in double quotes"
	for _, c := range []struct{ rule, want string }{
		{"", `is empty`},
		{"passed", `has "passed" where a condition should stand; ` + forms + "; " + quotes},
		{"no-errors", `has "no-errors" where a condition should stand; ` + forms + "; " + quotes},
		{"output=this or that", `has "that" where a condition should stand; ` + forms + "; " + quotes},
		{"scores>1", `has "scores>1" where a condition should stand; ` + forms + "; " + quotes},
		{"score", `compares score with nothing; the operators are = == > >= < <= and ~`},
		{"score!=1", `compares score with nothing; the operators are = == > >= < <= and ~`},
		{"score>=", `has no value after score>=; "" is the empty text`},
		{"score>=high", `compares score with "high", which is not a number`},
		{"score>=NaN", `compares score with "NaN", which is not a number`},
		{"score>>1", `compares score with ">1", which is not a number`},
		{"score~1", `compares the score with ~; a score is a number: score>=0.5`},
		{"output>1", `compares the output with >; the output is compared with output=TEXT or output~PATTERN`},
		{"output~", `has no value after output~; "" is the empty text`},
		{"output~(", `has a pattern that is not a regular expression: missing closing ): (; the syntax is RE2's, as in Go; \ takes the meaning of the next character away`},
		{`output=""no`, `has "no" after the end of a condition; ` + forms},
		{`output="no`, `has a quote after output= that does not end; a quote inside of quotes is doubled: ""`},
		{"output=a && no-error", `has "a && no-error" as the value of output=; conditions are joined by and, or by or; ` +
			quotes},
		{"attribute:=1", `names no attribute; such as attribute:metadata.task_id`},
		{"attribute:done", `has an attribute, "done", that is compared with nothing; such as attribute:KEY=VALUE`},
		{"tag:done and score>=1", `has an attribute, "done", that is compared with nothing; such as attribute:KEY=VALUE`},
		{"attribute:a>b", `compares attribute:a with "b", which is not a number`},
		{"attribute:a!=b", `compares attribute:a with nothing; the operators are = == > >= < <= and ~`},
		{"tool:", `has no value after tool:; "" is the empty text`},
		{"no-error and", `ends after and`},
		{"no-error or ", `ends after or`},
		{"and no-error", `has "and no-error" where a condition should stand; ` + forms + "; " + quotes},
		{"no-error no-error", `has "no-error" after the end of a condition; ` + forms},
		{"no-error and tool:a or tool:b", `has and beside or; there are no parentheses: judge by one of the two`},
		{"no-error or tool:a and tool:b", `has and beside or; there are no parentheses: judge by one of the two`},
		{strings.Repeat("no-error and ", 32) + "no-error", `has more than 32 conditions`},
		{"output=\xff", `is not UTF-8 text`},
		{"output=" + strings.Repeat("x", 4090), `is longer than 4096 bytes`},
	} {
		want := "rule " + strconv.Quote(prose.Excerpt(c.rule)) + " " + c.want
		r, err := ParsePassRule(c.rule)
		if e, ok := errors.AsType[*RuleError](err); !ok || e.Error() != want || r.rule.IsSet() {
			t.Errorf("%.40q:\n got %v\nwant %s", c.rule, err, want)
		}
	}
}

// What a rule asks for is there, however long it is: else its trials are not judged.
func TestLongAttributeThatARuleNamesIsKept(t *testing.T) {
	verdict := strings.Repeat("The order was looked up first. ", 60) + "PASS"
	text := otlpText(`1 - desk {"gen_ai.operation.name":"invoke_agent","review.text":"` + verdict + `","other":"` +
		verdict + `"}`)
	rule, err := ParsePassRule("attribute:review.text~PASS$")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Pass: rule}
	o.File = "f"
	for x, err := range NewStream(strings.NewReader(text), o).Trials(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		_, kept := x.Tag("other")
		if x.Outcome != trial.Pass || kept {
			t.Errorf("outcome %v; a text that no rule names is kept: %v", x.Outcome, kept)
		}
	}
}
