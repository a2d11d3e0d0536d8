package mapping

import (
	_ "embed"
	"errors"
	"io/fs"
	"os"

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
//
//go:embed schema.json
var Schema []byte

// Load reads the file of a mapping. The error is a [trial.FileError], or that of [Parse].
func Load(path string) (*Mapping, error) {
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
		key{Name: "format", Read: func(n *yaml.Node) {
			yamlnode.Word(&d.Decoder, &format, "json", "jsonl", "csv")(n)
			m.table = trial.Some(format == "csv")
		}},
		key{Name: "delimiter", Read: d.delimiter(&m.delimiter)},
		key{Name: "records", Read: d.recordPath(&m.records)},
		key{Name: "scenario", Read: d.source(&m.scenario, "scenario", nil), Needed: true,
			Advice: "every trial needs the name of what was tried: a path, {value: NAME} for all, or $file"},
		key{Name: "trial", Read: d.source(&m.index, "trial", nil)},
		key{Name: "attempt", Read: d.source(&m.attempt, "attempt", nil)},
		key{Name: "variant", Read: d.source(&m.variant, "variant", nil)},
		key{Name: "outcome", Read: d.outcome(&m.outcome)},
		key{Name: "score", Read: d.source(&m.score, "score", noUnits)},
		key{Name: "error", Read: d.source(&m.causeMessage, "error", nil)},
		key{Name: "error_type", Read: d.source(&m.causeType, "error_type", nil)},
		key{Name: "error_origin", Read: d.source(&m.causeOrigin, "error_origin", nil)},
		key{Name: "started_at", Read: d.source(&m.startedAt, "started_at", nil)},
		key{Name: "ended_at", Read: d.source(&m.endedAt, "ended_at", nil)},
		key{Name: "duration_s", Read: d.source(&m.duration, "duration_s", durations)},
		key{Name: "cost_usd", Read: d.source(&m.cost, "cost_usd", costs)},
		key{Name: "input_tokens", Read: d.source(&m.inputTokens, "input_tokens", noUnits)},
		key{Name: "output_tokens", Read: d.source(&m.outputToken, "output_tokens", noUnits)},
		key{Name: "model", Read: d.source(&m.model, "model", nil)},
		key{Name: "input", Read: d.source(&m.input, "input", nil)},
		key{Name: "output", Read: d.source(&m.output, "output", nil)},
		key{Name: "id", Read: func(n *yaml.Node) { d.tag(m, "id", n) }},
		key{Name: "tags", Read: func(n *yaml.Node) {
			if d.Is(n, yaml.MappingNode) {
				d.Members(n, func(name string, _, value *yaml.Node) {
					d.At(name, func() { d.tag(m, name, value) })
				})
			}
		}},
		key{Name: "steps", Read: d.steps(&m.steps)},
	)
	switch {
	case found == nil:
	case found["delimiter"] != nil && m.table.Known && !m.table.Value:
		d.At("delimiter", func() { d.Fail(found["delimiter"], "is given, and the format is "+format, "leave it out") })
	case found["records"] != nil && m.table.Value:
		d.At("records", func() { d.Fail(found["records"], "is given, and the records of CSV are its rows", "leave it out") })
	case found["ended_at"] != nil && found["duration_s"] != nil:
		d.At("ended_at", func() { d.Fail(found["ended_at"], "is given, and so is duration_s", "leave one of the two out") })
	case found["ended_at"] != nil && found["started_at"] == nil:
		d.At("ended_at", func() {
			d.Fail(found["ended_at"], "says how long a trial took together with started_at alone", "give started_at")
		})
	}
	return m
}

// tag reads a tag, which stands under its own name.
func (d *decoder) tag(m *Mapping, name string, n *yaml.Node) {
	t := tag{name: name}
	d.source(&t.source, d.Field, nil)(n)
	m.tags = append(m.tags, t)
}

// delimiter reads what separates the columns of a table.
func (d *decoder) delimiter(target *rune) func(*yaml.Node) {
	return func(n *yaml.Node) {
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
