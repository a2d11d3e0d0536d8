package dataset

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
)

// read reads a text as a file of that name, each row as JSON with its place.
func read(t *testing.T, name, text string) (rows []string, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	found, err := Read(context.Background(), path)
	for _, row := range found {
		row.Place.File = name
		d := yamlnode.Decoder{}
		rows = append(rows, row.Place.String()+" "+string(d.JSON(row.Node)))
	}
	return rows, err
}

func TestRead(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.csv", "\ufeffid,text\n1,\"a, \"\"b\"\"\nc\"\n\n2,\n",
			`a.csv:2 {"id":"1","text":"a, \"b\"\nc"}|a.csv:5 {"id":"2","text":""}`},
		{"a.TSV", "id\ttext\n1\ta,b\n", `a.TSV:2 {"id":"1","text":"a,b"}`},
		{"a.jsonl", "{\"a\": 1.50}\n\n{\"b\": [true, null, {\"c\": -2e3}], \"a\": \"\\u00e9\"}\n",
			`a.jsonl:1 {"a":1.50}|a.jsonl:3 {"b":[true,null,{"c":-2e3}],"a":"é"}`},
		{"a.json", "[\n{\"a\": {}},\n\n{\"a\": []}]", `a.json:2 {"a":{}}|a.json:4 {"a":[]}`},
		{"a.json", "{\"a\": 123456789012345678901234567890}", `a.json:1 {"a":123456789012345678901234567890}`},
		{"a.json", "[]", ``},
		{"a.yaml", "- a: 1\n- {b: x}\n", `a.yaml:1:3 {"a":1}|a.yaml:2:3 {"b":"x"}`},
		{"a.yml", "# one\na: 1\n", `a.yml:2:1 {"a":1}`},
	} {
		got, err := read(t, c.name, c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "|")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.csv", "", "is empty"},
		{"a.csv", "a,a\n1,2\n", `has the column "a" twice`},
		{"a.csv", "a\n\"x\n", "a.csv:2:4: a row cannot be read"},
		{"a.jsonl", "", "is empty"},
		{"a.jsonl", "{\"a\": 1}\n[2]\n", "a.jsonl:2: a row must be a JSON object"},
		{"a.jsonl", "{\"a\": 1}\n{\"a\": 1,\n", "the file ends within a value"},
		{"a.jsonl", "{\"a\": 1}\n{\"a\": \"\xff\"}\n", "a.jsonl:2: a row is not JSON: invalid UTF-8"},
		{"a.json", "[{\"a\": 1}] {}", "stands behind the end of the list"},
		{"a.json", "{\"a\": " + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "}", "nested deeper"},
		{"a.yaml", "- 3\n", "a.yaml:1:3: a row must be a mapping of columns, not 3"},
		{"a.yaml", "a: &x 1\nb: *x\n", "uses the alias"},
		{"a.xlsx", "", "is no file of data by its name"},
	} {
		if _, err := read(t, c.name, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, not %q", c.text, err, c.want)
		}
	}
}

// A file is read or refused, whatever it holds.
func FuzzRead(f *testing.F) {
	f.Add(byte(0), "a,b\n1,2\n")
	f.Add(byte(1), `[{"a": [1, {"b": null}]}]`)
	f.Add(byte(1), "{\"a\": 1}\n{\"a\": 2}\n")
	f.Add(byte(2), "- a: 1\n")
	f.Fuzz(func(t *testing.T, kind byte, text string) {
		names := []string{"a.csv", "a.json", "a.yaml"}
		name := names[int(kind)%len(names)]
		rows, err := readerOf(name)(name, []byte(text))
		if err != nil && (err.Error() == "" || len(rows) > 0) {
			t.Errorf("%v with %d rows", err, len(rows))
		}
		for _, row := range rows {
			if row.Place.Line < 1 || len(row.Columns()) != len(row.Node.Content)/2 {
				t.Errorf("%+v", row)
			}
			var d yamlnode.Decoder
			if d.JSON(row.Node) == nil && len(d.Problems) == 0 {
				t.Errorf("%q has no JSON", text)
			}
		}
	})
}
