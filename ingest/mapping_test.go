package ingest

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/ingest/internal/mapping"
	"github.com/tribunal-dev/tribunal/internal/jsonschema"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
)

// mapped is a text that is read by a mapping.
func mapped(t testing.TB, rules, text string) *Stream {
	t.Helper()
	name := filepath.Join(t.TempDir(), "m.yaml")
	if err := os.WriteFile(name, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	return NewStream(strings.NewReader(text), Options{Map: name, AllVariants: true, AllowDuplicates: true,
		Options: trial.Options{File: "runs/f.json", Unjudged: true}})
}

func TestMapping(t *testing.T) {
	for _, c := range []struct{ name, rules, text, want, notes string }{
		{"a list", "scenario: task\noutcome: ok\n", `[{"task":"a","ok":true},{"task":"b","ok":0},{"task":"a","ok":"ERROR"}]`, `
1 {"scenario":"a","trial":0,"outcome":"pass"}
1 {"scenario":"b","trial":0,"outcome":"fail"}
1 {"scenario":"a","trial":1,"outcome":"error"}`, "3 trials (map)"},
		{"lines, some of them cut off", "scenario: t.id\noutcome: {path: r, pass: [Y, 2], other: fail}\n",
			`{"t":{"id":"a"},"r":"y"}` + "\n\n" + `{"t":{"id":1},"r":"?"}` + "\n" + `{"t":{"id":"a"},"r":2}` + "\n" + `{"t":`, `
1 {"scenario":"a","trial":0,"outcome":"pass"}
3 {"scenario":"1","trial":0,"outcome":"fail"}
4 {"scenario":"a","trial":1,"outcome":"pass"}`,
			"3 trials (map); left out: lines that hold no JSON object (1); line 5 is cut off or not JSON"},
		{"one object", "scenario: $file\nscore: s\noutput: {path: o}\n", `{"s": 0.25, "o": "x", "u": 1}`, `
1 {"scenario":"f","trial":0,"score":0.25,"output":"x"}`, "1 trial (map)"},
		{"members and parents", "records: cases.*.runs[]\nscenario: {join: [$parent.suite, $key, '[\"n.m\"]'], with: ' > " +
			"'}\ntrial: $index\nvariant: $parent.$parent.v\n",
			`{"v":"1","cases":{"b":{"suite":"s","runs":[{"n.m":"x"},{"n.m":7}]},"a":{"suite":"s","runs":[{"n.m":"y"},{}]}}}`, `
1 {"scenario":"s > a > y","trial":0,"variant":"1"}
1 {"scenario":"s > b > x","trial":0,"variant":"1"}
1 {"scenario":"s > b > 7","trial":1,"variant":"1"}`, "3 trials (map); left out: records without a scenario (1)"},
		{"lists as records", "records: rows[]\nscenario: '[0]'\noutcome: '[1]'\n", `{"rows":[["a",1],["b",0]]}`, `
1 {"scenario":"a","trial":0,"outcome":"pass"}
1 {"scenario":"b","trial":0,"outcome":"fail"}`, "2 trials (map)"},
		{"units", "scenario: {value: a}\nduration_s: {path: ms, unit: ms}\ncost_usd: {path: c, unit: cents}\ninput_tokens: " +
			"{path: k, factor: 1000}\noutput_tokens: {path: o, default: 0}\nscore: {path: l, factor: -1}\n",
			`[{"ms":2.74,"c":"1.1","k":1.5,"l":3},{"ms":1e3,"c":0,"k":0,"o":4,"l":-0.5}]`, `
1 {"scenario":"a","trial":0,"score":-3,"duration_s":0.00274,"cost_usd":0.011,"input_tokens":1500,"output_tokens":0}
1 {"scenario":"a","trial":1,"score":0.5,"duration_s":1,"cost_usd":0,"input_tokens":0,"output_tokens":4}`, "2 trials (map)"},
		{"times", "scenario: {value: a}\nstarted_at: s\nended_at: e\n",
			`[{"s":"2026-02-26 09:25:37","e":"2026-02-26T10:25:38.5+01:00"},{"s":1772097937250,"e":1772097938},{"s":"2026-02-26","e":null}]`, `
1 {"scenario":"a","trial":0,"started_at":"2026-02-26T09:25:37Z","duration_s":1.5}
1 {"scenario":"a","trial":1,"started_at":"2026-02-26T09:25:37.25Z","duration_s":0.75}
1 {"scenario":"a","trial":2,"started_at":"2026-02-26T00:00:00Z"}`, "3 trials (map); left out: records without ended_at (1)"},
		{"thresholds", "scenario: {value: a}\noutcome: {path: s, at_least: 0.5, at_most: 2}\n", `[{"s":0.5},{"s":"2"},{"s":2.1},{"s":0.4},{"s":null}]`, `
1 {"scenario":"a","trial":0,"outcome":"pass"}
1 {"scenario":"a","trial":1,"outcome":"pass"}
1 {"scenario":"a","trial":2,"outcome":"fail"}
1 {"scenario":"a","trial":3,"outcome":"fail"}
1 {"scenario":"a","trial":4}`, "5 trials (map); left out: records without outcome (1)"},
		{"a table", "scenario: a.b\noutcome: {path: Result, pass: OK, fail: KO, skip: '-'}\nerror: {path: 'Why, then', " +
			"optional: true}\ntags: {region: region, deep: meta.x}\nattempt: n\n",
			"\ufeffa.b|Result|Why, then|region|meta|n\nx|ok||eu|\"{\"\"x\"\":1}\"|1\ny|KO|no|||2.0\nz|-|||{}|\n", `
2 {"scenario":"x","trial":0,"outcome":"pass","attempt":1,"tags":{"region":"eu","deep":"1"}}
3 {"scenario":"y","trial":0,"outcome":"fail","error":{"message":"no"},"attempt":2}`,
			"2 trials (map); left out: records that the mapping skips (1), records without tags.region (1), records without " +
				"tags.deep (1)"},
		{"steps", `
scenario: {value: a}
output: answer
error: {path: e, optional: true}
error_type: {path: k, optional: true}
error_origin: {value: infrastructure}
steps:
  path: log.events[]
  action: {path: type, words: {llm: respond, fn: call_tool}, optional: true}
  tool: {path: name, optional: true}
  arguments: args
  output: out
  error: {path: err, optional: true}
  duration_s: {path: ms, unit: ms}
  output_tokens: {path: n, optional: true}
`, `[{"answer":{"x":1},"log":{"events":[{"type":"fn","name":"look","args":"{\"a\":1}","out":[1],"ms":250},{"name":"pay","err":{"message":"no"}},{"type":"llm","out":"hi","n":7,"err":false},{"err":true}]}},{"e":{"message":"boom"},"k":"crash"}]`, `
1 {"scenario":"a","trial":0,"output_tokens":7,"steps":[{"action":"call_tool","tool":"look","arguments":{"a":1},"output":[1],"duration_s":0.25},{"action":"call_tool","tool":"pay","error":"no"},{"action":"respond","output":"hi","output_tokens":7},{"action":"reason","error":"failed"}],"output":{"x":1}}
1 {"scenario":"a","trial":1,"error":{"origin":"infrastructure","type":"crash","message":"boom"}}`,
			"2 trials (map); left out: records without output (1)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mapped(t, c.rules, c.text)
			checkWritten(t, s, c.want)
			checkNotes(t, s, "runs/f.json: "+c.notes)
		})
	}
}

// What a file says that does not suit the mapping is told with the record, and with what there is.
func TestMappingThatDoesNotFit(t *testing.T) {
	for _, c := range []struct{ rules, text, want string }{
		{"scenario: name\ncost_usd: usage.cost\n", `[{"name":"a","usage":{"cots":1,"in":2}}]`,
			`runs/f.json has nothing at usage.cost in its only record, where m.yaml:2:11 takes cost_usd from; there are the keys cots, in; did you mean "cots"?; optional: true lets it be missing`},
		{"scenario: name\n", `[{"Name":"a"},{"id":"b"}]`,
			`runs/f.json has nothing at name in any of 2 records, where m.yaml:1:11 takes scenario from; there are the keys Name, id; did you mean "Name"?; optional: true lets it be missing`},
		{"scenario: name\nsteps: {path: log, tool: fn}\n", `{"name":"a","trace":[]}`,
			`runs/f.json has nothing at log in its only record, where m.yaml:2:8 takes steps from; there are the keys name, trace; optional: true lets it be missing`},
		{"scenario: name\nsteps: {path: log, tool: fn}\n", `{"name":"a","log":[{"f":1}]}`,
			`runs/f.json has nothing at fn in its only record, where m.yaml:2:26 takes step.tool from; there are the keys f; optional: true lets it be missing`},
		{"scenario: name\nrecords: runs[]\n", `{"results":[]}`,
			`runs/f.json has no records at runs[]; it has the keys results`},
		{"scenario: name\n", "[]", `runs/f.json has no records`},
		{"scenario: name\nrecords: runs\n", "name,b\n",
			`runs/f.json is a table, and the mapping looks for records at runs; leave records out, or say format: json`},
		{"scenario: name\n", "name,b\n", `runs/f.json holds no trials`},
		{"scenario: name\n", "name,name\n", `runs/f.json:1: column name is given twice; name the columns apart`},
		{"scenario: name\n", "name,b\nx\n", `runs/f.json:2: the row has 1 cells, and the header 2; a cell that holds the delimiter stands in double quotes`},
		{"scenario: n\ncost_usd: c\n", "n,c\na,1\nb,dear\n", `runs/f.json:3: cost_usd "dear" is not a number; default is for what is missing, and words for what stands for another`},
		{"scenario: n\ncost_usd: c\n", `[{"n":"a"},{"n":"b","c":-1}]`, `runs/f.json:1: cost_usd of record 2 "-1" must not be negative; the mapping takes it from c`},
		{"scenario: n\ntrial: c\n", `{"n":"a","c":1.5}`, `runs/f.json:1: trial "1.5" must be a whole number; the mapping takes it from c`},
		{"scenario: n\ntrial: c\n", `{"n":"a","c":1e30}`, `runs/f.json:1: trial "1e30" must be a whole number; the mapping takes it from c`},
		{"scenario: n\nstarted_at: c\n", `{"n":"a","c":"soon"}`, `runs/f.json:1: started_at "soon" is not a time; RFC 3339 is read, such as 2026-02-26T09:25:37Z, and numbers since 1970`},
		{"scenario: n\noutcome: c\n", `{"n":"a","c":"fine\u001b"}`, `runs/f.json:1: outcome "fine\x1b" is none of the words of the mapping; outcome: {path: …, pass: […], fail: […], error: […], skip: […]} lists them; at_least is for scores`},
		{"scenario: n\noutcome: {path: c, at_least: 1}\n", `{"n":"a","c":true}`, `runs/f.json:1: outcome "true" is not a number; default is for what is missing, and words for what stands for another`},
	} {
		s := mapped(t, c.rules, c.text)
		folder := filepath.Dir(s.options.Map) + string(filepath.Separator)
		_, err := written(s)
		if err == nil || strings.ReplaceAll(err.Error(), folder, "") != c.want {
			t.Errorf("%s\n got %v\nwant %s", c.rules, err, c.want)
		}
	}
}

// A mapping with mistakes is refused with all of them, each with its place.
func TestBadMappings(t *testing.T) {
	for _, c := range []struct{ rules, want string }{
		{"scenari: a\n", "m:1:1: the mapping has no key \"scenari\"; did you mean \"scenario\"?\nm:1:1: scenario is " +
			"missing; every trial needs the name of what was tried: a path, {value: NAME} for all, or $file"},
		{"scenario: [a]\n", "m:1:11: scenario must be a mapping, not a list; " +
			"known are path, join, with, value, default, optional, words"},
		{"scenario: a..b\n", "m:1:11: scenario \"a..b\" has no name before a dot; write it like department or " +
			"items[0].price"},
		{"scenario: $name\n", "m:1:11: scenario \"$name\" begins with $ and is none of the words; the words are " +
			"$parent.PATH, $key, $index and $file; a name that begins so stands in brackets: [\"$id\"]"},
		{"scenario: {with: a}\n", "m:1:11: scenario says nowhere what it is taken from; give it a path, or a value that is " +
			"the same for all records"},
		{"scenario: {path: a, value: b}\n",
			"m:1:11: scenario has more than one of path, join and value; leave all but one out"},
		{"scenario: {path: a, with: b}\n", "m:1:27: scenario goes with join alone; give join, a list of paths"},
		{"scenario: a\nduration_s: {path: b, unit: cents}\n",
			`m:2:29: duration_s.unit has no choice "cents"; known are h, min, ms, ns, s, us`},
		{"scenario: a\ncost_usd: {path: b, unit: cent}\n",
			`m:2:27: cost_usd.unit has no choice "cent"; did you mean "cents"?`},
		{"scenario: a\ncost_usd: {path: b, unit: cents, factor: 2}\n",
			`m:2:42: cost_usd stands beside a unit; leave one of the two out`},
		{"scenario: a\nscore: {path: b, unit: s}\n",
			`m:2:18: score has no key "unit"; known are path, join, with, value, default, optional, words, factor`},
		{"scenario: a\noutcome: {path: b, pass: x, fail: [x]}\n",
			`m:2:36: outcome.fail[0] "x" is given twice; it stands in pass, too`},
		{"scenario: a\noutcome: {path: b, pass: x, at_least: 1}\n",
			`m:2:10: outcome has words and a threshold; leave one of the two out; the words of a field are given by words`},
		{"scenario: a\nformat: xml\n", `m:2:9: format has no choice "xml"; known are json, jsonl, csv`},
		{"scenario: a\nformat: csv\nrecords: b\n",
			`m:3:10: records is given, and the records of CSV are its rows; omit it`},
		{"scenario: a\nformat: json\ndelimiter: ','\n", `m:3:12: delimiter is given, and the format is json; omit it`},
		{"scenario: a\ndelimiter: x\n", `m:2:12: delimiter has no choice "x"; the choices are ",", ";", "|" and tab`},
		{"scenario: a\nrecords: b[].\n",
			`m:2:10: records "b[]." has no end that leads anywhere; write it like runs, tasks[].runs[] or cases.*.trials[]`},
		{"scenario: a\nended_at: b\n",
			`m:2:11: ended_at says how long a trial took together with started_at alone; give started_at`},
		{"scenario: a\nsteps: {tool: b}\n", `m:2:8: steps.path is missing; give the path of the list of steps`},
		{"scenario: a\nversion: 2\n", `m:2:10: version 2 must be at most 1; write 1, the only one that is known`},
	} {
		_, err := mapping.Parse("m", []byte(c.rules))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\n got %v\nwant %s", c.rules, err, c.want)
		}
	}
	if _, err := mapping.Load("testdata/none.yaml"); err == nil ||
		err.Error() != "testdata/none.yaml does not exist; check the name of the mapping" {
		t.Error(err)
	}
	if err := (Options{Map: "m.yaml", From: "csv"}).Validate(); err == nil {
		t.Error("a mapping goes with a format")
	}
}

// The examples fit the schema, and the manual names all of its keys.
func TestMappingSchema(t *testing.T) {
	var document any
	if err := json.Unmarshal(MappingSchema(), &document); err != nil {
		t.Fatal(err)
	}
	compiled, err := jsonschema.Compile(document, false)
	if err != nil {
		t.Fatal(err)
	}
	examples, _ := filepath.Glob("../examples/mappings/*.yaml")
	if len(examples) != 2 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, name := range examples {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		root, err := yamlnode.Parse(name, "mapping", text)
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(t.Context(), valueOf(t, root)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := compiled.Validate(t.Context(), map[string]any{"scenario": "a", "bogus": true}); err == nil {
		t.Error("the schema lets an unknown key through")
	}
	page, err := os.ReadFile("../docs/mapping.md")
	if err != nil {
		t.Fatal(err)
	}
	names := keysOf(document)
	if len(names) < 60 {
		t.Errorf("the schema has only the keys %q", names)
	}
	for _, name := range names {
		if !regexp.MustCompile("[`{ ]" + regexp.QuoteMeta(name) + "[`:]").Match(page) {
			t.Errorf("docs/mapping.md does not name %s", name)
		}
	}
}

// keysOf are the names of properties within a schema.
func keysOf(schema any) (names []string) {
	switch schema := schema.(type) {
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		names = slices.Collect(maps.Keys(properties))
		for _, part := range schema {
			names = append(names, keysOf(part)...)
		}
	case []any:
		for _, part := range schema {
			names = append(names, keysOf(part)...)
		}
	}
	return names
}

// valueOf is YAML as the schema sees it.
func valueOf(t *testing.T, n *yaml.Node) any {
	t.Helper()
	var value any
	if err := json.Unmarshal((&yamlnode.Decoder{}).JSON(n), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// FuzzMapping reads any text by any mapping.
func FuzzMapping(f *testing.F) {
	f.Add("scenario: a\noutcome: b\n", `[{"a":"x","b":true}]`)
	f.Add("records: '*.a[].*'\nscenario: {join: [$key, $parent.b], with: ' '}\ncost_usd: {path: '[0]', unit: cents}\n",
		`{"c":{"a":[{"d":[1e-999]}]}}`)
	f.Add("scenario: a\nsteps: {path: b[], error: '[0]'}\nstarted_at: c\n", "a,b,c\nx,\"[[1]]\",1e300\n")
	f.Fuzz(func(t *testing.T, rules, text string) {
		if _, err := mapping.Parse("m", []byte(rules)); err != nil {
			return
		}
		s := mapped(t, rules, text)
		got, err := written(s)
		if err == nil && got == "" {
			t.Fatal("neither a trial nor an error")
		}
		if err != nil && !strings.Contains(err.Error(), "f.json") && !errors.As(err, new(*VariantError)) {
			t.Fatalf("%v", err)
		}
	})
}
