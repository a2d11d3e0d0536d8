package report

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial/relation"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/relations"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// relationsSample is a run of four relations, of which one is violated, one is too noisy to say, and two hold.
func relationsSample() *relations.Result {
	rate := func(pairs, violations int, low, high float64) relations.Rate {
		share := float64(violations) / float64(pairs)
		return relations.Rate{Pairs: pairs, Violations: violations, Rate: &share, Low: low, High: high}
	}
	claim := func(name string, kind relation.Kind) relations.Claim {
		about := kind.About()
		return relations.Claim{Name: name, Kind: kind, Family: about.Family, Paper: about.Paper, Text: about.Claim,
			Alone: about.Alone, Delta: 0.2}
	}
	p, one := 0.0123, 1.0
	cost := 1.25
	agreed, noisy, held := rate(13, 0, 0, 0.32), rate(20, 17, 0.55, 0.98), rate(12, 0, 0, 0.34)
	reason := func(code verdict.Code, text string) []verdict.Reason {
		return []verdict.Reason{{Code: code, Text: text}}
	}
	most := 0.1
	alone := claim("pipeline", relation.Pipeline)
	alone.MaxViolationRate = &most
	r := &relations.Result{
		Schema: relations.Schema, Verdict: verdict.Fail, ExitCode: 1, Suite: "support",
		Digest:  "sha256:0123456789abcdef01234567",
		Reasons: reason("relations-violated", "1 of 4 relations is violated: order"),
		Warnings: []verdict.Warning{{Code: "nothing-compared",
			Text: "2 pairs held because there was nothing to compare"}},
		Asked: relations.Options{Alpha: 0.05, Beta: 0.1}, Pairs: 112,
		Relations: []relations.JudgedRelation{
			{Claim: claim("order", relation.DocumentOrder), Verdict: verdict.Fail, Scenarios: []relations.Cell{
				{Scenario: "refund-policy", Verdict: verdict.Fail, FollowUp: rate(13, 7, 0.22, 0.82), Control: &agreed,
					Excess: &relations.Excess{Estimate: 0.5235, Level: 0.95, Low: 0.14, High: 0.86}, P: &p,
					Reasons: reason("relation-violated",
						"violated by 7 of 13 pairs (53.8%), and by 0 of 13 pairs of equal inputs: "+
							"more often than the agent disagrees with itself (p = 0.012)"),
					Example: []relations.Example{{Trial: 0, Why: `the source says "14", and the follow-up "30"`,
						Source: relations.Half{Input: `{"documents":["Refunds take 14 days.","Gifts: 30 days."]}`, Output: "14 days"},
						FollowUp: relations.Half{Input: `{"documents":["Gifts: 30 days.","Refunds take 14 days."]}`,
							Output: "30 days"}}}},
				{Scenario: "shipping", Verdict: verdict.Pass, FollowUp: held, Control: &held, P: &one,
					Excess: &relations.Excess{Level: 0.95, Low: -0.1, High: 0.18}, Example: []relations.Example{},
					Reasons: reason("relation-holds",
						"violated by 0 of 12 pairs, and by 0 of 12 pairs of equal inputs: an excess of 20 points or more is ruled out")},
			}},
			{Claim: claim("typing", relation.Noise), Verdict: verdict.Inconclusive, Scenarios: []relations.Cell{
				{Scenario: "refund-policy", Verdict: verdict.Inconclusive, FollowUp: rate(20, 18, 0.6, 0.99), Control: &noisy,
					Example: []relations.Example{},
					Reasons: reason("relation-noise",
						"violated by 18 of 20 pairs (90%), and by 17 of 20 pairs (85%) of equal inputs: the agent hardly agrees "+
							"with itself, so that it shows nothing; compare less of the outputs, or bound the rate itself")},
			}},
			{Claim: claim("tidy", relation.Idempotence), Verdict: verdict.Pass, Scenarios: []relations.Cell{
				{Scenario: "letter", Verdict: verdict.Pass, FollowUp: held, Control: &held, P: &one, Vacuous: 2,
					Example: []relations.Example{},
					Reasons: reason("relation-holds",
						"violated by 0 of 12 pairs, and by 0 of 12 pairs of equal inputs: an excess of 20 points or more is ruled out")},
			}},
			{Claim: alone, Verdict: verdict.Pass, Scenarios: []relations.Cell{
				{Scenario: "letter", Verdict: verdict.Pass, FollowUp: rate(18, 0, 0, 0.25), Example: []relations.Example{},
					Reasons: reason("violation-rate-low", "violated by 0 of 18 pairs: a rate of 30% or more is ruled out")},
			}},
		},
		Run: &runs.Result{Seed: 7, Spent: runs.Expense{CostUSD: &cost}},
	}
	r.Relations[0].Scenarios[1].FollowUp.Errors = 1
	return r
}

// relationsAgainst is the sample against an earlier version.
func relationsAgainst() *relations.Result {
	r := relationsSample()
	r.Asked.Baseline, r.Run = "main.relations.json", nil
	r.Relations = r.Relations[:1]
	c := &r.Relations[0].Scenarios[0]
	c.Reasons = []verdict.Reason{{Code: "relation-more-violated",
		Text: "violated by 7 of 13 pairs (53.8%), and before by 2 of 100 pairs (2%): " +
			"more often than by the baseline (p = 0.0012)"}}
	c.Control = &relations.Rate{Pairs: 100, Violations: 2, Low: 0.002, High: 0.07}
	return r
}

func relationsRenders() map[string]render {
	return map[string]render{
		"relations-run":     func(w io.Writer, o Options) error { return Write(w, relationsSample(), TextFormat, o) },
		"relations-against": func(w io.Writer, o Options) error { return Write(w, relationsAgainst(), TextFormat, o) },
	}
}

// Inputs and outputs of agents are written by others: they change no terminal, page or log.
func TestRelationsAreInert(t *testing.T) {
	r := relationsSample()
	const hostile = "<script>alert(1)</script>\x1b]0;x\a\n::error::x <img src=x onerror=alert(1)>"
	x := &r.Relations[0].Scenarios[0].Example[0]
	x.Why = hostile
	x.Source, x.FollowUp = relations.Half{Input: hostile, Output: hostile}, relations.Half{Input: hostile, Output: hostile}
	r.Relations[0].Name, r.Relations[0].Scenarios[0].Scenario = hostile, hostile
	r.Asked.Baseline = hostile
	for _, f := range Formats() {
		if f == metricsFormat {
			continue
		}
		var out bytes.Buffer
		if err := Write(&out, r, f, Options{}); err != nil {
			t.Fatal(f, err)
		}
		text := out.String()
		if strings.ContainsAny(text, "\x1b\a") || strings.Contains(text, "\n::error::x") {
			t.Errorf("%v: %q", f, text)
		}
		if f == HTMLFormat && (strings.Contains(text, "<script>alert") || strings.Contains(text, "<img src=x")) {
			t.Errorf("the page has markup of others")
		}
	}
}
