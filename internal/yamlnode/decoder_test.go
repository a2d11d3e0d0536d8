package yamlnode

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
)

// thing is what the tests read.
type thing struct {
	Name   string
	Count  int64
	Share  float64
	Wait   time.Duration
	On     bool
	Colour string
	Tags   []string
	Any    string
}

func read(text string) (thing, error) {
	var x thing
	root, err := Parse("f.yaml", "thing", []byte(text))
	if err != nil {
		return x, err
	}
	d := Decoder{File: "f.yaml", What: "the thing"}
	d.Object(root,
		Key{Name: "name", Needed: true, Advice: "give it one", Read: d.Name(&x.Name, 10)},
		Key{Name: "count", Read: d.Whole(1, 9, func(n int64) { x.Count = n })},
		Key{Name: "share", Read: d.Share(func(s float64) { x.Share = s }, "of all")},
		Key{Name: "wait", Read: d.Duration(&x.Wait, false)},
		Key{Name: "on", Read: d.Bool(&x.On)},
		Key{Name: "colour", Read: Word(&d, &x.Colour, "red", "green")},
		Key{Name: "tags", Read: d.Texts(&x.Tags, d.IsLine)},
		Key{Name: "any", Read: func(n *yaml.Node) { x.Any = string(d.JSON(n)) }},
	)
	return x, d.Err()
}

func TestDecoderReads(t *testing.T) {
	got, err := read(`
name: one
count: 0x7
share: 0.25
wait: 1m30s
on: TRUE
colour: green
tags: [a, "2"]
any: {b: [1.50, 0x10, ~, yes, 2026-01-02], a: {}}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := thing{
		Name: "one", Count: 7, Share: 0.25, Wait: 90 * time.Second, On: true, Colour: "green", Tags: []string{"a", "2"},
		Any: `{"b":[1.50,16,null,"yes","2026-01-02"],"a":{}}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecoderRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"[]":                                   `f.yaml:1:1: the thing must be a mapping, not a list; known are name, count, share, wait, on, colour, tags, any`,
		"{}":                                   `f.yaml:1:1: name is missing; give it one`,
		"name: a\nname: b":                     `f.yaml:2:1: the thing has the key "name" twice; it stands already in line 1`,
		"name: a\nnam: b":                      `f.yaml:2:1: the thing has no key "nam"; did you mean "name"?`,
		"name: a\n3: b":                        `f.yaml:2:1: the thing has a key that is not text; write it in quotes`,
		"name: 7":                              `f.yaml:1:7: name must be text, not 7; write it in quotes: "7"`,
		"name: ''":                             `f.yaml:1:7: name must not be empty`,
		`name: "a\tb"`:                         `f.yaml:1:7: name holds a control character`,
		"name: abcdefghijk":                    `f.yaml:1:7: name is longer than 10 bytes`,
		"name: a\ncount: 0":                    `f.yaml:2:8: count 0 must be at least 1`,
		"name: a\ncount: 10":                   `f.yaml:2:8: count 10 must be at most 9`,
		"name: a\ncount: 18446744073709551615": `f.yaml:2:8: count 18446744073709551615 must be at most 9`,
		"name: a\ncount: 1.5":                  `f.yaml:2:8: count must be a whole number, not 1.5`,
		"name: a\nshare: 0":                    `f.yaml:2:8: share 0 must lie above 0 and be at most 1; of all`,
		"name: a\nshare: '0.5'":                `f.yaml:2:8: share must be a number, not the text "0.5"; write it without quotes`,
		"name: a\nshare: .nan":                 `f.yaml:2:8: share must be a finite number, not .nan`,
		"name: a\nwait: 5": `f.yaml:2:7: wait must be a duration, not 5; ` +
			`write it with a unit, such as 500ms, 60s, 30m or 1h30m`,
		"name: a\nwait: 0s":      `f.yaml:2:7: wait 0s must be positive`,
		"name: a\nwait: -1s":     `f.yaml:2:7: wait -1s must not be negative`,
		"name: a\non: 'true'":    `f.yaml:2:5: on must be true or false, not the text "true"`,
		"name: a\ncolour: grene": `f.yaml:2:9: colour has no choice "grene"; did you mean "green"?`,
		"name: a\ntags: [x, x]":  `f.yaml:2:11: tags[1] "x" is given twice`,
		"name: a\ntags: x":       `f.yaml:2:7: tags must be a list, not the text "x"`,
		"name: a\nany: .inf":     `f.yaml:2:6: any holds .inf, which is no number of JSON; write it in quotes if it is text`,
	} {
		_, err := read(text)
		if err == nil {
			t.Errorf("%q is read", text)
			continue
		}
		if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// The schema of a file follows from its keys.
func TestDecoderDescribes(t *testing.T) {
	var d Decoder
	var x thing
	var rest func(n *yaml.Node)
	rest = d.Named("rest", func(n *yaml.Node) {
		one := func(n *yaml.Node) { d.Items(n, rest) }
		d.Either(d.Bool(&x.On), one)
	})
	got := d.Describe("thing", "What the tests read", func(n *yaml.Node) {
		d.Object(n,
			Key{Name: "name", Needed: true, About: "by which it is called", Read: d.Name(&x.Name, 10)},
			Key{Name: "count", Read: d.Whole(1, 9, func(n int64) { x.Count = n })},
			Key{Name: "share", Read: d.Share(func(s float64) { x.Share = s }, "of all")},
			Key{Name: "colour", Read: Word(&d, &x.Colour, "red", "green")},
			Key{Name: "tags", Read: d.Texts(&x.Tags, d.IsLine)},
			Key{Name: "kept", Read: func(n *yaml.Node) {}, Later: rest},
			Key{Name: "any", About: "as JSON", Read: func(n *yaml.Node) { d.JSON(n) }},
		)
	})
	want := `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "thing",
  "description": "What the tests read",
  "type": "object",
  "additionalProperties": false,
  "required": ["name"],
  "properties": {
    "name": {"type": "string", "minLength": 1, "maxLength": 10, "description": "by which it is called"},
    "count": {"type": "integer", "minimum": 1, "maximum": 9},
    "share": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "colour": {"enum": ["red", "green"]},
    "tags": {"type": "array", "items": {"type": "string", "minLength": 1}, "uniqueItems": true},
    "kept": {"$ref": "#/$defs/rest"},
    "any": {"description": "as JSON"}
  },
  "$defs": {"rest": {"anyOf": [{"type": "boolean"}, {"type": "array", "items": {"$ref": "#/$defs/rest"}}]}}
}`
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(want), "", "  "); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(indented.String()+"\n", string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestProblemsEnd(t *testing.T) {
	_, err := read("name: a\ntags: [" + strings.Repeat("1, ", 10*MaxErrors) + "2]")
	problems, ok := err.(Errors)
	if !ok || len(problems) != MaxErrors || !strings.HasSuffix(err.Error(), "\nthere may be more") {
		t.Errorf("%d problems: %v", len(problems), err)
	}
}
