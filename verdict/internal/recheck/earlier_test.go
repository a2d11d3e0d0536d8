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
		{"no rule is broken or open; only noted: regression", "no check failed or is undecided; only noted: regression"},
		{"no rule is broken or undecided; only noted: regression",
			"no check failed or is undecided; only noted: regression"},
		{"every rule holds", "every check passed"},
		{"the suite asks for a beta of 0.1, and this is by one of 0.2",
			"the suite requires a beta of 0.1, and this is by one of 0.2"},
		{"2 errors left out, and the suite wants what holds however they would have ended",
			"2 errors left out, and the suite requires what holds however they would have ended"},
		{"the suite does not ask for it", "the suite does not test it"},
		{"the suite asks about a drop of 5 points", "the suite tests a drop of 5 points"},
		{"too few trials to show a rate below 80% as the suite asks (p 0.2, alpha 0.05)",
			"too few trials to show a rate below 80% as the suite requires (p 0.2, alpha 0.05)"},
		{"this machine cannot hold all that the suite asks to be held, and went on without: memory",
			"this machine cannot confine agents as the suite requires, and the run did without: memory"},
		{"the suite asks each scenario for itself, and this is of all together",
			"the suite tests each scenario for itself, and this is of all together"},
		{"the suite requires 80%, and the result asks for no pass rate",
			"the suite requires 80%, and the result tests no pass rate"},
		{"is blocked with a chance of 5% (a), and asks for a person otherwise",
			"is blocked with a chance of 5% (a), and else needs review"},
		{"the test ended with Pass when it had seen 1 of 3 scenarios, and of the others it knows nothing",
			"the test ended with Pass after trials of 1 of 3 scenarios, and the others were not judged"},
		{"Hotelling's test knows no scenarios", "Hotelling's test ignores scenarios"},
		{"cost is not tested: too few trials of both sides that know the same know it",
			"cost is not tested: it is known in too few trials of both sides that are alike in what is known"},
		{"cost is unknown in some trials: trials are compared with those that know the same",
			"cost is unknown in some trials: trials are compared with those in which the same is known"},
		{"3 of 9 trials have none of the other side that knows the same",
			"3 of 9 trials have none of the other side in which the same is known"},
		{"1 of 3 scenarios is neither cleared nor collapsed: a", "1 of 3 scenarios is undecided: a"},
		{"2 of 3 scenarios are neither cleared nor collapsed: a, b", "2 of 3 scenarios are undecided: a, b"},
		{"15 of 27 passed (55.6%) with 4 errors, the baseline 26 of 27 (96.3%) with 1 error: lower",
			"15 of 27 passed, 8 failed and 4 ended in errors, the baseline 26 of 27, 0 failed and 1 ended in an error: lower"},
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
			"3 of 9 passed, and the comparison with the threshold had failed before this could be decided"},
		{"3 of 9 passed, and the other question had failed before this could be decided",
			"3 of 9 passed, and the comparison with the baseline had failed before this could be decided"},
		{"12 of 12 passed: a mean pass rate of 80% or less is ruled out",
			"12 of 12 passed, in the first 3 rounds (28 trials in all): a mean pass rate of 80% or less is ruled out"},
		{"8 of 12 passed, the baseline 4 of 4: lower",
			"8 of 12 passed, the baseline 4 of 4, in the first round (28 trials in all, the baseline 60): lower"},
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
