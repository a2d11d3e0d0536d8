package compare

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/betting"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
	"github.com/tribunal-dev/tribunal/trial/usage"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// AnytimeSchema names the JSON form of an [Anytime].
const AnytimeSchema = "tribunal/compare-anytime/v1"

// warnUnevenRounds says that scenarios have unlike numbers of pairs, where the promise on
// the mean difference is for whole rounds of them.
const warnUnevenRounds = verdict.WarnUnevenRounds

// Anytime compares two recordings by evidence that may be looked at as often as one likes,
// while they grow, without more errors than one look has.
type Anytime struct {
	Schema string `json:"schema"` // names the JSON form
	// Edition is 3; 2 of results of versions that passed whatever a single scenario did, and absent of those with other
	// bets.
	Edition int             `json:"edition,omitempty"`
	Verdict verdict.Verdict `json:"verdict"` // what the evidence allows to say
	// Of the process: 0 Pass, 1 Fail, 2 Inconclusive, unless the command was told otherwise.
	ExitCode int                 `json:"exit_code"`
	Alpha    float64             `json:"alpha"`  // bounds a false Fail over all looks, from 0 to 1
	Beta     float64             `json:"beta"`   // bounds a false Pass over all looks, from 0 to 1
	Delta    float64             `json:"delta"`  // the smallest drop that matters, from 0 to 1
	Errors   verdict.ErrorPolicy `json:"errors"` // how trials count that ended in an error
	// What becomes of scenarios that one side alone tried; absent where that is open.
	Missing MissingPolicy `json:"missing,omitempty"`
	// Why the verdict is what it is, the most important first.
	Reasons   []verdict.Reason  `json:"reasons"`
	Warnings  []verdict.Warning `json:"warnings"`  // what to know before relying on it; may be empty
	Baseline  string            `json:"baseline"`  // name
	Candidate string            `json:"candidate"` // name
	// Natural logarithms of the evidence that the candidate is worse, and that it is not worse by
	// delta. Fail takes ln(1/alpha), Pass ln(1/beta).
	Worse     float64           `json:"ln_e_worse"`
	NotWorse  float64           `json:"ln_e_not_worse"`
	Scenarios []AnytimeScenario `json:"scenarios"` // those that either side has
	// What the trials of each side took, by model; nil where none names a model.
	BaselineUsage  *usage.Usage `json:"baseline_usage,omitempty"`
	CandidateUsage *usage.Usage `json:"candidate_usage,omitempty"` // see BaselineUsage
	// What guards kept from being done in the trials; nil where none stood before any of them.
	BaselineGuardrails  *guardrails.Counts `json:"baseline_guardrails,omitempty"`
	CandidateGuardrails *guardrails.Counts `json:"candidate_guardrails,omitempty"` // see BaselineGuardrails
	// Answers that came again, by scenario; absent where hardly any did, or the recording has none.
	BaselineAnswers  []verdict.ScenarioAnswers `json:"baseline_identical_answers,omitempty"`
	CandidateAnswers []verdict.ScenarioAnswers `json:"candidate_identical_answers,omitempty"` // see BaselineAnswers
}

// AnytimeScenario counts the pairs of a scenario: its first trial of either side, its second,
// and so on.
type AnytimeScenario struct {
	Name       string  `json:"name"`        // of the scenario
	BothPass   int     `json:"both_pass"`   // pairs
	Broke      int     `json:"broke"`       // pairs that passed on the baseline alone
	Mended     int     `json:"mended"`      // pairs that passed on the candidate alone
	BothFail   int     `json:"both_fail"`   // pairs
	Unjudged   [5]int  `json:"with_errors"` // pass-error, fail-error, error-pass, error-fail, error-error
	Unpaired   int     `json:"unpaired"`    // trials of the side that has more
	Difference float64 `json:"difference"`  // mended less broken pairs, over those with both outcomes
	// Only is the side that alone tried it, "baseline" or "candidate"; empty where both did, and in results of earlier
	// versions.
	Only string `json:"only,omitempty"`
}

// The editions of the results of [JudgeAnytime].
const (
	anytimeEdition = 3
	anytimePooled  = 2 // no scenario withdraws a Pass
)

// The sides that alone tried a scenario.
const (
	onlyBaseline  = "baseline"
	onlyCandidate = "candidate"
)

// AnytimeOptions say how evidence is judged.
type AnytimeOptions struct {
	Delta  float64             // smallest drop that matters; 0 means DefaultDelta
	Alpha  float64             // bounds a false Fail over all looks; 0 means DefaultAlpha
	Beta   float64             // bounds a false Pass over all looks; 0 means DefaultBeta
	Errors verdict.ErrorPolicy // robust by default
	// Missing says what becomes of scenarios that one side alone tried; open by default.
	Missing MissingPolicy
}

// JudgeAnytime compares a candidate with a baseline by pairs: within each scenario the k-th
// trial of either side in the recorded order, so that recordings that grow keep their
// pairs. It fails if the evidence that the candidate is worse reaches 1/alpha, and passes if
// that against a drop of delta reaches 1/beta; see [betting.NotWorse], whose promise holds
// at all looks together. An error means that the options cannot be used, or that trials are
// known as counts alone.
func JudgeAnytime(baseline, candidate *recording.Recording, o AnytimeOptions) (*Anytime, error) {
	asked := Options{Delta: o.Delta, Alpha: o.Alpha, Beta: o.Beta}.withDefaults()
	if err := asked.validate(); err != nil {
		return nil, err
	}
	if baseline.Counted() || candidate.Counted() {
		return nil, &verdict.OptionError{Option: "anytime", Value: true,
			Problem: "needs trials in their order, and counts have none"}
	}
	r := &Anytime{
		Schema: AnytimeSchema, Edition: anytimeEdition, Alpha: asked.Alpha, Beta: asked.Beta, Delta: asked.Delta,
		Errors: o.Errors, Missing: o.Missing, Baseline: baseline.Name, Candidate: candidate.Name,
		Scenarios: []AnytimeScenario{}, BaselineUsage: baseline.Usage(), CandidateUsage: candidate.Usage(),
		BaselineGuardrails: baseline.Guardrails(), CandidateGuardrails: candidate.Guardrails(),
	}
	r.pair(baseline, candidate)
	r.decide()
	return r, nil
}

// pair counts the pairs of every scenario, in the order in which scenarios come.
func (r *Anytime) pair(baseline, candidate *recording.Recording) {
	var names []string
	outcomes := map[string]*[2][]trial.Outcome{}
	for side, x := range []*recording.Recording{baseline, candidate} {
		for _, o := range x.Observations() {
			both, known := outcomes[o.Scenario]
			if !known {
				both = &[2][]trial.Outcome{}
				outcomes[o.Scenario] = both
				names = append(names, o.Scenario)
			}
			both[side] = append(both[side], o.Outcome)
		}
	}
	for _, name := range names {
		both := outcomes[name]
		row := AnytimeScenario{Name: name}
		pairs := min(len(both[0]), len(both[1]))
		row.Unpaired = max(len(both[0]), len(both[1])) - pairs
		for k := range pairs {
			row.count(both[0][k], both[1][k])
		}
		switch {
		case len(both[0]) == 0:
			row.Only = onlyCandidate
		case len(both[1]) == 0:
			row.Only = onlyBaseline
		}
		r.Scenarios = append(r.Scenarios, row)
	}
}

// count takes a pair in: all but a pass and a fail is an error.
func (s *AnytimeScenario) count(baseline, candidate trial.Outcome) {
	at := func(o trial.Outcome) int {
		switch o {
		case trial.Pass:
			return 0
		case trial.Fail:
			return 1
		}
		return 2
	}
	*[3][3]*int{
		{&s.BothPass, &s.Broke, &s.Unjudged[0]},
		{&s.Mended, &s.BothFail, &s.Unjudged[1]},
		{&s.Unjudged[2], &s.Unjudged[3], &s.Unjudged[4]},
	}[at(baseline)][at(candidate)]++
}

// pairs is how many there are, with errors too.
func (s *AnytimeScenario) pairs() int {
	n := s.BothPass + s.Broke + s.Mended + s.BothFail
	for _, x := range s.Unjudged {
		n += x
	}
	return n
}

// differences scores the pairs with errors, as the policy has it: robust evidence that the
// candidate is worse takes them for the candidate's good, and robust evidence that it is not
// for its bad. Evidence falls, and rises, with every pair's difference, so it holds however
// the errors would have ended.
func (s *AnytimeScenario) differences(policy verdict.ErrorPolicy, forCandidate bool) sprt.Differences {
	d := sprt.Differences{Broke: s.Broke, Same: s.BothPass + s.BothFail, Mended: s.Mended}
	passError, failError, errorPass, errorFail, errorError := s.Unjudged[0], s.Unjudged[1], s.Unjudged[2],
		s.Unjudged[3], s.Unjudged[4]
	switch {
	case policy == verdict.ExcludeErrors:
	case policy == verdict.FailErrors:
		d.Broke += passError
		d.Mended += errorPass
		d.Same += failError + errorFail + errorError
	case forCandidate:
		d.Same += passError + errorFail
		d.Mended += failError + errorPass + errorError
	default:
		d.Broke += passError + errorFail + errorError
		d.Same += failError + errorPass
	}
	return d
}

// decide sets what follows from the pairs.
func (r *Anytime) decide() {
	r.Warnings = []verdict.Warning{}
	var high, low sprt.Differences
	pairs, errors, uneven, unpaired := 0, 0, false, 0
	var alone oneSidedNames
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		switch s.Only {
		case onlyBaseline:
			alone.gone = append(alone.gone, s.Name)
		case onlyCandidate:
			alone.added = append(alone.added, s.Name)
		}
		s.Difference = 0
		if n := s.BothPass + s.Broke + s.Mended + s.BothFail; n > 0 {
			s.Difference = float64(s.Mended-s.Broke) / float64(n)
		}
		high, low = plus(high, s.differences(r.Errors, true)), plus(low, s.differences(r.Errors, false))
		n := s.pairs()
		pairs, unpaired = pairs+n, unpaired+s.Unpaired
		uneven = uneven || n != r.Scenarios[0].pairs()
		for _, x := range s.Unjudged {
			errors += x
		}
	}
	if r.Edition >= anytimePooled {
		r.Worse, r.NotWorse = betting.Worse(high), betting.NotWorse(low, r.Delta)
	} else {
		r.Worse, r.NotWorse = high.Worse(), low.NotWorse(r.Delta)
	}
	r.warn(pairs, errors, unpaired, uneven)
	r.Warnings = append(r.Warnings, alone.warnings()...)
	r.conclude(pairs)
	if r.Edition == anytimeEdition {
		r.takeBack()
	}
	if r.Missing == MissingOpen {
		alone.takeBack(&r.Verdict, &r.Reasons)
	}
	r.ExitCode = r.Verdict.ExitCode()
}

func plus(a, b sprt.Differences) sprt.Differences {
	return sprt.Differences{Broke: a.Broke + b.Broke, Same: a.Same + b.Same, Mended: a.Mended + b.Mended}
}

// conclude sets the verdict and its reasons.
func (r *Anytime) conclude(pairs int) {
	worse := pairs > 0 && r.Worse >= -math.Log(r.Alpha)
	within := pairs > 0 && r.NotWorse >= -math.Log(r.Beta)
	evidence := func(log, level float64) string {
		return fmt.Sprintf("evidence %s to 1, and %.4g to 1 is enough", eValue(log), 1/level)
	}
	switch {
	case pairs == 0:
		r.Reasons = []verdict.Reason{verdict.CodeNoTrials.Reason("no scenario has a trial on both sides")}
	case worse && within:
		r.Verdict = verdict.Pass
		r.Reasons = []verdict.Reason{CodeWorseWithinDelta.Reason(
			"worse (%s), but by less than the %s that you allow (%s)", evidence(r.Worse, r.Alpha), phrase.Points(r.Delta),
			evidence(r.NotWorse, r.Beta))}
	case worse:
		r.Verdict = verdict.Fail
		r.Reasons = []verdict.Reason{CodeWorse.Reason("worse than the baseline (%s)", evidence(r.Worse, r.Alpha))}
	case within:
		r.Verdict = verdict.Pass
		r.Reasons = []verdict.Reason{CodeNotWorseByDelta.Reason("not worse: a drop of %s or more is ruled out (%s)",
			phrase.Points(r.Delta), evidence(r.NotWorse, r.Beta))}
	default:
		r.Reasons = []verdict.Reason{CodeUndecided.Reason(
			"too few trials to tell: neither is a drop shown (evidence %s to 1; it takes %.4g to 1), nor one of %s ruled "+
				"out (evidence %s to 1; it takes %.4g to 1); more trials of both may be added and judged at any time",
			eValue(r.Worse), 1/r.Alpha, phrase.Points(r.Delta), eValue(r.NotWorse), 1/r.Beta)}
	}
}

// takeBack withdraws a Pass where scenarios are worse, and not shown to be so by less than delta. Of evidence at any
// time the reciprocal is a p-value that Holm's correction takes.
func (r *Anytime) takeBack() {
	if r.Verdict != verdict.Pass || len(r.Scenarios) < 2 {
		return
	}
	var ps []float64
	for i := range r.Scenarios {
		ps = append(ps, math.Min(1, math.Exp(-betting.Worse(r.Scenarios[i].differences(r.Errors, true)))))
	}
	adjusted, err := multiplicity.Adjust(multiplicity.Holm, ps)
	if err != nil {
		return
	}
	var names []string
	for i, p := range adjusted {
		s := &r.Scenarios[i]
		if p <= r.Alpha && betting.NotWorse(s.differences(r.Errors, false), r.Delta) < -math.Log(r.Beta) {
			names = append(names, s.Name)
		}
	}
	if len(names) > 0 {
		r.Verdict = verdict.Inconclusive
		r.Reasons = append([]verdict.Reason{worseBesidePass(names, multiplicity.Holm)}, r.Reasons...)
	}
}

// eValue writes evidence of which the logarithm is known: what a bet against the opposite would have made of 1.
func eValue(log float64) string {
	switch e := math.Exp(log); {
	case e >= 0.9995e9:
		return "more than a billion"
	case e >= 0.9995e6:
		return fmt.Sprintf("%.3g million", e/1e6)
	case e >= 999.5:
		// Three digits, as of the others.
		unit := math.Pow(10, math.Floor(math.Log10(e))-2)
		return fmt.Sprintf("%.0f", math.Round(e/unit)*unit)
	case e < 0.001:
		return "less than 0.001"
	default:
		return fmt.Sprintf("%.3g", e)
	}
}

// warn says what to know of the pairs.
func (r *Anytime) warn(pairs, errors, unpaired int, uneven bool) {
	if uneven && pairs > 0 {
		r.Warnings = append(r.Warnings, warnUnevenRounds.Warning(
			"the scenarios have unlike numbers of pairs: the errors hold for a drop, or none, in every scenario; for that of "+
				"the mean over scenarios they hold after whole rounds"))
	}
	if unpaired > 0 {
		r.Warnings = append(r.Warnings, warnTrialsUnused.Warning(
			"%s no partner of the same scenario on the other side, and %s left out",
			prose.Count(unpaired, "trial")+prose.Form(unpaired, " has", " have"), prose.Form(unpaired, "is", "are")))
	}
	if errors > 0 {
		r.Warnings = append(r.Warnings, verdict.WarnErrors.Warning("%s ended in an error%s", prose.Count(errors, "pair"),
			r.Errors.Meaning(errors)))
	}
}

// Header returns what every result has.
func (r *Anytime) Header() verdict.Header {
	return verdict.Header{Schema: r.Schema, Judged: true, Verdict: r.Verdict, ExitCode: r.ExitCode, Reasons: r.Reasons,
		Warnings: r.Warnings}
}

// mostPairs bounds the counts of a saved result: their sums must fit.
const mostPairs = stats.MaxTrials / 4

// Rejudge decides again from the pairs of the scenarios.
func (r *Anytime) Rejudge(context.Context) (*rejudged.Result, error) {
	if r.Edition != 0 && r.Edition != anytimePooled && r.Edition != anytimeEdition {
		return nil, &verdict.DifferenceError{Path: "edition", Have: fmt.Sprint(r.Edition),
			Want: fmt.Sprint(anytimeEdition)}
	}
	again := *r
	again.Verdict, again.Reasons = verdict.Inconclusive, nil
	again.Scenarios = append([]AnytimeScenario{}, r.Scenarios...)
	for i, s := range again.Scenarios {
		if s.Only != "" && (s.Only != onlyBaseline && s.Only != onlyCandidate || s.pairs() > 0 || s.Unpaired == 0) {
			return nil, &verdict.DifferenceError{Path: fmt.Sprintf("scenarios[%d].only", i),
				Have: fmt.Sprintf("%q", s.Only),
				Want: "the side that alone tried it, and none where there are pairs"}
		}
		for _, n := range append(s.Unjudged[:], s.BothPass, s.Broke, s.Mended, s.BothFail, s.Unpaired) {
			if n < 0 || n > mostPairs {
				return nil, &verdict.DifferenceError{Path: fmt.Sprintf("scenarios[%d]", i), Have: fmt.Sprint(n),
					Want: "counts of pairs"}
			}
		}
	}
	asked := Options{Delta: r.Delta, Alpha: r.Alpha, Beta: r.Beta}
	if err := asked.validate(); err != nil {
		return nil, &verdict.DifferenceError{Path: "delta", Have: fmt.Sprint(r.Delta), Want: err.Error()}
	}
	if err := checkBoth(r.BaselineUsage, r.CandidateUsage); err != nil {
		return nil, err
	}
	if err := checkDeniedOfBoth(r.BaselineGuardrails, r.CandidateGuardrails); err != nil {
		return nil, err
	}
	again.decide()
	again.Repeat(r.BaselineAnswers, r.CandidateAnswers)
	most := 0 // trials of a side
	for _, s := range r.Scenarios {
		most += s.pairs() + s.Unpaired
	}
	found := &rejudged.Result{Again: &again, Skip: slices.Concat(usageOfBoth, deniedOfBoth)}
	return found, checkAnswers(found, r.BaselineAnswers, r.CandidateAnswers, [2]int{most, most})
}
