package mapping

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// place is one place in or around a record, as a mapping names it.
//
//	usage.cost           a path into the record
//	$parent.id           a path into the value that the list of the record stands in
//	$key                 the name of the member that the record is
//	$index               the number of the record in its list, from 0
//	$file                the name of the file, without its folder and endings
type place struct {
	text    string
	parents int
	word    string // "key", "index" or "file"; "" is a path
	path    oracle.Path
}

// parsePlace reads a place. The error is an [oracle.OptionError], or says what is wrong.
func parsePlace(text string) (place, error) {
	p := place{text: text}
	rest := text
	for {
		inner, found := strings.CutPrefix(rest, "$parent.")
		if !found {
			break
		}
		p.parents++
		rest = inner
	}
	if word, found := strings.CutPrefix(rest, "$"); found {
		switch word {
		case "key", "index", "file":
			p.word = word
			return p, nil
		}
		return p, &oracle.OptionError{Value: prose.Quote(text), Problem: "begins with $ and is none of the words",
			Advice: `the words are $parent.PATH, $key, $index and $file; a name that begins so stands in brackets: ["$id"]`}
	}
	var err error
	p.path, err = oracle.ParsePath(rest)
	return p, err
}

// scope is a record, with what it was found in.
type scope struct {
	value  record.Node
	key    string // the name of the member that it is; "" is none
	index  int    // in its list
	parent *scope // nil where it was found in nothing
	file   string
	line   int
	number int  // of the record in the file, from 1
	table  bool // it is a row
}

// find returns what stands at a place; found is whether anything does, be it a null.
func (p place) find(s *scope) (n record.Node, found bool) {
	for range p.parents {
		if s = s.parent; s == nil {
			return record.Node{}, false
		}
	}
	switch p.word {
	case "key":
		return record.Node{Value: s.key}, s.key != ""
	case "index":
		return record.Node{Value: strconv.Itoa(s.index)}, true
	case "file":
		return record.Node{Value: record.FileScenario(s.file)}, true
	}
	if s.table { // a column may be called anything
		if column := s.value.Has(p.text); column {
			return s.value.At(p.text), true
		}
	}
	value, found := p.path.Find(s.value.Value)
	return record.Node{Value: value}, found
}

// source is what a field of a trial is taken from.
type source struct {
	field    string // its name
	at       trial.Place
	parts    []place // one, or several that are joined
	with     string  // what stands between parts
	constant record.Node
	fallback record.Node // where nothing stands at the places
	words    map[string]string
	factor   float64 // for numbers
	optional bool    // nothing may stand there in any record

	use int // the index of what is counted of it, see [mappedFile]
}

// value returns what a record says of the field; nothing where it does not. matched is whether anything
// stands at each of the places.
func (s *source) value(in *scope) (n record.Node, matched bool) {
	if s.constant.Exists() {
		return s.constant, true
	}
	matched = true
	var texts []string
	for _, p := range s.parts {
		v, found := p.find(in)
		matched = matched && found
		n = v
		if text := v.Text(); text != "" {
			texts = append(texts, text)
		}
	}
	if len(s.parts) > 1 {
		n = record.Node{}
		if len(texts) == len(s.parts) {
			n = record.Node{Value: strings.Join(texts, s.with)}
		}
	}
	if n.IsText() && n.Text() == "" && in.table {
		n = record.Node{} // an empty cell is unknown
	}
	if word, ok := s.words[n.Text()]; ok && n.IsScalar() {
		n = record.Node{Value: word}
	}
	if !n.Exists() {
		n = s.fallback
	}
	return n, matched
}

// shown names the places, for messages.
func (s *source) shown() string {
	texts := make([]string, len(s.parts))
	for i, p := range s.parts {
		texts[i] = prose.Excerpt(p.text)
	}
	return prose.And(texts)
}

// source reads what a field is taken from: a place, or a mapping with more to say.
func (d *decoder) source(target **source, field string, in unit, more ...key) func(*yaml.Node) {
	read := func(n *yaml.Node) {
		s := &source{field: field, at: d.Place(n), factor: 1}
		before := len(d.Problems)
		place, options := d.placeOf(&s.parts), func(n *yaml.Node) { d.options(n, s, in, more) }
		switch {
		case d.Either(place, options):
			return
		case n.Kind == yaml.ScalarNode:
			place(n)
		default:
			options(n)
		}
		if len(d.Problems) == before {
			*target = s
			s.use = len(d.sources)
			d.sources = append(d.sources, s)
		}
	}
	if more != nil {
		return read
	}
	return d.Named(in.kind, read)
}

// placeOf reads a place into a list.
func (d *decoder) placeOf(parts *[]place) func(*yaml.Node) {
	return d.Named("place", func(n *yaml.Node) {
		text, ok := d.Text(n)
		d.Also("minLength", 1, "description",
			"a path into the record, such as usage.cost or items[0].price; $parent.PATH, $key, $index, $file")
		if !ok {
			return
		}
		p, err := parsePlace(text)
		if d.refused(n, err) {
			return
		}
		*parts = append(*parts, p)
	})
}

// refused notes what is wrong with a path.
func (d *decoder) refused(n *yaml.Node, err error) bool {
	if e, ok := err.(*oracle.OptionError); ok {
		d.Fail(n, e.Value+" "+e.Problem, e.Advice)
	}
	return err != nil
}

// options reads the mapping of a source.
func (d *decoder) options(n *yaml.Node, s *source, in unit, more []key) {
	var word string
	var factor trial.Optional[float64]
	keys := []key{
		{Name: "path", Read: d.placeOf(&s.parts)},
		{Name: "join", About: "several places, whose texts are joined", Read: func(n *yaml.Node) {
			d.Items(n, d.placeOf(&s.parts))
			d.Also("minItems", 1)
		}},
		{Name: "with", About: "what stands between the texts that are joined",
			Read: func(n *yaml.Node) { s.with, _ = d.Text(n) }},
		{Name: "value", About: "the same for all records", Read: d.scalar(&s.constant)},
		{Name: "default", About: "where a record has no value", Read: d.scalar(&s.fallback)},
		{Name: "optional", About: "records may have no value", Read: d.Bool(&s.optional)},
		{Name: "words", About: "what the words of the records stand for", Read: d.words(&s.words)},
	}
	if in.words != nil {
		keys = append(keys, key{Name: "unit", Read: func(n *yaml.Node) {
			yamlnode.Word(&d.Decoder, &word, slices.Sorted(maps.Keys(in.words))...)(n)
			s.factor = in.words[word]
		}})
	}
	if in.kind != texts.kind {
		keys = append(keys, key{Name: "factor", About: "what a number is multiplied by",
			Read: func(n *yaml.Node) { factor.Value, factor.Known = d.Number(n) }})
	}
	found := d.Object(n, append(keys, more...)...)
	given := 0
	var one []yamlnode.Schema
	for _, name := range []string{"path", "join", "value"} {
		one = append(one, yamlnode.Schema{"required", []string{name}})
		if found[name] != nil {
			given++
		}
	}
	d.Also("oneOf", one)
	switch {
	case found == nil:
	case given == 0:
		d.Fail(n, "says nowhere what it is taken from", "give it a path, or a value that is the same for all records")
	case given > 1:
		d.Fail(n, "has more than one of path, join and value", "leave all but one out")
	case found["with"] != nil && found["join"] == nil:
		d.Fail(found["with"], "goes with join alone", "give join, a list of paths")
	case found["unit"] != nil && factor.Known:
		d.Fail(found["factor"], "stands beside a unit", "leave one of the two out")
	}
	if factor.Known {
		s.factor = factor.Value
	}
}

// constants are a text, a number or a truth.
var constants = yamlnode.Schema{"type", []string{"string", "number", "boolean"}}

// scalar reads one of the [constants].
func (d *decoder) scalar(target *record.Node) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if d.Takes(constants...) {
			return
		}
		if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
			d.Fail(n, "must be a text, a number or a truth, not "+yamlnode.Describe(n), "")
			return
		}
		if value, err := record.DecodeNode(d.JSON(n)); err == nil {
			*target = value
		}
	}
}

// words reads which words stand for others.
func (d *decoder) words(target *map[string]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if !d.Is(n, yaml.MappingNode) {
			return
		}
		list := map[string]string{}
		d.Members(n, func(name string, _, value *yaml.Node) {
			d.At(name, func() {
				if text, ok := d.Text(value); ok {
					list[name] = text
				}
			})
		})
		*target = list
	}
}
