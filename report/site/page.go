package site

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/html"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

//go:embed page.html.tmpl
var pageTemplate string

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// Style is the style sheet of the pages.
func Style() string { return html.Style() + pageStyle }

// Script is what the pages do where scripts run.
func Script() string { return pageScript }

// Page is a page of the site.
type Page struct {
	Title   string // its heading
	Here    string // address of the list that it belongs to
	Lists   []Link // of the site, in their order
	Refresh bool   // is asked for again every few seconds where no script runs
	Content Content
}

// Write writes a page.
func Write(w io.Writer, p Page) error {
	t, err := templates()
	if err != nil {
		return fmt.Errorf("the template of the pages: %w", err)
	}
	var content, text bytes.Buffer
	if err := t.ExecuteTemplate(&content, p.Content.template(), p.Content); err != nil {
		return fmt.Errorf("page cannot be written: %w", err)
	}
	err = t.ExecuteTemplate(&text, "page", struct {
		Page
		Body template.HTML // which a template has escaped
	}{p, template.HTML(content.String())})
	if err != nil {
		return fmt.Errorf("page cannot be written: %w", err)
	}
	_, err = w.Write(text.Bytes())
	return err
}

// WriteState writes the part of a page of a run in progress that changes.
func WriteState(w io.Writer, l LiveRun) error {
	t, err := templates()
	if err != nil {
		return fmt.Errorf("the template of the pages: %w", err)
	}
	var text bytes.Buffer
	if err := t.ExecuteTemplate(&text, "state", l); err != nil {
		return fmt.Errorf("page cannot be written: %w", err)
	}
	_, err = w.Write(text.Bytes())
	return err
}

// templates are parsed once.
var templates = sync.OnceValues(func() (*template.Template, error) {
	parts, err := html.Parts()
	if err != nil {
		return nil, err
	}
	return parts.Funcs(template.FuncMap{
		"text": safe.Text, "name": safe.Name, "lines": safe.Lines, "cut": cut, "word": word, "when": when, "age": phrase.Age,
		"money": figure.Money, "duration": figure.Duration, "quantity": quantity, "number": figure.Quantity, "took": took,
		"whole": whole, "points": points, "why": why, "sentence": sentence,
		"mean":    func(s store.Sum) string { return mean(s, figure.Quantity) },
		"dollars": func(s store.Sum) string { return mean(s, figure.Money) },
		"seconds": func(s store.Sum) string { return mean(s, figure.Duration) },
		"counts":  counts, "together": together,
		"sums": sums, "seen": seen, "bar": bar, "verdict": verdictClass, "versions": versions, "strip": html.Strip,
		"gauge": gauge, "short": short, "count": prose.Count, "decided": decided, "about": about,
		"good": func(kind string) string { return prose.Capitalised(decided(kind, "pass")) }, "before": before,
		"of":      func(suite string) string { return Filter{Suite: suite}.Address("/runs") },
		"history": func(suite string) string { return Filter{Suite: suite}.Address("/history") },
		"failed":  func(run string) string { return Filter{Run: run, Outcome: "fail"}.Address("/traces") },
		"traces": func(run, version, scenario string) string {
			return Filter{Run: run, Version: version, Scenario: pattern(scenario)}.Address("/traces")
		},
	}).New("site").Parse(pageTemplate)
})

// mostName bounds a name in a list, in characters; the page of the thing has all of it.
const mostName = 120

// cut is a name or text in a list.
func cut(text string) string { return safe.Name(prose.CutRunes(text, mostName)) }

// word is a verdict or an outcome in a list.
func word(text string) string { return safe.Text(prose.CutRunes(text, 20)) }

// when is a time as a person reads it, in UTC; one that is not known is said to be.
func when(at time.Time) string {
	if at.IsZero() {
		return "unknown"
	}
	return at.UTC().Format("2006-01-02 15:04 UTC")
}

// quantity writes a whole number.
func quantity(n int64) string { return figure.Quantity(float64(n)) }

// whole writes a count.
func whole(n int) string { return figure.Quantity(float64(n)) }

// points writes what a trial has of what it can have on an axis, or on a part of one.
func points(x *float64, most float64) string {
	if x == nil {
		return "not known"
	}
	return phrase.Number(*x) + " of " + phrase.Number(most)
}

// mean writes the mean of a sum; "" where nothing is known.
func mean(s store.Sum, write func(float64) string) string {
	x, ok := s.Mean()
	if !ok {
		return ""
	}
	return write(x)
}

// took is what a trial of a list took, as far as it is known.
func took(t *trial.Trial) string {
	var parts []string
	if t.CostUSD.Known {
		parts = append(parts, figure.Money(t.CostUSD.Value))
	}
	if t.DurationSeconds.Known {
		parts = append(parts, figure.Duration(t.DurationSeconds.Value))
	}
	if t.Turns.Known {
		parts = append(parts, prose.Count(t.Turns.Value, "turn"))
	}
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], " ", "\u00a0") // a number stays beside its unit
	}
	return strings.Join(parts, ", ")
}

// mostSentence bounds a sentence in a list, in characters.
const mostSentence = 250

// sentence is a sentence in a list.
func sentence(text string) string { return safe.Text(prose.CutRunes(text, mostSentence)) }

// why is why a trial did not pass, as far as a list has room for it; "" is not known.
func why(t *trial.Trial) string { return sentence(runs.TrialEvidence{Trial: t}.Why()) }

// seen is what trials came to.
func seen(s store.Sums) string {
	switch judged := s.Passes + s.Failures + s.Errors; {
	case s.Trials == 0:
		return "no trials"
	case judged == 0:
		return prose.Count(s.Trials, "trial") + ", not judged"
	}
	return phrase.Seen(s.Passes, s.Failures, s.Errors)
}

// interval is that of the rate of the trials that passed or failed, at 95%, as verdict has it by default.
func interval(s store.Sums) (low, high float64, ok bool) {
	i, err := stats.Wilson(stats.Counts{Passes: s.Passes, Trials: s.Passes + s.Failures}, .05)
	return i.Low, i.High, err == nil && s.Passes+s.Failures > 0
}

// bar draws the rate of trials with its interval; "" where there is none.
func bar(s store.Sums) template.HTML {
	low, high, ok := interval(s)
	if !ok {
		return ""
	}
	return html.RateBar(float64(s.Passes)/float64(s.Passes+s.Failures), low, high)
}

// verdictClass is the class of a verdict or an outcome; "" of what is none.
func verdictClass(text string) string {
	switch text {
	case "pass", "fail", "inconclusive", "error":
		return text
	}
	return ""
}

// decided is a verdict in the words of the command that gave it: a gate decides to deploy, to block or to review.
func decided(kind, text string) string {
	for _, d := range []gate.Decision{gate.Deploy, gate.Block, gate.Review} {
		if kind == "gate" && text == d.Verdict().String() {
			return d.String()
		}
	}
	return text
}

// about tells a run from others of its suite.
func about(r store.Run) string {
	text := seen(sums(r))
	if r.Verdict != "" {
		text = word(decided(r.Kind, r.Verdict)) + ", " + text
	}
	return cut(r.Kind) + ", " + text
}

// before is the place of the run in a list, the newest first, that came before the first one of the same suite; -1 is
// none.
func before(list []store.Run) int {
	for i := 1; i < len(list); i++ {
		if list[i].Suite == list[0].Suite {
			return i
		}
	}
	return -1
}

// versions are those of a run; "" where its trials name none.
func versions(r store.Run) string {
	const most = 3
	if len(r.Parts) == 1 && r.Parts[0].Version == store.DefaultVersion {
		return ""
	}
	var names []string
	for _, p := range r.Parts {
		if p.Version != "" && len(names) < most {
			names = append(names, safe.Text(prose.CutRunes(p.Version, 40)))
		}
	}
	if left := len(r.Parts) - most; left > 0 {
		return strings.Join(names, ", ") + fmt.Sprintf(" and %d more", left)
	}
	return strings.Join(names, ", ")
}

// commitOf is a commit behind something else.
func commitOf(r store.Run) string {
	if r.Commit == "" {
		return ""
	}
	return ", commit " + safe.Text(short(r.Commit))
}

// short is enough of an ID or a commit for a person.
func short(id string) string {
	const most = 12
	runes := []rune(safe.Text(id))
	return string(runes[:min(len(runes), most)])
}

// gauge draws where a test stands.
func gauge(t Test) template.HTML {
	if t.Share == nil {
		return ""
	}
	return html.Gauge(*t.Share, fmt.Sprintf("%s between the boundaries of Pass and Fail",
		prose.Count(t.Failures, "failure")))
}

// counts are what the trials of a test came to, and cost.
func counts(t Test) string {
	text := "no trial has ended"
	if t.Passes+t.Failures+t.Errors > 0 {
		text = phrase.Seen(t.Passes, t.Failures, t.Errors)
	}
	if t.BaselineTrials > 0 {
		text = phrase.Beside(text, phrase.Share(t.BaselinePasses, t.BaselineTrials))
	}
	if t.CostUSD.Known {
		text += ", " + figure.Money(t.CostUSD.Value)
	}
	return text
}

// together says where all scenarios stand that are tested as one: of each variant, where there are some.
func together(s State) string {
	const most = 6 // variants; chosen
	said := map[string]string{"": "undecided", "pass": "passed", "fail": "failed"}
	var list []string
	for _, q := range s.Together {
		text := cmp.Or(said[q.Outcome], safe.Text(q.Outcome))
		if q.Variant != "" {
			text = cut(q.Variant) + " " + text
		}
		list = append(list, text)
	}
	return prose.Count(s.All/len(list), "scenario") + ", tested as one: " + prose.Some(list, most)
}

// pattern is that which means one scenario alone.
func pattern(scenario string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(scenario)
}
