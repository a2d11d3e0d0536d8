package mapping

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
)

// Mapping says where the records of a file are, and what of a trial stands where in them.
type Mapping struct {
	file      string // of the mapping
	table     trial.Optional[bool]
	delimiter rune // of a table; 0 is the one that the header shows
	records   recordPath

	// What a trial is made of; nil is not mapped. Only the scenario always is.
	scenario, index, attempt, variant, model        *source
	outcome                                         *outcome
	score, cost, duration, inputTokens, outputToken *source
	startedAt, endedAt                              *source
	causeMessage, causeType, causeOrigin            *source
	input, output                                   *source
	tags                                            []tag
	steps                                           *steps

	sources []*source // all of them, in the order of the file
}

// tag is a tag of a trial.
type tag struct {
	name   string
	source *source
}

// decoder reads the file of a mapping.
type decoder struct {
	yamlnode.Decoder
	sources []*source
}

// key is a key of the file.
type key = yamlnode.Key

// Schema is the JSON Schema (draft 2020-12) of the file of a mapping. It says less than [Parse] checks: whether
// a path makes sense is not for a schema to tell.
func Schema() []byte {
	d := &decoder{}
	const about = "Where the records of a log are, and what of a trial stands where in them"
	return d.Describe("mapping", about, func(n *yaml.Node) { d.mapping(n) })
}

// Load reads the file of a mapping, or the mapping itself, which begins with a brace. The error is a
// [trial.FileError], or that of [Parse].
func Load(path string) (*Mapping, error) {
	if strings.HasPrefix(path, "{") {
		return Parse("the mapping", []byte(path))
	}
	text, err := yamlnode.Read(path)
	if err != nil {
		e := &trial.FileError{File: path, Problem: "cannot be read: " + err.Error(), Err: err}
		if inner, ok := errors.AsType[*fs.PathError](err); ok {
			e.Problem = "cannot be read: " + inner.Err.Error()
		}
		if errors.Is(err, os.ErrNotExist) {
			e.Problem, e.Advice = "does not exist", "check the name of the mapping"
		}
		return nil, e
	}
	return Parse(path, text)
}

// Parse reads a mapping, whose name stands in messages. The error is a [trial.FileError] or [yamlnode.Errors], all
// problems at once.
func Parse(name string, text []byte) (*Mapping, error) {
	root, err := yamlnode.Parse(name, "mapping", text)
	if err != nil {
		return nil, err
	}
	d := &decoder{Decoder: yamlnode.Decoder{File: name, What: "the mapping"}}
	m := d.mapping(root)
	if err := d.Err(); err != nil {
		return nil, err
	}
	m.file, m.sources = name, d.sources
	return m, nil
}

// mapping reads the whole file.
func (d *decoder) mapping(root *yaml.Node) *Mapping {
	m := &Mapping{}
	format := ""
	found := d.Object(root,
		key{Name: "version", Read: d.Whole(1, 1, func(int64) {})},
		key{Name: "format", About: "default: what the file begins with shows", Read: func(n *yaml.Node) {
			yamlnode.Word(&d.Decoder, &format, "json", "jsonl", "csv")(n)
			m.table = trial.Some(format == "csv")
		}},
		key{Name: "delimiter", About: "of CSV; default: the one that the header shows", Read: d.delimiter(&m.delimiter)},
		key{Name: "records", About: "where the records are, such as runs, tasks[].runs[] or cases.*; " +
			"default: the document, or each of its items, or each line", Read: d.recordPath(&m.records)},
		key{Name: "scenario", About: "what was tried", Read: d.source(&m.scenario, "scenario", texts), Needed: true,
			Advice: "every trial needs the name of what was tried: a path, {value: NAME} for all, or $file"},
		d.field("trial", &m.index, numbers, "its number within the scenario; default: its order"),
		d.field("attempt", &m.attempt, numbers, "which attempt it was, from 1"),
		d.field("variant", &m.variant, texts, "the version of the system"),
		key{Name: "outcome", About: "pass or fail: words, true or false, or a number and at_least",
			Read: d.outcome(&m.outcome)},
		d.field("score", &m.score, numbers, "more is better"),
		d.field("error", &m.causeMessage, texts, "what went wrong: a text, or an object with a message"),
		d.field("error_type", &m.causeType, texts, "its kind"),
		d.field("error_origin", &m.causeOrigin, texts, "infrastructure, or another word"),
		d.field("started_at", &m.startedAt, texts, "RFC 3339, or a number since 1970"),
		d.field("ended_at", &m.endedAt, texts, "gives duration_s with started_at"),
		d.field("duration_s", &m.duration, durations, "how long it took"),
		d.field("cost_usd", &m.cost, costs, "what it cost"),
		d.field("input_tokens", &m.inputTokens, numbers, "with cached ones"),
		d.field("output_tokens", &m.outputToken, numbers, "that the model wrote"),
		d.field("model", &m.model, texts, "that answered"),
		d.field("input", &m.input, texts, "what the system was given"),
		d.field("output", &m.output, texts, "what it answered"),
		key{Name: "id", About: "becomes the tag id", Read: func(n *yaml.Node) { d.tag(m, "id", n) }},
		key{Name: "tags", About: "anything else worth keeping, by name", Read: func(n *yaml.Node) {
			if d.Is(n, yaml.MappingNode) {
				d.Members(n, func(name string, _, value *yaml.Node) {
					d.At(name, func() { d.tag(m, name, value) })
				})
			}
		}},
		key{Name: "steps", About: "what the system did", Read: d.steps(&m.steps)},
	)
	switch {
	case found == nil:
	case found["delimiter"] != nil && m.table.Known && !m.table.Value:
		d.At("delimiter", func() { d.Fail(found["delimiter"], "is given, and the format is "+format, "omit it") })
	case found["records"] != nil && m.table.Value:
		d.At("records", func() { d.Fail(found["records"], "is given, and the records of CSV are its rows", "omit it") })
	case found["ended_at"] != nil && found["duration_s"] != nil:
		d.At("ended_at", func() { d.Fail(found["ended_at"], "is given, and so is duration_s", "leave one of the two out") })
	case found["ended_at"] != nil && found["started_at"] == nil:
		d.At("ended_at", func() {
			d.Fail(found["ended_at"], "says how long a trial took together with started_at alone", "give started_at")
		})
	}
	return m
}

// field is the key of a field of a trial or a step.
func (d *decoder) field(name string, target **source, in unit, about string) key {
	return key{Name: name, About: about, Read: d.source(target, name, in)}
}

// tag reads a tag, which stands under its own name.
func (d *decoder) tag(m *Mapping, name string, n *yaml.Node) {
	t := tag{name: name}
	d.source(&t.source, d.Field, texts)(n)
	m.tags = append(m.tags, t)
}

// delimiter reads what separates the columns of a table.
func (d *decoder) delimiter(target *rune) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if d.Takes("enum", []string{",", ";", "|", "tab", "\t"}) {
			return
		}
		text, ok := d.Text(n)
		switch {
		case !ok:
		case text == "tab":
			*target = '\t'
		case text == "," || text == ";" || text == "\t" || text == "|":
			*target = rune(text[0])
		default:
			d.Fail(n, "has no choice "+yamlnode.Shown(text), `the choices are ",", ";", "|" and tab`)
		}
	}
}
