package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
)

// All chosen, far beyond scripts that people write.
const (
	mostTurns    = 10_000
	mostVariants = 1_000 // of a turn
	mostCalls    = 1_000 // of a variant
	mostWeight   = 1_000_000
	longestName  = 200
	mostLatency  = 10 * time.Minute
)

type key = yamlnode.Key

// Load reads a file. It returns the error of the file system, a [trial.FileError] for what is no such file, or
// [yamlnode.Errors] with their places.
func Load(path string) (*Script, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &trial.FileError{
			File: path, Problem: "does not exist", Advice: "it is a script of what a model answers", Err: err,
		}
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &trial.FileError{File: path, Problem: "is no regular file", Advice: "name the file of a script"}
	}
	text, err := yamlnode.Read(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// Parse reads a script. The name stands in messages.
func Parse(name string, text []byte) (*Script, error) {
	root, err := yamlnode.Parse(name, "script", text)
	if err != nil {
		return nil, err
	}
	d := &yamlnode.Decoder{File: name, What: "the script"}
	s := ParseNode(d, root)
	if err := d.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// ParseNode reads a script that stands within another file, and notes what is wrong with the decoder of that file.
func ParseNode(d *yamlnode.Decoder, n *yaml.Node) *Script {
	s := &Script{}
	r := &reader{Decoder: d}
	turns := func(n *yaml.Node) {
		r.list(n, "turns", mostTurns, func(n *yaml.Node) { s.Turns = append(s.Turns, r.turn(n)) })
	}
	anytime := func(n *yaml.Node) {
		r.list(n, "answers", mostVariants, func(n *yaml.Node) { s.Anytime = append(s.Anytime, r.aside(n)) })
	}
	d.Object(n,
		key{Name: "version", Read: d.Whole(1, 1, func(int64) {})},
		key{Name: "model", About: "that answers name; default the one that is asked",
			Read: d.Name(&s.Model, longestName)},
		key{Name: "latency", About: "until an answer begins, at most 10m; default 0s", Read: r.wait(&r.latency)},
		key{Name: "turns", About: "answers to the requests of an attempt, in their order",
			Read: func(n *yaml.Node) { r.turns = n }, Later: turns, Needed: true,
			Advice: "what the model answers, such as turns: [{text: Done.}]"},
		key{Name: "anytime", About: "answers to what agents ask beside their conversation, which " +
			"takes no turn: the first whose condition holds", Read: func(n *yaml.Node) { r.anytime = n }, Later: anytime},
	)
	if r.turns != nil { // once what they inherit is known
		d.At("turns", func() { turns(r.turns) })
	}
	if r.anytime != nil {
		d.At("anytime", func() { anytime(r.anytime) })
	}
	return s
}

// reader reads the parts of a script.
type reader struct {
	*yamlnode.Decoder
	latency time.Duration
	turns   *yaml.Node
	anytime *yaml.Node
}

// list reads a list that has something, and not too much.
func (r *reader) list(n *yaml.Node, what string, most int, each func(*yaml.Node)) {
	switch {
	case n.Kind == yaml.SequenceNode && len(n.Content) == 0:
		r.Fail(n, "must not be empty", "")
	case n.Kind == yaml.SequenceNode && len(n.Content) > most:
		r.Fail(n, fmt.Sprintf("holds more than %d %s", most, what), "")
	default:
		r.Items(n, func(item *yaml.Node) {
			if !r.Full() {
				each(item)
			}
		})
		r.Also("minItems", 1, "maxItems", most)
	}
}

// turn reads one answer, or several variants of one.
func (r *reader) turn(n *yaml.Node) (t Turn) {
	one := r.Named("scriptedAnswer", func(n *yaml.Node) { t = Turn{r.variant(n, false)} })
	variant := r.Named("scriptedVariant", func(n *yaml.Node) { t = append(t, r.variant(n, true)) })
	several := func(n *yaml.Node) {
		r.Object(n, key{
			Name: "variants", About: "ways to answer, of which the trial's seed draws one by their weights", Needed: true,
			Read: func(n *yaml.Node) { r.list(n, "variants", mostVariants, variant) },
		})
	}
	switch {
	case r.Either(one, several):
	case yamlnode.Has(n, "variants"):
		several(n)
	default:
		one(n)
	}
	return t
}

// aside reads an answer to what is asked beside the conversation.
func (r *reader) aside(n *yaml.Node) (s Aside) {
	one := func(n *yaml.Node) {
		s.Variant = r.variant(n, false)
		if r.Also("required", []string{"when"}); s.When == (Condition{}) && !yamlnode.Has(n, "when") {
			r.Fail(n, "has no when", "say which requests it is for, such as when: {system: Generate a title}, or the path "+
				"that is asked")
		}
	}
	other := func(n *yaml.Node) {
		s.Weight = 1
		r.Object(n,
			key{Name: "path", About: "what the path of a request ends with that asks no model, such as /count_tokens",
				Needed: true, Read: r.Name(&s.Path, longestName)},
			key{Name: "json", About: "what is answered", Read: func(n *yaml.Node) { s.JSON = r.JSON(n) }, Needed: true,
				Advice: "what is answered, such as json: {input_tokens: 1200}"},
		)
	}
	switch {
	case r.Either(one, other):
	case yamlnode.Has(n, "path"):
		other(n)
	default:
		one(n)
	}
	return s
}

// variant reads an answer; one of several may have a weight.
func (r *reader) variant(n *yaml.Node, several bool) Variant {
	v := Variant{Weight: 1, Latency: r.latency}
	keys := []key{
		{Name: "when", About: "what must hold of the request", Read: r.when(&v.When)},
		{Name: "text", Read: func(n *yaml.Node) { v.Text, _ = r.Text(n) }},
		{Name: "calls", Read: func(n *yaml.Node) {
			r.list(n, "calls", mostCalls, func(n *yaml.Node) { v.Calls = append(v.Calls, r.call(n)) })
		}},
		{Name: "tokens", Read: r.tokens(&v.Tokens)},
		{Name: "latency", About: "until the answer begins, at most 10m; default that of the script",
			Read: r.wait(&v.Latency)},
		{Name: "finish", About: "why the answer ends; default stop",
			Read: yamlnode.Word(r.Decoder, &v.Finish, "stop", "length", "filter")},
	}
	if several {
		keys = append(keys, key{Name: "weight", About: "how likely it is beside the other variants; default 1",
			Read: r.Real(func(x float64) { v.Weight = x },
				fmt.Sprintf("must lie above 0 and be at most %d", mostWeight), "", yamlnode.Above(0), yamlnode.AtMost(mostWeight))})
	}
	found := r.Object(n, keys...)
	r.Also("anyOf", []yamlnode.Schema{{"required", []string{"text"}}, {"required", []string{"calls"}}})
	if found != nil && found["text"] == nil && found["calls"] == nil {
		r.Fail(n, "says nothing", `give it a text, calls of tools, or both; text: "" is an empty answer`)
	}
	return v
}

// when reads the conditions on a request.
func (r *reader) when(w *Condition) func(*yaml.Node) {
	part := func(to *string) func(*yaml.Node) {
		return func(n *yaml.Node) {
			text, ok := r.Text(n)
			r.Also("minLength", 1)
			if ok && text == "" {
				r.Fail(n, "must not be empty", "omit it where any will do")
			}
			*to = text
		}
	}
	return func(n *yaml.Node) {
		found := r.Object(n,
			key{Name: "last", About: "a text in what the model is told since its last answer", Read: part(&w.Last)},
			key{Name: "tool_offered", About: "a tool that the request offers",
				Read: r.Name(&w.ToolOffered, longestName)},
			key{Name: "system", About: "a text in what the model is told to be", Read: part(&w.System)},
			key{Name: "model", About: "a part of the name of the model that is asked",
				Read: r.Name(&w.Model, longestName)},
		)
		r.Also("minProperties", 1)
		if found != nil && len(found) == 0 {
			r.Fail(n, "has no condition", "give it last, tool_offered, system, or model, or omit it")
		}
	}
}

// call reads a call of a tool.
func (r *reader) call(n *yaml.Node) Call {
	c := Call{Arguments: trial.Raw("{}")}
	found := r.Object(n,
		key{Name: "tool", About: "the name of an offered tool, or the end of one",
			Read: r.Name(&c.Tool, longestName), Needed: true, Advice: "which is called"},
		key{Name: "arguments", About: "a mapping, or the JSON of an object; default none", Read: func(n *yaml.Node) {
			if arguments := r.arguments(n); arguments != nil {
				c.Arguments = arguments
			}
		}},
		key{Name: "input", About: "what a custom tool takes, in place of arguments", Read: func(n *yaml.Node) {
			if text, ok := r.Text(n); ok {
				c.Input, c.Arguments = trial.Some(text), nil
			}
		}},
	)
	r.Also("not", yamlnode.Schema{"required", []string{"arguments", "input"}})
	if found["input"] != nil && found["arguments"] != nil {
		r.Fail(n, "has arguments and an input", "a custom tool takes an input, a text; any other takes arguments")
	}
	return c
}

// arguments reads a mapping, or the JSON of an object.
func (r *reader) arguments(n *yaml.Node) trial.Raw {
	if r.Takes("type", []string{"object", "string"}) {
		return nil
	}
	if n.Kind == yaml.MappingNode {
		return r.JSON(n)
	}
	var object map[string]json.RawMessage
	var text bytes.Buffer
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || json.Unmarshal([]byte(n.Value), &object) != nil ||
		object == nil || json.Compact(&text, []byte(n.Value)) != nil {
		r.Fail(n, "must be a mapping, not "+yamlnode.Describe(n), "or the JSON of an object, in quotes")
		return nil
	}
	return trial.Raw(text.String())
}

// tokens reads counts.
func (r *reader) tokens(t *Tokens) func(*yaml.Node) {
	return func(n *yaml.Node) {
		count := func(name string, to *trial.Optional[int64], about string) key {
			return key{Name: name, About: about, Read: r.Whole(0, trial.MaxTokens, func(x int64) { *to = trial.Some(x) })}
		}
		r.Object(n,
			count("in", &t.In, "with the cached and the written ones"),
			count("out", &t.Out, "with those of reasoning"),
			count("cached", &t.Cached, "of in, that were read from a cache"),
			count("written", &t.Written, "of in, that were written to a cache"),
			count("reasoning", &t.Reasoning, "of out"),
		)
		const within = "in are all that go in, with the cached and the written ones"
		switch {
		case t.Cached.Known && !t.In.Known:
			r.Fail(n, "has cached tokens and none in", within)
		case t.Written.Known && !t.In.Known:
			r.Fail(n, "has written tokens and none in", within)
		case trial.Plus(t.Cached.Value, t.Written.Value) > t.In.Value:
			r.Fail(n, "has more cached and written tokens than go in", within)
		case t.Reasoning.Value > t.Out.Value:
			r.Fail(n, "has more tokens of reasoning than come out", "out are all that come out, with those of reasoning")
		}
	}
}

// wait reads how long an answer takes.
func (r *reader) wait(to *time.Duration) func(*yaml.Node) {
	return func(n *yaml.Node) {
		var d time.Duration
		r.Duration(&d, true)(n)
		if d > mostLatency {
			r.Fail(n, fmt.Sprintf("must be at most %s", mostLatency), "")
			return
		}
		*to = d
	}
}
