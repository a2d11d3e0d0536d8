package benchmarks

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// promptfoo writes {results: {version, prompts, results}}, older versions with a
// table or without the outer object, or the rows alone as JSON lines. A row is one
// test with one prompt and provider.
//
//	{"evalId":"eval-1","results":{"version":3,"prompts":[...],"results":[{"promptIdx":0,"testIdx":0,"success":true,
//	  "score":1,"provider":{"id":"openai:gpt-5"},"vars":{},"response":{"output":"...","tokenUsage":{}}}]}}
//
// Version 3 is that of promptfoo 0.118.
func showsPromptfoo(s *record.Shape) bool {
	n := s.First()
	results := n.At("results")
	switch {
	case isPromptfooRow(n):
		return true
	case s.Array:
		return false
	case results.IsObject():
		return n.Has("evalId") || results.Has("version", "prompts") || results.At("table", "head").IsObject()
	}
	return n.At("version").Exists() && (n.At("table", "head").IsObject() || isPromptfooRow(results.First()))
}

// isPromptfooRow reports whether n is a row: with its indexes, or a provider and a prompt.
func isPromptfooRow(n record.Node) bool {
	return n.Has("success") && (n.Has("promptIdx", "testIdx") || n.At("provider").Exists() &&
		n.At("prompt", "raw").IsText())
}

// Promptfoo decodes promptfoo results.
var Promptfoo = record.Decoder{Shows: showsPromptfoo, Read: readPromptfoo}

// readPromptfoo makes a trial of each row. All rows are held until the file ends: only then
// is it known which providers have several prompts.
func readPromptfoo(in *record.Input) error {
	p := &promptfoo{in: in, tests: testNames{}}
	err := in.Records(func(n record.Node, line int) error {
		if isPromptfooRow(n) {
			p.rows = append(p.rows, promptfooRow{n, line})
			return nil
		}
		results := n.At("results")
		if !results.IsObject() {
			results = n // without the outer object
		}
		p.add(n, results, line)
		return nil
	})
	if err != nil {
		return err
	}
	p.findPrompts()
	for _, row := range p.rows {
		if err := p.row(row); err != nil {
			return err
		}
	}
	return nil
}

// promptfoo is a file of results.
type promptfoo struct {
	in      *record.Input
	eval    record.Node // the document around the results
	rows    []promptfooRow
	prompts map[string][]string // the prompts of each provider, in their order
	tests   testNames           // what each name of a test stands for
}

// promptfooRow is a row, and the line where it begins.
type promptfooRow struct {
	record.Node
	line int
}

// add takes in the rows of a document.
func (p *promptfoo) add(document, results record.Node, line int) {
	p.eval = document
	rows := results.At("results").List()
	if len(rows) == 0 {
		rows = tableRows(results.At("table"))
	}
	for _, row := range rows {
		if !row.IsObject() {
			p.in.Notes.Skip(record.NoObject)
			continue
		}
		p.rows = append(p.rows, promptfooRow{row, line})
	}
}

// tableRows returns the cells of a table, as older versions write it, in the shape
// of rows.
// A table has a head with the names of variables and the prompts, and a body of lines, each
// with the values of the variables and a cell for each prompt.
func tableRows(table record.Node) (rows []record.Node) {
	head := table.At("head", "prompts").List()
	names := table.At("head", "vars").List()
	for _, line := range table.At("body").List() {
		vars := map[string]any{}
		for i, v := range line.At("vars").List() {
			if i < len(names) {
				vars[names[i].Text()] = v.Value
			}
		}
		for i, cell := range line.At("outputs").List() {
			row := map[string]any{
				"vars": vars, "testCase": cell.Either("testCase", "test").Value, "response": map[string]any{
					"output": cell.At("text").Value, "tokenUsage": cell.At("tokenUsage").Value,
				},
				"success": cell.At("pass").Value, "promptIdx": strconv.Itoa(i),
				"prompt": map[string]any{"raw": cell.At("prompt").Value},
			}
			if i < len(head) {
				row["provider"] = head[i].At("provider").Value
			}
			for _, name := range []string{"score", "cost", "latencyMs", "failureReason", "error", "gradingResult",
				"namedScores"} {
				row[name] = cell.At(name).Value
			}
			rows = append(rows, record.Node{Value: row})
		}
	}
	return rows
}

// provider returns the name of what answered.
// It is an object, or a plain name; a label is what the user calls it.
func (r promptfooRow) provider() string {
	p := r.At("provider")
	for _, name := range []record.Node{p.At("label"), p.At("id"), p} {
		if text := name.Text(); text != "" {
			return record.ValidText(text)
		}
	}
	return ""
}

// prompt identifies the prompt of a row within its provider.
// It is the index of the prompt among all, or else its id.
func (r promptfooRow) prompt() string {
	if idx := r.At("promptIdx").Text(); idx != "" {
		return idx
	}
	return r.At("promptId").Text()
}

// findPrompts notes which providers have several prompts: those are variants.
func (p *promptfoo) findPrompts() {
	p.prompts = map[string][]string{}
	for _, r := range p.rows {
		if prompts := p.prompts[r.provider()]; !slices.Contains(prompts, r.prompt()) {
			p.prompts[r.provider()] = append(prompts, r.prompt())
		}
	}
}

// variant names the provider of a row, and the prompt if the provider has several.
func (p *promptfoo) variant(r promptfooRow) string {
	provider := r.provider()
	if len(p.prompts[provider]) < 2 {
		return provider
	}
	label := r.At("prompt", "label").Text()
	// A label that is the prompt itself, or a template, names nothing that a reader could use.
	if label == "" || label == r.At("prompt", "raw").Text() || len(label) > longestName ||
		strings.ContainsAny(label, "\r\n{") {
		label = "prompt " + r.prompt()
	}
	return record.ValidText(strings.TrimSpace(provider + " " + label))
}

// test names the test of a row. Repeats of a test have nothing in common but its
// description, or its variables and assertions.
// promptfoo numbers its tests by place in the file, which is no name: a test that is added
// would rename all that follow.
func (p *promptfoo) test(r promptfooRow) string {
	if d := r.At("testCase").Either("description"); d.Text() != "" {
		return record.ValidText(d.Text())
	}
	if d := r.At("description").Text(); d != "" {
		return record.ValidText(d)
	}
	vars := r.At("vars")
	if vars.Length() == 0 {
		vars = r.At("testCase", "vars")
	}
	var parts []string
	for name, v := range vars.Members() {
		text := v.Text()
		if text == "" {
			text = string(v.Raw())
		}
		parts = append(parts, name+"="+text)
	}
	name := strings.Join(strings.Fields(strings.Join(parts, ", ")), " ")
	// What two tests of one name do not share tells them apart; testIdx differs among repeats.
	key := string(vars.Raw()) + string(r.At("testCase", "assert").Raw())
	if name == "" {
		name = "test"
	}
	return record.ValidText(p.tests.name(shortName(name, key), key))
}
