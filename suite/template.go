package suite

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/dataset"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
)

// placeholderPattern is a column of data in a template, {column} or {column:form}. Two braces are a text with one, as
// in {{column}}; what has a dollar before it is a variable of the environment.
var placeholderPattern = lazy.Regexp(
	`(\$?)(\{\{?)([\p{L}_][\p{L}\p{N}_./ -]*?)(?::([a-z]+))?(\}\}?)`)

// placeholder is one that was found in a text.
type placeholder struct {
	begin, end int
	column     string
	form       string // "" is that of the value
	text       string // that stands for it where it is no column; "" is a column
}

// placeholders are those of a text, in their order.
func placeholders(text string) (found []placeholder) {
	if !strings.Contains(text, "{") {
		return nil
	}
	for _, m := range placeholderPattern().FindAllStringSubmatchIndex(text, -1) {
		p := placeholder{begin: m[0], end: m[1], column: text[m[6]:m[7]]}
		if m[8] >= 0 {
			p.form = text[m[8]:m[9]]
		}
		opens, closes := m[5]-m[4], m[11]-m[10]
		switch {
		case m[3] > m[2]: // a variable
			continue
		case opens == 2 && closes == 2:
			p.text = text[m[0]+1 : m[1]-1]
		case opens == 2: // a brace before a column
			p.begin++
		case closes == 2:
			p.end--
		}
		found = append(found, p)
	}
	return found
}

// placeholdersIn are the columns that a node names, in its texts.
func placeholdersIn(n *yaml.Node) (found []placeholder) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
		return slices.DeleteFunc(placeholders(n.Value), func(p placeholder) bool { return p.text != "" })
	}
	for _, inner := range n.Content {
		found = append(found, placeholdersIn(inner)...)
	}
	return found
}

// filled returns a template with the values of a row. What has no placeholder is the template's own node; a text that
// is one placeholder alone becomes the value with its type, unless only texts can stand there.
func (d *decoder) filled(n *yaml.Node, row dataset.Row, texts bool) *yaml.Node {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.ShortTag() != "!!str" {
			return n
		}
		found := placeholders(n.Value)
		if len(found) == 0 {
			return n
		}
		return d.filledText(n, found, row, texts)
	case yaml.MappingNode:
		content := slices.Clone(n.Content)
		changed := false
		for i := 0; i+1 < len(content); i += 2 {
			d.At(cmp.Or(content[i].Value, `""`), func() { content[i+1] = d.filled(content[i+1], row, texts) })
			changed = changed || content[i+1] != n.Content[i+1]
		}
		if changed {
			return d.like(n, n.Kind, content)
		}
	case yaml.SequenceNode:
		content := slices.Clone(n.Content)
		changed := false
		for i, item := range content {
			d.At("["+strconv.Itoa(i)+"]", func() { content[i] = d.filled(item, row, texts) })
			changed = changed || content[i] != item
		}
		if changed {
			return d.like(n, n.Kind, content)
		}
	}
	return n
}

// filledText puts the values of columns into a text.
func (d *decoder) filledText(n *yaml.Node, found []placeholder, row dataset.Row, texts bool) *yaml.Node {
	var b strings.Builder
	end := 0
	for _, p := range found {
		b.WriteString(n.Value[end:p.begin])
		end = p.end
		if p.text != "" {
			if row.Value(p.column) != nil {
				d.Fail(n, "has two braces around the column "+prose.Excerpt(p.column),
					"write {"+prose.Excerpt(p.column)+"} for its value: two braces stand for a text with one")
				return n
			}
			b.WriteString(p.text)
			continue
		}
		value := row.Value(p.column)
		if value == nil {
			d.Fail(n, fmt.Sprintf("names the column {%s}, which %s does not have", prose.Excerpt(p.column), row.Place),
				hintOfColumns(p.column, row.Columns())).Keys = row.Columns()
			return n
		}
		value, problem := inForm(value, p.form)
		if problem != "" {
			d.Fail(n, fmt.Sprintf("asks for {%s}, which is %s in %s: %s", n.Value[p.begin+1:p.end-1],
				yamlnode.Describe(row.Value(p.column)), row.Place, problem), "")
			return n
		}
		if p.form != "" {
			d.StandsIn(row.Place.File, value)
		}
		if len(found) == 1 && p.begin == 0 && p.end == len(n.Value) && !(texts && value.Kind == yaml.ScalarNode) {
			return value
		}
		b.WriteString(d.textOf(value))
	}
	b.WriteString(n.Value[end:])
	made := &yaml.Node{
		Kind: yaml.ScalarNode, Tag: "!!str", Value: b.String(), Line: row.Place.Line, Column: row.Place.Column,
	}
	d.StandsIn(row.Place.File, made)
	return made
}

// hintOfColumns names the columns that there are.
func hintOfColumns(column string, columns []string) string {
	const most = 20
	shown := columns[:min(len(columns), most)]
	hint := "its columns are " + strings.Join(shown, ", ")
	if len(columns) > most {
		hint += fmt.Sprintf(" and %d more", len(columns)-most)
	}
	if near, ok := prose.Nearest(column, columns); ok {
		hint = fmt.Sprintf("did you mean {%s}? ", near) + hint
	}
	return prose.Printable(hint) + "; {{" + column + "}} is the text"
}

// inForm returns a value as text, number, boolean or json.
func inForm(n *yaml.Node, form string) (_ *yaml.Node, problem string) {
	made := *n
	switch form {
	case "":
		return n, ""
	case "text":
		made.Tag = "!!str"
		if n.Kind != yaml.ScalarNode {
			return nil, "it is no text"
		}
	case "number":
		text := strings.TrimSpace(n.Value)
		_, err := strconv.ParseFloat(text, 64)
		if n.Kind != yaml.ScalarNode || err != nil || strings.Trim(text, "+-.0123456789eE") != "" {
			return nil, "it is no number"
		}
		made.Value, made.Tag = text, "!!int"
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			made.Tag = "!!float"
		}
	case "boolean":
		text := strings.ToLower(strings.TrimSpace(n.Value))
		if n.Kind != yaml.ScalarNode || text != "true" && text != "false" {
			return nil, "it is neither true nor false"
		}
		made.Value, made.Tag = text, "!!bool"
	case "json":
		parsed, err := dataset.Value(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil {
			return nil, "it is no JSON text"
		}
		parsed.Line, parsed.Column = n.Line, n.Column
		return parsed, ""
	default:
		return nil, "a form is text, number, boolean or json"
	}
	return &made, ""
}

// textOf is a value within a text: lists and mappings as JSON, nothing as no text.
func (d *decoder) textOf(n *yaml.Node) string {
	switch {
	case n.Kind != yaml.ScalarNode:
		return string(d.JSON(n))
	case n.ShortTag() == "!!null":
		return ""
	}
	return n.Value
}
