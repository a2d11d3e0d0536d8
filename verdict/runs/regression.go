package runs

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/internal/mark"
)

// RegressionKind says where the baseline of a test comes from.
type RegressionKind string

// The kinds of tests against a baseline.
const (
	StoredKind     RegressionKind = "stored"       // its trials were recorded before
	SideBySideKind RegressionKind = "side-by-side" // both sides run, a trial of each in every round
	MatchedKind    RegressionKind = "matched"      // in rounds whose trials share what makes them hard
)

// Regression is the test of a candidate against a baseline: whether its pass rate dropped.
// Beside a design it is one of two tests over the same trials, and ends by itself.
type Regression struct {
	Kind    RegressionKind  `json:"kind"`
	Verdict verdict.Verdict `json:"verdict"` // of this test alone
	// Why the verdict is what it is, the most important first.
	Reasons []verdict.Reason `json:"reasons"`

	// The smallest drop of the pass rate that matters, from 0 to 1.
	Delta float64 `json:"delta"`
	// Bounds the chance of a Fail where nothing changed, from 0 to 1.
	Alpha float64 `json:"alpha"`
	// Bounds the chance of a Pass after a drop by delta, from 0 to 1.
	Beta float64 `json:"beta"`
	// Rates of the baseline for which the errors are kept, every one from 0 to 1; of matched pairs the
	// shares of those in which the sides differ.
	Low  float64 `json:"lowest_guarded"`
	High float64 `json:"highest_guarded"`
	// The chance, at most, that the baseline's rate is not guarded.
	Gamma float64 `json:"gamma"`
	// The largest chance of a false Fail over the guarded rates, proved, and gamma.
	ProvedAlpha float64 `json:"proved_alpha"`
	// The largest chance of a false Pass over the guarded rates, proved, and gamma.
	ProvedBeta float64 `json:"proved_beta"`
	// The same where scenarios are pooled and pass unlike often, computed over a grid; nil where a scenario is alone or
	// the baseline's number of trials was not fixed, and in results of earlier versions.
	UnlikeAlpha *float64 `json:"unlike_alpha,omitempty"`
	UnlikeBeta  *float64 `json:"unlike_beta,omitempty"` // see UnlikeAlpha
	// Of the candidate, after which it ends in any case.
	MaxTrials int    `json:"max_trials"`
	Family    string `json:"family"` // its digest, among the families of the run
	// Of the candidate's failures, for what the baseline came to; absent in rounds, and where
	// the baseline has trials without an outcome.
	Boundaries *design.Boundaries `json:"boundaries,omitempty"`

	Source    BaselineSource `json:"source"`    // of the baseline
	Baseline  Side           `json:"baseline"`  // of a stored one all of its trials
	Candidate Side           `json:"candidate"` // the trials that this test judged
	// What a sequential baseline came to with its errors as passes, and as failures; absent where
	// counts tell.
	Best  *BaselineEnd `json:"baseline_with_errors_passed,omitempty"`
	Worst *BaselineEnd `json:"baseline_with_errors_failed,omitempty"`
	Pairs *Pairs       `json:"pairs,omitempty"` // of matched pairs alone

	// The p-value against "the candidate's rate is the baseline's", the largest over the guarded
	// rates; nil where it is not known where the test would have ended.
	PUnchanged *float64 `json:"p_unchanged"`
	// The p-value against "the candidate's rate is lower by delta", likewise.
	PDropped   *float64           `json:"p_dropped"`
	Difference *design.Difference `json:"difference"` // nil where the test has not ended
	Expected   *ExpectedTrials    `json:"expected"`   // nil where nothing is known of the baseline's rate
	// Of the baseline in rounds, by round: P, F, E, and . where it did not end.
	Outcomes string    `json:"baseline_outcomes,omitempty"`
	Measures *Measures `json:"baseline_measures,omitempty"` // of the baseline in rounds, like those of the test
}

// Side is what one side of a test came to.
type Side struct {
	Trials int      `json:"trials"` // judged
	Passes int      `json:"passes"` // among them, like fails and errors
	Fails  int      `json:"fails"`
	Errors int      `json:"errors"`
	Rate   *float64 `json:"rate"` // passes over passes and fails; nil where there are none
}

// BaselineEnd is an end of a sequential run.
type BaselineEnd struct {
	Trials   int `json:"trials"`
	Failures int `json:"failures"`
}

// Pairs counts the rounds of matched pairs in which the sides differ, those with errors left out.
type Pairs struct {
	Broke int `json:"broke"` // only the baseline passed
	Fixed int `json:"fixed"` // only the candidate passed
}

// ExpectedTrials is how many trials of the candidate a test takes on average.
type ExpectedTrials struct {
	// Of the baseline: its share of passes, moved into the guarded rates. Of matched pairs the
	// share in which the sides differ.
	Rate      float64 `json:"rate"`
	Unchanged float64 `json:"unchanged"` // where the candidate's rate is the baseline's
	Dropped   float64 `json:"dropped"`   // where it is lower by delta
}

// Reasons of a test against a baseline.
const (
	codeDrop      verdict.Code = "drop"           // a drop is shown
	codeNoDrop    verdict.Code = "no-drop"        // a drop of delta is excluded
	codeDropOpen  verdict.Code = "drop-open"      // neither, and the trials are used up
	CodeUndecided verdict.Code = "drop-undecided" // the run ended before this test did
	CodeRefuted   verdict.Code = "not-guarded"    // the rounds refute what the test rests on
)

// sideOf counts outcomes.
func sideOf(outcomes []trial.Outcome) (s Side) {
	s.Trials = len(outcomes)
	for _, o := range outcomes {
		switch o {
		case trial.Pass:
			s.Passes++
		case trial.Fail:
			s.Fails++
		default:
			s.Errors++
		}
	}
	return s.rated()
}

// Plus is both together.
func (s Side) Plus(o Side) Side {
	return Side{
		Trials: s.Trials + o.Trials, Passes: s.Passes + o.Passes, Fails: s.Fails + o.Fails, Errors: s.Errors + o.Errors,
	}.rated()
}

func (s Side) rated() Side {
	if known := s.Passes + s.Fails; known > 0 {
		s.Rate = new(float64(s.Passes) / float64(known))
	}
	return s
}

// Text is such as "15 of 20 passed (75%)".
func (s Side) Text() string { return phrase.Seen(s.Passes, s.Fails, s.Errors) }

// side is what a stored baseline came to. Where its two ends differ, the one with more trials has all of
// them: without an error the run would have gone no further.
func (s *StoredBaseline) side() Side {
	if s.Counted.Trials > 0 {
		return s.Counted.rated()
	}
	best, worst := s.Outcome, s.WithErrorsFailed()
	side := Side{Trials: best.Trials, Fails: best.Failures, Errors: s.Errors}
	if worst.Trials > best.Trials {
		side.Trials, side.Fails = worst.Trials, worst.Failures-s.Errors
	}
	side.Passes = side.Trials - side.Fails - side.Errors
	return side.rated()
}

// followsFromCounts reports whether both ends follow from the counts. Of several runs those of one may have more trials
// at the worst, and those of another fewer.
func (s *StoredBaseline) followsFromCounts() bool {
	side, best := s.side(), s.Outcome
	return side.Trials == best.Trials && side.Fails == best.Failures &&
		s.WithErrorsFailed() == (baseline.Outcome{Trials: best.Trials, Failures: best.Failures + s.Errors})
}

// familyResults is what the families of a run gave so far: many tests share a family, and many of those end
// alike.
type familyResults struct {
	errors      map[string]baseline.Errors // by the digests of families
	p           map[familyEnd]baseline.PValues
	differences map[familyEnd]baseline.Difference
}

// familyEnd is where a test of a family ended.
type familyEnd struct {
	family           string           // digest
	baseline         baseline.Outcome // in rounds the events of the baseline are its failures
	trials, failures int              // of the candidate; in rounds its events
}

func newComputed() *familyResults {
	return &familyResults{map[string]baseline.Errors{}, map[familyEnd]baseline.PValues{},
		map[familyEnd]baseline.Difference{}}
}

// once computes a value that is not known yet.
func once[K comparable, V any](known map[K]V, key K, compute func() (V, error)) (V, error) {
	if v, ok := known[key]; ok {
		return v, nil
	}
	v, err := compute()
	if err == nil {
		known[key] = v
	}
	return v, err
}

// proved are the errors of a family.
func (known *familyResults) proved(digest string, compute func() baseline.Errors) baseline.Errors {
	e, _ := once(known.errors, digest, func() (baseline.Errors, error) { return compute(), nil })
	return e
}

// hypotheses fills in what was planned.
func (r *Regression) hypotheses(h baseline.Hypotheses, proved baseline.Errors) {
	r.Delta, r.Alpha, r.Beta = h.Delta, h.Alpha, h.Beta
	r.Low, r.High = h.Guarded.Low, h.Guarded.High
	r.ProvedAlpha, r.ProvedBeta = math.Min(1, proved.Alpha+r.Gamma), math.Min(1, proved.Beta+r.Gamma)
}

// Errors are the largest chances of a false Fail and of a false Pass, whether scenarios that are pooled pass equally
// often or not, as far as that is known.
func (r *Regression) Errors() (alpha, beta float64) {
	alpha, beta = r.ProvedAlpha, r.ProvedBeta
	if r.UnlikeAlpha != nil && r.UnlikeBeta != nil {
		alpha, beta = math.Max(alpha, *r.UnlikeAlpha), math.Max(beta, *r.UnlikeBeta)
	}
	return alpha, beta
}

// regression judges the part of a test that is against a baseline.
func (d *decider) regression(t TestEvidence, known *familyResults) (*Regression, error) {
	if t.Against.Stored != nil {
		return d.storedRegression(t, known)
	}
	return d.roundsRegression(t, known)
}

// judgedBy is where a part of the test stood when the test ended, or stands: a part that ended
// only with trials beyond that is undecided. Trials are places.
func (d *decider) judgedBy(part sprt.TrialTest) (o sprt.Outcome, places int) {
	if part.Trials() > d.Trials() {
		return sprt.Undecided, d.Trials()
	}
	return part.Outcome(), part.Trials()
}

// outcomesOf are those of so many trials that are judged, so that all of them have one.
func outcomesOf(trials []TrialEvidence) []trial.Outcome {
	list := make([]trial.Outcome, len(trials))
	for i, x := range trials {
		list[i], _ = x.outcome()
	}
	return list
}

// confidence is the error of intervals, whatever alpha the test decides by: readers expect 95 %.
const confidence = 0.05

func (d *decider) storedRegression(t TestEvidence, known *familyResults) (*Regression, error) {
	s := t.Against.Stored
	family := s.Family
	r := &Regression{Kind: StoredKind, Gamma: family.Gamma(), Family: family.Digest(), Source: s.Source.whole(),
		MaxTrials: d.stored.maxTrials(), Baseline: s.side()}
	r.hypotheses(family.Hypotheses(), known.proved(r.Family, family.Errors))
	if e, known := family.Unlike(len(t.Scenarios)); known {
		r.UnlikeAlpha, r.UnlikeBeta = new(math.Min(1, e.Alpha+r.Gamma)), new(math.Min(1, e.Beta+r.Gamma))
	}
	best, worst := s.Outcome, s.WithErrorsFailed()
	if !s.followsFromCounts() {
		r.Best, r.Worst = &BaselineEnd{best.Trials, best.Failures}, &BaselineEnd{worst.Trials, worst.Failures}
	}
	if best == worst {
		b := d.stored.pass.Design().Boundaries
		r.Boundaries = new(design.Of(b))
	}
	outcome, judged := d.judgedBy(d.stored)
	r.Candidate = sideOf(outcomesOf(t.Trials[:judged]))
	r.expected(r.Baseline.Rate, func(rate float64) (float64, float64) {
		return family.At(rate, rate).ExpectedTrials, family.At(rate, rate-r.Delta).ExpectedTrials
	})
	// A drop is shown with errors as passes of the candidate and failures of the baseline, and is
	// excluded the other way round.
	pValues := func(recorded baseline.Outcome, end *sprt.Test) (baseline.PValues, error) {
		return once(known.p, familyEnd{r.Family, recorded, end.Trials(), end.Failures()}, func() (baseline.PValues, error) {
			return family.PValues(recorded, end.Trials(), end.Failures())
		})
	}
	favour, _ := d.stored.fail.Sides()
	_, against := d.stored.pass.Sides()
	if favour.Decided() && favour.Trials() <= judged {
		p, err := pValues(worst, favour)
		if err != nil {
			return nil, err
		}
		r.PUnchanged = &p.Unchanged
	}
	if against.Decided() && against.Trials() <= judged {
		p, err := pValues(best, against)
		if err != nil {
			return nil, err
		}
		r.PDropped = &p.Dropped
	}
	deciding, recorded := against, best
	if outcome == sprt.Fail {
		deciding, recorded = favour, worst
	}
	errors := r.Candidate.Errors + r.Baseline.Errors
	if outcome != sprt.Undecided && !(errors > 0 && outcome == sprt.Inconclusive) {
		x, err := once(known.differences, familyEnd{r.Family, recorded, deciding.Trials(), deciding.Failures()},
			func() (baseline.Difference, error) {
				return family.Difference(recorded, deciding.Trials(), deciding.Failures(), confidence)
			})
		if err != nil {
			return nil, err
		}
		r.difference(x)
	}
	matter := errors > 0 && (against.Outcome() != sprt.Inconclusive || favour.Outcome() != sprt.Inconclusive)
	r.conclude(outcome, matter)
	return r, nil
}

func (d *decider) roundsRegression(t TestEvidence, known *familyResults) (*Regression, error) {
	test := t.Against.Rounds
	r := &Regression{Kind: SideBySideKind, Family: test.Digest(), MaxTrials: test.MaxRounds(), Gamma: t.Against.Gamma,
		Source: BaselineSource{Changed: append([]string{}, t.Against.Changed...)}}
	if test.Matched() {
		r.Kind = MatchedKind
	}
	r.hypotheses(test.Hypotheses(), known.proved(r.Family, test.Errors))
	outcome, places := d.judgedBy(d.rounds)
	base, candidate := t.side(true), t.side(false)
	b, c := outcomesOf(base.Trials[:places/2]), outcomesOf(candidate.Trials[:places/2])
	r.Baseline, r.Candidate = sideOf(b), sideOf(c)
	r.Outcomes = marks(base.Trials)
	if test.Matched() {
		r.Pairs = &Pairs{}
		for i := range b {
			switch {
			case b[i] == trial.Pass && c[i] == trial.Fail:
				r.Pairs.Broke++
			case b[i] == trial.Fail && c[i] == trial.Pass:
				r.Pairs.Fixed++
			}
		}
		var differ *float64
		if len(b) > 0 {
			differ = new(float64(r.Pairs.Broke+r.Pairs.Fixed) / float64(len(b)))
		}
		r.expected(differ, func(d float64) (float64, float64) {
			d = math.Max(d, r.Delta)
			return test.AtPairs(d/2, d/2).ExpectedTrials, test.AtPairs((d-r.Delta)/2, (d+r.Delta)/2).ExpectedTrials
		})
	} else {
		r.expected(r.Baseline.Rate, func(rate float64) (float64, float64) {
			high := math.Max(rate, r.Delta) // a lower rate cannot drop by it
			return test.At(rate, rate).ExpectedTrials, test.At(high, high-r.Delta).ExpectedTrials
		})
	}
	// With errors, only the reading that decided is known to have ended.
	errors := r.Baseline.Errors + r.Candidate.Errors
	if outcome != sprt.Undecided && !(errors > 0 && outcome == sprt.Inconclusive) {
		rounds, x, y := d.rounds.Deciding()
		end := familyEnd{r.Family, baseline.Outcome{Trials: rounds, Failures: x}, rounds, y}
		p, err := once(known.p, end, func() (baseline.PValues, error) { return test.PValues(rounds, x, y) })
		if err != nil {
			return nil, err
		}
		if errors == 0 || outcome == sprt.Fail {
			r.PUnchanged = &p.Unchanged
		}
		if errors == 0 || outcome == sprt.Pass {
			r.PDropped = &p.Dropped
		}
		difference, err := once(known.differences, end, func() (baseline.Difference, error) {
			return test.Difference(rounds, x, y, confidence)
		})
		if err != nil {
			return nil, err
		}
		r.difference(difference)
	}
	r.conclude(outcome, d.rounds.ErrorsMatter())
	return r, r.refute()
}

// whole has a list of changes, so that JSON has one.
func (s BaselineSource) whole() BaselineSource {
	s.Changed = append([]string{}, s.Changed...)
	return s
}

// expected adds the expected trials at a rate, moved into the guarded rates.
func (r *Regression) expected(rate *float64, at func(rate float64) (unchanged, dropped float64)) {
	if rate == nil {
		return
	}
	x := math.Min(math.Max(*rate, r.Low), r.High)
	unchanged, dropped := at(x)
	r.Expected = &ExpectedTrials{x, unchanged, dropped}
}

func (r *Regression) difference(d baseline.Difference) {
	r.Difference = design.DifferenceOf(d)
}

// conclude gives the verdict, in the words of the question.
func (r *Regression) conclude(o sprt.Outcome, errorsMatter bool) {
	// The ends at which it fails have no more than alpha together, so alpha bounds the p-value of each;
	// and so does beta where it passes.
	if o == sprt.Fail && r.PUnchanged != nil {
		*r.PUnchanged = math.Min(*r.PUnchanged, r.Alpha)
	}
	if o == sprt.Pass && r.PDropped != nil {
		*r.PDropped = math.Min(*r.PDropped, r.Beta)
	}
	counts := phrase.Beside(r.Candidate.Text(), r.Baseline.Text())
	if r.Pairs != nil {
		counts = fmt.Sprintf("of %s %d broke and %d were fixed", prose.Count(r.Candidate.Trials, "pair"), r.Pairs.Broke,
			r.Pairs.Fixed)
		if errors := r.Baseline.Errors + r.Candidate.Errors; errors > 0 {
			counts += " with " + prose.Count(errors, "error")
		}
	}
	unit := "trial"
	if r.Kind != StoredKind {
		unit = "round"
	}
	delta := phrase.Points(r.Delta)
	switch o {
	case sprt.Pass:
		r.Verdict = verdict.Pass
		r.Reasons = []verdict.Reason{codeNoDrop.Reason("%s: a drop of %s or more is ruled out%s", counts, delta,
			pText(r.PDropped))}
	case sprt.Fail:
		r.Verdict = verdict.Fail
		r.Reasons = []verdict.Reason{codeDrop.Reason("%s: worse than the baseline%s", counts, pText(r.PUnchanged))}
	case sprt.Inconclusive:
		if errorsMatter {
			r.Reasons = []verdict.Reason{verdict.CodeErrorsMatter.Reason(
				"%s: the errors would decide, so find their cause and run again", counts)}
			return
		}
		r.Reasons = []verdict.Reason{codeDropOpen.Reason(
			"%s: all %s are used, and neither is a drop shown nor one of %s ruled out", counts,
			prose.Count(r.MaxTrials, unit), delta)}
	default:
		r.Reasons = []verdict.Reason{CodeUndecided.Reason("%s: so far neither is a drop shown nor one of %s ruled out",
			counts, delta)}
	}
}

// pText is such as " (p = 0.002)".
func pText(p *float64) string {
	if p == nil {
		return ""
	}
	return " (p " + phrase.Significant(*p) + ")"
}

// side is the test with the trials of one side alone, in their order: of the baseline's there are
// some in a test in rounds only. Both sides of such a test have a place for each round.
func (t TestEvidence) side(ofBaseline bool) TestEvidence {
	if !t.inRounds() {
		if ofBaseline {
			t.Trials = nil
		}
		return t
	}
	all := t.Trials
	t.Trials = make([]TrialEvidence, (len(all)+1)/2)
	from := baseline.CandidateSide
	if ofBaseline {
		from = baseline.BaselineSide
	}
	for i := range t.Trials {
		if place := 2*i + from; place < len(all) {
			t.Trials[i] = all[place]
		}
	}
	return t
}

// marks are the outcomes of trials, '.' where one did not end.
func marks(trials []TrialEvidence) string {
	text := make([]byte, len(trials))
	for i, x := range trials {
		text[i] = '.'
		if o, ended := x.outcome(); ended {
			text[i] = mark.Of(o)
		}
	}
	return string(text)
}
