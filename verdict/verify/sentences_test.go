package verify

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/relations"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

var updateSentences = flag.Bool("update", false, "write docs/sentences.md")

// kind is where a sentence stands on the page.
type kind int

const (
	passKind kind = iota
	failKind
	undecidedKind
	besideKind // behind the first reason of a verdict
	warningKind
)

// sentence is what a judge said of an example.
type sentence struct {
	kind
	code          verdict.Code
	command, text string
}

// sentenceList are the sentences of examples, those alike in all but their figures once.
type sentenceList struct {
	list []sentence
	seen map[sentence]bool
}

// figures are what differs between two examples of one sentence.
var figures = regexp.MustCompile(`"[^"]*"|(= |< )?\b[0-9][0-9.,e^+-]*|(wilson|boschloo|fisher|stratified|before|after|trials): |` +
	strings.Join(exampleNames, "|"))

func (s *sentenceList) add(k kind, command string, code verdict.Code, text string) {
	shape := sentence{k, code, command, figures.ReplaceAllString(text, "0")}
	if s.seen[shape] {
		return
	}
	s.seen[shape] = true
	s.list = append(s.list, sentence{k, code, command, text})
}

func (s *sentenceList) reasons(command string, v verdict.Verdict, reasons []verdict.Reason) {
	kinds := map[verdict.Verdict]kind{verdict.Pass: passKind, verdict.Fail: failKind, verdict.Inconclusive: undecidedKind}
	for _, r := range reasons {
		where := kinds[v]
		if r.Code != reasons[0].Code {
			where = besideKind
		}
		s.add(where, command, r.Code, r.Text)
	}
}

func (s *sentenceList) warnings(command string, warnings []verdict.Warning) {
	for _, w := range warnings {
		s.add(warningKind, command, w.Code, w.Text)
	}
}

// result takes in what a result says as a whole, and of its parts.
func (s *sentenceList) result(command string, r verdict.Result) {
	h := r.Header()
	s.reasons(command, h.Verdict, h.Reasons)
	s.warnings(command, h.Warnings)
	switch r := r.(type) {
	case *runs.Result:
		for _, t := range r.Tests {
			s.reasons(command, t.Verdict, t.Reasons)
			s.warnings(command, t.Warnings)
		}
	case *verdict.ThresholdResult:
		for _, v := range r.Scenarios {
			s.reasons(command, v.Verdict, v.Reasons)
		}
	case *relations.Result:
		for _, j := range r.Relations {
			for _, c := range j.Scenarios {
				s.reasons(command, c.Verdict, c.Reasons)
			}
		}
	case *compare.Result:
		if r.Behaviour != nil {
			s.warnings(command, r.Behaviour.Warnings)
		}
	}
}

// declared are the codes that the packages of verdicts declare, with a place of each.
func declared(t *testing.T) map[string]string {
	t.Helper()
	codes := map[string]string{}
	const root = ".."
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, spec := range group.Specs {
				value := spec.(*ast.ValueSpec)
				for i, x := range value.Values {
					if text, ok := x.(*ast.BasicLit); ok && isCode(value.Type) {
						code, err := strconv.Unquote(text.Value)
						if err != nil {
							return err
						}
						codes[code] = fmt.Sprintf("%s: %s", files.Position(value.Pos()), value.Names[i])
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(codes) < 90 {
		t.Fatalf("only %d codes are declared: %v", len(codes), codes)
	}
	return codes
}

func isCode(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name == "Code"
	case *ast.SelectorExpr:
		return x.Sel.Name == "Code"
	}
	return false
}

// unsaid are codes that stand in no result of today, and why.
var unsaid = map[string]string{
	"limits":                    "what limits broke is noted by a gate, and is no reason of it",
	"risk-above-alpha":          "of results of earlier versions",
	"scenarios-worse-in-a-pass": "of results of earlier versions",
}

// The page has every sentence that results end with, as their judges say it: each code of the packages has one.
func TestSentences(t *testing.T) {
	s := &sentenceList{seen: map[sentence]bool{}}
	for _, examples := range []func(*testing.T, *sentenceList){
		ratesSaid, runsSaid, suitesSaid, baselinesSaid, sequencesSaid, comparisonsSaid, anytimeSaid, scoresSaid, proxySaid,
		endsSaid, behaviourSaid,
		gatesSaid,
		contractsSaid, plansSaid, forecastsSaid, historiesSaid, mutationsSaid, relationsSaid, racesSaid,
		improvementsSaid, ranksSaid,
	} {
		examples(t, s)
	}
	there := map[string]bool{}
	for _, x := range s.list {
		there[string(x.code)] = true
		if strings.TrimSpace(x.text) != x.text || x.text == "" || strings.Contains(x.text, "%!") ||
			strings.Contains(x.text, "\n") {
			t.Errorf("%s: %q is no sentence", x.code, x.text)
		}
	}
	for code, place := range declared(t) {
		if _, excused := unsaid[code]; there[code] == excused {
			t.Errorf("%s: code %q: said by an example: %v", place, code, there[code])
		}
	}
	const page = "../../docs/sentences.md"
	text := sentencePage(s.list)
	if *updateSentences {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != text {
		t.Errorf("%s is not what is said: go test ./verdict/verify -run TestSentences -update, and look at the difference",
			page)
	}
}

// mostWords is how much of a sentence is on the page.
const mostWords = 10

// sentencePage writes the page: each code once, under the first kind that has it, with the shortest of its examples.
func sentencePage(list []sentence) string {
	var b strings.Builder
	b.WriteString(`# Codes of reasons and warnings

Each code that a result may hold in ` + "`reasons[].code` or `warnings[].code`" + ` ([JSON](report.md)), with a command that
writes it and the beginning of an example. Codes are stable; the sentences may change. This page is generated by a test,
which fails for a code without an example. [Promises](promises.md) lists the error rates behind them.
`)
	titles := []string{"Pass", "Fail", "Undecided", "Beside another reason", "Warnings"}
	shown := map[verdict.Code]bool{}
	for k, title := range titles {
		fmt.Fprintf(&b, "\n## %s\n", title)
		shortest := map[verdict.Code]sentence{}
		for _, x := range list {
			if have, found := shortest[x.code]; x.kind == kind(k) && (!found || words(x.text) < words(have.text)) {
				shortest[x.code] = x
			}
		}
		var again []string
		for _, code := range slices.Sorted(maps.Keys(shortest)) {
			if shown[code] {
				again = append(again, "`"+string(code)+"`")
				continue
			}
			shown[code] = true
			x := shortest[code]
			fmt.Fprintf(&b, "\n`%s`\n**%s**: %s\n", code, x.command, escaped.Replace(beginning(x.text)))
		}
		if len(again) > 0 {
			fmt.Fprintf(&b, "\nAlso, from above: %s.\n", strings.Join(again, ", "))
		}
	}
	return b.String()
}

func words(text string) int { return len(strings.Fields(text)) }

// beginning is a text, or its clauses within the first words.
func beginning(text string) string {
	all := strings.Fields(text)
	if len(all) <= mostWords {
		return text
	}
	end := mostWords
	for end > mostWords/2 && !strings.ContainsAny(all[end-1][len(all[end-1])-1:], ",;:)") {
		end--
	}
	if end == mostWords/2 {
		end = mostWords
	}
	return strings.TrimRight(strings.Join(all[:end], " "), ",;:") + "…"
}

// escaped keeps Markdown from reading marks of a sentence as its own.
var escaped = strings.NewReplacer(`*`, `\*`, `_`, `\_`, `<`, `\<`, `[`, `\[`)
