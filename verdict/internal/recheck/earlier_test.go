package recheck

import (
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/verdict"
)

// Sentences as earlier releases saved them, and as they are today. Every pair of words is in one of them.
func TestWordsOfEarlierReleasesAreKnown(t *testing.T) {
	const files = "; if it reads files that were not compared, name them in the suite, as in agent: {files: " +
		`["prompts/**"]}`
	rows := []struct{ earlier, today string }{
		{"the recording ended: arms or reasons are missing", "the recording ended: variants or reasons are missing"},
		{"it takes 30 fresh trials of the winner and the incumbent to tell",
			"it takes 30 new trials of the winner and the current version to tell"},
		{"no arm is better than the incumbent by 5 points", "no arm is better than the current version by 5 points"},
		{"undecided: 3 of 9 attempts, and the champion stays", "undecided: 3 of 9 attempts, and the current version stays"},
		{"the champion stays: 4 reverted and 1 undecided", "the current version stays: 4 reverted and 1 undecided"},
		{"attempt 3 is the champion: 1 kept, 2 reverted and 0 undecided",
			"attempt 3 is the current version: 1 kept, 2 reverted and 0 undecided"},
		{"2 trials ended in an error, and counted against the challenger",
			"2 trials ended in an error, and counted against the candidate"},
		{"the prices are of some arms alone", "the prices are of some variants alone"},
		{"of such arms the best is chosen less surely than 90%",
			"of such variants the best is chosen with less certainty than 90%"},
		{"a: 3 of 9 passed: below the floor of 80% (p 0.01, alpha 0.05)",
			"a: 3 of 9 passed: below the minimum of 80% (p 0.01, alpha 0.05)"},
		{"3 of 9 passed: below the floor of 80%, but among 4 floors a few are by chance, and a person should look (p 0.1)",
			"3 of 9 passed: below the minimum of 80%, but among 4 minimums a few are missed by chance, so a person should " +
				"review it (p 0.1)"},
		{"the mutation score is open: 3 of 9 are undecided", "the mutation score is undecided: 3 of 9 are undecided"},
		{"no rule is broken or open; only noted: regression", "no rule is broken or undecided; only noted: regression"},
		{"the behaviour did not change: none is shown (p 0.4), and a shift of 1 standard deviations is excluded",
			"the behaviour did not change: no change was detected (p 0.4), and a shift of 1 standard deviations is excluded"},
		{"the behaviour is not shown to be changed (p 0.4)", "no change of the behaviour was detected (p 0.4)"},
		{"a drop by 5 points is excluded, and no change of behaviour is shown",
			"a drop by 5 points is excluded, and no change of behaviour was detected"},
		{`2 scenarios are worse, allowing for how many there are: "a", "b"`,
			`2 scenarios are worse, corrected for the number of scenarios (holm): "a", "b"`},
		{`2 of 9 scenarios are below the 80% you require, allowing for how many scenarios there are: "a", "b"`,
			`2 of 9 scenarios are below the 80% you require, corrected for the number of scenarios (bh): "a", "b"`},
		{`2 scenarios are worse, corrected for the number of scenarios: "a", "b"`,
			`2 scenarios are worse, corrected for the number of scenarios (holm): "a", "b"`},
		{"2 of 3 scenarios fail: a, b", "2 of 3 tests fail: a, b"},
		{"1 scenario of the baseline was not run: a", "1 test of the baseline was not run: a"},
		{"unlike numbers of trials: the errors over all looks hold for looks after whole rounds",
			"unlike numbers of trials: the errors over all analyses hold for analyses after whole rounds"},
		{"unlike numbers of trials: the errors hold for looks after whole rounds",
			"unlike numbers of trials: the errors hold for analyses after whole rounds"},
		{"900 trials of each side, the most that are looked at, find the shift",
			"900 trials of each side, the largest number that is considered, find the shift"},
		{"the recording was stopped, by somebody who saw what they came to, or by a budget: no interval",
			"the recording was stopped, after outcomes were known, or by a budget: no interval"},
		{"the journal is another one's: begin anew", "the journal is another one's: start again"},
		{"3 of 9 passed, and every test was decided before this could be decided",
			"3 of 9 passed, and the other question had failed before this could be decided"},
		{"declare the number of analyses before the first (--looks), or that the agent has changed (--new-agent)",
			"declare the number of analyses before the first (--looks), or that the agent has changed (--new-agent)" + files},
	}
	for _, row := range rows {
		w := &Walk{}
		said := func(text string) verdict.Reason { return verdict.Reason{Code: "none-of-the-patterns", Text: text} }
		if !w.inEarlierWords("reasons[0]", "text", said(row.earlier), said(row.today)) || len(w.Skipped) > 0 {
			t.Errorf("%q is not known as %q: it reads %q", row.earlier, row.today, renamed().Replace(row.earlier))
		}
		// Other figures are another text, in whatever words.
		if other := row.today + " 7"; w.inEarlierWords("reasons[0]", "text", said(row.earlier), said(other)) {
			t.Errorf("%q is taken for %q", row.earlier, other)
		}
	}
	for i := 0; i < len(pairs); i += 2 {
		shown := false
		for _, row := range rows {
			shown = shown || strings.Contains(row.earlier, pairs[i]) && strings.Contains(row.today, pairs[i+1])
		}
		if !shown {
			t.Errorf("no sentence has %q, which is %q today", pairs[i], pairs[i+1])
		}
	}
}
