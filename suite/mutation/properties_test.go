package mutation

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

// fragments are what prompts are made of in tests.
var fragments = []string{
	"Summarize the document.", "You must not guess.", "Always answer in at most 3 sentences.", "- Be kind.",
	"  - Be brief.",
	"1. Ask for the order.", "# Rules", "```\nx = 1. Y\n```", "{{name}}", "<rules>", "</rules>", "For example:",
	"Q: a\nA: b.",
	"| a | b |", "Say \"I do not know.\" and stop.", "Do not reveal {secret}. Use `f(3)`.", "", "", "[[x]]", "é ü. Ö",
	"\r",
	"<example>\nUser: hi.\n</example>", "See https://a.example/b.c. Then stop", "Rules:", "**Never. Ever.** Do it.",
}

// configurations of all kinds, with and without each of the components.
func anyConfiguration(t *rapid.T) Configuration {
	lines := rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 12).Draw(t, "lines")
	c := Configuration{Prompt: strings.Join(lines, "\n")}
	if i := rapid.IntRange(0, 3).Draw(t, "marked"); i == 0 && len(lines) > 2 {
		c.Prompt = lines[0] + "\n" + openMarker + strings.Join(lines[1:len(lines)-1], "\n") + closeMarker + "\n" +
			lines[len(lines)-1]
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "tools") {
		c.Tools = append(c.Tools, Tool{rapid.SampledFrom([]json.RawMessage{
			json.RawMessage(fmt.Sprintf(`{"name":"t%d" , "description": "It does.","input_schema":{"properties":{"a":{"description":"x"}},"required":[ "a" ]}}`, i)),
			json.RawMessage(fmt.Sprintf(`{ "type":"function","function":{"name":"u%d","parameters":{"type":"object","properties":{}}}}`, i)),
			json.RawMessage(`{"type":"web_search"}`),
		}).Draw(t, "tool")})
	}
	if rapid.Bool().Draw(t, "model") {
		c.Model, c.Models = "m", Models{SameTier: []string{"a", "b"}, Older: []string{"c"}}
	}
	if rapid.Bool().Draw(t, "temperature") {
		c.Temperature = trial.Some(rapid.Float64Range(0, 2).Draw(t, "value"))
	}
	c.Orchestration = rapid.SampledFrom([]string{"", "steps: 4\n", `[{"steps": 4, "on":true}, [], 1.5, 1.5]`,
		`{"a": 1, "a": 2, "agents": ["x", "x", [1]]}`}).Draw(t, "orchestration")
	for range rapid.IntRange(0, 3).Draw(t, "segments") {
		c.Context = append(c.Context, rapid.SampledFrom([]Segment{
			{Raw: "one two three"}, {Raw: "four"}, {Raw: `{"text":"five six", "id":1}`, JSON: true},
			{Raw: `"seven eight"`, JSON: true},
		}).Draw(t, "segment"))
	}
	return c
}

// Each mutant changes exactly one component, that of its class, the same way every time, and not its argument.
func TestMutantsChangeOneComponent(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		c := anyConfiguration(t)
		before, _ := json.Marshal(c)
		all, err := Mutants(context.Background(), c, Options{Seed: rapid.Uint64().Draw(t, "seed")})
		if err != nil {
			t.Fatal(err)
		}
		keys, ids, made := map[string]bool{}, map[string]bool{}, map[string]string{}
		for _, m := range all {
			changed, err := m.Apply(c)
			if err != nil {
				t.Fatalf("%s of %q: %v", m.Key, c.Prompt, err)
			}
			if got := c.Changed(changed); len(got) != 1 || got[0] != m.Class.component() || !slices.Equal(got, m.Components()) {
				t.Errorf("%s changes %v", m.Key, got)
			}
			again, _ := m.Apply(c)
			if len(changed.Changed(again)) > 0 {
				t.Errorf("%s comes to two things", m.Key)
			}
			if keys[m.Key] || ids[m.ID] {
				t.Errorf("%s %s is there twice", m.ID, m.Key)
			}
			component := m.Class.component()
			text := string(component) + changed.text(component)
			if made[text] != "" {
				t.Errorf("%s and %s come to the same", m.Key, made[text])
			}
			keys[m.Key], ids[m.ID], made[text] = true, true, m.Key
			if err := changed.Check(); err != nil {
				t.Errorf("%s makes what cannot be used: %v", m.Key, err)
			}
			if Diff(c, changed) == "" {
				t.Errorf("%s has no diff", m.Key)
			}
		}
		if after, _ := json.Marshal(c); !bytes.Equal(before, after) {
			t.Error("the argument changed")
		}
	})
}

// What is chosen is chosen among the same mutants with the same IDs, as many as are asked for.
func TestChoicesKeepIDs(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		c := anyConfiguration(t)
		all, err := Mutants(context.Background(), c, Options{})
		if err != nil {
			t.Fatal(err)
		}
		per, sample := rapid.IntRange(1, 3).Draw(t, "per"), rapid.IntRange(1, 20).Draw(t, "sample")
		some, err := Mutants(context.Background(), c,
			Options{PerOperator: per, Sample: sample, Operators: []string{"prompt", "*.noise"}})
		if err != nil {
			t.Fatal(err)
		}
		counts, want := map[string]int{}, map[string]int{}
		for _, m := range all {
			if m.Class == PromptClass || strings.HasSuffix(m.Operator, ".noise") {
				want[m.Operator] = min(per, want[m.Operator]+1)
			}
		}
		total := 0
		for _, n := range want {
			total += n
		}
		for _, m := range some {
			counts[m.Operator]++
			if same, ok := Find(all, m.ID); !ok || same.Key != m.Key {
				t.Errorf("%s is %s, and was %s", m.ID, m.Key, same.Key)
			}
			if counts[m.Operator] > want[m.Operator] {
				t.Errorf("%d of %s, want %d", counts[m.Operator], m.Operator, want[m.Operator])
			}
		}
		if len(some) != min(total, sample) {
			t.Errorf("%d mutants, want %d", len(some), min(total, sample))
		}
	})
}

// A line that is put before all others changes no key of a mutant that has nothing to do with it, and each of them is
// found again, and does the same.
func TestKeysOutliveLinesElsewhere(t *testing.T) {
	const prompt = "- Be kind, always.\n- Answer in 3 words.\n\nYou must not guess. Say why.\n"
	old, err := Mutants(context.Background(), Configuration{Prompt: prompt}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := Configuration{Prompt: "You are new.\n\n" + prompt}
	now, err := Mutants(context.Background(), c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range old {
		if m.Operator == "prompt.truncate" {
			continue // is of all instructions
		}
		same, ok := Find(now, m.Key)
		if !ok {
			t.Errorf("%s is gone", m.Key)
			continue
		}
		a, b := applied(t, Configuration{Prompt: prompt}, m), applied(t, c, same)
		if "You are new.\n\n"+a.Prompt != b.Prompt {
			t.Errorf("%s makes %q of the one and %q of the other", m.Key, a.Prompt, b.Prompt)
		}
		if d, err := m.Apply(c); err != nil || d.Prompt != b.Prompt {
			t.Errorf("%s of before makes %q now: %v", m.Key, d.Prompt, err)
		}
	}
}

// Documents of tools and contexts that are put back as they were read are the same, byte for byte.
func TestPutBackIsTheSame(t *testing.T) {
	for _, text := range []string{
		twoTools, `[]`, ` [ {"name":"a"} ,{"name" : "b"}	]` + "\n", `{"tools":[{"name":"a"}],"next":1.0}`,
		`{"jsonrpc":"2.0","result":{"tools":[ {"name":"a","inputSchema":{}} ]}}`,
		`[{"functionDeclarations":[{"name":"a"}, {"name":"b"}]},{"googleSearch":{}}]`,
	} {
		tools, err := ParseTools([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := PutTools([]byte(text), tools); err != nil || string(got) != text {
			t.Errorf("%q: %v", got, err)
		}
	}
	for _, text := range []string{
		"", "a\n\n\n b\n\n", "---\na\n---\n\n---\nb", "[\"a\" ,{\"text\":\"b\"}]\n", "{\"text\":1}\n\n{\"text\":2}",
		"{\"documents\":[]}", "[not json",
	} {
		segments, err := ParseContext([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := PutContext([]byte(text), segments); err != nil || string(got) != text {
			t.Errorf("%q: %v", got, err)
		}
	}
}

// A configuration that is written and read is the same, but for documents that are JSON texts, which are texts then.
func TestConfigurationAsJSON(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		c := anyConfiguration(t)
		c.Context = slices.DeleteFunc(c.Context, func(s Segment) bool { return s.JSON && s.Raw[0] == '"' })
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var read Configuration
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(read)
		if err != nil || !bytes.Equal(text, again) {
			t.Errorf("%s is read as %s: %v", text, again, err)
		}
	})
}

// Composed mutants do what their parts do, one after the other, and each part does something.
func TestComposedMutants(t *testing.T) {
	c := Configuration{Prompt: "Be kind. Always answer in 3 words.\n\n- Never guess.\n- Say why.\n", Model: "m",
		Models: Models{Older: []string{"n"}}}
	single, err := Mutants(context.Background(), c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := Mutants(context.Background(), c, Options{Compose: 2, Sample: 25})
	if err != nil || len(all) != 25 {
		t.Fatalf("%d mutants: %v", len(all), err)
	}
	seen := map[string]bool{}
	for _, m := range all {
		first, second, _ := strings.Cut(m.ID, "+")
		a, okA := Find(single, first)
		b, okB := Find(single, second)
		if !okA || !okB || seen[m.ID] {
			t.Fatalf("%s is composed of what is not there, or twice", m.ID)
		}
		seen[m.ID] = true
		want := applied(t, applied(t, c, a), b)
		if got := applied(t, c, m); len(want.Changed(got)) > 0 || len(c.Changed(got)) == 0 {
			t.Errorf("%s: %s", m.ID, Diff(want, got))
		}
		if m.Severity.rank() != max(a.Severity.rank(), b.Severity.rank()) {
			t.Errorf("%s is %s", m.ID, m.Severity)
		}
	}
	again, _ := Mutants(context.Background(), c, Options{Compose: 2, Sample: 25})
	if !cmp.Equal(idsOf(all), idsOf(again)) {
		t.Error("the same options draw others")
	}
}

// idsOf are the IDs of mutants.
func idsOf(all []Mutant) (ids []string) {
	for _, m := range all {
		ids = append(ids, m.ID)
	}
	return ids
}

// Of what has changed there are mutants, and of nothing else.
func TestSince(t *testing.T) {
	was := Configuration{
		Prompt: "- Be kind.\n- Say why.\n\nGo on. Stop.\n", Model: "m", Models: Models{Older: []string{"n"}},
		Tools:   []Tool{{[]byte(`{"name":"a"}`)}, {[]byte(`{"name":"b"}`)}},
		Context: []Segment{{Raw: "one two"}, {Raw: "three"}},
	}
	is := was
	is.Prompt = "- Be kind.\n- Say why.\n\nGo on. Stop at 3.\n"
	is.Tools = []Tool{was.Tools[0], {[]byte(`{"name":"b","description":"x"}`)}}
	is.Context = []Segment{was.Context[0], {Raw: "four"}}
	all, err := Mutants(context.Background(), is, Options{Since: &was})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		s := m.Site
		switch m.Class {
		case PromptClass:
			if s.EndOfLine < 4 {
				t.Errorf("%s is of %s", m.Key, s)
			}
		case toolClass, ResultClass:
			if s.Tool != "b" && s.Tool != "" {
				t.Errorf("%s is of %s", m.Key, s)
			}
		case contextClass:
			if s.Segment == 1 {
				t.Errorf("%s is of %s", m.Key, s)
			}
		case ModelClass:
			t.Errorf("%s, and the model has not changed", m.Key)
		}
	}
	for _, operator := range []string{"prompt.number", "prompt.drop", "tool.remove", "context.duplicate"} {
		if !slices.ContainsFunc(all, func(m Mutant) bool { return m.Operator == operator }) {
			t.Errorf("no %s", operator)
		}
	}
	none, err := Mutants(context.Background(), was, Options{Since: &was})
	if err != nil || len(none) > 0 {
		t.Errorf("%d mutants of what has not changed: %v", len(none), err)
	}
}

// tokens are what must stay whole.
var tokens = regexp.MustCompile("\\{\\{[^{}]*\\}\\}|</?[a-z]+>|```")

// FuzzMutants splits and mutates prompts of all kinds: instructions lie in the prompt and in its marked parts, do not
// overlap but for items below items, and nothing outside of markers, and no code, tag or template, is torn.
func FuzzMutants(f *testing.F) {
	for i := range fragments {
		f.Add(strings.Join(fragments[i:], "\n"), uint64(i))
	}
	f.Add("a [[mutate]]Be kind. Be brief.\n- x\n[[/mutate]] b", uint64(3))
	f.Fuzz(func(t *testing.T, prompt string, seed uint64) {
		c := Configuration{Prompt: prompt}
		if c.Check() != nil || len(prompt) > 2000 {
			return
		}
		parts, err := marked(prompt)
		if err != nil {
			t.Fatal(err)
		}
		all, err := instructions(prompt)
		if err != nil {
			t.Fatal(err)
		}
		end := 0
		for _, i := range all {
			inside := slices.ContainsFunc(parts, func(p span) bool { return p.start <= i.Start && i.End <= p.end })
			if i.Start < end || i.End <= i.Start || !inside || i.Line > i.EndOfLine ||
				i.Line != 1+strings.Count(prompt[:i.Start], "\n") {
				t.Fatalf("%+v of %q, behind %d", i, prompt, end)
			}
			end = i.End
		}
		mutants, err := Mutants(context.Background(), c, Options{Seed: seed, PerOperator: 5})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mutants {
			changed, err := m.Apply(c)
			if err != nil {
				t.Fatalf("%s of %q: %v", m.Key, prompt, err)
			}
			if !HasMarkers(prompt) {
				continue
			}
			after, err := marked(changed.Prompt)
			if err != nil || len(after) != len(parts) {
				t.Fatalf("%s of %q breaks markers: %q", m.Key, prompt, changed.Prompt)
			}
			if outside(prompt, parts) != outside(changed.Prompt, after) {
				t.Errorf("%s changes what is not marked: %q", m.Key, changed.Prompt)
			}
			if HasMarkers(Unmarked(changed.Prompt)) {
				t.Errorf("a marker stays in %q", Unmarked(changed.Prompt))
			}
		}
	})
}

// outside is a text without parts of it.
func outside(text string, parts []span) string {
	var b strings.Builder
	at := 0
	for _, p := range parts {
		b.WriteString(text[at:p.start] + "|")
		at = p.end
	}
	return b.String() + text[at:]
}

// Tags, templates and fences are all there after every change but that of an example, and in their order but for
// reordered items that have some.
func TestTokensStayWhole(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom(slices.DeleteFunc(slices.Clone(fragments), func(s string) bool {
			return strings.Contains(s, "example")
		})), 1, 12).Draw(t, "lines")
		c := Configuration{Prompt: strings.Join(lines, "\n")}
		all, err := Mutants(context.Background(), c, Options{Operators: []string{"prompt"}})
		if err != nil {
			t.Fatal(err)
		}
		want := tokens.FindAllString(c.Prompt, -1)
		for _, m := range all {
			changed, _ := m.Apply(c)
			if got := tokens.FindAllString(changed.Prompt, -1); m.Operator != "prompt.example" && !cmp.Equal(want, got) {
				t.Errorf("%s of %q:\n%s", m.Key, c.Prompt, cmp.Diff(want, got))
			}
		}
	})
}
