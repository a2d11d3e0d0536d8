package suite

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// manualPages are the page of the suite file and those that it leads to.
const manualPages = "../docs/suite*.md"

// relationsPage has the keys of relations.
const relationsPage = "../docs/run-relations.md"

// readManual returns what the pages of the suite file say.
func readManual(t *testing.T) string {
	t.Helper()
	pages, err := filepath.Glob(manualPages)
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) < 2 {
		t.Fatalf("there are only the pages %q", pages)
	}
	var all strings.Builder
	for _, page := range append(pages, relationsPage) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// frame is a suite around what a page shows of one.
const frame = "version: 1\nname: page\nagent: {command: [./agent]}\ntest: {threshold: 0.9}\n"

// What the manual shows of suites is read, and every evaluator is among it.
func TestManualShowsSuites(t *testing.T) {
	shown := map[string]bool{}
	blocks := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```").FindAllStringSubmatch(readManual(t), -1)
	for _, block := range blocks {
		for _, text := range suitesIn(block[1]) {
			s, err := Parse("testdata/tribunal.yaml", []byte(text))
			if err != nil {
				t.Errorf("%v in\n%s", err, text)
				continue
			}
			for _, c := range s.Scenarios {
				for _, e := range c.Evaluate {
					shown[e.Name] = true
				}
			}
		}
	}
	for _, name := range evaluatorNames() {
		if !shown[name] {
			t.Errorf("%s shows no example of %s", manualPages, name)
		}
	}
}

// suitesIn completes a block: a whole suite, evaluators, or keys of a suite.
func suitesIn(block string) (suites []string) {
	switch {
	case strings.HasPrefix(block, "version:"):
		return []string{block}
	case strings.HasPrefix(block, "- "):
		indented := "      " + strings.ReplaceAll(strings.TrimSpace(block), "\n", "\n      ")
		return []string{frame + "limits: none\nscenarios:\n  - name: a\n    evaluate:\n" + indented + "\n"}
	}
	var keys []string
	for line := range strings.Lines(block) {
		if strings.HasPrefix(line, " ") && len(keys) > 0 {
			keys[len(keys)-1] += line
			continue
		}
		keys = append(keys, line)
	}
	for _, text := range keys {
		if !strings.HasPrefix(text, "limits") {
			text += "limits: none\n"
		}
		begin := frame
		if strings.HasPrefix(text, "agent:") {
			begin = regexp.MustCompile(`(?m)^agent: .*\n`).ReplaceAllString(begin, "")
		}
		suites = append(suites, begin+text+"scenarios: [{name: a}]\n")
	}
	return suites
}

// Every key and word of the schema is named on the pages, as code.
func TestManualNamesEveryKey(t *testing.T) {
	page := readManual(t)
	var schema any
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	keysOf(schema, names)
	if len(names) < 50 {
		t.Fatalf("the schema has only %d keys", len(names))
	}
	for name := range names {
		if !regexp.MustCompile("[`.]" + regexp.QuoteMeta(name) + "[`:]").MatchString(page) {
			t.Errorf("%s does not name %s", manualPages, name)
		}
	}
}

// keysOf gathers the names of properties and the words of enumerations.
func keysOf(schema any, names map[string]bool) {
	switch schema := schema.(type) {
	case map[string]any:
		for key, value := range schema {
			if properties, ok := value.(map[string]any); ok && key == "properties" {
				for name := range properties {
					names[name] = true
				}
			}
			if words, ok := value.([]any); ok && key == "enum" {
				for _, word := range words {
					if text, ok := word.(string); ok {
						names[text] = true
					}
				}
			}
			keysOf(value, names)
		}
	case []any:
		for _, value := range schema {
			keysOf(value, names)
		}
	}
}
