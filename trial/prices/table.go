package prices

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"slices"
	"sync"
)

// Table has the prices of models. The zero value, and nil, know none.
type Table struct {
	rows   []Row
	at     map[string]int // the row by each of its names
	Source string         // "built in", or the files that were laid over it
}

//go:embed prices.yaml
var embedded []byte

// builtIn names the embedded table.
const builtIn = "built in"

// Embedded returns the table that is part of the program. The error is that of a table that cannot be read, which its
// tests refuse.
func Embedded() (*Table, error) { return readEmbedded() }

var readEmbedded = sync.OnceValues(func() (*Table, error) { return Parse(builtIn, embedded) })

// newTable makes a table of rows whose names differ.
func newTable(source string, rows []Row) *Table {
	t := &Table{at: map[string]int{}, Source: source}
	for _, r := range rows {
		t.add(r)
	}
	return t
}

// add lays a row over those that have its names.
func (t *Table) add(r Row) {
	t.rows = append(t.rows, r)
	for _, name := range r.names() {
		t.at[name] = len(t.rows) - 1
	}
}

// names are those of a row.
func (r Row) names() []string { return append([]string{r.Model}, r.Aliases...) }

// With lays the rows of another table over this one, name by name; nil changes nothing.
func (t *Table) With(over *Table) *Table {
	if over == nil {
		return t
	}
	together := newTable(over.Source, t.Rows())
	for _, r := range over.rows {
		together.add(r)
	}
	if t != nil && t.Source != "" {
		together.Source = over.Source + " over " + t.Source
	}
	return together
}

// Rows returns the rows by provider and model, without those that others were laid over. A row of which some names
// are covered has the others alone.
func (t *Table) Rows() []Row {
	if t == nil {
		return nil
	}
	var rows []Row
	for i, r := range t.rows {
		names := slices.DeleteFunc(r.names(), func(name string) bool { return t.at[name] != i })
		if len(names) > 0 {
			r.Model, r.Aliases = names[0], names[1:]
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Model, b.Model))
	})
	return rows
}

// Date returns the latest date of its rows, YYYY-MM-DD; "" where none has one.
func (t *Table) Date() (date string) {
	for _, r := range t.Rows() {
		date = max(date, r.Date)
	}
	return date
}

// Digest identifies the prices, as "sha256:" and 64 hexadecimal digits: the names with what they cost, and not when and
// where that was found.
func (t *Table) Digest() string {
	type pricedModel struct {
		Name, Provider string
		Rates, Long    Rates
		Above          int64
		Highest        bool
	}
	var list []pricedModel
	for _, r := range t.Rows() {
		for _, name := range r.names() {
			list = append(list, pricedModel{name, r.Provider, r.Rates, r.Long, r.Above, r.Highest})
		}
	}
	slices.SortFunc(list, func(a, b pricedModel) int { return cmp.Compare(a.Name, b.Name) })
	text, err := json.Marshal(list)
	if err != nil {
		return "" // not reached: every number was found finite
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
