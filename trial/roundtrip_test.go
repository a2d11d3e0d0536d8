package trial

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// anyJSON draws a JSON value as a Go value that encoding/json can write.
func anyJSON() *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return rapid.Float64().Filter(isFinite).Draw(t, "number")
		case 3:
			return rapid.Int64().Draw(t, "integer")
		case 4:
			return rapid.SliceOfN(anyJSON(), 0, 2).Draw(t, "array")
		case 5:
			return rapid.MapOfN(rapid.String(), anyJSON(), 0, 2).Draw(t, "object")
		}
		return rapid.String().Draw(t, "string")
	})
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func anyRaw() *rapid.Generator[Raw] {
	return rapid.Custom(func(t *rapid.T) Raw {
		text, err := json.Marshal(anyJSON().Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		return text
	})
}

// absentOr draws nil or a value that is not null: null reads as absent.
func absentOr(g *rapid.Generator[Raw]) *rapid.Generator[Raw] {
	return rapid.OneOf(rapid.Just(Raw(nil)), g.Filter(func(r Raw) bool { return string(r) != "null" }))
}

func anyMembers(known []string) *rapid.Generator[[]Member] {
	member := rapid.Custom(func(t *rapid.T) Member {
		return Member{Name: rapid.String().Draw(t, "name"), Value: anyRaw().Draw(t, "value")}
	})
	return rapid.Custom(func(t *rapid.T) []Member {
		members := rapid.SliceOfNDistinct(member, 0, 3, func(m Member) string { return m.Name }).Draw(t, "members")
		members = slices.DeleteFunc(members, func(m Member) bool { return slices.Contains(known, m.Name) })
		if len(members) == 0 {
			return nil
		}
		return members
	})
}

func optional[T any](g *rapid.Generator[T]) *rapid.Generator[Optional[T]] {
	return rapid.Custom(func(t *rapid.T) Optional[T] {
		if rapid.Bool().Draw(t, "known") {
			return Some(g.Draw(t, "value"))
		}
		return Optional[T]{}
	})
}

func amounts() *rapid.Generator[Optional[float64]] {
	return optional(rapid.Float64Range(0, MaxAmount))
}

func counts() *rapid.Generator[Optional[int]] { return optional(rapid.IntMin(0)) }

func tokens() *rapid.Generator[Optional[int64]] { return optional(rapid.Int64Range(0, MaxTokens)) }

func wordList() *rapid.Generator[string] { return rapid.String() }

func anyStep() *rapid.Generator[Step] {
	return rapid.Custom(func(t *rapid.T) Step {
		return Step{
			Action: Action(rapid.OneOf(rapid.SampledFrom([]string{"reason", "call_tool", "respond"}),
				rapid.StringN(1, 9, -1)).Draw(t, "action")),
			Tool:      wordList().Draw(t, "tool"),
			Arguments: absentOr(anyRaw()).Draw(t, "arguments"), Output: absentOr(anyRaw()).Draw(t, "output"),
			Error: wordList().Draw(t, "error"), Depth: counts().Draw(t, "depth"),
			DurationSeconds: amounts().Draw(t, "duration"), CostUSD: amounts().Draw(t, "cost"),
			InputTokens: tokens().Draw(t, "in"), OutputTokens: tokens().Draw(t, "out"),
			CachedTokens: tokens().Draw(t, "cached"), CacheWrites: tokens().Draw(t, "writes"),
			Model: wordList().Draw(t, "model"), Extra: anyMembers(stepFields).Draw(t, "extra"),
		}
	})
}

func anyModelUse() *rapid.Generator[ModelUse] {
	return rapid.Custom(func(t *rapid.T) ModelUse {
		return ModelUse{
			Model: rapid.StringN(1, 9, -1).Draw(t, "model"), CostUSD: amounts().Draw(t, "cost"),
			InputTokens: tokens().Draw(t, "in"), OutputTokens: tokens().Draw(t, "out"),
			CachedTokens: tokens().Draw(t, "cached"), CacheWrites: tokens().Draw(t, "writes"),
			Extra: anyMembers(modelUseFields).Draw(t, "extra"),
		}
	})
}

func anyTrial() *rapid.Generator[*Trial] {
	return rapid.Custom(func(t *rapid.T) *Trial {
		x := &Trial{
			Scenario: rapid.StringN(1, 20, -1).Draw(t, "scenario"), Index: counts().Draw(t, "trial"),
			Variant: wordList().Draw(t, "variant"),
			Outcome: rapid.SampledFrom([]Outcome{Pass, Fail, Error}).Draw(t, "outcome"),
			Score:   optional(rapid.Float64().Filter(isFinite)).Draw(t, "score"),
			StartedAt: Timestamp(rapid.SampledFrom([]string{"", "2026-02-26T09:25:37Z", "2026-02-26T09:25:37.270+02:00",
				"2026-02-26 09:25:37.000100"}).Draw(t, "started")),
			DurationSeconds: amounts().Draw(t, "duration"), Model: wordList().Draw(t, "model"),
			CostUSD: amounts().Draw(t, "cost"), InputTokens: tokens().Draw(t, "in"),
			CostBasis:    rapid.SampledFrom([]CostBasis{RecordedCost, EstimatedCost, CostAtMost}).Draw(t, "basis"),
			OutputTokens: tokens().Draw(t, "out"), CachedTokens: tokens().Draw(t, "cached"),
			CostAtLeast: amounts().Draw(t, "cost at least"), TokensAtLeast: tokens().Draw(t, "tokens at least"),
			CacheWrites: tokens().Draw(t, "writes"),
			Turns:       counts().Draw(t, "turns"), ToolCalls: counts().Draw(t, "calls"),
			Input: absentOr(anyRaw()).Draw(t, "input"), Output: absentOr(anyRaw()).Draw(t, "output"),
			Attempt: counts().Draw(t, "attempt"), Tags: anyMembers(nil).Draw(t, "tags"),
			Extra: anyMembers(trialFields).Draw(t, "extra"),
		}
		if n := rapid.IntRange(0, 2).Draw(t, "models"); n > 0 {
			x.ModelUsage = rapid.SliceOfN(anyModelUse(), n, n).Draw(t, "model usage")
		}
		if rapid.Bool().Draw(t, "has steps") {
			x.Steps = rapid.SliceOfN(anyStep(), 0, 3).Draw(t, "steps")
			if x.Steps == nil {
				x.Steps = []Step{}
			}
		}
		if rapid.Bool().Draw(t, "has error") {
			x.Error = &Cause{Origin: Origin(wordList().Draw(t, "origin")), Type: wordList().Draw(t, "type"),
				Message: wordList().Draw(t, "message"), Extra: anyMembers(causeFields).Draw(t, "extra")}
		}
		return x
	})
}

func TestEncodedTrialDecodesToItself(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		want := anyTrial().Draw(t, "trial")
		line, err := Append(nil, want)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(string(line), "\n\r") {
			t.Fatalf("more than one line: %q", line)
		}
		if !json.Valid(line) {
			t.Fatalf("encoding/json refuses %s", line)
		}
		got, err := Decode(line, Options{})
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if diff := cmp.Diff(want, got, ignorePlace); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", line, diff)
		}
	})
}

// anyLine draws a line with known and unknown fields in any order.
func anyLine() *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		known, err := Append(nil, anyTrial().Draw(t, "trial"))
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(known, &fields); err != nil {
			t.Fatal(err)
		}
		names := make([]string, 0, len(fields))
		for name := range fields {
			names = append(names, name)
		}
		slices.Sort(names)
		var b strings.Builder
		for i, name := range rapid.Permutation(names).Draw(t, "order") {
			if i > 0 {
				b.WriteString(rapid.SampledFrom([]string{",", " , ", ",\t"}).Draw(t, "comma"))
			}
			quoted, _ := json.Marshal(name)
			b.Write(quoted)
			b.WriteString(":")
			b.Write(fields[name])
		}
		return []byte("{" + b.String() + "}")
	})
}

func TestDecodedLineEncodesToTheSameJSON(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		sameAfterRoundTrip(t, anyLine().Draw(t, "line"))
	})
}

// fataler is what *testing.T and *rapid.T have in common here.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// sameAfterRoundTrip fails the test unless the line is the same JSON, to
// encoding/json, after it was decoded and encoded.
func sameAfterRoundTrip(t fataler, line []byte) {
	t.Helper()
	x, err := Decode(line, Options{})
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	again, err := Append(nil, x)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	var want, got any
	if err := json.Unmarshal(line, &want); err != nil {
		t.Fatalf("%v", err)
	}
	if err := json.Unmarshal(again, &got); err != nil {
		t.Fatalf("%v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s\nbecame\n%s\n(-want +got):\n%s", line, again, diff)
	}
}

func TestUnknownFieldsKeepTheirOrder(t *testing.T) {
	line := `{"scenario":"a","outcome":"pass","error":{"z":1,"y":2},"steps":[{"action":"reason","q":1,"b":[{"k": 1}],"a":null}],"zeta":{"b":1,"a":2},"alpha":1.0}`
	x, err := Decode([]byte(line), Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Append([]byte("> "), x)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != "> "+line {
		t.Errorf("got  %s\nwant > %s", got, line)
	}
}

func TestAppendNumbers(t *testing.T) {
	for _, x := range []float64{0, math.Copysign(0, -1), 5e-324, 0.1, 1e-7, 1e-6, 123456789, 1e20, 1e21,
		math.MaxFloat64, math.Pi} {
		line, err := Append(nil, &Trial{Scenario: "a", Outcome: Pass, Score: Some(x)})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := json.Marshal(x)
		if got := strings.TrimSuffix(strings.TrimPrefix(string(line), `{"scenario":"a","outcome":"pass","score":`),
			"}"); !sameNumber(got, string(want)) {
			t.Errorf("%g is written %s, encoding/json writes %s", x, got, want)
		}
	}
}

func sameNumber(a, b string) bool {
	var x, y float64
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil &&
		math.Float64bits(x) == math.Float64bits(y)
}

func TestAppendRefuses(t *testing.T) {
	for field, x := range map[string]Trial{
		"scenario":        {Outcome: Pass},
		"outcome":         {Scenario: "a", Outcome: 9},
		"score":           {Scenario: "a", Outcome: Pass, Score: Some(math.NaN())},
		"cost_usd":        {Scenario: "a", Outcome: Pass, CostUSD: Some(-1.0)},
		"duration_s":      {Scenario: "a", Outcome: Pass, DurationSeconds: Some(math.Inf(1))},
		"input_tokens":    {Scenario: "a", Outcome: Pass, InputTokens: Some[int64](-1)},
		"trial":           {Scenario: "a", Outcome: Pass, Index: Some(-1)},
		"variant":         {Scenario: "a", Outcome: Pass, Variant: "\xff"},
		"started_at":      {Scenario: "a", Outcome: Pass, StartedAt: "now"},
		"input":           {Scenario: "a", Outcome: Pass, Input: Raw("{")},
		"output":          {Scenario: "a", Outcome: Pass, Output: Raw("1 2")},
		"tags.x":          {Scenario: "a", Outcome: Pass, Tags: []Member{{"x", nil}}},
		"tags.y":          {Scenario: "a", Outcome: Pass, Tags: []Member{{"y", Raw("1")}, {"y", Raw("1")}}},
		"attempt":         {Scenario: "a", Outcome: Pass, Extra: []Member{{"attempt", Raw("1")}}},
		"passed":          {Scenario: "a", Outcome: Pass, Extra: []Member{{"passed", Raw("true")}}},
		"error.message":   {Scenario: "a", Outcome: Pass, Error: &Cause{Message: "\xc3"}},
		"steps[1].action": {Scenario: "a", Outcome: Pass, Steps: []Step{{Action: Reason}, {}}},
		"steps[0].tool": {Scenario: "a", Outcome: Pass,
			Steps: []Step{{Action: Reason, Extra: []Member{{"tool", Raw("1")}}}}},
		"steps[0].depth": {Scenario: "a", Outcome: Pass, Steps: []Step{{Action: Reason, Depth: Some(-1)}}},
		"error.type":     {Scenario: "a", Outcome: Pass, Error: &Cause{Extra: []Member{{"type", Raw("1")}}}},
		"steps[0].output": {Scenario: "a", Outcome: Pass,
			Steps: []Step{{Action: Reason, Output: Raw(`{"a":1,"a":2}`)}}},
		"steps[0].cost_usd": {Scenario: "a", Outcome: Pass, Steps: []Step{{Action: Reason, CostUSD: Some(math.NaN())}}},
	} {
		dst := []byte("kept")
		got, err := Append(dst, &x)
		e, ok := err.(*FieldError)
		if !ok || e.Field != field || string(got) != "kept" {
			t.Errorf("%s: %q, %v", field, got, err)
		}
	}
}

// A value that was read from an indented file must not break a line.
func TestAppendKeepsOneLine(t *testing.T) {
	x := &Trial{Scenario: "a", Outcome: Pass, Input: Raw("{\n \"b\": \"c d\",\r\n \"e\": [1]\n}")}
	got, err := Append(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"scenario":"a","outcome":"pass","input":{"b":"c d","e":[1]}}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if string(x.Input) != "{\n \"b\": \"c d\",\r\n \"e\": [1]\n}" {
		t.Errorf("the caller's value was changed: %q", x.Input)
	}
}

func TestRaw(t *testing.T) {
	for _, c := range []struct {
		raw  Raw
		want string
	}{{nil, ""}, {Raw(`"a\nb"`), "a\nb"}, {Raw(`{"a":1}`), `{"a":1}`}, {Raw("3.50"), "3.50"},
		{Raw(`"\ud800"`), "\ufffd"}} {
		if got := c.raw.Text(); got != c.want {
			t.Errorf("%s: %q, want %q", c.raw, got, c.want)
		}
	}
	for _, text := range []string{"", "a\"b\\\n\x00", "漢", "<&>"} {
		if got := RawString(text); !json.Valid(got) || got.Text() != text {
			t.Errorf("%q became %s", text, got)
		}
	}
	if got := RawString("\xff").Text(); got != "\ufffd" {
		t.Errorf("a byte that is not UTF-8 became %q", got)
	}
}

// A trial that nobody judged is written without an outcome, and read again only
// where that is admitted.
func TestUnjudgedRoundTrip(t *testing.T) {
	line, err := Append(nil, &Trial{Scenario: "a", Score: Some(0.5)})
	if want := `{"scenario":"a","score":0.5}`; err != nil || string(line) != want {
		t.Fatalf("%s, %v", line, err)
	}
	if _, err := Decode(line, Options{}); err == nil {
		t.Error("it is read as if it were judged")
	}
	x, err := Decode([]byte(`{"outcome":"pass"}`), Options{Scenario: "b"})
	if err != nil || x.Scenario != "b" {
		t.Errorf("a scenario from outside: %v, %v", x, err)
	}
	x, err = Decode(line, Options{Unjudged: true})
	if err != nil || x.Outcome != Unjudged {
		t.Errorf("%v, %v", x, err)
	}
	x, err = Decode(line, Options{Unjudged: true, PassScore: Some(0.6)})
	if err != nil || x.Outcome != Fail {
		t.Errorf("a pass score is given: %v, %v", x, err)
	}
}
