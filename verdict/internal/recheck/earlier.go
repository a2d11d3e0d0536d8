package recheck

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Codes are stable and texts are not: a result that was saved when a reason had other words is verified by its codes
// and figures, and the text is named as what was not compared. It must be a text that the code once had.

// earlier are the texts that reasons, warnings and rules of gates had, by their codes. They are compiled where one is
// asked for: few results are of an earlier version.
var earlier = sync.OnceValue(func() map[verdict.Code][]*regexp.Regexp {
	compiled := map[verdict.Code][]*regexp.Regexp{}
	for code, patterns := range worded {
		for _, p := range patterns {
			compiled[code] = append(compiled[code], whole(p))
		}
	}
	// The rules of a gate say what they rest on, some with the scenario before it, and quote the reasons of others.
	for code, patterns := range ruled {
		for _, p := range patterns {
			compiled[code] = append(compiled[code], whole(`(?:.+: )?(?:`+p+`)`))
		}
	}
	for _, code := range []verdict.Code{"suite-verdict", "regression", "behaviour"} {
		for _, quoted := range worded {
			for _, p := range quoted {
				compiled[code] = append(compiled[code], whole(quoting+`(?:`+p+`)`))
			}
		}
	}
	return compiled
})

// quoting is what stands before a reason that a rule quotes.
const quoting = `(?:.+: )?(?:(?:pass|fail|undecided): |(?:fails|worse) alone, but among .+ correction\): )?`

// whole is a pattern of a whole text.
func whole(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?s)^(?:` + pattern + `)$`) }

// words are patterns of whole texts.
func words(patterns ...string) []string { return patterns }

// ruled are the texts that rules of gates had, which their reasons repeat, by the codes of these.
var ruled = map[verdict.Code][]string{
	"all-trials":        words(`all 1 trial passed`),
	"identical-answers": words(`.*\d+ answers are (?:the same|those of an earlier trial), word for word.+`),
	"result-age": words(`the result: it is [\dhms.]+ old, and may be [\dhms.]+`,
		`the result was finished at .+, and may be [\dhms.]+ old`),
	"baseline-not-comparable": words(`the baseline .+ is .+: it is [\dhms.]+ old, and may be [\dhms.]+`),
	"evidence-missing":        words(`the suite has it, and it was not run`, `it was not run: left out(?: by [^"]+)?`),
	"coverage": words(`overall coverage [\d.]+(?: of \d+ of \d+ dimensions)?; no minimum is set`,
		`nothing is declared to be covered, and at least [\d.]+ is needed; .+`,
		`coverage is not measured, and at least [\d.]+ is needed`,
		`overall coverage [\d.]+ is below the minimum [\d.]+; .+`,
		`overall coverage (?:is below|does not show) the minimum [\d.]+: .+`,
		`overall coverage (?:at least )?[\d.]+[, ].*is of \d+ of \d+ dimensions, and does not show the minimum [\d.]+; .+`,
		`overall coverage (?:at least )?[\d.]+(?:[, ].+)?[;,] at least [\d.]+ is needed`),
	"looks": words(`analysis \d+ of the same agent.+; declare the number of analyses before the first.+`,
		`analysis \d+ of the same agent.+; a person decides, or .+`,
		`look \d+ with the same agent.*: a false Pass over all of them has a chance of at most .+`),
	"suite-verdict": words(`inconclusive: .+`, `(?:pass|fail|undecided): .+`,
		`fails by itself, but not beside \d+ scenarios \(p .+ correction\): .+`),
	"floor": words(`\d+ of \d+ passed(?: \([^)]+%\))?: .+`, `the floor .+ cannot be tested: .+`, `the observed rate is .+, the floor .+`,
		`the pass rate (?:is below|reaches) the floor .+`, `.+ passed, which neither reaches nor misses the floor .+`),
	"regression": words(`worse than the baseline \(.+; p .+, at most alpha .+\)`, `worse than the baseline: .+`,
		`worse than the baseline by itself.+`, `worse than the baseline alone \(.+`, `not worse than the baseline.+`,
		`no regression is shown .+`, `no drop is shown \(.+`,
		`a drop of .+ from the baseline is neither shown nor excluded .+`, `too few trials to tell \(.+`,
		`inconclusive: .+`),
	"rules-noted": words(`no rule is broken or open; only noted: .+ is not excluded, which is allowed\).*`),
}

// counts are passes without a word of errors, and besides the same of both sides: today's have them.
const (
	counts  = `\d+ of \d+ passed(?: \([^)]+%\))?`
	besides = counts + `, the baseline \d+ of \d+(?: \([^)]+%\))?`
)

// worded are the texts that other reasons and warnings had. A reason that named another is of any text there.
var worded = map[verdict.Code][]string{
	"collapsed":           words(`.+ passed.*: (?:the pass rate is below [\d.]+%|(?:collapsed, )?it passes less often than its baseline)`),
	"scenarios-collapsed": words(`\d+ of \d+ scenarios? ha(?:s|ve) collapsed: .+`),
	"pass-boundary": words(`.+: enough to rule out a rate of -.+`, `after .+ the Pass boundary is reached: \d+ or fewer pass here`,
		`after .+ the threshold [\d.]+ is reached`,
		`\d+ of \d+ passed(?: \([\d.e-]+%\))?(?:, \d+ failed and \d+ ended in (?:an error|errors))?: enough to rule `+
			`out a rate of [^ ]+ or less(?:, whatever the errors? would have been)?`),
	"fail-boundary": words(`.+: below the 0% you require.*`, `after .+ the Fail boundary is reached: \d+ or more fail here`,
		`after .+ the threshold [\d.]+ is missed`),
	"max-trials": words(`all .+ are used up with .+, between the boundaries`,
		`after .+ the threshold [\d.]+ is neither reached nor missed`),
	"recorded": words(`.+ recorded with .+; a recording decides nothing`,
		`\d+ trials of \d+ scenarios are recorded, \d+ passed; a recording decides nothing`),
	"not-ended": words(`the run was stopped \(.+\) after .+ with .+, before the test ended`,
		`stopped before a trial was judged: .+`, `.+ when the run was stopped, before this could be decided: .+`),
	"recording-ends":   words(`the recording ends after .+ with .+, before the test does; its limit is \d+ trials`),
	"pass-unreachable": words(`no outcome of .+ could pass: it takes at least \d+, all passing`),
	"no-trials":        words(`all 1 trial ended in an error, so nothing is known of the pass rate`),
	"race-left":        words(`all 1 round are used, and .+`),
	"ratchet-all-pass": words(`all 1 test pass with attempt \d+`),
	"errors-could-change-verdict": words(`after .+ with .+ the errors decide: see to their cause and run again`,
		`.+ could change the verdict: it is .+ without them, and .+; run those trials again`,
		`.+: the errors decide whether a drop is shown; see to their cause and run again`,
		`.+: the errors would decide, so find their cause and run again`),
	"tests-fail": words(`\d+ of \d+ scenarios fail: .+`,
		`\d+ of \d+ scenarios fail after the correction for their number: .+`),
	"tests-pass": words(`all 2 scenarios pass`),
	"tests-open": words(`\d+ of \d+ scenarios fail by themselves, but not after the correction for their number: .+`,
		`\d+ of \d+ scenarios are inconclusive: .+`),
	"family-error": words(`each scenario has its own false Fail; that one of \d+ fails falsely has a chance of at most .+`),
	"estimate-below-threshold": words(
		`the pass rate is estimated at .+, below the threshold .+: this Pass excludes a rate of .+ or less`),
	"drop":           words(`.+: a drop is shown( \(p .+\))?`),
	"no-drop":        words(`.+: a drop by .+ is excluded( \(p .+\))?`),
	"drop-open":      words(`.+: all .+ are used up, and a drop by .+ is neither shown nor excluded`),
	"drop-undecided": words(`.+: a drop by .+ is neither shown nor excluded so far`),

	"interval-above-threshold":     words(counts+`: at or above .+`, `the .+ interval \[.+\] lies at or above the threshold .+`),
	"interval-below-threshold":     words(counts+`: below .+`, `the .+ interval \[.+\] lies below the threshold .+`),
	"interval-straddles-threshold": words(counts+`: too few .+`, `the .+ interval \[.+\] holds the threshold .+`),
	"not-below-after-correction": words(counts+`: below .+`, `its own interval lies below the threshold, but among \d+ scenarios that happens `+
		`by chance too often \(exact p .+ after Holm's correction, alpha .+\)`),
	"scenarios-fail": words(`.+ below the threshold after Holm's correction: .+`, `.+ worse \(p .+\): .+`),
	"scenarios-pass": words(`every one of \d+ scenarios passes`,
		`on every one of \d+ scenarios a drop of .+ or more is excluded`),
	"mean-below": words(`the mean of the scenarios lies below the threshold, so some scenario does; .+`),
	"scenarios-below-threshold": words(`the own interval of .+ lies below the threshold: .+`,
		`the own intervals? of .+ lies? below the threshold: .+`, `.+ below the .+ on their own: .+`),
	"exact-interval": words(`at .+ the .+ interval would say .+; the Clopper-Pearson interval, which never does, decides`),

	"worse": words(besides+`: .+`, `worse than the baseline \(evidence .+, of at least .+\)`,
		`the candidate is worse: .+`, `.+ worse \(p .+\): .+`,
		`worse than the baseline: .+, below alpha .+, and the observed drop .+ is at least delta .+`),
	"worse-by-less-than-delta": words(`worse, but by .+ non-inferiority p .+\)`, `worse \(evidence .+, of at least .+`,
		`worse, but by less than delta .+`, `the candidate is worse \(.+\), but not by .+`),
	"not-worse-by-delta": words(`not worse: `+besides+`: .+`, `not worse: .+ \((?:non-inferiority p|evidence .+, of at least) .+\)`,
		`a drop of .+ or more is excluded[:,] .+`, `the candidate is not worse by .+: .+`),
	"neither-shown": words(besides+` in .+`, `.+ passed.* in \d+ rounds? of both: neither is a lower mean shown .+`,
		`too few trials to tell: .+(?:non-inferiority p|evidence .+, of at least) .+`,
		`neither is shown: worse .+ or not worse by .+`,
		`it is neither shown that the candidate is worse .+ nor that it is not worse by .+`,
		`.+ neither shown to be worse nor shown not to be worse by .+: .+`),
	"observed-drop-below-delta": words(`.+ p .+ is below alpha .+, but the observed drop .+ is below delta .+`),
	"power-reached":             words(`.+ p .+ is not below alpha .+, with power .+ against a drop of .+`),
	"power-too-low":             words(`.+ p .+ is not below alpha .+, but the .+ against a drop of .+ is less than .+`),
	"posterior-probability":     words(`a drop above .+ has posterior probability p .+ \(Fail above .+, Pass below .+\)`),
	"errors":                    words(`.+ (?:ended in|with) an error(?: \(baseline \d+, candidate \d+\))?(?: and|, which) counts? as .+`),
	"limit-unknown":             words(`.+: \d+ trials? did not tell what the limit bounds`),
	"errors-exceed-targets": words(`the exact errors exceed their targets: .+`,
		`.+ errors(?: of .+)?, alpha .+ and beta .+, exceed their targets`),
	"earlier-looks": words(`analysis \d+ of the same agent.+; declare the number of analyses before the first.+`,
		`.*look \d+ (?:at|with) .+: (?:the chance of a|a) false Pass over all .+`,
		`.*look \d+ .+; --looks K declares looks beforehand, --new-agent says that the agent has changed`),
	"uneven-rounds":        words(`the scenarios have unlike numbers of trials: .+, or with --by scenario`),
	"few-scenarios":        words(`with \d+ scenarios little can be said .+; \d+ leave an interval about 0.3 wide`),
	"stopped-early":        words(`the run ended when .+ has one: tribunal run --record`),
	"scenario-mix-differs": words(`the two sides tried .+; leave out --test`),
	"trials-unused": words(`.+, and delta is lessened by [\d.e-]+, so that both sides have the same mix`,
		`\d+ trials? without a partner of the same scenario on the other side`),
	"scenarios-worse": words(`worse on \d+ scenarios? \(p .+, at most .+\): .+`,
		`.+ worse.+\) \(p at most .+\): .+`),
	"power-not-computed":          words(`power is not computed for more than \d+ trials: .+`),
	"delta-exceeds-baseline-rate": words(`a drop of delta .+ is not possible from the observed baseline rate, .+`),
	"paper-rule-power":            words(`at a true drop of exactly delta this rule's demand .+`),
	"scenarios-worse-in-a-pass":   words(`in spite of the Pass .+ worse(?:, allowing for how many there are)? \(.+\): .+`),

	"behaviour-changed":     words(`the behaviour changed \(p .+, at most alpha .+\)`),
	"behaviour-not-changed": words(`no change of behaviour is shown \(p .+\), and a shift of .+ sd is excluded in every column .+`),
	"behaviour-undecided":   words(`no change of behaviour is shown \(p .+\), but none is excluded: .*`),
	"may-end-inconclusive":  words(`.+ with probability .+`),
	"often-inconclusive":    words(`.+ of the runs .*end Inconclusive .+`),
	"partial-run":           words(`a partial run, of .+ of the suite; left out(?: by [^"]+)?: .+`),
}

// asScenarios writes of the tests of a test runner as of scenarios.
var asScenarios = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(" tests ", " scenarios ", " test ", " scenario ", " tests:", " scenarios:")
})

// withErrors is how a side was counted: "8 of 10 passed (80%) with 1 error"; of a baseline without "passed".
var withErrors = lazy.Regexp(`(\d+) of (\d+)( passed)?(?: \([^)]+%\))? with (\d+) errors?`)

// asSeen counts it as today.
func asSeen(text string) string {
	m := withErrors().FindStringSubmatch(text)
	passes, _ := strconv.Atoi(m[1])
	trials, _ := strconv.Atoi(m[2])
	errors, _ := strconv.Atoi(m[4])
	seen := phrase.Seen(passes, trials-passes-errors, errors)
	if m[3] == "" {
		return strings.Replace(seen, " passed", "", 1)
	}
	return seen
}

// correction is how a text says which correction it made, which earlier ones did not.
var correction = lazy.Regexp(`(, corrected for the number of scenarios) \(\w+\)`)

// firstRounds says which trials the counts of a mean are of, which earlier texts did not.
var firstRounds = lazy.Regexp(`, in the first (?:round|\d+ rounds) \([^)]+ in all[^)]*\)`)

// renamed puts the words of today in the place of earlier ones, in texts that are otherwise the same.
var renamed = sync.OnceValue(func() *strings.Replacer { return strings.NewReplacer(pairs...) })

// pairs are words that texts had, each before those of today.
var pairs = []string{
	"arms or reasons are missing", "variants or reasons are missing",
	"fresh trials", "new trials",
	"and the incumbent ", "and the current version ",
	"the incumbent ", "the current version ",
	"the champion ", "the current version ",
	"is the champion", "is the current version",
	"against the challenger", "against the candidate",
	"of some arms alone", "of some variants alone",
	"of such arms the best is chosen less surely than", "of such variants the best is chosen with less certainty than",
	"the floor of ", "the minimum of ",
	"floors a few are by chance", "minimums a few are missed by chance",
	"and a person should look", "so a person should review it",
	"the mutation score is open", "the mutation score is undecided",
	"no rule is broken or open", "no check failed or is undecided",
	"no rule is broken or undecided", "no check failed or is undecided",
	"every rule holds", "every check passed",
	"is neither cleared nor collapsed", "is undecided",
	"are neither cleared nor collapsed", "are undecided",
	"none is shown (p", "no change was detected (p",
	"the behaviour is not shown to be changed", "no change of the behaviour was detected",
	"and no change of behaviour is shown", "and no change of behaviour was detected",
	", allowing for how many scenarios there are", ", corrected for the number of scenarios",
	", allowing for how many there are", ", corrected for the number of scenarios",
	"the errors over all looks hold for looks after", "the errors over all analyses hold for analyses after",
	"the errors hold for looks after", "the errors hold for analyses after",
	"the most that are looked at", "the largest number that is considered",
	"by somebody who saw what they came to, or by a budget", "after outcomes were known, or by a budget",
	"begin anew", "start again",
	"the suite asks for ", "the suite requires ",
	"the suite wants ", "the suite requires ",
	"the suite does not ask for it", "the suite does not test it",
	"the suite asks about ", "the suite tests ",
	"as the suite asks", "as the suite requires",
	"the suite asks to be held, and went on without", "the suite requires, and the run did without",
	"this machine cannot hold all that", "this machine cannot confine agents as",
	"the suite asks ", "the suite tests ",
	"the result asks for no pass rate", "the result tests no pass rate",
	"and asks for a person otherwise", "and else needs review",
	"when it had seen", "after trials of",
	"of the others it knows nothing", "the others were not judged",
	"Hotelling's test knows no scenarios", "Hotelling's test ignores scenarios",
	"too few trials of both sides that know the same know it",
	"it is known in too few trials of both sides that are alike in what is known",
	"that know the same", "in which the same is known",
	"that knows the same", "in which the same is known",
	"the agent has changed (--new-agent)", "the agent has changed (--new-agent); if it reads files that were not " +
		"compared, name them in the suite, as in agent: {files: [\"prompts/**\"]}",
}

// otherQuestion is what failed before a question could be decided, which had no name.
var otherQuestion = lazy.Regexp(`the comparison with the (baseline|threshold) had failed`)

// Statement is a part of a result that says something beside what else it holds, such as a rule of a gate.
type Statement interface {
	Said() verdict.Reason   // what it says, with its code
	Saying(text string) any // the same with another text
	TextField() string      // the name of the text in JSON
}

// inEarlierWords reports whether a reason, or a warning, is the one that is wanted in words of an earlier version; its
// text is named as skipped then.
func (w *Walk) inEarlierWords(plain, field string, have, want verdict.Reason) bool {
	if have.Code != want.Code || have.Text == want.Text {
		return false
	}
	switch withErrors().ReplaceAllStringFunc(renamed().Replace(have.Text), asSeen) {
	// The tests of a test runner were called scenarios.
	case want.Text, correction().ReplaceAllString(want.Text, "$1"), asScenarios().Replace(want.Text),
		firstRounds().ReplaceAllString(want.Text, ""), // the counts of a mean stood alone
		otherQuestion().ReplaceAllString(want.Text, "the other question had failed"),
		otherQuestion().ReplaceAllString(want.Text, "every test was decided"):
		w.Compared++
		return true
	}
	for _, p := range earlier()[have.Code] {
		// Where the code still has those words the texts are compared.
		if !p.MatchString(have.Text) || p.MatchString(want.Text) {
			continue
		}
		w.Compared++
		if text := plain + "." + field; !slices.Contains(w.Skipped, text) {
			w.Skipped = append(w.Skipped, text)
		}
		return true
	}
	return false
}
