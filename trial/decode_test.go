package trial

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// ignorePlace compares trials by what is written of them.
var ignorePlace = cmpopts.IgnoreTypes(Place{})

const wholeRecord = `{"scenario":"43","trial":0,"variant":"base","outcome":"error","score":1.0,
 "error":{"origin":"infrastructure","type":"timeout","message":"no \"answer\"","status":504},
 "started_at":"2026-02-26T09:25:37Z","duration_s":30.47,"model":"m-1","cost_usd":0.0153,"input_tokens":51234,"output_tokens":812,
 "steps":[{"action":"call_tool","tool":"get_order","arguments":{"id": 7},"output":"…","error":"not found","depth":0,"duration_s":0.2,
           "cost_usd":0.001,"input_tokens":10,"output_tokens":5,"model":"m-2","retry":[1, 2]},{"action":"ponder","output":{"a":null}}],
 "input":["hello"],"output":"bye","attempt":1,"tags":{"commit":"c9e1346","seed":3},"later":{"x":1.50},"sooner":null}`

func TestDecodeWholeRecord(t *testing.T) {
	want := &Trial{
		Scenario: "43", Index: Some(0), Variant: "base", Outcome: Error, Score: Some(1.0),
		Error: &Cause{Origin: InfrastructureOrigin, Type: "timeout", Message: `no "answer"`,
			Extra: []Member{{"status", Raw("504")}}},
		StartedAt: "2026-02-26T09:25:37Z", DurationSeconds: Some(30.47), Model: "m-1", CostUSD: Some(0.0153),
		InputTokens: Some[int64](51234), OutputTokens: Some[int64](812),
		Steps: []Step{
			{Action: CallTool, Tool: "get_order", Arguments: Raw(`{"id": 7}`), Output: Raw(`"…"`), Error: "not found",
				Depth: Some(0), DurationSeconds: Some(0.2), CostUSD: Some(0.001), InputTokens: Some[int64](10),
				OutputTokens: Some[int64](5), Model: "m-2", Extra: []Member{{"retry", Raw("[1, 2]")}}},
			{Action: "ponder", Output: Raw(`{"a":null}`)},
		},
		Input: Raw(`["hello"]`), Output: Raw(`"bye"`), Attempt: Some(1),
		Tags:  []Member{{"commit", Raw(`"c9e1346"`)}, {"seed", Raw("3")}},
		Extra: []Member{{"later", Raw(`{"x":1.50}`)}, {"sooner", Raw("null")}},
		Place: Place{File: "t.jsonl", Line: 1},
	}
	got, err := Decode([]byte(wholeRecord), Options{File: "t.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("decoded record (-want +got):\n%s", diff)
	}
	if commit, ok := got.Tag("commit"); commit != "c9e1346" || !ok {
		t.Errorf("tag commit = %q, %v", commit, ok)
	}
	if seed, ok := got.Tag("seed"); seed != "3" || !ok {
		t.Errorf("tag seed = %q, %v", seed, ok)
	}
	if _, ok := got.Tag("branch"); ok {
		t.Error("there is a tag branch")
	}
}

// What is unknown must stay apart from zero.
func TestDecodeAbsent(t *testing.T) {
	for _, line := range []string{
		`{"scenario":"a","outcome":"fail"}`,
		`{"scenario":"a","outcome":"fail","trial":null,"variant":null,"score":null,"error":null,"started_at":null,"duration_s":null,` +
			`"model":null,"cost_usd":null,"input_tokens":null,"output_tokens":null,"steps":null,"input":null,"output":null,"attempt":null,"tags":null,"passed":null}`,
		`{"scenario":"a","outcome":"fail","variant":"","model":"","started_at":"","tags":{}}`,
	} {
		got, err := Decode([]byte(line), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&Trial{Scenario: "a", Outcome: Fail}, got, ignorePlace); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
	got, err := Decode([]byte(`{"scenario":"a","outcome":"fail","trial":0,"cost_usd":0,"input_tokens":0,"steps":[]}`),
		Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := &Trial{Scenario: "a", Outcome: Fail, Index: Some(0), CostUSD: Some(0.0), InputTokens: Some[int64](0),
		Steps: []Step{}}
	if diff := cmp.Diff(want, got, ignorePlace); diff != "" {
		t.Errorf("zeros (-want +got):\n%s", diff)
	}
}

func TestDecodeOutcome(t *testing.T) {
	half := Options{PassScore: Some(0.5)}
	for _, c := range []struct {
		line string
		o    Options
		want Outcome
	}{
		{`{"scenario":"a","outcome":"pass"}`, Options{}, Pass},
		{`{"scenario":"a","passed":true}`, Options{}, Pass},
		{`{"scenario":"a","passed":false}`, Options{}, Fail},
		{`{"passed":false,"outcome":"fail","scenario":"a"}`, Options{}, Fail},
		{`{"scenario":"a","passed":false,"outcome":"error"}`, Options{}, Error},
		{`{"scenario":"a","score":0.5}`, half, Pass},
		{`{"scenario":"a","score":0.4999999999999999}`, half, Fail},
		{`{"scenario":"a","score":-3}`, half, Fail},
		{`{"scenario":"a","score":0,"outcome":"pass"}`, half, Pass},
		{`{"scenario":"a","score":0,"passed":true}`, half, Pass},
		{`{"scenario":"a","score":0.1}`, Options{PassScore: Some(0.0)}, Pass},
	} {
		got, err := Decode([]byte(c.line), c.o)
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
		} else if got.Outcome != c.want {
			t.Errorf("%s: %v, want %v", c.line, got.Outcome, c.want)
		}
	}
}

func TestDecodeTolerates(t *testing.T) {
	for _, line := range []string{
		"\ufeff" + `{"scenario":"a","outcome":"pass"}`,
		"  {\t\"scenario\" : \"a\" , \"outcome\":\"pass\" } \r",
		`{"sc\u0065nario":"\u0061","outcome":"p\u0061ss"}`,
		`{"scenario":"a","outcome":"pass","trial":3.0,"attempt":2e0,"input_tokens":1E3}`,
		`{"scenario":"a","outcome":"pass","started_at":"2026-02-26 09:25:37.5"}`,
		`{"scenario":"a","outcome":"pass","started_at":"2026-02-26T09:25:37.000342"}`,
		`{"scenario":"a","outcome":"pass","started_at":"2026-02-26T09:25:37.1+02:00"}`,
		`{"scenario":"a","outcome":"pass","output":"cut \ud83d","x":"\udc00"}`,
		`{"scenario":"a","outcome":"pass","error":{"message":"cut \ud83d"}}`,
		`{"scenario":"a","outcome":"pass","cost_usd":-0.0}`,
	} {
		got, err := Decode([]byte(line), Options{})
		if err != nil {
			t.Errorf("%s: %v", line, err)
		} else if got.Scenario != "a" || got.Outcome != Pass {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

func TestTimestampTime(t *testing.T) {
	for text, want := range map[Timestamp]string{
		"2026-02-26T09:25:37Z":            "2026-02-26 09:25:37 +0000 UTC",
		"2026-02-26T11:25:37+02:00":       "2026-02-26 09:25:37 +0000 UTC",
		"2026-02-26 09:25:37.25":          "2026-02-26 09:25:37.25 +0000 UTC",
		"2026-02-26 09:25:37.25-00:30":    "2026-02-26 09:55:37.25 +0000 UTC",
		"2026-02-26T09:25:37.123456789Z":  "2026-02-26 09:25:37.123456789 +0000 UTC",
		"2026-02-26T09:25:37.1234567891Z": "2026-02-26 09:25:37.123456789 +0000 UTC",
	} {
		got, err := text.Time()
		if err != nil || got.UTC().String() != want {
			t.Errorf("%s: %v, %v, want %s", text, got.UTC(), err, want)
		}
	}
	for _, text := range []Timestamp{"", "yesterday", "2026-02-30T00:00:00Z", "2026-02-26", "1772097937"} {
		if got, err := text.Time(); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}

// What a set of fields leaves out is absent, and the rest is as it is without.
func TestFields(t *testing.T) {
	whole, err := Decode([]byte(wholeRecord), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		fields Fields
		cut    func(*Trial)
	}{
		{0, func(*Trial) {}},
		{BasicFields | TimeField | StepFields | ContentFields | InputField | TagFields | UnknownFields,
			func(*Trial) {}},
		{BasicFields, func(x *Trial) {
			x.StartedAt, x.Steps, x.Input, x.Output, x.Tags, x.Extra, x.Error.Extra = "", nil, nil, nil, nil, nil, nil
		}},
		{StepFields | InputField, func(x *Trial) {
			x.StartedAt, x.Output, x.Tags, x.Extra, x.Error.Extra = "", nil, nil, nil, nil
			x.Steps[0].Arguments, x.Steps[0].Output, x.Steps[0].Extra, x.Steps[1].Output = nil, nil, nil, nil
		}},
		{TagFields | TimeField, func(x *Trial) {
			x.Steps, x.Input, x.Output, x.Extra, x.Error.Extra = nil, nil, nil, nil, nil
		}},
	} {
		want := whole.Clone()
		c.cut(want)
		got, err := Decode([]byte(wholeRecord), Options{Fields: c.fields})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("fields %b (-want +got):\n%s", c.fields, diff)
		}
	}
}

func TestOptionalOr(t *testing.T) {
	if got := Some(0).Or(7); got != 0 {
		t.Errorf("a known 0 became %d", got)
	}
	if got := (Optional[int]{}).Or(7); got != 7 {
		t.Errorf("an unknown number became %d", got)
	}
}

func TestOutcomeWords(t *testing.T) {
	var zero Outcome
	if zero != Unjudged || zero == Pass {
		t.Error("the zero outcome is not Unjudged")
	}
	for _, o := range []Outcome{Pass, Fail, Error} {
		if got, ok := ParseOutcome(o.String()); got != o || !ok {
			t.Errorf("%v is read back as %v, %v", o, got, ok)
		}
	}
	for _, word := range []string{"", "unjudged", "PASS", "passed", " pass", Outcome(200).String()} {
		if got, ok := ParseOutcome(word); ok || got != Unjudged {
			t.Errorf("%q is read as %v, %v", word, got, ok)
		}
	}
}

func BenchmarkDecodeLine(b *testing.B) {
	for _, c := range []struct {
		name string
		line []byte
	}{{"short", short(nil, 1)}, {"trace", trace(nil, 1)}} {
		b.Run(c.name+"/trial", func(b *testing.B) {
			d := newDecoder(Options{})
			b.SetBytes(int64(len(c.line)))
			for b.Loop() {
				var t Trial
				d.recycle()
				if err := d.trial(&t, c.line); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/encoding-json", func(b *testing.B) {
			b.SetBytes(int64(len(c.line)))
			for b.Loop() {
				var t plainRecord
				if err := json.Unmarshal(c.line, &t); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// plainRecord is the record as encoding/json would read it, for comparison.
type plainRecord struct {
	Scenario, Variant, Outcome, Model string
	Trial                             *int
	Score                             *float64
	StartedAt                         string   `json:"started_at"`
	DurationS                         *float64 `json:"duration_s"`
	CostUSD                           *float64 `json:"cost_usd"`
	InputTokens                       *int64   `json:"input_tokens"`
	OutputTokens                      *int64   `json:"output_tokens"`
	Steps                             []struct {
		Action, Tool, Error string
		Arguments, Output   json.RawMessage
		DurationS           *float64 `json:"duration_s"`
		CostUSD             *float64 `json:"cost_usd"`
		InputTokens         *int64   `json:"input_tokens"`
		OutputTokens        *int64   `json:"output_tokens"`
	}
}

// Numbers of few digits are read as the standard library reads them, to the last bit.
func TestNumbersAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?`).Draw(t, "number")
		want, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode([]byte(`{"scenario":"a","outcome":"pass","score":`+text+`}`), Options{})
		if err != nil || got.Score != Some(want) {
			t.Fatalf("%s is read as %v, %v; want %v", text, got.Score, err, want)
		}
	})
}
