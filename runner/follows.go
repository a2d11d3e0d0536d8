package runner

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Difference says in what a saved run is not one of a suite or of a journal that it seems to be of.
type Difference struct {
	What  string // such as `the threshold of "refund"`
	Have  string // in the result
	Where string // "the suite" or "the journal"
	Want  string // there
}

func (e *Difference) Error() string {
	return fmt.Sprintf("%s is %s in the result, and %s in %s", e.What, e.Have, e.Want, e.Where)
}

// ExitCode is that of input that cannot be used.
func (e *Difference) ExitCode() int { return exit.Input }

// inSuite is a [Difference] from the suite.
func inSuite(what string, have, want any) error {
	return &Difference{What: what, Have: fmt.Sprint(have), Where: "the suite", Want: fmt.Sprint(want)}
}

// FollowsSuite compares a saved run with the suite of which it has the digest, part by part: the
// agent's settings, what was asked of each scenario and how it was judged, the levels of every test,
// its design, which is made again, and the limits of trials. It returns a [Difference] for the first
// part that is another, and a [suiteError] where a design cannot be made. Scenarios that were not run
// are none: see [runs.Selection]. Progress is told the share of the designing that is done; nil tells
// nobody.
//
// A result does not hold what made its trials but for these settings; that they are those of the
// program that ran is taken as it is.
func FollowsSuite(ctx context.Context, s *suite.Suite, r *runs.Result, progress func(share float64)) error {
	s = asAsked(s, r)
	chosen, err := followsTask(s, r)
	if err != nil {
		return err
	}
	if err := followsSettings(s, r); err != nil {
		return err
	}
	if r.Digest != s.Digest() {
		return inSuite("suite_digest", r.Digest, s.Digest())
	}
	// A suite has no quarantine, and no baseline of which it lacks scenarios.
	for _, t := range r.Tests {
		if t.Quarantined {
			return inSuite(fmt.Sprintf("the test %q", prose.Excerpt(t.Name)), "quarantined", "not")
		}
	}
	if r.Suite != s.Name {
		return inSuite("the name", r.Suite, s.Name)
	}
	if err := followsCalibrate(s, r); err != nil {
		return err
	}
	return followsTests(ctx, s, r, chosen, progress)
}

// asAsked is the suite as the run was asked for: under its seed, and with levels that are split over
// looks that were declared beforehand, which makes them stricter.
func asAsked(s *suite.Suite, r *runs.Result) *suite.Suite {
	asked := *s
	asked.Seed = r.Seed
	asked.Scenarios = slices.Clone(s.Scenarios)
	const name = "test.alpha: "
	for _, line := range r.Settings {
		value, found := strings.CutPrefix(line, name)
		alpha, err := strconv.ParseFloat(value, 64)
		if looks := math.Round(s.Test.Alpha / alpha); found && err == nil && looks > 1 && looks <= suite.MostLooks {
			asked.Split(int(looks))
		}
	}
	return &asked
}

// followsTask compares what was asked, and returns the scenarios that were run, in the suite's order.
func followsTask(s *suite.Suite, r *runs.Result) (chosen []suite.Scenario, err error) {
	if r.Task == nil {
		return nil, &Difference{What: "task", Have: "missing, as in results of earlier versions,", Where: "the suite",
			Want: "that of its scenarios"}
	}
	ran := r.Ran()
	for _, c := range s.Scenarios {
		if slices.Contains(ran, c.Name) {
			chosen = append(chosen, c)
		}
	}
	names := ran
	if r.Selection != nil {
		names = append(slices.Clone(ran), r.Selection.LeftOut...)
	}
	for _, name := range names {
		if !slices.ContainsFunc(s.Scenarios, func(c suite.Scenario) bool { return c.Name == name }) {
			return nil, inSuite(fmt.Sprintf("the scenario %q", prose.Excerpt(name)), "there", "not")
		}
	}
	want := taskOf(s, chosen)
	if changed := r.Task.Since(want).Changed; len(changed) > 0 {
		return nil, inSuite("the task of "+prose.Some(changed, 8), "another", "as it is now")
	}
	if r.Task.Digest != want.Digest {
		return nil, inSuite("task.digest", r.Task.Digest, want.Digest)
	}
	return chosen, nil
}

// followsSettings compares what the result says of its agents and tests. One that says nothing, as
// that of a recording, follows from no suite: which agent it is of is not known.
func followsSettings(s *suite.Suite, r *runs.Result) error {
	if r.Settings == nil {
		return inSuite("settings", "missing, as of recordings and in results of earlier versions,", "those of its agent")
	}
	var want runs.Evidence
	Describe(&want, s, nil)
	if changed := suite.Changed(r.Settings, want.Settings); len(changed) > 0 {
		return settingsDiffer(changed)
	}
	if changed := suite.Changed(r.BaselineSettings, want.BaselineSettings); len(changed) > 0 {
		return settingsDiffer(changed)
	}
	for _, v := range s.Variants {
		if changed := suite.Changed(r.VariantSettings[v.Name], want.VariantSettings[v.Name]); len(changed) > 0 {
			return settingsDiffer(changed)
		}
	}
	if len(r.VariantSettings) != len(want.VariantSettings) {
		return inSuite("the number of variants", len(r.VariantSettings), len(want.VariantSettings))
	}
	return nil
}

// followsCalibrate compares which shift the number of recorded trials is worked out for. Trials that were recorded in
// place of the tests have a number that was asked for.
func followsCalibrate(s *suite.Suite, r *runs.Result) error {
	c, want := r.Calibration, calibrationOf(s)
	if r.Recorded && c == nil {
		return nil
	}
	if (c != nil) != (want != nil) {
		return inSuite("calibration", c != nil, want != nil)
	}
	if c == nil {
		return nil
	}
	if c.Trials != want.Trials {
		return inSuite("calibration.trials", c.Trials, want.Trials)
	}
	if d := c.Decision; d != nil {
		if d.MaxTrials != want.MaxTrials {
			return inSuite("calibration.decision.max_trials", d.MaxTrials, want.MaxTrials)
		}
		if d.Plan != nil && !d.Plan.Asks(want.Behaviour) {
			return inSuite("calibration.decision.plan", "of another shift, test or power", "as it is now")
		}
	}
	return nil
}

// settingsDiffer names the first setting that is another, of lines as [suite.Changed] writes them.
func settingsDiffer(changed []string) error {
	name, values, _ := strings.Cut(changed[0], ": ")
	have, want, _ := strings.Cut(values, " -> ")
	return inSuite(name, have, want)
}

// followsTests compares the tests, each of which must be one of the suite, and none of which may be missing.
func followsTests(
	ctx context.Context, s *suite.Suite, r *runs.Result, chosen []suite.Scenario, progress func(share float64),
) error {
	d := newDesigner(s, chosen, PrepareOptions{Progress: progress})
	variants := []string{""}
	if len(s.Variants) > 0 {
		variants = nil
		for _, v := range s.Variants {
			variants = append(variants, v.Name)
		}
	}
	joint := s.Test.Joint() && !r.Recorded
	if joint {
		if err := d.followsJoint(ctx, r, variants); err != nil {
			return err
		}
	}
	list, left := d.questions(), len(r.Tests)
	for _, spec := range list {
		for _, spec.variant = range variants {
			name := suite.TestName(spec.name, spec.variant)
			at := slices.IndexFunc(r.Tests, func(t runs.Test) bool { return t.Name == name && t.Variant == spec.variant })
			if at < 0 {
				return inSuite(fmt.Sprintf("the test %q", name), "missing", "asked for")
			}
			left--
			if joint != (r.Tests[at].Standing != "") {
				return inSuite(fmt.Sprintf("the status of %q", name), cmp.Or(r.Tests[at].Standing, "none"), "of another test")
			}
			if joint {
				continue
			}
			if err := d.follows(ctx, spec, &r.Tests[at]); err != nil {
				return err
			}
		}
	}
	if left != 0 {
		return inSuite("the number of tests", len(r.Tests), len(r.Tests)-left)
	}
	return followsLimits(chosen, r)
}

// followsJoint compares what a suite was asked as one question with what it asks for.
func (d *designer) followsJoint(ctx context.Context, r *runs.Result, variants []string) error {
	for _, variant := range variants {
		threshold, beside := false, false
		for _, x := range r.SuiteTests {
			if x.Variant != variant {
				continue
			}
			t, rounds := d.suite.Test, 0
			if x.Shared > 1 {
				t.Alpha /= float64(x.Shared)
			}
			if x.Question.Sides == stratified.Threshold {
				threshold = true
			} else {
				beside = true
			}
			if x.Question.Sides == stratified.Stored {
				rounds = x.Question.MaxRounds // of the recording
			}
			want, err := d.stratified(ctx, t, x.Question.Sides, rounds)
			if err != nil {
				return undesigned(trial.Place{File: d.suite.File}, "", err)
			}
			if !reflect.DeepEqual(x.Question, want.Question()) {
				return inSuite("what is asked of all scenarios", fmt.Sprintf("%+v", x.Question),
					fmt.Sprintf("%+v", want.Question()))
			}
		}
		if threshold != (d.suite.Test.Threshold != 0) {
			return inSuite("a question against a threshold", threshold, !threshold)
		}
		if d.suite.Test.Against.Asked() && !beside {
			return inSuite("a question against a baseline", "missing", "asked for")
		}
	}
	return nil
}

// follows compares a test with what the suite asks for.
func (d *designer) follows(ctx context.Context, spec testSpec, t *runs.Test) error {
	differs := func(what string, have, want any) error {
		return inSuite(fmt.Sprintf("the %s of %q", what, t.Name), have, want)
	}
	test := spec.test
	if t.Shared > 1 {
		test.Alpha /= float64(t.Shared)
	}
	// Trials that were recorded decide nothing.
	if t.Design.Kind == sprt.RecordingKind.String() {
		return nil
	}
	if x := t.Regression; x != nil {
		switch {
		case x.Delta != test.Delta:
			return differs("delta", x.Delta, test.Delta)
		case x.Alpha != test.Alpha:
			return differs("alpha", x.Alpha, test.Alpha)
		case x.Beta != test.Beta:
			return differs("beta", x.Beta, test.Beta)
		}
	} else if test.Against.Asked() {
		return differs("baseline", "missing", "asked for")
	}
	switch {
	case t.Threshold != test.Threshold:
		return differs("threshold", t.Threshold, test.Threshold)
	case test.Threshold == 0:
		return nil
	case t.Delta != test.Delta:
		return differs("delta", t.Delta, test.Delta)
	case t.Alpha != test.Alpha:
		return differs("alpha", t.Alpha, test.Alpha)
	case t.Beta != test.Beta:
		return differs("beta", t.Beta, test.Beta)
	}
	design, err := d.design(ctx, test, spec.trials)
	if err != nil {
		return undesigned(spec.place, spec.scenario, err)
	}
	// A test may have gone on beyond the trials that it had.
	if more := t.Design.MaxTrials - design.Boundaries.MaxTrials(); more > 0 {
		if longer, err := design.Extend(more); err == nil {
			design = longer
		}
	}
	if t.Design.Digest != design.Digest() {
		return differs("design", t.Design.Digest, design.Digest())
	}
	return nil
}

// followsLimits compares the limits that trials were held to with those of their scenarios.
func followsLimits(chosen []suite.Scenario, r *runs.Result) error {
	limits, severity := map[string]map[string]float64{}, map[string]string{}
	most := map[string]float64{} // of all scenarios
	for _, c := range chosen {
		own := c.Limits.ByName()
		limits[c.Name], severity[c.Name] = own, oracle.SeverityOf(c.Limits.Warn)
		for name, limit := range own {
			most[name] = max(most[name], limit)
		}
	}
	told := func(limit float64, known bool) string {
		if !known {
			return "none"
		}
		return strconv.FormatFloat(limit, 'g', -1, 64)
	}
	for _, t := range r.Tests {
		for _, l := range t.Limits {
			if limit, known := most[l.Name]; !known || l.Max > limit {
				return inSuite(fmt.Sprintf("the limit %s of %q", l.Name, t.Name), l.Max, told(limit, known))
			}
		}
	}
	for _, x := range r.Trials {
		for _, l := range x.Limits {
			if limit, known := limits[x.Scenario][l.Name]; !known || l.Max != limit {
				return inSuite(fmt.Sprintf("the limit %s of %q", l.Name, x.Scenario), l.Max, told(limit, known))
			}
			if have, want := oracle.SeverityOf(l.Warn), severity[x.Scenario]; have != want {
				return inSuite(fmt.Sprintf("the severity of %s of %q", l.Name, x.Scenario), cmp.Or(have, "fail"),
					cmp.Or(want, "fail"))
			}
		}
	}
	return nil
}
