package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// promptfoo writes {results: {version, prompts, results}}, older versions with a
// table or without the outer object, or the rows alone as JSON lines. A row is one
// test with one prompt and provider.
func showsPromptfoo(s *shape) bool {
	n := s.first()
	results := n.at("results")
	switch {
	case isPromptfooRow(n):
		return true
	case s.array:
		return false
	case results.isObject():
		return n.has("evalId") || results.has("version", "prompts") || results.at("table", "head").isObject()
	}
	return n.at("version").exists() && (n.at("table", "head").isObject() || isPromptfooRow(results.first()))
}

func isPromptfooRow(n node) bool {
	return n.has("success") && (n.has("promptIdx", "testIdx") || n.at("provider").exists() && n.at("prompt", "raw").isText())
}

func readPromptfoo(in *input) error {
	p := &promptfoo{in: in, tests: map[string]string{}}
	err := in.records(func(n node, line int) error {
		if isPromptfooRow(n) {
			p.rows = append(p.rows, promptfooRow{n, line})
			return nil
		}
		results := n.at("results")
		if !results.isObject() {
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
	in      *input
	eval    node // the document around the results
	rows    []promptfooRow
	prompts map[string][]string // the prompts of each provider, in their order
	tests   map[string]string   // what each name of a test stands for
}

type promptfooRow struct {
	node
	line int
}

// add takes in the rows of a document.
func (p *promptfoo) add(document, results node, line int) {
	p.eval = document
	rows := results.at("results").list()
	if len(rows) == 0 {
		rows = tableRows(results.at("table"))
	}
	for _, row := range rows {
		if !row.isObject() {
			p.in.notes.skip(noObject)
			continue
		}
		p.rows = append(p.rows, promptfooRow{row, line})
	}
}

// tableRows returns the cells of a table, as older versions write it, in the shape
// of rows.
func tableRows(table node) (rows []node) {
	head := table.at("head", "prompts").list()
	names := table.at("head", "vars").list()
	for _, line := range table.at("body").list() {
		vars := map[string]any{}
		for i, v := range line.at("vars").list() {
			if i < len(names) {
				vars[names[i].text()] = v.value
			}
		}
		for i, cell := range line.at("outputs").list() {
			row := map[string]any{
				"vars": vars, "testCase": cell.either("testCase", "test").value, "response": map[string]any{
					"output": cell.at("text").value, "tokenUsage": cell.at("tokenUsage").value,
				},
				"success": cell.at("pass").value, "prompt": map[string]any{"raw": cell.at("prompt").value}, "promptIdx": strconv.Itoa(i),
			}
			if i < len(head) {
				row["provider"] = head[i].at("provider").value
			}
			for _, name := range []string{"score", "cost", "latencyMs", "failureReason", "error", "gradingResult", "namedScores"} {
				row[name] = cell.at(name).value
			}
			rows = append(rows, node{row})
		}
	}
	return rows
}

// provider returns the name of what answered.
func (r promptfooRow) provider() string {
	p := r.at("provider")
	for _, name := range []node{p.at("label"), p.at("id"), p} {
		if text := name.text(); text != "" {
			return validText(text)
		}
	}
	return ""
}

// prompt identifies the prompt of a row within its provider.
func (r promptfooRow) prompt() string {
	if idx := r.at("promptIdx").text(); idx != "" {
		return idx
	}
	return r.at("promptId").text()
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
	label := r.at("prompt", "label").text()
	if label == "" || label == r.at("prompt", "raw").text() || len(label) > longestName || strings.ContainsAny(label, "\r\n{") {
		label = "prompt " + r.prompt()
	}
	return validText(strings.TrimSpace(provider + " " + label))
}

// longestName is how much of the variables of a test is its name, in bytes.
const longestName = 80

// test names the test of a row. Repeats of a test have nothing in common but its
// description, or its variables and assertions.
func (p *promptfoo) test(r promptfooRow) string {
	if d := r.at("testCase").either("description"); d.text() != "" {
		return validText(d.text())
	}
	if d := r.at("description").text(); d != "" {
		return validText(d)
	}
	vars := r.at("vars")
	if vars.length() == 0 {
		vars = r.at("testCase", "vars")
	}
	var parts []string
	for name, v := range vars.members() {
		text := v.text()
		if text == "" {
			text = string(v.raw())
		}
		parts = append(parts, name+"="+text)
	}
	name := strings.Join(strings.Fields(strings.Join(parts, ", ")), " ")
	key := string(vars.raw()) + string(r.at("testCase", "assert").raw())
	if name == "" {
		name = "test"
	}
	mark := sha256.Sum256([]byte(key))
	if len(name) > longestName {
		name = strings.ToValidUTF8(name[:longestName], "") + "… #" + hex.EncodeToString(mark[:4])
	}
	if other, taken := p.tests[name]; taken && other != key {
		name += " #" + hex.EncodeToString(mark[:4])
	}
	p.tests[name] = key
	return validText(name)
}
