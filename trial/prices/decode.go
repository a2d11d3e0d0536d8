package prices

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
)

// Chosen: what lies beyond them is taken for a slip, such as prices for a single token.
const (
	mostRows    = 10_000
	mostAliases = 100
	longestName = 200
	mostRate    = 100_000 // US dollars for a million tokens
)

// Load reads a file of prices. It returns the error of the file system, a [trial.FileError] for what is no such file,
// or errors with their places.
func Load(path string) (*Table, error) { return LoadContext(context.Background(), path) }

// LoadContext is [Load] of a file that the context lets be opened.
func LoadContext(ctx context.Context, path string) (*Table, error) {
	text, err := yamlnode.ReadContext(ctx, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &trial.FileError{
			File: path, Problem: "does not exist", Advice: "it is a table of prices; see tribunal help plan prices", Err: err,
		}
	case err != nil:
		return nil, err
	}
	return Parse(path, text)
}

// Parse reads a table. The name stands in messages.
func Parse(name string, text []byte) (*Table, error) {
	root, err := yamlnode.Parse(name, "table of prices", text)
	if err != nil {
		return nil, err
	}
	d := &yamlnode.Decoder{File: name, What: "the table of prices"}
	var rows []Row
	d.Object(root,
		yamlnode.Key{Name: "version", Needed: true, Advice: "write version: 1", Read: d.Whole(1, 1, func(int64) {})},
		yamlnode.Key{Name: "prices", Needed: true, Read: func(n *yaml.Node) { rows = decodeRows(d, n) }},
	)
	if err := d.Err(); err != nil {
		return nil, err
	}
	return newTable(name, rows), nil
}

// ParseNode reads the rows that stand within another file, and notes what is wrong with the decoder of that file.
func ParseNode(d *yamlnode.Decoder, source string, n *yaml.Node) *Table {
	return newTable(source, decodeRows(d, n))
}

// decodeRows reads the list. A name that stands twice would have two prices.
func decodeRows(d *yamlnode.Decoder, n *yaml.Node) (rows []Row) {
	if n.Kind == yaml.SequenceNode && len(n.Content) > mostRows {
		d.Fail(n, fmt.Sprintf("holds more than %d rows", mostRows), "")
		return nil
	}
	lines := map[string]int{}
	d.Items(n, func(item *yaml.Node) {
		if d.Full() {
			return
		}
		var row Row
		d.Named("price", func(n *yaml.Node) { row = decodeRow(d, n) })(item)
		for _, name := range row.names() {
			if line, twice := lines[name]; twice && name != "" {
				d.Fail(item, "prices the model "+yamlnode.Shown(name)+" again",
					fmt.Sprintf("it stands already in line %d", line))
			}
			lines[name] = item.Line
		}
		rows = append(rows, row)
	})
	return rows
}

// decodeRow reads one row.
func decodeRow(d *yamlnode.Decoder, n *yaml.Node) (r Row) {
	keys := append(rateKeys(d, &r.Rates),
		yamlnode.Key{
			Name: "model", About: "as recordings name it",
			Needed: true, Advice: "name the model as recordings do", Read: d.Name(&r.Model, longestName),
		},
		yamlnode.Key{Name: "aliases", About: "other names of the model", Read: d.Texts(&r.Aliases, d.IsLine)},
		yamlnode.Key{Name: "provider", About: "lets the name have the provider's prefix",
			Read: yamlnode.Word(d, &r.Provider,
				"openai", "anthropic", "google", "mistral", "deepseek", "xai")},
		yamlnode.Key{Name: "long", About: "rates of a request with more input tokens",
			Read: func(n *yaml.Node) { decodeLong(d, n, &r) }},
		yamlnode.Key{Name: "highest", About: "the price depends on the hour, and these are the highest rates",
			Read: d.Bool(&r.Highest)},
		yamlnode.Key{Name: "date", About: "when the source said so", Read: func(n *yaml.Node) {
			if d.Takes("type", "string", "pattern", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$") {
				return
			}
			if _, err := time.Parse(time.DateOnly, n.Value); n.Kind != yaml.ScalarNode || err != nil {
				d.Fail(n, "must be a day, not "+yamlnode.Describe(n), "write it as 2026-11-24")
			}
			r.Date = n.Value
		}},
		yamlnode.Key{Name: "source", About: "where it was found", Read: d.Line(&r.Source)},
	)
	d.Object(n, keys...)
	d.Also("description", "what a model costs")
	if len(r.Aliases) > mostAliases {
		d.At("aliases", func() { d.Fail(n, fmt.Sprintf("holds more than %d names", mostAliases), "") })
	}
	return r
}

// rateKeys are the keys of rates.
func rateKeys(d *yamlnode.Decoder, r *Rates) []yamlnode.Key {
	rate := func(set func(float64)) func(*yaml.Node) {
		read := d.Real(set, fmt.Sprintf("must be from 0 to %d", mostRate), "it is in US dollars for a million tokens",
			yamlnode.AtLeast(0), yamlnode.AtMost(mostRate))
		return d.Named("rate", func(n *yaml.Node) {
			read(n)
			d.Also("description", "US dollars for a million tokens")
		})
	}
	return []yamlnode.Key{
		{Name: "input", Needed: true, Read: rate(func(x float64) { r.Input = x })},
		{Name: "cached", Read: rate(func(x float64) { r.Cached = trial.Some(x) })},
		{Name: "cache_write", Read: rate(func(x float64) { r.CacheWrite = trial.Some(x) })},
		{Name: "output", Needed: true, Read: rate(func(x float64) { r.Output = x })},
	}
}

// decodeLong reads the rates of long requests.
func decodeLong(d *yamlnode.Decoder, n *yaml.Node, r *Row) {
	d.Object(n, append(rateKeys(d, &r.Long), yamlnode.Key{
		Name: "above", About: "input tokens of a request", Needed: true,
		Advice: "it is the number of input tokens of a request above which these rates hold",
		Read:   d.Whole(1, trial.MaxTokens, func(x int64) { r.Above = x }),
	})...)
}
