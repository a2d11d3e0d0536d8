package forged

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli"
)

// forgery is one of testdata/forged/forgeries.txt.
type forgery struct {
	name, base string
	edits      []string
	code       int
	command    []string
	says       string
}

// forgeries reads them.
func forgeries(t *testing.T) (list []forgery) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "forged", "forgeries.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for number, line := range strings.Split(string(text), "\n") {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		last := len(list) - 1
		switch {
		case word == "" || strings.HasPrefix(line, "#"):
		case !strings.HasPrefix(line, " "):
			name, base, found := strings.Cut(line, ": ")
			if !found {
				t.Fatalf("line %d: no honest file", number+1)
			}
			list = append(list, forgery{name: name, base: base})
		case word == ">":
			fields := strings.Fields(rest)
			if list[last].code, err = strconv.Atoi(fields[0]); err != nil {
				t.Fatalf("line %d: %v", number+1, err)
			}
			list[last].command = fields[1:]
		case word == "says":
			list[last].says = rest
		default:
			list[last].edits = append(list[last].edits, word+" "+rest)
		}
	}
	return list
}

// honest makes the results that forgeries are made of, in a folder of its own, which becomes the working
// directory. The clock stands at the midnight of 21 November 2026.
func honest(t *testing.T) (run func(arguments ...string) (code int, said string), files map[string][]byte) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"suite.yaml", "agent.sh"} {
		text, err := os.ReadFile(filepath.Join("testdata", "forged", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), text)
	}
	t.Chdir(dir)
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	run = func(arguments ...string) (int, string) {
		var out bytes.Buffer
		app := cli.App{Stdout: &out, Stderr: &out, Now: func() time.Time { return now }, Version: "v1"}
		code := app.Run(t.Context(), arguments)
		return code, out.String()
	}
	files = map[string][]byte{}
	keep := func(name, path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = text
	}
	must := func(code int, arguments ...string) {
		if got, said := run(append(arguments, "--ledger", "off")...); got != code {
			t.Fatalf("%q: exit code %d, want %d\n%s", arguments, got, code, said)
		}
	}
	must(0, "gate", "suite.yaml", "--output", "gate.json", "--seed", "1")
	keep("good", ".tribunal/shop.result.json")
	keep("gate", "gate.json")
	keep("journal", ".tribunal/shop.journal.jsonl")
	must(0, "run", "suite.yaml", "--only", "[abc]")
	keep("partial", ".tribunal/shop.partial.result.json")
	must(0, "run", "suite.yaml", "--record", "20", "-o", "recorded.json", "--journal", "recorded.jsonl")
	keep("recorded", "recorded.json")
	suite, err := os.ReadFile("suite.yaml")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "lax.yaml", bytes.Replace(suite, []byte("threshold: 0.9"), []byte("threshold: 0.3"), 1))
	must(0, "run", "lax.yaml", "-o", "lax.json", "--journal", "lax.jsonl")
	keep("lax", "lax.json")
	// It says yes to whatever it is asked.
	agent, err := os.ReadFile("agent.sh")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "other.sh", bytes.Replace(agent, []byte("answer=no"), []byte("answer=yes"), 1))
	write(t, "other.yaml", bytes.Replace(suite, []byte("./agent.sh"), []byte("./other.sh"), 1))
	must(0, "run", "other.yaml", "-o", "other.json", "--journal", "other.jsonl")
	keep("other", "other.json")
	write(t, "priced.sh", bytes.Replace(agent, []byte(`"cost_usd":0.01`),
		[]byte(`"model":"gpt-4o","input_tokens":1000,"output_tokens":10`), 1))
	write(t, "priced.yaml", bytes.Replace(suite, []byte("./agent.sh"), []byte("./priced.sh"), 1))
	must(0, "run", "priced.yaml", "-o", "priced.json", "--journal", "priced.jsonl")
	keep("priced", "priced.json")
	write(t, "broken", nil)
	must(1, "gate", "suite.yaml", "--output", "blocked.json", "--journal", "full.jsonl")
	keep("full", ".tribunal/shop.result.json")
	keep("blocked", "blocked.json")
	labelled(t, run)
	keep("labelled", "labelled.json")
	return run, files
}

// labelled judges by the labels of a sheet, whose answers are right where the trial says so.
func labelled(t *testing.T, run func(...string) (int, string)) {
	t.Helper()
	var trials strings.Builder
	for i := range 120 {
		answer, outcome := "right", "pass"
		if i%10 == 0 {
			answer = "wrong"
		}
		if i%7 == 0 {
			outcome = "fail"
		}
		fmt.Fprintf(&trials, `{"scenario":"s","trial":%d,"outcome":%q,"output":%q}`+"\n", i, outcome, answer)
	}
	write(t, "judged.jsonl", []byte(trials.String()))
	if code, said := run("label", "judged.jsonl", "--n", "30", "--out", "sheet.csv"); code != 0 {
		t.Fatal(said)
	}
	sheet, err := os.ReadFile("sheet.csv")
	if err != nil {
		t.Fatal(err)
	}
	sheet = bytes.ReplaceAll(bytes.ReplaceAll(sheet, []byte("right,,"), []byte("right,pass,")), []byte("wrong,,"),
		[]byte("wrong,fail,"))
	write(t, "sheet.csv", sheet)
	code, said := run("verdict", "judged.jsonl", "--threshold", "0.6", "--labels", "sheet.csv", "--ledger", "off",
		"--json",
		"-o", "labelled.json")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
}

// forge makes one of an honest file.
func (f forgery) forge(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	text := files[f.base]
	if text == nil {
		t.Fatalf("there is no honest file %q", f.base)
	}
	if f.base == "journal" {
		for _, edit := range f.edits {
			words := strings.Fields(edit)
			text = changed(t, text, words[1], words[2])
		}
		return text
	}
	document := decoded(t, text)
	for _, edit := range f.edits {
		words := strings.SplitN(edit, " ", 3)
		path := strings.Split(words[1], ".")
		switch words[0] {
		case "set":
			value := decoded(t, []byte(words[2]))
			edited(t, &document, path, func(any) (any, bool) { return value, true })
		case "cut":
			edited(t, &document, path, func(any) (any, bool) { return nil, false })
		case "take":
			from := decoded(t, files[words[2]])
			var value any
			edited(t, &from, path, func(x any) (any, bool) { value = x; return x, true })
			edited(t, &document, path, func(any) (any, bool) { return value, true })
		case "swap":
			document = decoded(t, changed(t, encoded(t, document), words[1], words[2]))
		default:
			t.Fatalf("there is no edit %q", words[0])
		}
	}
	return encoded(t, document)
}

// changed replaces a text that must be there.
func changed(t *testing.T, text []byte, old, with string) []byte {
	t.Helper()
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("there is no %s to replace", old)
	}
	return bytes.ReplaceAll(text, []byte(old), []byte(with))
}

func decoded(t *testing.T, text []byte) (value any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		t.Fatalf("%s: %v", text[:min(len(text), 80)], err)
	}
	return value
}

// encoded writes a document with its schema first, as results are.
func encoded(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := json.Marshal(value.(map[string]any)["schema"])
	if err != nil {
		t.Fatal(err)
	}
	member := []byte(fmt.Sprintf(`"schema":%s`, schema))
	for _, other := range [][]byte{append([]byte(","), member...), append(slices.Clone(member), ',')} {
		if at := bytes.LastIndex(text, other); at >= 0 {
			rest := append(slices.Clone(text[1:at]), text[at+len(other):]...)
			return append(append(append([]byte("{"), member...), ','), rest...)
		}
	}
	return text
}

// edited changes the values at a path, which must be there unless it is that of a new member. The function
// returns false to remove them.
func edited(t *testing.T, at *any, path []string, edit func(any) (any, bool)) {
	t.Helper()
	if len(path) == 0 {
		*at, _ = edit(*at)
		return
	}
	switch value := (*at).(type) {
	case map[string]any:
		member, known := value[path[0]]
		if !known && len(path) > 1 {
			t.Fatalf("there is no member %q", path[0])
		}
		if len(path) > 1 {
			edited(t, &member, path[1:], edit)
			value[path[0]] = member
		} else if changed, keep := edit(member); keep {
			value[path[0]] = changed
		} else {
			delete(value, path[0])
		}
	case []any:
		from, to := 0, len(value)
		if path[0] != "*" {
			i, err := strconv.Atoi(path[0])
			if err != nil || i < 0 || i >= len(value) {
				t.Fatalf("there is no item %q among %d", path[0], len(value))
			}
			from, to = i, i+1
		}
		for i := from; i < to; i++ {
			if len(path) > 1 {
				edited(t, &value[i], path[1:], edit)
			} else if changed, keep := edit(value[i]); keep {
				value[i] = changed
			} else {
				*at = slices.Delete(value, i, i+1)
				return
			}
		}
	default:
		t.Fatalf("%q is within %v", path[0], value)
	}
}

// Whatever is changed of a result by hand, a gate does not deploy by it; what nothing follows from is named.
func TestForgedResults(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs some hundred commands")
	}
	list := forgeries(t)
	if len(list) < 40 {
		t.Fatalf("%d forgeries", len(list))
	}
	run, files := honest(t)
	write(t, "honest.json", files["good"])
	write(t, "honest.jsonl", files["journal"])
	for _, f := range list {
		t.Run(f.name, func(t *testing.T) {
			write(t, "forged.json", f.forge(t, files))
			command := slices.Clone(f.command)
			for i, word := range command {
				switch word {
				case "FORGED":
					command[i] = "forged.json"
				case "HONEST":
					command[i] = "honest.json"
				case "JOURNAL":
					command[i] = "honest.jsonl"
				}
			}
			if command[0] == "gate" {
				command = append(command, "suite.yaml")
			}
			code, said := run(command...)
			// Texts are wrapped at the width of a terminal.
			if flat := strings.Join(strings.Fields(said), " "); code != f.code || !strings.Contains(flat, f.says) {
				t.Errorf("%q: exit code %d, want %d and %q\n%s", command, code, f.code, f.says, said)
			}
		})
	}
	// Each honest result is believed: it is the change that is not.
	for name, want := range map[string]int{"good": 0, "full": 1, "partial": 2, "gate": 0, "blocked": 1} {
		write(t, "forged.json", files[name])
		if code, said := run("gate", "--results", "forged.json", "suite.yaml"); code != want {
			t.Errorf("%s: exit code %d, want %d\n%s", name, code, want, said)
		}
	}
}
