package html

import (
	"fmt"
	"hash/fnv"
	"html/template"
	"slices"
	"strings"
	"unicode"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/report/internal/scale"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// card is a scenario, or another thing that was judged, with all that belongs to it: the sentence, the rate as a
// bar, the outcomes as a strip, the reasons, and its trials.
type card struct {
	ID, Name, Class, Mark, Sentence string
	More                            []string
	Bar, Strip                      template.HTML
	Causes                          []cause
	Compared                        *stepComparison
	Trials                          []trialDetail
	TrialsNote                      string
	Open                            bool
}

// Empty reports whether there is nothing to unfold.
func (c card) Empty() bool {
	return c.Bar == "" && c.Strip == "" && len(c.More)+len(c.Causes)+len(c.Trials) == 0 && c.Compared == nil
}

// cause is why some trials did not pass.
type cause struct{ Count, Text, Names string }

// stepComparison sets two trials side by side, what they answered and did: one that did not pass beside one that did.
type stepComparison struct {
	Summary     string
	Left, Right sideOfTwo
	Open        bool
	Rows        []stepRow
	Note        string // what is missing
}

// sideOfTwo is one of two trials: its name, in the colour of its outcome, and what it answered.
type sideOfTwo struct{ Name, Class, Output string }

// check is a rule of a gate.
type check struct{ Mark, Word, Class, Name, Scenario, Text string }

// How much of the cards there is room for. Chosen: a person reads the first ones open, and a page of a thousand
// scenarios stays one that can be scrolled.
const (
	openCards = 5  // are unfolded, where there are not more that did not pass
	listCards = 50 // stand in the list before the rest is folded
)

// cards are the findings, the worst first, then what passed, folded.
func (p *page) cards(d *document.Document) {
	trials := map[string][]runs.Trial{}
	for _, t := range d.Trials {
		trials[t.Test] = append(trials[t.Test], t)
	}
	seen := map[string]bool{}
	card := func(f document.Finding) card {
		c := newCard(f, p.rates)
		c.ID = anchor("scenario", f.Name, seen)
		c.pair(f.Pair, f.Unpaired)
		if f.Test != "" {
			c.show(trials[f.Test])
			delete(trials, f.Test)
		}
		return c
	}
	var spans []document.Span
	findings := slices.Concat(d.Findings, d.Undecided)
	for _, list := range [][]document.Finding{findings, d.Passed} {
		for _, f := range list {
			if f.Span != nil {
				spans = append(spans, *f.Span)
			}
		}
	}
	p.rates = scale.Of(spans, 0, 1, scale.MarksOf(spans)...)
	shownSteps := false
	for i, f := range findings {
		// What is no scenario has its say among the rules of a gate.
		if f.Test == "" && len(d.Checks) > 0 {
			continue
		}
		c := card(f)
		c.Open = len(findings) <= openCards
		// The first one shows what happened.
		if c.Compared != nil && c.Open && !shownSteps {
			c.Compared.Open, shownSteps = true, true
		}
		if i < listCards {
			p.Cards = append(p.Cards, c)
		} else {
			p.MoreCards = append(p.MoreCards, c)
		}
	}
	for _, f := range d.Passed {
		p.Passed = append(p.Passed, card(f))
	}
	// A switch between all trials and those that did not pass is there where it changes what is seen.
	outcomes := map[bool]bool{}
	for _, c := range slices.Concat(p.Cards, p.MoreCards) {
		for _, t := range c.Trials {
			outcomes[t.Outcome == "pass"] = true
		}
	}
	p.Filter = len(outcomes) > 1
	if p.Fine = safe.Text(d.Fine); len(d.Passed) > 0 {
		p.Fine = prose.Form(len(d.Passed), "1 scenario", fmt.Sprintf("%d scenarios", len(d.Passed)))
	}
	if len(p.Cards) == 0 && len(p.Passed) > 0 && len(p.Passed) <= openCards {
		p.PassedOpen = true
	}
	// What has no card of its own is listed as it is.
	var rest []runs.Trial
	for _, t := range d.Trials {
		if _, left := trials[t.Test]; left {
			rest = append(rest, t)
		}
	}
	p.rest = rest
}

// newCard is a finding without its trials.
func newCard(f document.Finding, rates scale.Scale) card {
	c := card{
		Name: safe.Text(f.Name), Class: f.Verdict.String(), Mark: document.Mark(f.Verdict), Sentence: safe.Text(f.Sentence),
		Strip: strip(f.Marks),
	}
	for _, text := range f.More {
		c.More = append(c.More, safe.Text(text))
	}
	if f.Span != nil {
		c.Bar = intervalChart(*f.Span, rates)
	}
	for i, x := range f.Causes {
		if i == mostListed {
			break
		}
		c.Causes = append(c.Causes, cause{
			Count: fmt.Sprintf("%d ×", x.Count), Text: safe.Text(prose.CutRunes(x.Text, mostCell)),
			Names: safe.Text(x.Names(document.MostCauseTrials)),
		})
	}
	return c
}

// show gives a card its trials, those that did not pass first, and sets what the first that failed did and answered
// beside one that passed.
func (c *card) show(list []runs.Trial) {
	var failed, passed *runs.Trial
	count := 0
	for i := range list {
		t := &list[i]
		switch {
		case t.Baseline || !t.Judged:
		case t.Outcome == "pass" && passed == nil:
			passed = t
		case t.Outcome != "pass" && failed == nil:
			failed = t
		}
		if t.Outcome != "pass" {
			count++
		}
		c.Trials = append(c.Trials, pageTrial(*t))
	}
	if len(list) > 0 {
		c.TrialsNote = prose.Count(len(list), "trial")
		if count > 0 && count < len(list) {
			c.TrialsNote += fmt.Sprintf(", the %d that did not pass first", count)
		}
	}
	if failed != nil && passed != nil && len(failed.Steps)+len(passed.Steps) > 0 {
		left := sideOfTwo{Name: safe.TrialName(failed.Scenario, failed.Trial), Class: "fail",
			Output: safe.Lines(indented(failed.Output))}
		right := sideOfTwo{Name: safe.TrialName(passed.Scenario, passed.Trial), Class: "pass",
			Output: safe.Lines(indented(passed.Output))}
		c.Compared = &stepComparison{
			Summary: fmt.Sprintf("Step by step: %s, which did not pass, beside %s, which did", left.Name, right.Name),
			Left:    left, Right: right,
			Rows: compareSteps(failed.Steps, passed.Steps,
				[2]string{"only in the one that failed", "only in the one that passed"}),
		}
	}
}

// pair gives a card a trial of each side of a comparison: one of the baseline that passed beside one of the candidate
// that failed.
func (c *card) pair(f *compare.Flip, missing string) {
	if f == nil {
		if missing != "" {
			c.More = append(c.More, missing)
		}
		return
	}
	name := func(side, scenario string, number *int, outcome string) string {
		if number != nil {
			scenario = safe.TrialName(scenario, *number)
		}
		return fmt.Sprintf("%s: %s %s", side, scenario, outcome)
	}
	candidate := f.CandidateTrial
	if candidate == nil {
		candidate = f.Trial // of a pair
	}
	x := &stepComparison{
		Summary: "A trial of each side, step by step",
		Left: sideOfTwo{Name: name("baseline", f.Scenario, f.Trial, "passed"), Class: "pass",
			Output: safe.Lines(indented(f.BaselineOutput))},
		Right: sideOfTwo{Name: name("candidate", f.Scenario, candidate, "failed"), Class: "fail",
			Output: safe.Lines(indented(f.CandidateOutput))},
		Rows: flipSteps(*f), Note: missing,
	}
	if x.Note == "" {
		x.Note = notListed(*f)
	}
	if len(x.Rows) == 0 && x.Left.Output+x.Right.Output == "" {
		if f.BaselineSteps == nil && f.CandidateSteps == nil && missing == "" {
			x.Note = fmt.Sprintf("%s; %s; no steps or output are recorded", x.Left.Name, x.Right.Name)
		}
		c.More = append(c.More, x.Note)
		return
	}
	c.Compared = x
}

// checks are the rules of a gate: what does not hold first, then what does.
func (p *page) checks(d *document.Document) {
	add := func(to *[]check, c document.Check) {
		x := check{Mark: "·", Word: safe.Text(c.Word), Name: safe.Text(c.Name), Text: safe.Text(prose.CutRunes(c.Text,
			mostCell))}
		if c.Verdict != nil {
			x.Mark, x.Class = document.Mark(*c.Verdict), c.Verdict.String()
		}
		if c.Scenario != "" {
			x.Scenario = safe.Name(c.Scenario)
		}
		*to = append(*to, x)
	}
	for _, want := range []verdict.Verdict{verdict.Fail, verdict.Inconclusive} {
		for _, c := range d.Checks {
			if c.Verdict != nil && *c.Verdict == want {
				add(&p.Checks, c)
			}
		}
	}
	for _, c := range d.Checks {
		if c.Verdict == nil {
			add(&p.Checks, c)
		}
	}
	for _, c := range d.Checks {
		if c.Verdict != nil && *c.Verdict == verdict.Pass {
			add(&p.Held, c)
		}
	}
	if n := len(p.Checks); n > mostTableRows {
		p.Checks, p.ChecksLeft = p.Checks[:mostTableRows], fmt.Sprintf("%d more are in the saved result.", n-mostTableRows)
	}
	p.HeldOpen = len(p.Held) <= listCards && len(p.Checks) == 0
}

// anchor is the id of a thing by its name, so that a link lasts as long as the name does: its letters, and a digest
// where those do not tell it from others.
func anchor(kind, name string, seen map[string]bool) string {
	// Chosen: an address that a person can read.
	const most = 60
	var b strings.Builder
	dash := false
	for _, r := range name {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteRune(unicode.ToLower(r))
		default:
			dash = true
		}
		if b.Len() >= most {
			break
		}
	}
	id := kind + "-" + b.String()
	if b.Len() == 0 || seen[id] {
		h := fnv.New64a()
		h.Write([]byte(name))
		id = fmt.Sprintf("%s-%x", strings.TrimSuffix(id, "-"), h.Sum64())
	}
	// Two things of one name are told apart by their order.
	for base, n := id, 2; seen[id]; n++ {
		id = fmt.Sprintf("%s-%d", base, n)
	}
	seen[id] = true
	return id
}
