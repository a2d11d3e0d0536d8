package runs

import (
	"fmt"
	"math"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/verdict"
)

// decide gives the suite the verdict of its tests together: Fail if one failed, Pass
// if all passed. With a correction a Fail counts where it is one beside all others too. Quarantined tests
// count for nothing.
func (r *Result) decide() error {
	if len(r.SuiteTests) > 0 {
		return r.decideTogether()
	}
	names := map[verdict.Verdict][]string{}
	// The tests are independent, so the chance that none fails falsely is the product.
	keeps := 1.0 // the chance of no false Fail, if all rates are at their thresholds, and nothing changed
	confirmed, err := r.confirmed()
	if err != nil {
		return err
	}
	var alone []string // that failed by themselves
	recorded, ended := len(r.Tests) > 0, true
	counted := 0
	for i := range r.Tests {
		t := &r.Tests[i]
		v := t.Verdict
		if t.Quarantined && !t.recorded() {
			recorded = false
			continue
		}
		counted++
		if v == verdict.Fail && !confirmed[i] {
			v = verdict.Inconclusive
			alone = append(alone, t.Name)
		}
		names[v] = append(names[v], t.Name)
		keeps *= 1 - t.falseFail()
		recorded = recorded && t.recorded()
		ended = ended && len(t.Reasons) > 0 && t.Reasons[0].Code == CodeRecorded
	}
	several := len(r.Tests) > 1
	r.Recorded = recorded
	switch failed, open := names[verdict.Fail], names[verdict.Inconclusive]; {
	case len(r.Tests) == 0:
		r.Reasons = []verdict.Reason{verdict.CodeNoTrials.Reason("nothing was tested")}
	case counted == 0:
		r.Reasons = []verdict.Reason{codeQuarantined.Reason("%s %s quarantined, and nothing is left that decides",
			prose.Count(len(r.Tests), r.noun()), prose.Form(len(r.Tests), "is", "are"))}
	// The suite's verdict is that of its only test, with its reasons.
	case !several:
		r.Verdict, r.Reasons = r.Tests[0].Verdict, r.Tests[0].Reasons
	case recorded && ended:
		trials, passes := 0, 0
		for _, t := range r.Tests {
			trials, passes = trials+t.Trials, passes+t.Passes
		}
		r.Reasons = []verdict.Reason{CodeRecorded.Reason("%s of %s passed; a recording decides nothing",
			fmt.Sprintf("%d of %s", passes, prose.Count(trials, "trial")), prose.Count(len(r.Tests), "scenario"))}
	case len(failed) > 0:
		r.Verdict = verdict.Fail
		beside := ""
		if r.Correction != nil {
			beside = fmt.Sprintf(", corrected for the number of %s (%s)", prose.Plural(r.noun()), r.Correction)
		}
		r.Reasons = []verdict.Reason{codeTestsFail.Reason("%d of %s %s%s: %s", len(failed),
			prose.Count(counted, r.noun()), prose.Form(len(failed), "fails", "fail"), beside, phrase.First(failed))}
	case len(alone) > 0:
		r.Reasons = []verdict.Reason{codeTestsOpen.Reason("%d of %s %s alone, but among %d tests a few do by "+
			"chance, so a person should review it: %s", len(alone), prose.Count(counted, r.noun()),
			prose.Form(len(alone), "fails", "fail"), r.questions(), phrase.First(alone))}
	case len(open) > 0:
		r.Reasons = []verdict.Reason{codeTestsOpen.Reason("%d of %s %s undecided: %s", len(open),
			prose.Count(counted, r.noun()), prose.Form(len(open), "is", "are"), phrase.First(open))}
	default:
		r.Verdict, r.Reasons = verdict.Pass, []verdict.Reason{CodeTestsPass.Reason("%s",
			r.scenariosPass(counted))}
	}
	r.openGone()
	// With designs that never fail falsely there is nothing to warn of, nor after a correction.
	if counted > 1 && r.Correction == nil && math.Abs(1-keeps) > 1e-12 {
		r.Warnings = append(r.Warnings,
			WarnFamily.Warning(
				"of %d %s that are all %s, one or more fails by bad luck in up to %s of runs", counted,
				prose.Plural(r.noun()), r.nulls(), phrase.Percent(1-keeps)))
	}
	r.ExitCode = r.Verdict.ExitCode()
	if recorded && ended {
		r.ExitCode = verdict.Pass.ExitCode() // nothing was asked that could have failed
	}
	return nil
}

// noun is what is tested: scenarios of a suite, or the tests of a test runner.
func (r *Result) noun() string {
	if r.Repeated {
		return "test"
	}
	return "scenario"
}

// openGone makes no Pass of scenarios of the baseline that were not run.
func (r *Result) openGone() {
	if r.Verdict == verdict.Pass && len(r.Gone) > 0 && r.Missing == MissingOpen {
		r.Verdict = verdict.Inconclusive
		r.Reasons = append([]verdict.Reason{CodeGone.Reason("%s of the baseline %s not run (%s), so nothing is known of %s",
			prose.Count(len(r.Gone), "scenario"), prose.Form(len(r.Gone), "was", "were"), phrase.First(r.Gone),
			prose.Form(len(r.Gone), "it", "them"))}, r.Reasons...)
	}
}

// decideTogether gives the run the verdict of its questions about all scenarios. Those of a run of several variants
// have each its part of the alpha where that is shared, so that a Fail is one beside the others too.
func (r *Result) decideTogether() error {
	variants := map[verdict.Verdict][]string{}
	keeps, number := 1.0, 0
	for from, i := 0, 0; from < len(r.SuiteTests); from = i {
		v := verdict.Pass
		for ; i < len(r.SuiteTests) && r.SuiteTests[i].Variant == r.SuiteTests[from].Variant; i++ {
			t := &r.SuiteTests[i]
			keeps *= 1 - t.Promise.FalseFail
			if t.Verdict == verdict.Fail || v == verdict.Pass {
				v = t.Verdict
			}
		}
		variants[v] = append(variants[v], r.SuiteTests[from].Variant)
		number++
	}
	count := prose.Count(number, "variant")
	switch failed, open := variants[verdict.Fail], variants[verdict.Inconclusive]; {
	case len(failed) > 0:
		r.Verdict, r.Reasons = verdict.Fail, []verdict.Reason{codeTestsFail.Reason("%d of %s %s: %s", len(failed), count,
			prose.Form(len(failed), "fails", "fail"), phrase.First(failed))}
	case len(open) > 0:
		r.Reasons = []verdict.Reason{codeTestsOpen.Reason("%d of %s %s undecided: %s", len(open), count,
			prose.Form(len(open), "is", "are"), phrase.First(open))}
	default:
		r.Verdict, r.Reasons = verdict.Pass, []verdict.Reason{CodeTestsPass.Reason("all %s pass", count)}
	}
	// The verdict of one variant is that of its questions, with their reasons.
	if number == 1 {
		r.Reasons = nil
		for i := range r.SuiteTests {
			if t := &r.SuiteTests[i]; t.Verdict == r.Verdict {
				r.Reasons = append(r.Reasons, t.Reasons...)
			}
		}
	}
	r.openGone()
	if len(r.SuiteTests) > 1 && r.SuiteTests[0].Shared == 0 {
		r.Warnings = append(r.Warnings, WarnFamily.Warning("%d questions are asked of agents that are good enough: one or "+
			"more fails by bad luck in up to %s of runs", len(r.SuiteTests), phrase.Percent(1-keeps)))
	}
	r.ExitCode = r.Verdict.ExitCode()
	return nil
}

// scenariosPass says that all scenarios pass that are not quarantined, and of how many.
func (r *Result) scenariosPass(n int) string {
	text := phrase.ScenariosPass(n, n)
	switch {
	case n == len(r.Tests):
	case n == 1:
		text = "the only scenario passes that is not quarantined"
	default:
		text += " that are not quarantined"
	}
	return strings.ReplaceAll(text, "scenario", r.noun())
}

// recorded reports whether the test decides nothing.
func (t *Test) recorded() bool { return t.Design.Kind == sprt.RecordingKind.String() }

// falseFail is the largest chance that the test fails falsely; of two tests it is at most their sum.
func (t *Test) falseFail() float64 {
	alpha := t.Design.Alpha
	if t.Regression != nil {
		testAlpha, _ := t.Regression.Errors()
		alpha += testAlpha
	}
	return math.Min(alpha, 1)
}

// Together is the alpha of all tests that share one, by that of this test or of its part.
func (t *Test) Together(alpha float64) float64 { return alpha * float64(max(t.Shared, 1)) }

// questions is how many tests of the run can fail: against thresholds and against baselines.
func (r *Result) questions() (n int) {
	for i := range r.Tests {
		t := &r.Tests[i]
		if t.Design.MaxTrials > 0 && !t.recorded() {
			n++
		}
		if t.Regression != nil {
			n++
		}
	}
	return n + len(r.SuiteTests)
}

// nulls says how scenarios are of which a Fail is false.
func (r *Result) nulls() string {
	thresholds, baselines := false, false
	for _, t := range r.Tests {
		thresholds = thresholds || t.Design.MaxTrials > 0
		baselines = baselines || t.Regression != nil
	}
	var parts []string
	if thresholds {
		parts = append(parts, "exactly at their threshold")
	}
	if baselines {
		parts = append(parts, "as good as their baseline")
	}
	return strings.Join(parts, " and ")
}

// confirmed says of each test that failed whether it also fails beside the others: by a p-value of
// one of its tests that is, after the correction, at most its alpha. Each test against a threshold
// and each against a baseline is one of those that are corrected for.
func (r *Result) confirmed() ([]bool, error) {
	confirmed := make([]bool, len(r.Tests))
	type claim struct {
		test  int
		alpha float64
	}
	var claims []claim
	var p []float64
	for i := range r.Tests {
		t := &r.Tests[i]
		confirmed[i] = t.Verdict == verdict.Fail
		if r.Correction == nil || t.Quarantined {
			continue
		}
		if t.Design.MaxTrials > 0 && !t.recorded() {
			low, _, err := t.Tails(t.Threshold)
			if err != nil {
				return nil, err
			}
			claims, p = append(claims, claim{i, t.Together(t.Alpha)}), append(p, low)
		}
		if x := t.Regression; x != nil {
			value := 1.0
			if x.PUnchanged != nil {
				value = *x.PUnchanged
			}
			claims, p = append(claims, claim{i, t.Together(x.Alpha)}), append(p, value)
		}
	}
	if r.Correction == nil || len(claims) == 0 {
		return confirmed, nil
	}
	adjusted, err := multiplicity.Adjust(*r.Correction, p)
	if err != nil {
		return nil, err
	}
	clear(confirmed)
	for k, c := range claims {
		confirmed[c.test] = confirmed[c.test] || r.Tests[c.test].Verdict == verdict.Fail && adjusted[k] <= c.alpha
	}
	return confirmed, nil
}
