package runs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/internal/mark"
)

// Joint is what several tests of a run are asked together: whether the mean of their pass rates is too low, and whether
// any of them has collapsed. Tests that share a Joint are its scenarios, in the order of the evidence.
type Joint struct {
	// Designs decide about the same trials: one against a threshold, or a baseline, or one of each. Any Fail ends with
	// Fail, and a Pass takes all of them.
	Designs []*stratified.Design
	Source  BaselineSource // of a stored baseline, or what is different of the agent of one that runs beside
}

// against reports whether a design has such sides.
func (j *Joint) against(such func(stratified.Sides) bool) bool {
	return j != nil && slices.ContainsFunc(j.Designs, func(d *stratified.Design) bool { return such(d.Question().Sides) })
}

// Paired reports whether the baseline runs beside the candidate, a trial of each in every round.
func (j *Joint) Paired() bool { return j.against(stratified.Sides.Paired) }

// stored reports whether the baseline was recorded before.
func (j *Joint) stored() bool {
	return j.against(func(s stratified.Sides) bool { return s == stratified.Stored })
}

// Digest identifies the questions of a test, with the outcomes of a baseline that was recorded.
func (j *Joint) Digest(recorded string) string {
	var questions []stratified.Question
	for _, d := range j.Designs {
		questions = append(questions, d.Question())
	}
	return jointDigest(questions, recorded)
}

func jointDigest(questions []stratified.Question, recorded string) string {
	text, err := json.Marshal(questions)
	if err != nil {
		return "" // of numbers that are none, which no design has
	}
	sum := sha256.Sum256(append(text, recorded...))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// JointDigest identifies what decided a test with a standing, as [Joint.Digest] does.
func (r *Result) JointDigest(t *Test) string {
	var questions []stratified.Question
	recorded := ""
	for _, s := range r.SuiteTests {
		if s.Variant == t.Variant {
			questions = append(questions, s.Question)
			if s.Question.Sides == stratified.Stored && t.Baseline != nil {
				recorded = t.BaselineOutcomes
			}
		}
	}
	return jointDigest(questions, recorded)
}

// Beside are the outcomes of a baseline that ran beside the candidate, by round; "" where none did.
func (r *Result) Beside(t *Test) string {
	for _, s := range r.SuiteTests {
		if s.Variant == t.Variant && t.Baseline != nil && s.Question.Sides == stratified.Stored {
			return "" // it was recorded before
		}
	}
	return t.besideOutcomes()
}

// inRounds reports whether both sides run, a trial of each in every round.
func (t TestEvidence) inRounds() bool {
	return t.Against != nil && t.Against.Rounds != nil || t.Joint.Paired()
}

// jointState is where the tests of a [Joint] stand.
type jointState struct {
	designs   []*stratified.Design
	evidence  stratified.Evidence
	scenarios int
	sides     int // trials of a round: 2 where both sides run
	members   int // tests so far
	changed   bool
	decision  stratified.Decision   // of all designs, as of the evidence where that has not changed since
	ofOnes    []stratified.Decision // of each
	ahead     int                   // whole rounds that are certain, as of the evidence; -1 is not looked at
}

// newJointState is a question of which nothing is known yet.
func newJointState(j *Joint) (*jointState, error) {
	s := &jointState{designs: j.Designs, sides: 1, changed: true, ofOnes: make([]stratified.Decision, len(j.Designs))}
	if j.Paired() {
		s.sides = 2
	}
	for i, d := range j.Designs {
		if n := d.Question().Scenarios; i > 0 && n != s.scenarios {
			return nil, fmt.Errorf("questions of %d and of %d scenarios are asked together", s.scenarios, n)
		}
		s.scenarios = d.Question().Scenarios
	}
	s.evidence = stratified.Evidence{Candidate: make([]string, s.scenarios), Baseline: make([]string, s.scenarios)}
	return s, nil
}

// add makes a test the next scenario of the question.
func (s *jointState) add(t TestEvidence) (*member, error) {
	if s.members == s.scenarios {
		return nil, fmt.Errorf("more tests are asked together than the question has scenarios, %d", s.scenarios)
	}
	m := &member{s, s.members}
	if t.Joint.stored() {
		if strings.Trim(t.Recorded, "PFE") != "" {
			return nil, fmt.Errorf("the outcomes of the baseline are %q, not letters P, F and E", t.Recorded)
		}
		s.evidence.Baseline[m.index] = t.Recorded
	}
	s.members++
	return m, nil
}

// complete returns an error unless every scenario has its test.
func (s *jointState) complete() error {
	if s.members < s.scenarios || len(s.designs) == 0 {
		return fmt.Errorf("%d tests are asked together, and the question has %d scenarios", s.members, s.scenarios)
	}
	for _, d := range s.designs {
		if _, err := d.Judge(s.evidence); err != nil {
			return err
		}
	}
	return nil
}

// decided is the decision about what is known, by all designs.
func (s *jointState) decided() stratified.Decision {
	if !s.changed {
		return s.decision
	}
	s.changed, s.ahead = false, -1
	all := stratified.Decision{Scenarios: make([]stratified.Standing, s.scenarios), Used: make([]int, s.scenarios)}
	needed := map[int]bool{}
	passed, ended := 0, 0
	for k, design := range s.designs {
		d, _ := design.Judge(s.evidence) // of the shape that complete found right
		s.ofOnes[k] = d
		switch d.Outcome {
		case sprt.Fail:
			all.Outcome = sprt.Fail
		case sprt.Pass:
			passed++
		case sprt.Undecided:
			ended--
		}
		ended++
		for i, standing := range d.Scenarios {
			all.Used[i] = max(all.Used[i], d.Used[i])
			switch {
			case standing == stratified.Collapsed || all.Scenarios[i] == stratified.Collapsed:
				all.Scenarios[i] = stratified.Collapsed
			case k == 0:
				all.Scenarios[i] = standing
			case standing == stratified.Open:
				all.Scenarios[i] = stratified.Open
			}
		}
		for _, i := range d.Next {
			if !needed[i] {
				needed[i] = true
				all.Next = append(all.Next, i)
			}
		}
	}
	switch {
	case all.Outcome == sprt.Fail:
		all.Next = nil
	case passed == len(s.designs):
		all.Outcome = sprt.Pass
	case ended == len(s.designs):
		all.Outcome = sprt.Inconclusive
	}
	s.decision = all
	return all
}

// of is the decision of one design.
func (s *jointState) of(k int) stratified.Decision {
	s.decided()
	return s.ofOnes[k]
}

// member is a test that is one scenario of a question. Its outcome is that of the question.
type member struct {
	*jointState
	index int
}

func (m *member) Observe(place int, o trial.Outcome) error {
	letters, number := &m.evidence.Candidate[m.index], place
	if m.sides == 2 {
		number = place / 2
		if place%2 == baseline.BaselineSide {
			letters = &m.evidence.Baseline[m.index]
		}
	}
	if missing := number + 1 - len(*letters); missing > 0 {
		*letters += strings.Repeat("?", missing)
	}
	if place < 0 || (*letters)[number] != '?' {
		return fmt.Errorf("the trial with place %d was observed before", place)
	}
	*letters = (*letters)[:number] + string(mark.Of(o)) + (*letters)[number+1:]
	m.changed = true
	return nil
}

func (m *member) Outcome() sprt.Outcome { return m.decided().Outcome }

func (m *member) Decided() bool { return m.Outcome() != sprt.Undecided }

// used are the outcomes of the candidate that count.
func (m *member) used() string { return m.evidence.Candidate[m.index][:m.decided().Used[m.index]] }

// beside are the outcomes of the baseline that count: all of one that was recorded.
func (m *member) beside() string {
	if letters := m.evidence.Baseline[m.index]; m.sides == 1 {
		return letters
	}
	return m.evidence.Baseline[m.index][:m.decided().Used[m.index]]
}

func (m *member) Trials() int { return len(m.used()) * m.sides }

func (m *member) Failures() int { return strings.Count(m.used(), "F") }

func (m *member) Errors() int { return strings.Count(m.used(), "E") }

// WasteFree are the trials of each side in the rounds that are certain, and else one more where the question needs one
// of the scenario, whatever the trials come to that are under way: those of a round that has begun are needed too.
func (m *member) WasteFree() int {
	d := m.decided()
	if d.Outcome != sprt.Undecided {
		return 0
	}
	known := d.Used[m.index]
	if whole := m.certain() * m.designs[0].Question().Weight(m.index); whole > known {
		return (whole - known) * m.sides
	}
	if slices.Contains(d.Next, m.index) || len(m.evidence.Candidate[m.index]) > known ||
		m.sides == 2 && len(m.evidence.Baseline[m.index]) > known {
		return m.sides
	}
	return 0
}

// certain is how many whole rounds the mean takes whatever their trials come to: so many that it is open after each of
// them where all that is not known fails, passes, or ends in errors. No mixture ends it sooner: a Fail stays one where
// more fail, and a Pass where fewer do.
func (s *jointState) certain() int {
	const most = 8 // rounds to look ahead; chosen
	s.decided()
	if s.ahead >= 0 {
		return s.ahead
	}
	first := -1 // of the rounds that all scenarios have
	for i := range s.scenarios {
		known, _, _ := strings.Cut(s.evidence.Candidate[i], "?")
		if n := len(known) / s.designs[0].Question().Weight(i); first < 0 || n < first {
			first = n
		}
	}
	s.ahead = 0
	for rounds := first + 1; rounds <= first+most && s.opens(rounds); rounds++ {
		s.ahead = rounds
	}
	return s.ahead
}

// opens reports whether one of the questions leaves its mean open after so many rounds, and none has failed, whatever
// comes.
func (s *jointState) opens(rounds int) bool {
	open := make([]bool, len(s.designs))
	for k := range open {
		open[k] = true
	}
	for _, come := range []struct{ candidate, baseline string }{{"F", "P"}, {"P", "F"}, {"E", "E"}} {
		e := s.evidence
		e.Candidate = s.filled(e.Candidate, come.candidate, rounds)
		if s.sides == 2 {
			e.Baseline = s.filled(e.Baseline, come.baseline, rounds)
		}
		for k, design := range s.designs {
			d, err := design.Judge(e)
			if err != nil || d.Outcome == sprt.Fail {
				return false
			}
			open[k] = open[k] && d.Outcome == sprt.Undecided && d.Mean == sprt.Undecided
		}
	}
	return slices.Contains(open, true)
}

// filled are the outcomes that are known of one side, and for the rest of so many rounds the same one.
func (s *jointState) filled(side []string, letter string, rounds int) []string {
	list := make([]string, len(side))
	for i, letters := range side {
		known, _, _ := strings.Cut(letters, "?")
		missing := rounds*s.designs[0].Question().Weight(i) - len(known)
		list[i] = known + strings.Repeat(letter, max(missing, 0))
	}
	return list
}

// standing is what is known of the scenario.
func (m *member) standing() stratified.Standing { return m.decided().Scenarios[m.index] }

// maxTrials is after how many trials nothing of the scenario counts any more.
func (m *member) maxTrials() (most int) {
	for _, d := range m.designs {
		most = max(most, d.MaxTrials(m.index)*m.sides)
	}
	return most
}

// Standings of a [Test] that is asked together with others.
const (
	codeCleared   verdict.Code = "cleared"   // the scenario is not broken
	codeCollapsed verdict.Code = "collapsed" // the scenario is broken, or has lost most of its passes
	codeOpen      verdict.Code = "open"      // neither is shown
)

// besideOutcomes are those of the baseline, by round where it runs in rounds; "" without one.
func (t *Test) besideOutcomes() string {
	switch {
	case t.Baseline != nil:
		return t.BaselineOutcomes
	case t.Regression != nil:
		return t.Regression.Outcomes
	}
	return ""
}

// beside is what the baseline came to in the trials that count; zero without one.
func (t *Test) beside() Side {
	switch {
	case t.Baseline != nil:
		return *t.Baseline
	case t.Regression != nil:
		return t.Regression.Baseline
	}
	return Side{}
}

// besideMeasures are those of the baseline; nil where there is none.
func (t *Test) besideMeasures() **Measures {
	switch {
	case t.Baseline != nil:
		return &t.BaselineMeasures
	case t.Regression != nil:
		return &t.Regression.Measures
	}
	return nil
}

// join sets what the test is as a scenario of the question of all.
func (r *Test) join(d *decider, t TestEvidence) error {
	m := d.member
	r.Standing = m.standing().String()
	counts := sideOfMarks(m.used()).Text()
	if t.Joint.stored() || t.Joint.Paired() {
		r.Baseline, r.BaselineOutcomes = new(sideOfMarks(m.beside())), t.Recorded
		if m.sides == 2 {
			r.BaselineOutcomes = marks(t.side(true).Trials)
		}
		counts = phrase.Beside(counts, r.Baseline.Text())
	}
	r.Verdict = map[stratified.Standing]verdict.Verdict{
		stratified.Cleared: verdict.Pass, stratified.Collapsed: verdict.Fail,
	}[m.standing()]
	for k, one := range m.designs {
		q := one.Question()
		low, high := "a pass rate of "+phrase.Percent(q.FloorOf(m.index).To)+" or less",
			"collapsed, "+phrase.Percent(q.FloorOf(m.index).From)+" is ruled out"
		if q.Sides != stratified.Threshold {
			low, high = "a loss of "+phrase.Points(1-q.Floor.To)+" or more", "worse than its baseline"
		}
		switch standing := m.of(k).Scenarios[m.index]; {
		case standing != m.standing(): // what decided is told
		case standing == stratified.Cleared:
			r.Reasons = append(r.Reasons, codeCleared.Reason("%s: %s is ruled out", counts, low))
		case standing == stratified.Collapsed:
			r.Reasons = append(r.Reasons, codeCollapsed.Reason("%s: %s", counts, high))
		default:
			r.Reasons = append(r.Reasons, codeOpen.Reason("%s: %s is not ruled out", counts, low))
		}
	}
	if r.Trials == 0 {
		r.Reasons = []verdict.Reason{verdict.CodeNoTrials.Reason("no trial was judged")}
	}
	r.warn()
	r.compareAnswers(t)
	r.CostPerSuccess = t.side(false).cost().PerSuccess()
	return r.estimate(m.floorTest(), confidence, false)
}

// floorTest is the test of the scenario's floor against a threshold, where it came to what the scenario is; nil where
// it has not ended, and where there is none.
func (m *member) floorTest() *sprt.RobustTest {
	b, ok := m.designs[0].Floor(m.index)
	if !ok {
		return nil
	}
	test, err := sprt.NewRobustTest(sprt.Design{Boundaries: b})
	if err != nil {
		return nil
	}
	for i, letter := range []byte(m.used()) {
		if o, _ := mark.Outcome(letter); test.Decided() || test.Observe(i, o) != nil {
			break
		}
	}
	same := map[stratified.Standing]sprt.Outcome{stratified.Cleared: sprt.Pass, stratified.Collapsed: sprt.Fail}
	if o, ended := same[m.of(0).Scenarios[m.index]]; !ended || test.Outcome() != o {
		return nil
	}
	return test
}

// sideOfMarks counts outcomes by their letters.
func sideOfMarks(letters string) Side {
	list := make([]trial.Outcome, len(letters))
	for i, letter := range []byte(letters) {
		list[i], _ = mark.Outcome(letter)
	}
	return sideOf(list)
}

// SuiteTest is one question about all scenarios of a run that have a standing, or about those of one variant: against a
// threshold, or a baseline.
type SuiteTest struct {
	Variant string          `json:"variant,omitempty"` // of the agent; empty where there are none
	Verdict verdict.Verdict `json:"verdict"`           // what the evidence allows to say
	// Why the verdict is what it is, the most important first.
	Reasons []verdict.Reason `json:"reasons"`
	// What was asked; scenarios are numbered in the order of the tests, from 0.
	Question stratified.Question `json:"question"`
	Promise  stratified.Promise  `json:"promise"` // the errors that are proved, for every vector of pass rates
	// How many questions of the run share an alpha; see [Test].
	Shared int `json:"alpha_shared_by,omitempty"`
	// What was decided about the mean: pass, fail, inconclusive or undecided.
	Mean   string `json:"mean"`
	Rounds int    `json:"rounds"` // whole ones that the mean counts; where errors would decide, with these as failures
	// The trials of those rounds, and of the baseline; nil where there is none.
	Counted  Side            `json:"counted"`
	Baseline *Side           `json:"baseline,omitempty"`
	Source   *BaselineSource `json:"source,omitempty"` // of the baseline
	// Scenarios that have collapsed, and those that are neither cleared nor collapsed.
	Collapsed []string `json:"collapsed"`
	Open      []string `json:"open"`
}

// Reasons of a question about all scenarios.
const (
	codeSuitePasses verdict.Code = "suite-passes"
	codeCollapses   verdict.Code = "scenarios-collapsed"
	codeMeanLow     verdict.Code = "mean-too-low"
	codeMeanOpen    verdict.Code = "mean-open" // the rounds are used up
)

// suiteTests adds what tests are asked together: for each variant its questions.
func (r *Result) suiteTests(e Evidence, deciders []*decider) {
	seen := map[*jointState]bool{}
	for i, d := range deciders {
		if d.member == nil || seen[d.member.jointState] {
			continue
		}
		s := d.member.jointState
		seen[s] = true
		for k := range s.designs {
			t := SuiteTest{Variant: e.Tests[i].Variant, Shared: e.Tests[i].Shared}
			t.judge(s, k)
			if t.Baseline != nil {
				t.Source = new(e.Tests[i].Joint.Source.whole())
			}
			names := func(standing stratified.Standing) []string {
				list := []string{}
				for n := range r.Tests {
					if m := deciders[n].member; m != nil && m.jointState == s && s.of(k).Scenarios[m.index] == standing {
						list = append(list, r.Tests[n].Name)
					}
				}
				return list
			}
			t.Collapsed, t.Open = names(stratified.Collapsed), names(stratified.Open)
			t.conclude(s, s.of(k).Outcome, e)
			r.SuiteTests = append(r.SuiteTests, t)
		}
	}
}

// judge counts what a question rests on.
func (t *SuiteTest) judge(s *jointState, k int) {
	d, q := s.of(k), s.designs[k].Question()
	t.Question, t.Promise, t.Mean, t.Rounds = q, s.designs[k].Promise(), d.Mean.String(), d.Rounds
	if d.Mean == sprt.Undecided {
		t.Rounds-- // the one that it is in
	}
	if q.Sides != stratified.Threshold {
		t.Baseline = &Side{}
	}
	for i := range s.scenarios {
		m := &member{s, i}
		used, beside := m.used(), m.beside()
		whole := t.Rounds * q.Weight(i)
		t.Counted = t.Counted.Plus(sideOfMarks(used[:min(whole, len(used))]))
		if t.Baseline != nil {
			*t.Baseline = t.Baseline.Plus(sideOfMarks(beside[:min(whole, len(beside))]))
		}
	}
}

// conclude gives the verdict, in the words of the question.
func (t *SuiteTest) conclude(s *jointState, o sprt.Outcome, e Evidence) {
	q, all := t.Question, prose.Count(t.Question.Scenarios, "scenario")
	counts, fallen := t.Counted.Text(), prose.Form(len(t.Collapsed), "has", "have")+" collapsed"
	low, ruled := "the mean pass rate is below "+phrase.Percent(q.Threshold),
		"a mean pass rate of "+phrase.Percent(q.Lower())+" or less"
	if t.Baseline != nil {
		counts = phrase.Beside(counts, t.Baseline.Text())
		low, ruled = "the mean pass rate is lower than that of the baseline",
			"a drop of the mean by "+phrase.Points(q.Delta)+" or more"
		fallen = prose.Form(len(t.Collapsed), "is", "are") + " worse than in the baseline"
	}
	counts += s.beyond(t)
	open := codeOpen.Reason("%d of %s %s undecided: %s", len(t.Open), all,
		prose.Form(len(t.Open), "is", "are"), phrase.First(t.Open))
	switch o {
	case sprt.Pass:
		t.Verdict = verdict.Pass
		t.Reasons = []verdict.Reason{codeSuitePasses.Reason("%s: %s is ruled out, and no scenario has collapsed", counts,
			ruled)}
	case sprt.Fail:
		t.Verdict = verdict.Fail
		if len(t.Collapsed) > 0 {
			t.Reasons = append(t.Reasons, codeCollapses.Reason("%d of %s %s: %s", len(t.Collapsed), all, fallen,
				phrase.First(t.Collapsed)))
		}
		if t.Mean == sprt.Fail.String() {
			t.Reasons = append(t.Reasons, codeMeanLow.Reason("%s: %s", counts, low))
		}
	case sprt.Inconclusive:
		if s.errors() { // the rounds are those with all of them as failures, which decide nothing
			seen, beside := s.seen()
			if counts = seen.Text(); t.Baseline != nil {
				counts = phrase.Beside(counts, beside.Text())
			}
			t.Reasons = append(t.Reasons, verdict.CodeErrorsMatter.Reason(
				"%s: the errors would decide, so find the cause and run again", counts))
			return
		}
		if t.Mean != sprt.Pass.String() {
			t.Reasons = append(t.Reasons, codeMeanOpen.Reason("%s: all %s are used, and neither is it shown that %s nor is "+
				"%s ruled out", counts, prose.Count(q.MaxRounds, "round"), low, ruled))
		}
		if len(t.Open) > 0 {
			t.Reasons = append(t.Reasons, open)
		}
	default:
		if s.trials() == 0 {
			t.Reasons = notEnded(design.Stand{}, 0, e)
			return
		}
		cause := e.StoppedBy.Sentence(e.Budget)
		if e.StoppedBy == StoppedByDecision {
			cause = "the comparison with the baseline had failed"
			if t.Baseline != nil {
				cause = "the comparison with the threshold had failed"
			}
		}
		seen, _ := s.seen()
		t.Reasons = []verdict.Reason{CodeNotEnded.Reason("%s, and %s before this could be decided", seen.Text(), cause)}
		if len(t.Open) > 0 {
			t.Reasons = append(t.Reasons, open)
		}
	}
}

// beyond says of which trials the counts of a mean are the first rounds; "" where they are all.
func (s *jointState) beyond(t *SuiteTest) string {
	seen, beside := s.seen()
	if t.Baseline == nil {
		beside = Side{}
	}
	if seen.Trials == t.Counted.Trials && (t.Baseline == nil || beside.Trials <= t.Baseline.Trials) {
		return ""
	}
	return phrase.FirstRounds(t.Rounds, seen.Trials, beside.Trials)
}

// seen are the trials that count, of the candidate and of the baseline.
func (s *jointState) seen() (candidate, beside Side) {
	for i := range s.scenarios {
		m := &member{s, i}
		candidate, beside = candidate.Plus(sideOfMarks(m.used())), beside.Plus(sideOfMarks(m.beside()))
	}
	return candidate, beside
}

// trials are those of the candidate that ended.
func (s *jointState) trials() (n int) {
	for _, letters := range s.evidence.Candidate {
		n += len(letters) - strings.Count(letters, "?")
	}
	return n
}

// errors reports whether any trial ended in an error.
func (s *jointState) errors() bool {
	return strings.Contains(strings.Join(append(s.evidence.Candidate, s.evidence.Baseline...), ""), "E")
}

// joined puts what a saved test was asked together with others into its evidence. A path is where the test stands.
func (t *Test) joined(e *TestEvidence, joints map[string]*Joint, path string) error {
	e.Joint = joints[t.Variant]
	switch {
	case t.Regression != nil || t.Design.MaxTrials > 0:
		return &verdict.DifferenceError{Path: path + ".standing", Have: t.Standing, Want: "none beside a test of its own"}
	case e.Joint == nil:
		return &verdict.DifferenceError{Path: path + ".standing", Have: t.Standing, Want: "one question in suite_tests"}
	case (t.Baseline != nil) != (e.Joint.stored() || e.Joint.Paired()):
		return &verdict.DifferenceError{Path: path + ".baseline", Have: fmt.Sprint(t.Baseline != nil),
			Want: "one where the question is against a baseline"}
	case e.Joint.stored():
		e.Recorded = t.BaselineOutcomes
	}
	return nil
}

// besidePath is where the outcomes and measures of the baseline stand in the test.
func (t *Test) besidePath() string {
	if t.Baseline != nil {
		return ".baseline_"
	}
	return ".regression.baseline_"
}

// joints are the questions of a saved result, by their variants.
func (r *Result) joints() (map[string]*Joint, error) {
	joints := map[string]*Joint{}
	designs := map[string]*stratified.Design{} // variants are asked the same
	for i, t := range r.SuiteTests {
		planned, err := once(designs, jointDigest([]stratified.Question{t.Question}, ""), func() (*stratified.Design, error) {
			return stratified.New(context.Background(), t.Question)
		})
		if err != nil {
			return nil, &verdict.DifferenceError{Path: fmt.Sprintf("suite_tests[%d].question", i), Have: err.Error(),
				Want: "one that can be asked"}
		}
		if joints[t.Variant] == nil {
			joints[t.Variant] = &Joint{}
		}
		j := joints[t.Variant]
		j.Designs = append(j.Designs, planned)
		if t.Source != nil {
			j.Source = *t.Source
		}
	}
	return joints, nil
}
