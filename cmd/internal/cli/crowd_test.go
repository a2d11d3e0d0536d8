package cli

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// badFiles are inputs that no command can use, by what is wrong with them. Each is what goes wrong with real files: cut
// off, of another encoding, of another program, or made to harm.
var badFiles = map[string]string{
	"nothing":             "",
	"blanks":              " \n\t\n  \n",
	"mark":                "\xef\xbb\xbf",
	"utf16":               "\xff\xfe{\x00}\x00",
	"utf16be":             "\xfe\xff\x00{\x00}",
	"nul":                 "\x00\x00\x00\x00",
	"elf":                 "\x7fELF\x02\x01\x01\x00",
	"gzip cut":            "\x1f\x8b\x08\x00\x00\x00\x00\x00",
	"gzip header":         "\x1f\x8b",
	"gzip damaged":        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff",
	"zip cut":             "PK\x03\x04\x14\x00",
	"zstd":                "\x28\xb5\x2f\xfd\x00",
	"prose":               "these are my notes about the run",
	"html":                "<!DOCTYPE html><html><body>404</body></html>",
	"xml bomb":            `<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;">]><a>&c;</a>`,
	"junit cut":           `<testsuites><testsuite name="a"><testcase name="t">`,
	"junit without cases": `<testsuites><testsuite name="a"/></testsuites>`,
	"deep lists":          strings.Repeat("[", 100_000),
	"deep objects":        strings.Repeat(`{"a":`, 100_000),
	"cut in a key":        `{"scenario`,
	"cut in a text":       `{"scenario":"a`,
	"cut after a colon":   `{"scenario":`,
	"cut in an object":    `{"scenario":"a","outcome":"pass"`,
	"cut in a list":       `{"scenario":"a","outcome":"pass","steps":[{"action":"respond"}`,
	"key twice":           `{"scenario":"a","outcome":"pass","outcome":"fail"}`,
	"escaped key twice":   `{"scenario":"a","outcome":"pass","outc\u006fme":"fail"}`,
	"NaN":                 `{"scenario":"a","outcome":"pass","cost_usd":NaN}`,
	"huge number":         `{"scenario":"a","outcome":"pass","cost_usd":1e999}`,
	"negative":            `{"scenario":"a","outcome":"pass","cost_usd":-1}`,
	"fraction":            `{"scenario":"a","trial":1.5,"outcome":"pass"}`,
	"text for a number":   `{"scenario":"a","outcome":"pass","cost_usd":"1"}`,
	"number for a name":   `{"scenario":5,"outcome":"pass"}`,
	"list for steps":      `{"scenario":"a","outcome":"pass","steps":{}}`,
	"null outcome":        `{"scenario":"a","outcome":5}`,
	"unknown outcome":     "{\"scenario\":\"a\",\"outcome\":\"\\u001b[2Jpased\"}",
	"not UTF-8":           "{\"scenario\":\"\xff\",\"outcome\":\"pass\"}",
	"half a pair":         `{"scenario":"a","outcome":"pass","started_at":"yesterday"}`,
	"two values":          `{"scenario":"a","outcome":"pass"} {"scenario"`,
	"python":              `{'scenario': 'a', 'outcome': 'pass'}`,
	"comma at the end":    `{"scenario":"a","outcome":"pass",}`,
	"escape in a key":     "{\"Time\":\"\",\"Acti\\n\\u001b[31m\":\"\",\"Package\":\"\"}",
	"command":             `{"##vso[task.setvariable variable=PATH]x":1}`,
	"csv without rows":    "scenario,outcome\n",
	"csv quote":           "scenario,outcome\n\"a,pass\n",
	"csv cells":           "scenario,outcome\na,pass,b\n",
	"csv column twice":    "scenario,outcome,outcome\na,pass,fail\n",
	"csv outcome":         "scenario,outcome\na,perhaps\n",
	"yaml alias":          "a: &x [1]\nb: *x\n",
	"yaml tag":            "a: !!python/object:os.system x\n",
	"yaml merge":          "a: &x {b: 1}\nc: {<<: *x}\n",
	"another version":     `{"schema":"tribunal/run/v99"}`,
	"no version":          `{"schema":5}`,
}

// ofGo finds what Go says to those who write in it.
var ofGo = regexp.MustCompile(`%!|0x[0-9a-f]{4}|runtime error|<nil>|\bEOF\b|unexpected end of JSON|cannot unmarshal|` +
	`Go (struct|value)|interface conversion|strconv\.|goroutine|encoding/|reflect\.|errors\.|\bnil\b`)

// Each of these files is refused by every command: exit code 65, a message in which nothing acts on a terminal or
// on a build server, and nothing on standard output.
func TestBadFilesByEveryCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs a thousand commands")
	}
	folder := t.TempDir()
	good := filepath.Join(folder, "good.jsonl")
	contract := filepath.Join(folder, "contract.yaml")
	for name, text := range map[string]string{
		good:     `{"scenario":"a","outcome":"pass"}`,
		contract: "version: 1\nname: c\nclauses:\n  - {name: a, kind: guardrail, forbid: {tools: x}}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	commands := []string{
		"verdict FILE --threshold 0.5", "verdict FILE --threshold 0.9 --delta 0.1 --sequential", "compare FILE " + good,
		"compare " + good + " FILE", "fingerprint FILE", "coverage FILE",
		"import FILE -o " + filepath.Join(folder, "imported"),
		"forecast FILE --runs-per-day 5", "plan --prior FILE --threshold 0.9", "plan --baseline FILE --delta 0.1",
		"report FILE --format text", "report FILE --format html", "verify FILE", "check FILE", "run FILE",
		"contract check FILE " + good, "contract check " + contract + " FILE", "coverage " + good + " --tools FILE",
		"verdict FILE --threshold 0.5 --from junit", "verdict FILE --threshold 0.5 --from otlp",
	}
	tried := 0
	file := filepath.Join(folder, "file")
	for what, text := range badFiles {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, command := range commands {
			tried++
			args := strings.Fields(strings.ReplaceAll(command, "FILE", file))
			code, stdout, stderr := tribunal(context.Background(), App{}, args...)
			if code != ExitInput || stdout != "" {
				t.Errorf("%s: %s: exit code %d, stdout %q, stderr %q", what, command, code, stdout, stderr)
			}
			acts := func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
			if !strings.HasPrefix(stderr, "tribunal: ") || strings.ContainsFunc(stderr, acts) ||
				strings.Contains(stderr, "##vso[") {
				t.Errorf("%s: %s: stderr %q", what, command, stderr)
			}
			// Whoever named many files has to know which it is, and what is wrong in words of a person.
			problem, _, _ := strings.Cut(stderr[strings.LastIndex("\n"+stderr, "\ntribunal: "):], "\n  hint: ")
			if !strings.Contains(problem, file) || ofGo.MatchString(stderr) {
				t.Errorf("%s: %s: the message is %q", what, command, stderr)
			}
		}
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 3 {
		t.Errorf("left: %v, %v", left, err)
	}
	if tried < 400 {
		t.Errorf("only %d were tried", tried)
	}
}
