package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/spread"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Comparison is what there is to know of a baseline before a run against it.
type Comparison struct {
	File     string // the saved result, or its name; "" is a baseline that runs side by side
	Finished string // when its run ended, RFC 3339; "" where it is not known
	Variant  string // of the agent that is compared; "" where there are none
	// Changed is what the suite says otherwise of the agent and its tests, a line for each setting.
	Changed []string
	Removed []string // scenarios that the saved result alone has, which are not run
	Added   []string // scenarios that it does not have, which are tested against their threshold alone
	// Earlier says that the saved result is of a version that did not save what was asked and said:
	// names, limits and inputs agree as far as they are known, and Changed is not known.
	Earlier bool
	// Named is a baseline with a name; nil of a file.
	Named *runs.Baseline
	// Rounds is the test side by side, nil against a saved result.
	Rounds *baseline.Rounds
}

// comparable refuses a saved run of which a scenario was not asked the same, or judged alike.
func comparable(file string, saved *runs.Result, s *suite.Suite, scenarios []suite.Scenario) error {
	var changed, added []string
	switch now := taskOf(s, scenarios); {
	case saved.Task != nil:
		d := now.Since(saved.Task)
		changed, added = d.Changed, d.Added
	case saved.Digest != s.Digest():
		changed, added = changedSince(saved, scenarios)
	}
	switch {
	case len(changed) > 0:
		return &NotComparableError{File: file, Problem: "was asked or judged otherwise: " + listed(changed),
			Advice: "record it again, or undo the change"}
	case len(added) > 0:
		return &NotComparableError{File: file, Problem: "does not have the scenario " + listed(added),
			Advice: "record one that has it with tribunal run --record, or give the scenario test: {baseline: none}"}
	}
	return nil
}

// NotComparableError says why a saved result is no baseline of a suite.
type NotComparableError struct {
	File    string // the saved result
	Problem string // such as "was asked or judged otherwise: refund (input)"
	Advice  string // what a person might do about it
}

// Error is the message and the hint.
func (e *NotComparableError) Error() string { return e.Message() + "; " + e.Advice }

// Message names the baseline, and what differs.
func (e *NotComparableError) Message() string {
	return fmt.Sprintf("the baseline %s %s", prose.FileName(e.File), e.Problem)
}

// Hint says what to do.
func (e *NotComparableError) Hint() string { return e.Advice }

// listed lists names, the first ones of many.
func listed(names []string) string {
	const most = 8 // chosen: a person begins with the first
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], "; "), len(names)-most)
	}
	return strings.Join(names, "; ")
}

// changedSince compares with a result of an earlier version what that holds: the names, the
// limits that were judged, and the inputs of the trials that it lists.
func changedSince(saved *runs.Result, scenarios []suite.Scenario) (changed, added []string) {
	for _, c := range scenarios {
		t := testOf(saved, c.Name)
		switch {
		case t == nil:
			added = append(added, c.Name)
			continue
		case !sameLimits(t, c):
			changed = append(changed, c.Name+" (limits)")
		}
		for _, x := range saved.Trials {
			// Longer inputs are cut in a result.
			const whole = 500
			if x.Scenario == c.Name && x.Input != "" && len(x.Input) < whole && x.Input != c.Input.Text() {
				changed = append(changed, c.Name+" (input)")
				break
			}
		}
	}
	return changed, added
}

// testOf returns the test of a scenario, or that which it is pooled in; nil if there is none.
func testOf(r *runs.Result, scenario string) *runs.Test {
	for i, t := range r.Tests {
		member := func(m runs.Member) bool { return m.Name == scenario }
		if t.Name == scenario || slices.ContainsFunc(t.Members, member) {
			return &r.Tests[i]
		}
	}
	return nil
}

// sameLimits reports whether the limits of a saved test are those of the scenario. Those of a pooled one
// are the largest, which say nothing of a member.
func sameLimits(t *runs.Test, c suite.Scenario) bool {
	if len(t.Members) > 0 || t.Trials == 0 {
		return true
	}
	limits := c.Limits.ByName()
	for _, l := range t.Limits {
		if most, known := limits[l.Name]; !known || most != l.Max {
			return false
		}
		delete(limits, l.Name)
	}
	return len(limits) == 0
}

// findNew reads the baseline of the options before any test is designed, where scenarios that it does not have are
// tested alone.
func (d *designer) findNew(ctx context.Context) error {
	if !d.prepare.NewAlone || d.prepare.Baseline == "" || d.prepare.Record > 0 {
		return nil
	}
	_, err := d.savedRun(ctx, d.prepare.Baseline)
	return err
}

// setAlone notes which scenarios a saved run does not have. One that has none of them is no baseline.
func (d *designer) setAlone(file string, saved *runs.Result) error {
	for _, c := range d.scenarios {
		if testOf(saved, c.Name) == nil {
			d.alone[c.Name] = true
		}
	}
	if len(d.alone) < len(d.scenarios) {
		return nil
	}
	clear(d.alone)
	return &NotComparableError{File: file, Problem: "has none of the scenarios",
		Advice: "record one that has them with --record"}
}

// tested returns what a test of a scenario is against, "" of several: what the suite says, unless the options name a
// saved result for all tests.
func (d *designer) tested(t suite.Test, scenario string) suite.Test {
	switch a := t.Against; {
	case d.prepare.Record > 0, d.alone[scenario], t.AttackSuccess > 0:
		t.Against = suite.Against{}
	case d.prepare.Baseline != "":
		t.Against = suite.Against{Baseline: d.prepare.Baseline, Guard: a.Guard}
	}
	return t
}

// path returns that of a baseline: of one that a suite names it is from the suite's folder.
func (d *designer) path(file string) string {
	if d.prepare.Baseline != "" {
		return file
	}
	return d.suite.Resolve(file)
}

// family plans a test against a stored baseline. A largest number of trials that the suite gives for a
// test against a threshold is no more than a bound for that of a baseline that the options name: a family
// for many thousand trials takes minutes to plan, and few of them would be run.
func (d *designer) family(
	ctx context.Context, q baseline.Question, r runs.RecordedTest, maxTrials int,
) (*baseline.Family, error) {
	if d.prepare.Baseline == "" || maxTrials == 0 {
		return d.planned(ctx, q, r, maxTrials)
	}
	free, err := d.planned(ctx, q, r, 0)
	if err != nil || free.MaxTrials() <= maxTrials {
		return free, err
	}
	return d.planned(ctx, q, r, maxTrials)
}

// planned plans a test of at most so many trials; 0 leaves it open.
func (d *designer) planned(
	ctx context.Context, q baseline.Question, r runs.RecordedTest, maxTrials int,
) (*baseline.Family, error) {
	chain, err := d.chain(q, r, maxTrials)
	if err != nil {
		return nil, err
	}
	plan, err := chain.Against(ctx, r.Worst)
	return plan.Family, err
}

// chain is that of a question. Of equal questions every tier is planned once, whatever the baselines of the scenarios
// came to.
func (d *designer) chain(q baseline.Question, r runs.RecordedTest, maxTrials int) (*baseline.Chain, error) {
	record, err := json.Marshal(r.Sample.Record())
	if err != nil {
		return nil, err // not reached: it is numbers and texts
	}
	key := fmt.Sprintf("%+v %d %v %s", q, maxTrials, d.open, record)
	chain := d.chains[key]
	if chain == nil {
		chain, err = baseline.NewChain(q, r.Sample, baseline.Options{MaxTrials: maxTrials, Open: d.open,
			Progress: d.prepare.Progress})
		if err != nil {
			return nil, err
		}
		d.chains[key] = chain
	}
	return chain, nil
}

// planAhead plans the tests of questions against stored baselines side by side. What goes wrong is told by the
// designing that follows, one test after the other, which takes the plans from their chains.
func (d *designer) planAhead(ctx context.Context, list []testSpec) {
	var work []func()
	for _, spec := range list {
		spec = d.part(spec)
		spec.test = d.tested(spec.test, spec.scenario)
		if a := spec.test.Against; d.prepare.Record > 0 || !a.Asked() || a.SideBySide {
			continue
		}
		saved, err := d.savedRun(ctx, spec.test.Against.Baseline)
		if err != nil {
			continue
		}
		r, err := recordedIn(saved, spec)
		if err != nil {
			continue
		}
		most := spec.test.MaxTrials
		if d.prepare.Baseline != "" {
			most = 0 // as in family
		}
		if chain, err := d.chain(question(spec), r, most); err == nil {
			work = append(work, func() { _, _ = chain.Against(ctx, r.Worst) })
		}
	}
	spread.Over(len(work), func(i int) { work[i]() })
}

// compare refuses a saved run in which a scenario that is tested against it was asked or judged
// otherwise.
func (d *designer) compare(file string, saved *runs.Result) error {
	var compared []suite.Scenario
	for _, c := range d.scenarios {
		if d.tested(c.Test, c.Name).Against.Baseline == file {
			compared = append(compared, c)
		}
	}
	return comparable(file, saved, d.suite, compared)
}

// tell tells, once for each baseline and variant, what there is to know of it.
func (d *designer) tell(c Comparison) {
	key := c.File + "\n" + c.Variant
	if d.prepare.Compared != nil && !d.told[key] {
		d.prepare.Compared(c)
	}
	d.told[key] = true
}

// tellOfRun says what there is to know of a saved run.
func (d *designer) tellOfRun(base *runs.Baseline, variant string) {
	saved := base.First()
	c := Comparison{
		File: base.Name, Finished: base.Finished(), Variant: variant, Changed: d.changed(saved, variant),
		Earlier: saved.Task == nil && saved.Digest != d.suite.Digest(),
	}
	if base.Revision > 0 {
		c.Named = base
	}
	for _, scenario := range d.scenarios {
		if d.alone[scenario.Name] {
			c.Added = append(c.Added, scenario.Name)
		}
	}
	if saved.Task != nil {
		c.Removed = taskOf(d.suite, d.scenarios).Since(saved.Task).Removed
	} else {
		for _, t := range saved.Tests {
			named := func(s suite.Scenario) bool { return s.Name == t.Name }
			if len(t.Members) == 0 && !slices.ContainsFunc(d.scenarios, named) {
				c.Removed = append(c.Removed, t.Name)
			}
		}
	}
	d.tell(c)
}

// changed says what the suite says otherwise of an agent and its tests than it did for a saved
// run. Nothing is known of that for a result of an earlier version. A seed that nobody gave follows from the agent.
func (d *designer) changed(saved *runs.Result, variant string) []string {
	if saved.Settings == nil {
		return []string{}
	}
	// What the saved run said of variants counts where it had the same one, in place of what it said of
	// the agent.
	same, had := saved.VariantSettings[variant]
	before := slices.DeleteFunc(slices.Clone(saved.Settings), func(line string) bool {
		return strings.HasPrefix(line, "variants.") || had && strings.HasPrefix(line, "agent.")
	})
	before = append(slices.Clone(same), before...)
	after := d.withVariant(variant).AgentSettings()
	if !d.suite.SeedGiven {
		drawn := func(line string) bool { return strings.HasPrefix(line, "seed: ") }
		before, after = slices.DeleteFunc(before, drawn), slices.DeleteFunc(after, drawn)
	}
	return suite.Changed(before, after)
}

// withVariant is the suite with a variant in place of the agent, and without the others.
func (d *designer) withVariant(name string) *suite.Suite {
	other := *d.suite
	other.Variants = nil
	for _, v := range d.suite.Variants {
		if v.Name == name {
			other.Agent = v.Agent
		}
	}
	return &other
}
