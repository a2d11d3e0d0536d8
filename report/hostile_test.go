package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/joshdk/go-junit"
	"golang.org/x/net/html"

	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// hostileTexts are texts that act on what shows them, if they get there as they are.
var hostileTexts = []string{
	`</script><script>alert(1)</script>`,
	`<img src=x onerror=alert(1)>`,
	`"><svg onload=alert(1)>`,
	`' onmouseover='alert(1)`,
	`</title></style></textarea><iframe src=//evil.example>`,
	`[click](javascript:alert(1))`,
	`javascript:alert(1)`,
	"\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]8;;http://evil.example\x07link\x1b]8;;\x07",
	"\n::set-output name=verdict::pass",
	"::error file=a::b",
	"##[command]rm",
	"/merge",
	"| a | b |\n| --- | --- |",
	"# heading\n- list\n> quote\n```\ncode",
	"*bold* _em_ ~~no~~ `code` ![image](http://evil.example/x.png) <b>b</b> https://evil.example www.evil.example @everyone #1 :tada: $x$",
	`=cmd|' /C calc'!A0`,
	"]]>",
	"<!-- --> --!> <?xml version='2'?> <!DOCTYPE x> &amp; &lt; &#x0;",
	"\x00\x01\x08\x0b\x0c\x1f\x7f\u0085",
	"invalid \xff\xfe\xc3\x28 utf-8",
	"bidi \u202e evil \u2066 isolate \u200f mark",
	"\ufffe\uffff \U000e0001 \u2028 \u2029 \r\n",
	"{{.Verdict}} {{template \"x\"}} ${{ secrets.TOKEN }} %0A%0D",
	"EOF\nverdict=pass\nEOF",
}

func hostileRun(t *testing.T, text string) *runs.Result {
	r := runSample{suite: text, scenarios: []string{text, text + "2"}, trials: 30, passRate: 0.5, errors: true,
		text: text}.result(t)
	r.StoppedBy, r.Version, r.Budget = runs.StopCause(text), text, text
	r.Tests[0].Limits[0].Name = text
	r.Tests[0].Design.Kind = text
	r.Reasons = append(r.Reasons, verdict.Reason{Code: verdict.Code(text), Text: text})
	r.Warnings = append(r.Warnings, verdict.Warning{Code: verdict.Code(text), Text: text})
	r.Trials[0].Outcome = text
	r.Characteristics[0].Digest = text
	r.Source = &runs.Source{File: text, Lines: map[string]int{text: 3, text + "2": -1}}
	return r
}

// savedBaselines is a run against baselines, judged once.
var savedBaselines = sync.OnceValues(func() ([]byte, error) {
	r, err := baselinesRun()
	if err != nil {
		return nil, err
	}
	return json.Marshal(r)
})

// hostileBaseline is a run against baselines whose names and settings are texts of others.
func hostileBaseline(t *testing.T, text string) *runs.Result {
	saved, err := savedBaselines()
	if err != nil {
		t.Fatal(err)
	}
	r := &runs.Result{}
	if err := json.Unmarshal(saved, r); err != nil {
		t.Fatal(err)
	}
	for i := range r.Tests {
		test := &r.Tests[i]
		test.Name, test.Variant = text, text
		x := test.Regression
		x.Kind, x.Family, x.Outcomes = runs.RegressionKind(text), text, text
		x.Source = runs.BaselineSource{File: text, Finished: text, Task: text, Changed: []string{text, text + "2"}}
		x.Reasons = append(x.Reasons, verdict.Reason{Code: verdict.Code(text), Text: text})
	}
	r.Settings, r.BaselineSettings = []string{text}, []string{text}
	return r
}

// hostileResults are of all kinds, with the text wherever others may have written one.
func hostileResults(t *testing.T, text string) []verdict.Result {
	flip := compare.Flip{Scenario: text, To: text, BaselineOutput: text, CandidateOutput: text,
		BaselineSteps: &recording.Steps{List: []recording.Step{{Action: text, Tool: text, Arguments: text, Output: text, Error: text}}}}
	compared := &compare.Result{
		Schema: compare.Schema, Verdict: verdict.Fail, ExitCode: 1, Delta: 0.1, Reasons: []verdict.Reason{{Code: "worse",
			Text: text}},
		Baseline: compare.Side{Name: text, Passes: 9, Trials: 10, Rate: pointerTo(0.9),
			Interval: &verdict.Interval{Method: text, Level: 0.95, Low: 0.5, High: 1}},
		Candidate: compare.Side{Name: text, Passes: 1, Trials: 10, Rate: pointerTo(0.1),
			Interval: &verdict.Interval{Method: text, Level: 0.95, Low: 0, High: 0.5}},
		Pairs:     &compare.FlipTable{Pairs: 10, Regressed: 8, Flips: []compare.Flip{flip}},
		Scenarios: []compare.Scenario{{Name: text, Verdict: verdict.Fail}, {Name: text + "2", Verdict: verdict.Pass}},
		Behaviour: &behaviour.Comparison{Changed: true, Tested: true, Test: text, NewTools: []string{text},
			Columns: []behaviour.Column{{Name: text, Kind: text, Text: text, Changed: true}}},
	}
	judged := &verdict.ThresholdResult{
		Schema: verdict.ThresholdSchema, Threshold: 0.9, Reasons: []verdict.Reason{{Text: text}},
		Warnings: []verdict.Warning{{Text: text}},
		Scenarios: []verdict.RateVerdict{{Name: text, Passes: 1, Trials: 2, Rate: pointerTo(0.5),
			Interval: &verdict.Interval{Method: text, Low: 0.1, High: 0.9}, Reasons: []verdict.Reason{{Text: text}}}},
	}
	return []verdict.Result{hostileRun(t, text), hostileBaseline(t, text), compared, judged}
}

func pointerTo[T any](x T) *T { return &x }

func written(t *testing.T, result verdict.Result, f Format) string {
	t.Helper()
	var text bytes.Buffer
	if err := Write(&text, result, f, Options{}); err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	return text.String()
}

// shape is what a document has of elements and attributes.
func shape(t *testing.T, document string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	// Without it a browser asks for an icon.
	document = strings.Replace(document, `<link rel="icon" href="data:,">`, "", 1)
	z := html.NewTokenizer(strings.NewReader(document))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() != io.EOF {
				t.Fatal(z.Err())
			}
			return found
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			found[token.Data] = true
			for _, a := range token.Attr {
				found[token.Data+" "+a.Key] = true
				if a.Key == "href" && !strings.HasPrefix(a.Val, "#") {
					t.Errorf("a link leads to %q", a.Val)
				}
			}
		case html.CommentToken:
			t.Errorf("there is a comment: %s", z.Token())
		}
	}
}

// No element and no attribute of the page comes from what others wrote: those that are
// there with hostileTexts texts are there with a harmless one.
func TestHostileTextsAreTextInHTML(t *testing.T) {
	var want []map[string]bool
	for _, r := range hostileResults(t, "harmless\n") {
		want = append(want, shape(t, written(t, r, HTMLFormat)))
	}
	for _, text := range hostileTexts {
		for i, r := range hostileResults(t, text) {
			document := written(t, r, HTMLFormat)
			got := shape(t, document)
			for name := range got {
				if !want[i][name] {
					t.Errorf("%q makes the page have %s", text, name)
				}
			}
			for _, element := range []string{"script", "img", "iframe", "link", "object", "embed", "form", "base"} {
				if got[element] {
					t.Errorf("%q: there is an element %s", text, element)
				}
			}
			inert(t, text, HTMLFormat, document)
		}
	}
}

// inert checks what no document may hold: characters that act on a terminal or turn
// the direction of writing, and bytes that are not UTF-8.
func inert(t *testing.T, text string, f Format, document string) {
	t.Helper()
	if !utf8.ValidString(document) {
		t.Errorf("%s of %q is not UTF-8", f, text)
	}
	for _, r := range document {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) && r != '\u200f' || r == '\u200f' ||
			r == '\u2028' || r == '\ufffe' || r == '\uffff') {
			t.Errorf("%s of %q holds %U", f, text, r)
			return
		}
	}
}

func TestHostileTextsAreInertInAllFormats(t *testing.T) {
	commands := regexp.MustCompile(`(?m)^(::|##\[|##vso)`)
	for _, text := range hostileTexts {
		for _, r := range hostileResults(t, text) {
			for _, f := range Formats() {
				document := written(t, r, f)
				inert(t, text, f, document)
				if f != AnnotationsFormat && commands.MatchString(document) {
					t.Errorf("%s of %q begins a line with a command", f, text)
				}
			}
		}
	}
}

// In Markdown no hostileTexts text leaves its cell or begins anything.
func TestHostileTextsAreTextInMarkdown(t *testing.T) {
	structure := func(document string) string {
		var b strings.Builder
		for _, line := range strings.Split(document, "\n") {
			switch {
			case strings.HasPrefix(line, "|"):
				b.WriteString(strings.Repeat("|", strings.Count(line, "|")) + "\n")
			case line != "" && (line[0] == '&' || unicode.IsLetter(rune(line[0])) || unicode.IsDigit(rune(line[0])) ||
				line[0] == '(' || line[0] == ']' || line[0] == '\\' || line[0] == '\'' || line[0] == '%'):
				b.WriteString("text\n")
			case line != "":
				b.WriteString(line[:1] + "\n")
			}
		}
		return b.String()
	}
	tags := regexp.MustCompile(`<[^>]*>?`)
	allowed := map[string]bool{"<code>": true, "</code>": true, "<sub>": true, "</sub>": true, "<details>": true,
		"</details>": true, "<summary>": true, "</summary>": true}
	for _, text := range hostileTexts {
		// Of the same length: a long answer that comes again is told.
		harmless := hostileResults(t, strings.Repeat("h", utf8.RuneCountInString(text))+"\n")
		for i, r := range hostileResults(t, text) {
			document := written(t, r, markdownFormat)
			if diff := cmp.Diff(structure(written(t, harmless[i], markdownFormat)),
				structure(document)); diff != "" {
				t.Errorf("%q: %s", text, diff)
			}
			for _, tag := range tags.FindAllString(document, -1) {
				if !allowed[tag] {
					t.Errorf("%q: there is %s", text, tag)
				}
			}
			for _, active := range []string{"](", "://", "www.", "@e", " #1", ":tada", "$x", "**", "`", "javascript:"} {
				if strings.Contains(document, active) {
					t.Errorf("%q: there is %s", text, active)
				}
			}
		}
	}
}

func TestHostileTextsInJUnit(t *testing.T) {
	for _, text := range hostileTexts {
		for _, r := range hostileResults(t, text) {
			document := []byte(written(t, r, jUnitFormat))
			var any struct{}
			if err := xml.Unmarshal(document, &any); err != nil {
				t.Errorf("%q: %v", text, err)
			}
			if _, err := junit.Ingest(document); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
}

func TestHostileTextsInEventsAndJSON(t *testing.T) {
	for _, text := range hostileTexts {
		for _, r := range hostileResults(t, text) {
			for line := range strings.Lines(written(t, r, goTestFormat)) {
				var e goEvent
				if err := json.Unmarshal([]byte(line), &e); err != nil || e.Action == "" {
					t.Errorf("%q: %v", text, err)
				}
			}
			if !json.Valid([]byte(written(t, r, JSONFormat))) {
				t.Errorf("%q is not JSON", text)
			}
		}
	}
}

// Every line of the log is a command of ours, and there are at most ten.
func TestHostileTextsInAnnotations(t *testing.T) {
	command := regexp.MustCompile(`^::(error|warning) (file=[^:,\n]+,(line=\d+,)?)?title=[^:,\n]*::[^\n]*\n$`)
	for _, text := range hostileTexts {
		for _, r := range hostileResults(t, text) {
			n := 0
			for line := range strings.Lines(written(t, r, AnnotationsFormat)) {
				if n++; !command.MatchString(line) {
					t.Errorf("%q: %q", text, line)
				}
			}
			if n == 0 || n > mostAnnotations {
				t.Errorf("%q: %d annotations", text, n)
			}
		}
	}
}

// A runner that reads the outputs finds the values that were written.
func TestHostileTextsInOutputs(t *testing.T) {
	for _, text := range hostileTexts {
		for _, r := range hostileResults(t, text) {
			o, err := newDocument(r, Options{}.detail(outputsFormat))
			if err != nil {
				t.Fatal(err)
			}
			values := readOutputs(t, written(t, r, outputsFormat))
			if values["verdict"] != o.Verdict.String() {
				t.Errorf("%q: the verdict reads %q", text, values["verdict"])
			}
			var want []string
			for _, reason := range o.Reasons {
				want = append(want, safe.Text(reason.Text))
			}
			if diff := cmp.Diff(strings.Join(want, "\n"), values["reasons"]); diff != "" {
				t.Errorf("%q: %s", text, diff)
			}
		}
	}
}

// What failed is told from what was left undecided, by errors too; what is quarantined is neither.
func TestOutputsAndAnnotationsTellFailedFromUndecided(t *testing.T) {
	d := &document.Document{Subject: "suite"}
	for i, status := range []document.Status{document.Broken, document.Failed, document.Aside, document.Open,
		document.Passed} {
		d.Cases = append(d.Cases, document.Case{Scenario: "abcde"[i : i+1], Name: "verdict", Status: status, Message: "m"})
	}
	var outputs, annotations bytes.Buffer
	if err := writeOutputs(&outputs, d, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := writeAnnotations(&annotations, d, Options{}); err != nil {
		t.Fatal(err)
	}
	values := readOutputs(t, outputs.String())
	for name, want := range map[string]string{"failed": "b: verdict", "failed_count": "1",
		"inconclusive": "a: verdict\nd: verdict", "inconclusive_count": "2"} {
		if values[name] != want {
			t.Errorf("%s is %q, not %q", name, values[name], want)
		}
	}
	want := "::error title=b%3A verdict::m\n::warning title=a%3A verdict::m\n::warning title=c%3A verdict::m\n" +
		"::warning title=d%3A verdict::m\n"
	if diff := cmp.Diff(want, annotations.String()); diff != "" {
		t.Error(diff)
	}
}

// readOutputs reads the file as the runner of GitHub Actions does.
func readOutputs(t *testing.T, text string) map[string]string {
	t.Helper()
	values := map[string]string{}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		equals, heredoc := strings.Index(lines[i], "="), strings.Index(lines[i], "<<")
		name, value := "", ""
		switch {
		case equals >= 0 && (heredoc < 0 || equals < heredoc):
			name, value = lines[i][:equals], lines[i][equals+1:]
		case heredoc >= 0:
			delimiter := lines[i][heredoc+2:]
			name = lines[i][:heredoc]
			var body []string
			for i++; i < len(lines) && lines[i] != delimiter; i++ {
				body = append(body, lines[i])
			}
			if i == len(lines) {
				t.Fatalf("%s has no end", name)
			}
			value = strings.Join(body, "\n")
		default:
			t.Fatalf("%q sets nothing", lines[i])
		}
		if _, twice := values[name]; twice {
			t.Errorf("%s is set twice", name)
		}
		values[name] = value
	}
	return values
}
