package warehouse

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// unquoted reads what stands between the quotation marks at the beginning of a text, by the rules of a dialect,
// and what follows.
func unquoted(d Dialect, text string, escapes bool) (inner, rest string, ok bool) {
	if text == "" {
		return "", "", false
	}
	quote := text[0]
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && escapes && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case c == quote && i+1 < len(text) && text[i+1] == quote:
			i++
			b.WriteByte(quote)
		case c == quote:
			return b.String(), text[i+1:], true
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// Whatever a name or a text holds, the database reads it back whole, and nothing of it outside of its quotation marks.
func TestQuotesHoldAnything(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab'\"`\\;-$ [].*/\u00e4%_"))).Draw(t, "text")
		for _, d := range Dialects() {
			literal, escapes := d.literal(text), d.backslashes()
			if after, is := strings.CutPrefix(literal, "E"); is {
				literal, escapes = after, true
			}
			if inner, rest, ok := unquoted(d, literal, escapes); !ok || inner != text || rest != "" {
				t.Fatalf("%v reads %s as %q, and %q", d, literal, inner, rest)
			}
			name := d.quoted(text)
			inner, rest, ok := unquoted(d, name, d == BigQuery || d == ClickHouse)
			if !ok || inner != text || rest != "" {
				t.Fatalf("%v reads %s as %q, and %q", d, name, inner, rest)
			}
		}
	})
}

// Names are read as SQL writes them, and a name that is read is written whole.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		text  string
		texts map[Dialect]string
	}{
		{"trials", map[Dialect]string{DuckDB: `"trials"`, Snowflake: `"TRIALS"`, BigQuery: "`trials`"}},
		{"Evals.Trials", map[Dialect]string{Postgres: `"evals"."trials"`, ClickHouse: "`Evals`.`Trials`"}},
		{`Evals."My ""Trials"`, map[Dialect]string{Postgres: `"evals"."My ""Trials"`, Snowflake: `"EVALS"."My ""Trials"`}},
		{"my-project.data.`a``b`", map[Dialect]string{BigQuery: "`my-project`.`data`.`a\\`b`", Spark: "`my-project`.`data`.`a``b`"}},
		{"x; DROP TABLE y --", map[Dialect]string{Postgres: `"x; DROP TABLE y --"`}},
	} {
		for d, want := range c.texts {
			if have, err := d.table(c.text); err != nil || have != want {
				t.Errorf("%v: %s is %s, %v; want %s", d, c.text, have, err, want)
			}
		}
	}
	if have, err := Snowflake.neighbour(`raw."Traces"`, "scores"); err != nil || have != `"RAW"."SCORES"` {
		t.Errorf("beside: %s, %v", have, err)
	}
	for _, bad := range []string{"", ".", "a.", ".a", "a..b", `"a`, `"a"b`, `""`, "a\nb", "a\x00b", "a\x1bb", "\xff",
		strings.Repeat("a", mostName+1)} {
		if have, err := Postgres.table(bad); err == nil {
			t.Errorf("%q is %s", bad, have)
		}
	}
}

// What does not go together is refused with the name of what it is about.
func TestQueriesThatCannotBe(t *testing.T) {
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for want, q := range map[string]Query{
		"table is empty":                                {},
		"sample must be from 0 to 1000":                 {Table: "t", Sample: MostSample + 1},
		"until is not after since":                      {Table: "t", Time: "at", Since: at, Until: at},
		"period needs the column":                       {Table: "t", Since: at},
		"column of the scenario has an empty part":      {Table: "t", Scenario: "a..b"},
		"column of the measure steps has an empty part": {Table: "t", Measures: []Measure{{"steps", "."}}},
		"measure is empty":                              {Table: "t", Measures: []Measure{{"", "a"}}},
		"measures are more than 100":                    {Table: "t", Measures: make([]Measure, mostMeasures+1)},
		"tools are for spans":                           {Table: "t", Tools: []string{"search"}},
		"column of the id is for a table of trials":     {Format: OTel, Table: "t", ID: "id"},
		"measures are for a table of trials": {Format: Langfuse, Table: "t",
			Measures: []Measure{{"a", "a"}}},
		"tool is empty": {Format: OTel, Table: "t", Tools: []string{""}},
		"attribute of the variant holds a character that":     {Format: OTel, Table: "t", Variant: "a\nb"},
		"name of the score holds a character that":            {Format: Langfuse, Table: "t", Score: "a\nb"},
		"column of the time has no second quotation mark":     {Table: "t", Time: `"at`, Since: at},
		"column of the score goes on behind a quotation mark": {Table: "t", Score: `"a"b`},
	} {
		text, err := q.SQL()
		if e, ok := errors.AsType[*Error](err); !ok || !strings.HasPrefix(e.Message(), want) {
			t.Errorf("%s: %v, %.200s", want, err, text)
		}
	}
}

// The same query is the same text, and everything that is asked for is in it.
func TestQueryHasWhatIsAskedFor(t *testing.T) {
	for _, d := range Dialects() {
		q := Query{Dialect: d, Format: OTel, Table: "spans", Tools: []string{"search"}, Sample: 5, Seed: 9}
		text, err := q.SQL()
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := q.SQL(); again != text {
			t.Errorf("%v: two texts", d)
		}
		for _, want := range []string{"tool.search", "'9:'", "<= 5", "cost_usd_passes", "duration_s_sum2", "unjudged"} {
			if !strings.Contains(text, want) {
				t.Errorf("%v: no %s in\n%s", d, want, text)
			}
		}
		if !strings.HasSuffix(text, ";\n") || strings.Count(text, ";") != 1 {
			t.Errorf("%v: not one statement", d)
		}
	}
}
