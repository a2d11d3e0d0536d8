package architecture_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// unwanted are words and turns of phrase that readers had to learn, and what the field says.
var unwanted = []struct{ pattern, instead string }{
	{`incumbents?|champions?`, "current version"},
	{`challengers?`, "candidate"},
	{`arms?`, "variant"},
	{`sensors?`, "check that detects"},
	{`inert`, "has no effect"},
	{`fates?`, "outcome"},
	{`standings?`, "status"},
	{`(?:is|are|be|was) sure|surely`, "guaranteed, or with 95% confidence"},
	{`what (?:it|they) saw|what was seen`, "what was observed, or the trials so far"},
	{`bears? (?:on|out)`, "affects, or supports"},
	{`none is shown`, "no change was detected"},
	{`allowing for how many`, "corrected for the number of"},
	{`(?:go|goes|gone|going|went) on (?:with|where)`, "continue"},
	{`beg[ai]ns? anew`, "start again"},
	{`leave (?:it|them|one of them|--[a-z-]+) out`, "omit"},
	{`resists?`, "robust to"},
	{`fresh (?:trials?|evidence|runs?|folder|agent)`, "new"},
	{`(?:all|of|the|counts?|earlier|more|several|\d+|interim|planned|over) looks`, "analyses"},
	{`looks? (?:\d+|%d|at (?:this|a|the) (?:task|question|result))`, "analysis"},
	{`looked at again`, "analysed again"},
	{`dearer`, "more expensive"},
	{`cleared|neither cleared`, "not collapsed, or passed"},
	{`(?:every|a|no|\d+|%d) rules? (?:holds?|(?:is|are) broken)`, "checks passed, or failed"},
	{`(?:suite|design|result|gate|test) (?:asks?|wants?)`, "requires, or tests"},
	{`(?:suite|test|state|result|trials|method|this|it|that) knows?`, "has, reads, or allows for"},
	{`what is marked`, "name it"},
	{`(?:passed|trials) with (?:%d|%s|\d+) errors?`, "8 of 10 passed, 1 failed and 1 ended in an error"},
}

// unwantedWords matches any of them. Flags and names of files have a hyphen or a point beside them.
var unwantedWords = sync.OnceValue(func() *regexp.Regexp {
	var patterns []string
	for _, u := range unwanted {
		patterns = append(patterns, u.pattern)
	}
	return regexp.MustCompile(`(?i)(?:^|[^-\w./_])(?:` + strings.Join(patterns, "|") + `)(?:[^-\w._/]|[.]?$|[.]\s)`)
})

// wanted is where such a word is meant as the field means it, or is in what is read.
var wanted = []string{
	"verdict/internal/recheck/earlier.go", // sentences of results that earlier releases saved
}

// TestWordsArePlain finds such words in what programs print, which has a space in it, and in the pages of the manual,
// outside of code.
func TestWordsArePlain(t *testing.T) {
	eachSource(t, func(path string, text []byte) {
		for _, name := range wanted {
			if strings.HasSuffix(filepath.ToSlash(path), name) {
				return
			}
		}
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			e, is := n.(ast.Expr)
			if !is {
				return true
			}
			said, is := literal(e)
			if is && strings.Contains(said, " ") {
				checkWords(t, fset.Position(e.Pos()).String(), jsonTag().ReplaceAllString(said, ""))
			}
			return !is
		})
	})
	for _, pattern := range []string{"../../README.md", "../../docs/*.md", "../../report/*/page.html.tmpl",
		"../../report/internal/html/page.html.tmpl"} {
		pages, err := filepath.Glob(pattern)
		if err != nil || len(pages) == 0 {
			t.Fatalf("%s: %d pages, %v", pattern, len(pages), err)
		}
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(text), "\n") {
				if !strings.HasPrefix(line, "$ ") {
					checkWords(t, page+":"+strconv.Itoa(i+1), inCode().ReplaceAllString(line, "code"))
				}
			}
		}
	}
}

// jsonTag is the name of a field in JSON, which programs depend on.
var jsonTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^json:"[^"]*"`) })

// inCode is what stands between backquotes.
var inCode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`[^`]*`") })

// literal is the text of a string, or of several that are joined; what is computed is "%s" in it.
func literal(e ast.Expr) (text string, is bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, isLeft := literal(e.X)
		right, isRight := literal(e.Y)
		if e.Op != token.ADD || !isLeft && !isRight {
			return "", false
		}
		if !isLeft {
			left = "%s"
		}
		if !isRight {
			right = "%s"
		}
		return left + right, true
	}
	return "", false
}

func checkWords(t *testing.T, place, text string) {
	t.Helper()
	if found := unwantedWords().FindString(text); found != "" {
		t.Errorf("%s: %q is not plain: %s", place, strings.TrimSpace(found), insteadOf(found))
	}
}

// insteadOf is what the field says.
func insteadOf(found string) string {
	for _, u := range unwanted {
		if regexp.MustCompile(`(?i)` + u.pattern).MatchString(found) {
			return "say " + u.instead
		}
	}
	return ""
}

// The words are found where they are words, and not in flags, files and what stands for something else.
func TestUnwantedWordsAreFound(t *testing.T) {
	for text, want := range map[string]bool{
		"the champion stays": true, "--champion NAME": false, "look 2 of 3": true, "it looks for a drop": false,
		"kept in looks.jsonl": false, "the alarm is off": false, "leave it out": true, "what was seen": true,
		"arm": true, "an army": false, "none is shown.": true,
	} {
		if unwantedWords().MatchString(text) != want {
			t.Errorf("%q: found %v", text, !want)
		}
	}
}
