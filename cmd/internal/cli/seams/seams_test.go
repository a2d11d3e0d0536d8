package seams_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

// root is the folder of the sources, from that of the package.
var root, _ = filepath.Abs(filepath.Join("..", "..", "..", ".."))

// schemas are all that the sources name, each with the file that does.
func schemas(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	named := regexp.MustCompile(`^"tribunal/([a-z-]+)/v[0-9]+"$`)
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && name != root && (strings.HasPrefix(e.Name(), ".") ||
			slices.Contains([]string{"testdata", "jsonschema", "verify"}, e.Name())): // verify has the lists of them
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(text, []byte(`"tribunal/`)) {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if m := named.FindStringSubmatch(l.Value); m != nil {
					found[m[1]] = name
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Every kind of document has a row, and every command is one that makes a row, reads one, or does neither.
func everyKindAndCommand(t *testing.T, _ *agent, rows []*row) {
	all := schemas(t)
	kinds := map[string]bool{}
	var lines []string
	for _, r := range rows {
		kinds[r.kind] = true
		if all[r.kind] == "" {
			t.Errorf("%s: there is no kind %s", r.name, r.kind)
		}
		lines = append(append(lines, r.before...), r.args)
	}
	for kind, file := range all {
		if !kinds[kind] {
			t.Errorf("there is no row of the kind %s of %s", kind, file)
		}
	}
	if len(all) < 50 {
		t.Errorf("only %d kinds are found", len(all))
	}
	for _, k := range kept() {
		lines = append(lines, k.args)
	}
	other := map[string]string{ // reads results or runs, in a test of its own below; or has nothing to do with either
		"report": "reads", "report verify": "reads", "report view": "reads", "report diff": "reads",
		"store serve": "reads", "mcp": "reads", "store traces": "reads",
		"store scenario": "reads", "wire": "records an agent", "run worker": "of a fleet", "import sql": "prints a query",
		"init": "writes a suite", "check schema": "prints schemas", "completion": "of shells", "man": "pages",
		"version": "prints it", "help": "prints help", "store export": "copies", "store import": "copies",
		"store label": "notes", "store prune": "forgets", "store result": "reads", "wire mcp": "records an agent",
		"wire serve": "records an agent",
	}
	var names []string
	for _, name := range completions(t, "") {
		below := completions(t, name)
		if name == "help" {
			below = nil // it completes the names of the others
		}
		if len(below) == 0 || name != "improve" { // which only holds others
			names = append(names, name)
		}
		for _, sub := range below {
			names = append(names, name+" "+sub)
		}
	}
	for _, name := range names {
		makes := slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, name+" ") })
		if makes == (other[name] != "") {
			t.Errorf("tribunal %s makes a row: %v, and it is said that it %q", name, makes, other[name])
		}
	}
}

// completions are the names of the commands below one, or of those of the first rank.
func completions(t *testing.T, name string) (names []string) {
	t.Helper()
	args := append(append([]string{"__complete"}, strings.Fields(name)...), "")
	for line := range strings.Lines(tribunal(t.Context(), "", args...).stdout) {
		if name, _, is := strings.Cut(strings.TrimSpace(line), "\t"); is && !strings.HasPrefix(name, ":") {
			names = append(names, name)
		}
	}
	return names
}

// figure is what stands at a path of a document, such as suite.passes.
func figure(document any, path string) any {
	for _, name := range strings.Split(path, ".") {
		switch v := document.(type) {
		case map[string]any:
			document = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(v) {
				return nil
			}
			document = v[i]
		default:
			return nil
		}
	}
	return document
}

// The figures of every document are those that follow from how it was made.
func figuresAreKnown(t *testing.T, _ *agent, rows []*row) {
	for _, r := range rows {
		var document any
		if err := json.Unmarshal([]byte(r.text), &document); err != nil {
			t.Errorf("%s: %v", r.name, err)
			continue
		}
		for path, want := range r.want {
			got := figure(document, path)
			x, is := got.(float64)
			y, number := want.(float64)
			if !is || !number || math.Abs(x-y) > 1e-9 {
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s: %s is %v, want %v", r.name, path, got, want)
				}
			}
		}
		if r.verdict != "" && figure(document, "decision") == nil && figure(document, "verdict") != r.verdict {
			t.Errorf("%s: the verdict is %v, want %s", r.name, figure(document, "verdict"), r.verdict)
		}
		// What the agent counted: trials, and passes, of each scenario of a run.
		tests, _ := figure(document, "scenarios").([]any)
		if r.kind != "run" || len(r.answered) == 0 || r.interrupted != "" || len(r.before) > 0 {
			continue
		}
		for _, test := range tests {
			n := r.answered[fmt.Sprint(figure(test, "name"))]
			if figure(test, "passes") != float64(n[0]) || figure(test, "trials") != float64(n[0]+n[1]) {
				t.Errorf("%s: %v of %v passed, and the agent answered %v", r.name, figure(test, "passes"),
					figure(test, "trials"), n)
			}
		}
	}
}

// known reports whether the kind is one of results.
func (r *row) known() bool {
	return slices.ContainsFunc(verify.Kinds(), func(k verify.Kind) bool { return k.Schema == "tribunal/"+r.kind+"/v1" })
}

// isScore reports whether the result is a score of mutants, of which nothing was required: no verdict.
func (r *row) isScore() bool { return r.kind == "mutation" || r.kind == "mutation-checks" }

// word is what a reader calls the verdict; "" where there is none.
func (r *row) word() string {
	if r.kind == "gate" {
		return map[string]string{"pass": "DEPLOY", "fail": "BLOCK", "inconclusive": "REVIEW"}[r.verdict]
	}
	if r.isScore() {
		return "SCORE"
	}
	return strings.ToUpper(r.verdict)
}

// exitOf is that of a verdict.
func exitOf(verdict string) int {
	return max(0, slices.Index([]string{"", "fail", "inconclusive"}, verdict))
}

// cell is one reader before one row.
type cell struct {
	reader string
	got    commandOutput
	code   int    // that is wanted
	says   string // a regular expression of what it prints, or of why it refuses
	check  func(out string) error
}

// counted are the cells of the matrix.
var counted struct {
	sync.Mutex
	works, refused int
}

// judge judges a cell.
func (c *cell) judge(t *testing.T, name string) {
	t.Helper()
	counted.Lock()
	defer counted.Unlock()
	text := c.got.stdout
	if c.code > cli.ExitInconclusive {
		counted.refused++
		text = c.got.stderr
		if c.got.stdout != "" || !strings.Contains(c.got.stderr, "hint: ") {
			t.Errorf("%s before %s: refused without a hint, or with a result: %s%s", c.reader, name, c.got.stdout,
				c.got.stderr)
		}
	} else {
		counted.works++
	}
	if c.got.code != c.code || !regexp.MustCompile(c.says).MatchString(text) {
		t.Errorf("%s before %s: exit code %d, want %d and %q: %.700s%.500s", c.reader, name, c.got.code, c.code, c.says,
			c.got.stdout, c.got.stderr)
	}
	if strings.Contains(c.got.stderr, "internal error") || strings.Contains(c.got.stderr, "panic") {
		t.Errorf("%s before %s: %s", c.reader, name, c.got.stderr)
	}
	if c.check != nil && c.got.code == c.code {
		if err := c.check(c.got.stdout); err != nil {
			t.Errorf("%s before %s: %v", c.reader, name, err)
		}
	}
}

// reported are what each format has to say of a row; a new format needs its check.
func (r *row) reported(t *testing.T, f report.Format) (says string, check func(string) error) {
	t.Helper()
	switch f.String() {
	case "text":
		return "^" + r.word(), nil
	case "json":
		return "^{", func(out string) error {
			var a, b bytes.Buffer
			if err := json.Compact(&a, []byte(out)); err != nil {
				return err
			}
			if err := json.Compact(&b, []byte(r.text)); err != nil || a.String() != b.String() {
				return fmt.Errorf("it is another document: %v", err)
			}
			return nil
		}
	case "markdown", "summary":
		return "(?i)" + r.word(), nil
	case "html":
		return "(?is)^<!doctype html>.*" + r.word(), nil
	case "outputs":
		if r.kind == "gate" {
			return "(?m)^decision=" + strings.ToLower(r.word()), nil
		}
		if r.isScore() {
			return "(?m)^verdict=$", nil
		}
		return "(?m)^verdict=" + r.verdict, nil
	case "annotations":
		return "", func(out string) error {
			if strings.Contains(out, "::error") != (r.verdict == "fail") {
				return fmt.Errorf("of %q: %s", r.verdict, out)
			}
			return nil
		}
	case "junit":
		return "<testsuite", func(out string) error {
			var x struct {
				Failures int `xml:"failures,attr"`
				Suites   []struct {
					Skipped int `xml:"skipped,attr"`
				} `xml:"testsuite"`
			}
			err := xml.Unmarshal([]byte(out), &x)
			skipped := 0
			for _, s := range x.Suites {
				skipped += s.Skipped
			}
			if err != nil || (x.Failures > 0) != (r.verdict == "fail") || r.verdict == "inconclusive" && skipped == 0 {
				return fmt.Errorf("of %q: %d failures, %d skipped, %v", r.verdict, x.Failures, skipped, err)
			}
			return nil
		}
	case "gotest":
		return "", func(out string) error {
			fails := false
			for line := range strings.Lines(out) {
				var event struct{ Action string }
				if err := json.Unmarshal([]byte(line), &event); err != nil {
					return err
				}
				fails = fails || event.Action == "fail"
			}
			if fails != (r.verdict == "fail") {
				return fmt.Errorf("of %q: fails %v", r.verdict, fails)
			}
			return nil
		}
	case "metrics":
		return "^{", func(out string) error { return json.Unmarshal([]byte(out), new(map[string]any)) }
	}
	t.Errorf("the format %s has no check here", f)
	return "", nil
}

// Every document before every reader works, or is refused with a sentence that names its kind.
func everyDocumentBeforeEveryReader(t *testing.T, _ *agent, rows []*row) {
	client := connected(t)
	earlier, err := os.ReadFile("made/fresh.json")
	if err == nil {
		err = os.WriteFile("earlier.json", earlier, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for n, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			schema, file := "tribunal/"+r.kind+"/v1", r.made()
			is := "is a " + schema
			add := func(c cell, more ...string) {
				c.got = tribunal(t.Context(), "", append(strings.Fields(c.reader), more...)...)
				if !r.known() {
					c.code, c.says, c.check = cli.ExitInput, is, nil
				}
				c.judge(t, r.name)
			}
			says := "^verified: "
			if r.verdict != "" && !r.isScore() {
				says = "^verified: .*; the verdict is " + prose.Capitalised(r.verdict) + "\n"
			}
			add(cell{reader: "verify", code: exitOf(r.verdict), says: says}, file)
			// Of a result that is known all formats are written once it is verified, and one by report: to judge it again
			// for each would take long.
			all := []string{file}
			for _, f := range report.Formats() {
				all = append(all, "--report", f.String()+"=out."+f.String())
			}
			if r.known() {
				tribunal(t.Context(), "", append([]string{"report", "verify"}, all...)...)
			}
			for i, f := range report.Formats() {
				says, check := r.reported(t, f)
				c := cell{reader: "report --format " + f.String(), says: says, check: check}
				if !r.known() || i == n%len(report.Formats()) {
					add(c, file)
					continue
				}
				text, err := os.ReadFile("out." + f.String())
				if err != nil {
					t.Error(err)
				}
				c.got.stdout = string(text)
				c.judge(t, r.name)
				os.Remove("out." + f.String())
			}
			gated := map[string]cell{
				"deploy": {says: "^DEPLOY"}, "block": {code: 1, says: "^BLOCK"}, "review": {code: 2, says: "^REVIEW"},
				"other": {code: cli.ExitInput, says: "the result of another suite"},
				"":      {code: cli.ExitInput, says: is + ", which is no result that a gate decides over"},
			}[r.gate]
			gated.reader = "gate --results"
			add(gated, file, "-o", "decision.json")
			compared := cell{reader: "compare earlier.json", code: exitOf(r.compare),
				says: "^" + strings.ToUpper(r.compare)}
			switch r.compare {
			case "":
				compared.code, compared.says = cli.ExitInput, "is not the result of a run\n"
			case "other":
				compared.code, compared.says = cli.ExitInput, "no scenario is on both sides"
			}
			add(compared, file, "--ledger", "off")
			stored := cell{reader: "import --store imported.db", code: cli.ExitInput,
				says: "is a saved result, not a recording: a " + schema,
				got:  tribunal(t.Context(), "", "import", file, "--store", "imported.db")}
			stored.judge(t, r.name)
			// An agent is told the same.
			for tool, c := range map[string]cell{
				"explain": {says: "^" + r.word()}, "gate": gated, "compare": compared,
			} {
				arguments := map[string]map[string]any{"explain": {"result": file}, "gate": {"results": file},
					"compare": {"baseline": "earlier.json", "candidate": file}}[tool]
				refused, text := client.call(t, tool, arguments)
				if tool == "explain" && (r.verdict == "" || r.isScore()) {
					c.says = "^NO VERDICT"
				}
				if !r.known() {
					c.code, c.says = cli.ExitInput, is
				}
				if tool == "compare" && c.code <= cli.ExitInconclusive {
					c.says = "^(PASS|FAIL|INCONCLUSIVE)" // at smaller deltas and levels
				}
				counted.Lock()
				if c.code > cli.ExitInconclusive {
					counted.refused++
				} else {
					counted.works++
				}
				counted.Unlock()
				if refused != (c.code > cli.ExitInconclusive) || !regexp.MustCompile(c.says).MatchString(text) {
					t.Errorf("mcp %s before %s: refused %v, want %q: %.600s", tool, r.name, refused, c.says, text)
				}
			}
		})
	}
	t.Logf("%d cells work, %d refuse", counted.works, counted.refused)
}

// client is one of mcp.
type client struct {
	in    io.Writer
	lines *bufio.Scanner
	last  int
}

// connected starts the server in the folder.
func connected(t *testing.T) *client {
	t.Helper()
	in, to := io.Pipe()
	from, out := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		app := cli.App{Stdin: in, Stdout: out, Version: "seams"}
		app.Run(context.Background(), []string{"mcp", "--ledger", "off"})
		out.Close()
	}()
	t.Cleanup(func() { to.Close(); go io.Copy(io.Discard, from); <-ended })
	c := &client{in: to, lines: bufio.NewScanner(from)}
	c.lines.Buffer(nil, 10<<20)
	c.send(t, map[string]any{"id": 0, "method": "initialize", "params": map[string]any{"protocolVersion": "2025-06-18",
		"capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "seams", "version": "1"}}})
	c.lines.Scan()
	c.send(t, map[string]any{"method": "notifications/initialized"})
	return c
}

func (c *client) send(t *testing.T, message map[string]any) {
	t.Helper()
	message["jsonrpc"] = "2.0"
	text, err := json.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.in.Write(append(text, '\n')); err != nil {
		t.Fatal(err)
	}
}

// call calls a tool.
func (c *client) call(t *testing.T, tool string, arguments map[string]any) (refused bool, text string) {
	t.Helper()
	c.last++
	c.send(t, map[string]any{"id": c.last, "method": "tools/call", "params": map[string]any{"name": tool,
		"arguments": arguments}})
	for c.lines.Scan() {
		var answer struct {
			ID     int
			Result struct {
				IsError bool
				Content []struct{ Text string }
			}
			Error *struct{ Message string }
		}
		if err := json.Unmarshal(c.lines.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		switch {
		case answer.ID != c.last:
		case answer.Error != nil:
			return true, answer.Error.Message
		case len(answer.Result.Content) > 0:
			return answer.Result.IsError, answer.Result.Content[0].Text
		}
	}
	t.Fatal("the server has ended")
	return true, ""
}

// What a suite asks for and a result does not answer is open, never held: nothing of this is deployed but the first.
func gateDeploysOnlyAnswers(t *testing.T, _ *agent, _ []*row) {
	alone := regexp.MustCompile(`(?m)^.*"scenario":"b".*\n`).ReplaceAllString(recorded(240, 1), "")
	write(t, "alone.jsonl", alone)
	write(t, "elsewhere.jsonl", strings.ReplaceAll(recorded(120, 1), `"scenario":"b"`, `"scenario":"z"`))
	plain, err := os.ReadFile("plain.yaml")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "judging.yaml", strings.ReplaceAll(string(plain), "input: 1", "input: 1, evaluate: [contains: good]"))
	write(t, "limited.yaml", strings.ReplaceAll(string(plain), "limits: none", "limits: {max_turns: 50, max_cost_usd: 1}"))
	for _, c := range []struct {
		args, suite string
		code        int
	}{
		{"verdict long.jsonl --threshold 0.8", "plain.yaml", 0},
		{"verdict long.jsonl --threshold 0.3", "plain.yaml", 2},
		{"verdict long.jsonl --threshold 0.3 --by scenario", "plain.yaml", 2},
		{"verdict long.jsonl --threshold 0.3 --anytime", "plain.yaml", 2},
		{"verdict alone.jsonl --threshold 0.8", "plain.yaml", 2},
		{"verdict elsewhere.jsonl --threshold 0.8", "plain.yaml", 2},
		{"verdict long.jsonl --threshold 0.8", "judging.yaml", 2},
		{"verdict long.jsonl --threshold 0.8", "limited.yaml", 2},
		{"verdict --passes 216 --trials 240 --threshold 0.8", "plain.yaml", 2},
		{"verdict worse.jsonl --threshold 0.8", "plain.yaml", 1},
		{"verdict long.jsonl --threshold 0.8 --delta 0.1 --sequential", "judging.yaml", 2},
		{"compare main.jsonl main.jsonl --allow-duplicates", "plain.yaml", 2},
		{"compare main.jsonl better.jsonl", "plain.yaml", 2},
		{"compare main.jsonl worse.jsonl", "plain.yaml", 1},
	} {
		made := tribunal(t.Context(), "", append(strings.Fields(c.args), "--ledger", "off", "--json", "-o",
			"asked.json")...)
		got := tribunal(t.Context(), "", "gate", c.suite, "--results", "asked.json", "-o", "decision.json")
		if made.code > cli.ExitInconclusive || got.code != c.code {
			t.Errorf("%s before %s: exit codes %d and %d, want %d: %s%s%s", c.args, c.suite, made.code, got.code, c.code,
				made.stderr, got.stdout, got.stderr)
		}
	}
}
