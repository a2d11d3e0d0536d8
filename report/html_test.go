package report

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

func pageOf(t testing.TB, result verdict.Result) string {
	t.Helper()
	var text bytes.Buffer
	if err := Write(&text, result, HTMLFormat, Options{}); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// mostPageBytes is what the page of a large run may have: it can be attached to a build.
const mostPageBytes = 8_000_000

// A large run stays within what can be attached to a build, and says what it left out.
func TestLargePageIsBounded(t *testing.T) {
	r := runSample{suite: "large", scenarios: scenarioNames(1000), trials: 150, passRate: 0.85, errors: true,
		text: repeated("some words of an answer ", 30)}.result(t)
	text := pageOf(t, r)
	if len(text) > mostPageBytes {
		t.Errorf("the page has %d bytes", len(text))
	}
	if r.TrialsOmitted == 0 || !strings.Contains(text, fmt.Sprintf("There is no room for %d more.", r.TrialsOmitted)) {
		t.Errorf("%d trials are omitted, and the page does not say so", r.TrialsOmitted)
	}
	for _, name := range []string{"scenario-0000", "scenario-0999"} {
		if !strings.Contains(text, "<bdi>"+name+"</bdi>") {
			t.Errorf("%s is not on the page", name)
		}
	}
	if out := os.Getenv("TRIBUNAL_PAGE"); out != "" {
		if err := os.WriteFile(out, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Sections are there for what is there, in this order, and one heading at each level
// follows another.
func TestPageSections(t *testing.T) {
	ids := regexp.MustCompile(`<h2 id="([^"]+)"`)
	sections := func(result verdict.Result) (list []string) {
		for _, m := range ids.FindAllStringSubmatch(pageOf(t, result), -1) {
			list = append(list, m[1])
		}
		return list
	}
	full := mixedRun(t)
	want := []string{"findings", "passed", "warnings", "statistics", "intervals", "paths", "curves",
		"table-limits", "table-figures", "spreads", "facts"}
	if diff := cmp.Diff(want, sections(full)); diff != "" {
		t.Error(diff)
	}
	bare := &runs.Result{Schema: runs.Schema,
		Reasons: []verdict.Reason{{Code: verdict.CodeNoTrials, Text: "nothing was tested"}}}
	if diff := cmp.Diff([]string{"facts"}, sections(bare)); diff != "" || !strings.Contains(pageOf(t, bare), "othing was tested") {
		t.Error(diff)
	}
	level := 0
	for _, m := range regexp.MustCompile(`<h([1-6])`).FindAllStringSubmatch(pageOf(t, full), -1) {
		n, _ := strconv.Atoi(m[1])
		if n > level+1 {
			t.Errorf("a heading of level %d follows one of level %d", n, level)
		}
		level = n
	}
}

// Every id is there once, and every link leads to one.
func TestPageLinks(t *testing.T) {
	text := pageOf(t, mixedRun(t))
	ids := map[string]int{}
	for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(text, -1) {
		if ids[m[1]]++; ids[m[1]] > 1 {
			t.Errorf("id %s is there twice", m[1])
		}
	}
	links := regexp.MustCompile(`(?:href|aria-labelledby)="#?([^"]+)"`).FindAllStringSubmatch(text, -1)
	for _, m := range links {
		if ids[m[1]] == 0 {
			t.Errorf("nothing has the id %s", m[1])
		}
	}
	if len(links) < 10 {
		t.Errorf("there are only %d links", len(links))
	}
}

// The path of outcomes PPFFEP: right 2, up 2 to the right, and once more where errors
// are taken for failures.
func TestWalk(t *testing.T) {
	if got := walk("PPFFEP", "F"); got != "M0 0h2l2 2h2" {
		t.Error(got)
	}
	if got := walk("PPFFEP", "FE?"); got != "M0 0h2l3 3h1" {
		t.Error(got)
	}
}

// Colours of text have a contrast of 4.5 to 1 with both grounds, in both themes
// (WCAG 2.2, success criterion 1.4.3), by its formula of relative luminance.
func TestContrast(t *testing.T) {
	colours := map[string][2]string{}
	for _, m := range regexp.MustCompile(`--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)`).FindAllStringSubmatch(pageStyle, -1) {
		colours[m[1]] = [2]string{m[2], m[3]}
	}
	for _, text := range []string{"text", "muted", "link", "pass", "fail", "inconclusive"} {
		for _, ground := range []string{"ground", "raised"} {
			for theme := range 2 {
				if c := contrast(t, colours[text][theme], colours[ground][theme]); c < 4.5 {
					t.Errorf("%s on %s, theme %d: %.2f", text, ground, theme, c)
				}
			}
		}
	}
	for _, area := range []string{"pass-area", "fail-area"} {
		for theme := range 2 {
			for _, mark := range []string{"text", "link"} {
				if c := contrast(t, colours[mark][theme], colours[area][theme]); c < 3 {
					t.Errorf("%s on %s, theme %d: %.2f", mark, area, theme, c)
				}
			}
		}
	}
	if c := contrast(t, "#000000", "#ffffff"); math.Abs(c-21) > 1e-9 {
		t.Errorf("black on white is %v", c)
	}
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(hex string) float64 {
		if len(hex) != 7 {
			t.Fatalf("%q is no colour", hex)
		}
		sum := 0.0
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			c := float64(n) / 255
			if c <= 0.04045 {
				c /= 12.92
			} else {
				c = math.Pow((c+0.055)/1.055, 2.4)
			}
			sum += weight * c
		}
		return sum
	}
	x, y := luminance(a), luminance(b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}
