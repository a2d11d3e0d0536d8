package suite

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"
	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/dataset"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
)

// Source are files of data that scenarios were made of, a row each.
type Source struct {
	From  []string    // as the suite names them
	Rows  int         // in all of its files
	Left  int         // of those, after the filter
	Taken int         // of those that are left, as many scenarios; fewer where a sample was drawn
	Seed  uint64      // of the sample; 0 where none was drawn
	Place trial.Place // of the source in the suite
}

// String says what was taken, such as "cases/*.jsonl: 50 of 200 rows, drawn with seed 1; the filter left 200 of 240".
func (s Source) String() string {
	text := fmt.Sprintf("%s: %s", strings.Join(s.From, ", "), prose.Count(s.Taken, "row"))
	if s.Taken < s.Left {
		text = fmt.Sprintf("%s: %d of %s, drawn with seed %d", strings.Join(s.From, ", "), s.Taken,
			prose.Count(s.Left, "row"), s.Seed)
	}
	if s.Left < s.Rows {
		text += fmt.Sprintf("; the filter left %d of %d", s.Left, s.Rows)
	}
	return text
}

// The keys of a source beside those of a scenario.
const (
	fromKey   = "from"
	sampleKey = "sample"
	filterKey = "filter"
)

// source reads files of data, and makes a scenario of each row: of a template, or of the row itself where the source
// has no name for its rows.
func (r *scenarioReader) source(n *yaml.Node) {
	var from []string
	var size, seed int64 = 0, 1
	var filter *vm.Program
	keys := []key{
		{Name: fromKey, Needed: true, Read: func(n *yaml.Node) { r.from(n, &from) }},
		{Name: sampleKey, Read: func(n *yaml.Node) { r.sample(n, &size, &seed) }},
		{Name: filterKey, Read: func(n *yaml.Node) { filter = r.filter(n) }},
	}
	template := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column}
	for _, name := range scenarioKeys() {
		keys = append(keys, key{Name: name, Read: func(value *yaml.Node) {
			if name == "evaluate" {
				value = r.spliced(value)
			}
			template.Content = append(template.Content, r.keyOf(n, name), value)
		}})
	}
	before := len(r.Problems)
	found := r.Object(n, keys...)
	if found["name"] == nil {
		for _, name := range scenarioKeys() {
			if at := found[name]; at != nil && name != "tags" {
				r.At(name, func() {
					r.Fail(at, "stands beside no name", `name: "{id}" or the like makes scenarios of the columns of rows; `+
						"without it each row is a scenario that is written out")
				})
			}
		}
	}
	if len(r.Problems) > before {
		return
	}
	var rows []dataset.Row
	r.At(fromKey, func() { rows = r.rows(found[fromKey], from, found["name"] == nil) })
	if len(rows) == 0 {
		return
	}
	s := Source{From: from, Rows: len(rows), Place: r.Place(n)}
	if filter != nil {
		r.At(filterKey, func() { rows = r.filtered(found[filterKey], filter, rows) })
		if len(rows) == 0 {
			return
		}
	}
	s.Left = len(rows)
	items := r.items(template, found["name"] != nil, rows, int(size), uint64(seed))
	s.Taken = len(items)
	if s.Taken < s.Left {
		s.Seed = uint64(seed)
	}
	if len(r.suite.Scenarios)+len(items) > maxScenarios {
		r.Fail(n, fmt.Sprintf("makes more than %d scenarios", maxScenarios), "sample: 1000 takes so many of its rows")
		return
	}
	before = len(r.Problems)
	for _, item := range items {
		// What is wrong with one row is wrong with many, most often.
		if len(r.Problems) > before {
			break
		}
		r.scenario(item)
	}
	r.adviseOnTypes(before)
	r.suite.Sources = append(r.suite.Sources, s)
}

// keyOf returns the node of a key that is there.
func (r *scenarioReader) keyOf(n *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i]
		}
	}
	return nil
}

// from reads the names of files: one or a list.
func (r *scenarioReader) from(n *yaml.Node, from *[]string) {
	if n.Kind == yaml.ScalarNode {
		var name string
		r.Line(&name)(n)
		*from = []string{name}
		return
	}
	r.Texts(from, r.IsLine)(n)
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		r.Fail(n, "must not be empty", "")
	}
}

// sample reads how many rows are drawn: a number, or a mapping with the seed.
func (r *scenarioReader) sample(n *yaml.Node, size, seed *int64) {
	readSize := r.Whole(1, maxScenarios, func(x int64) { *size = x })
	if n.Kind != yaml.MappingNode {
		readSize(n)
		return
	}
	r.Object(n,
		key{Name: "size", Needed: true, Read: readSize},
		key{Name: "seed", Read: r.Whole(1, 1<<53, func(x int64) { *seed = x })},
	)
}

// Chosen: a filter is a line.
const (
	maxFilterBytes = 1000
	maxFilterNodes = 200
)

// filter reads a condition on the columns of a row.
func (r *scenarioReader) filter(n *yaml.Node) *vm.Program {
	var text string
	r.Line(&text)(n)
	if text == "" {
		return nil
	}
	if len(text) > maxFilterBytes {
		r.Fail(n, fmt.Sprintf("is longer than %d bytes", maxFilterBytes), "")
		return nil
	}
	options := []expr.Option{expr.MaxNodes(maxFilterNodes), expr.DisableAllBuiltins(), expr.Optimize(false)}
	for _, name := range []string{"lower", "upper", "trim", "len", "int", "float", "string"} {
		options = append(options, expr.EnableBuiltin(name))
	}
	program, err := expr.Compile(text, options...)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		r.Fail(n, "is no condition: "+prose.Reason(first), `such as difficulty == "hard" && language in ["de", "en"]`)
		return nil
	}
	return program
}

// filtered are the rows for which the condition holds; none after a problem.
func (r *scenarioReader) filtered(n *yaml.Node, program *vm.Program, rows []dataset.Row) (left []dataset.Row) {
	for _, row := range rows {
		var columns map[string]any
		if json.Unmarshal(r.JSON(row.Node), &columns) != nil {
			return nil // a problem says so
		}
		for _, name := range columnsIn(program.Node()) {
			if _, there := columns[name]; !there {
				r.Fail(n, fmt.Sprintf("asks for the column %s, which %s does not have", name, row.Place),
					strings.SplitN(hintOfColumns(name, row.Columns()), "; {{", 2)[0])
				return nil
			}
		}
		result, err := expr.Run(program, columns)
		holds, isBool := result.(bool)
		switch {
		case err != nil:
			first, _, _ := strings.Cut(err.Error(), "\n")
			r.Fail(n, "cannot be judged of "+row.Place.String()+": "+prose.Reason(first), "")
			return nil
		case !isBool:
			r.Fail(n, "is neither true nor false of "+row.Place.String(), `such as difficulty == "hard"`)
			return nil
		case holds:
			left = append(left, row)
		}
	}
	if len(left) == 0 {
		r.Fail(n, "holds for none of "+prose.Count(len(rows), "row"), "")
	}
	return left
}

// rows reads the files; none after a problem. Where rows are scenarios that are written out, a file may be one of them.
func (r *scenarioReader) rows(n *yaml.Node, names []string, written bool) (rows []dataset.Row) {
	const advice = "its path is from the folder of the suite"
	bytes := 0
	for _, name := range names {
		path := resolve(r.dir, name)
		files, err := dataset.Files(r.ctx, path)
		if err != nil {
			r.unreadFile(n, name, advice, err)
			return nil
		}
		for _, file := range r.others(path, files) {
			read, err := dataset.Read(r.ctx, file)
			if err != nil {
				r.unreadFile(n, file, advice, err)
				return nil
			}
			if written && len(read) == 1 {
				namedByFile(path, file, read[0])
			}
			rows = append(rows, read...)
			bytes += dataset.Size(read)
			if len(rows) > dataset.MaxRows || bytes > dataset.MaxBytes {
				r.Fail(n, fmt.Sprintf("stands for more than %d rows or %s", dataset.MaxRows, prose.ByteCount(dataset.MaxBytes)), "")
				return nil
			}
		}
	}
	if len(rows) == 0 {
		r.Fail(n, "has no row", "")
	}
	return rows
}

// items are the scenarios of rows as they would be written, in the order of the rows. Of a sample, those rows are taken
// whose names have the smallest hashes: a row that is added changes the sample by one at most.
func (r *scenarioReader) items(
	template *yaml.Node, named bool, rows []dataset.Row, size int, seed uint64,
) []*yaml.Node {
	before := len(r.Problems)
	names := make([]string, len(rows))
	nameTemplate := memberOf(template, "name")
	places := map[string]trial.Place{}
	for i, row := range rows {
		if len(r.Problems) > before {
			return nil
		}
		n := row.Value("name")
		if named {
			r.At("name", func() { n = r.filled(nameTemplate, row, true) })
		}
		if n != nil {
			names[i] = n.Value
		}
		if at, twice := places[names[i]]; twice && names[i] != "" && len(r.Problems) == before {
			r.StandsIn(row.Place.File, row.Node)
			r.At("name", func() {
				r.Fail(row.Node, yamlnode.Shown(names[i])+" is given twice", "it stands already in "+at.String())
			})
		}
		places[names[i]] = row.Place
	}
	taken := make([]int, len(rows))
	for i := range rows {
		taken[i] = i
	}
	if size > 0 && size < len(rows) {
		taken = smallest(names, size, seed)
	}
	var items []*yaml.Node
	for _, i := range taken {
		if len(r.Problems) > before || len(items) > maxScenarios {
			break
		}
		r.StandsIn(rows[i].Place.File, rows[i].Node)
		items = append(items, r.item(template, named, rows[i]))
	}
	return items
}

// smallest returns the indices of the names with the smallest hashes, in their order.
//
// That is bottom-k sampling: E. Cohen and H. Kaplan, Summarizing data using bottom-k sketches, PODC 2007.
func smallest(names []string, size int, seed uint64) []int {
	type hashedIndex struct {
		hash  [sha256.Size]byte
		index int
	}
	all := make([]hashedIndex, len(names))
	for i, name := range names {
		all[i] = hashedIndex{sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, seed), name...)), i}
	}
	slices.SortFunc(all, func(a, b hashedIndex) int {
		return cmp.Or(slices.Compare(a.hash[:], b.hash[:]), cmp.Compare(a.index, b.index))
	})
	var indices []int
	for _, h := range all[:size] {
		indices = append(indices, h.index)
	}
	slices.Sort(indices)
	return indices
}

// item is a row as a scenario.
func (r *scenarioReader) item(template *yaml.Node, named bool, row dataset.Row) *yaml.Node {
	item := &yaml.Node{
		Kind: yaml.MappingNode, Tag: "!!map", Line: row.Place.Line, Column: row.Place.Column,
	}
	r.Files[item] = row.Place.File
	if !named { // the row is a scenario, with the tags of the source besides
		item.Content = slices.Clone(row.Node.Content)
		tags := memberOf(template, "tags")
		own := memberOf(row.Node, "tags")
		switch {
		case tags == nil:
		case own == nil:
			item.Content = append(item.Content, template.Content...)
		case own.Kind == yaml.SequenceNode && tags.Kind == yaml.SequenceNode:
			both := r.like(own, yaml.SequenceNode, slices.Clone(own.Content))
			for _, tag := range tags.Content {
				if !slices.ContainsFunc(own.Content, func(n *yaml.Node) bool { return n.Value == tag.Value }) {
					both.Content = append(both.Content, tag)
				}
			}
			item.Content[slices.Index(item.Content, own)] = both
		}
		return item
	}
	for i := 0; i+1 < len(template.Content); i += 2 {
		name, value := template.Content[i], template.Content[i+1]
		r.At(name.Value, func() { value = r.filled(value, row, name.Value == "name" || name.Value == "tags") })
		item.Content = append(item.Content, name, value)
	}
	return item
}

// adviseOnTypes tells of forms where a column is of a type that cannot stand there.
func (r *scenarioReader) adviseOnTypes(before int) {
	for _, p := range r.Problems[min(before, len(r.Problems)):] {
		switch {
		case p.File == r.File:
		case strings.HasPrefix(p.Problem, "must be text"):
			p.Advice = "write {column:text} for the text of a column"
		case strings.HasPrefix(p.Problem, "must be a number"), strings.HasPrefix(p.Problem, "must be a whole number"):
			p.Advice = "write {column:number} for a number that is written as text, as in CSV"
		case strings.HasPrefix(p.Problem, "has no key"):
			p.Advice = strings.TrimPrefix(p.Advice+`; a source with a name, such as name: "{id}", makes scenarios of columns`,
				"; ")
		}
	}
}

// identifiers collects the names in a condition.
type identifiers struct{ names []string }

// Visit takes a name. Those of functions are parts of calls, and are no identifiers there.
func (v *identifiers) Visit(n *ast.Node) {
	if name, ok := (*n).(*ast.IdentifierNode); ok && name.Value != "$env" && !slices.Contains(v.names, name.Value) {
		v.names = append(v.names, name.Value)
	}
}

// columnsIn are the columns that a condition names.
func columnsIn(n ast.Node) []string {
	var v identifiers
	ast.Walk(&n, &v)
	return v.names
}
