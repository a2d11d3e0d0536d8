package baseline

import (
	"context"
	"reflect"

	"github.com/tribunal-dev/tribunal/internal/kept"
)

// keptQuestion is all that a plan depends on, for [kept].
type keptQuestion struct {
	Form       string // of the test
	Hypotheses Hypotheses
	Sample     SampleRecord
	Before     string // digest of the tier before; "" is none
	Gamma      float64
	Spare      [2]float64 // of alpha, and of beta
	MaxTrials  int
	Favour     float64
	Open       bool
}

// keptPlan is a [Plan], or a [RoundsPlan].
type keptPlan struct {
	Family                             *Record
	Test                               *RoundsRecord
	Errors                             Errors
	Expected, Bound, Gap, Inconclusive float64
	Fixed                              int
}

// question is what is asked of plan.
func (p problem) question(o Options) keptQuestion {
	q := keptQuestion{Form: "stored", Hypotheses: p.h, Sample: p.sample.Record(), Gamma: p.gamma,
		Spare: [2]float64{p.spare.alpha, p.spare.beta}, MaxTrials: o.MaxTrials, Favour: o.Favour, Open: o.Open}
	if p.before != nil {
		q.Before = p.before.Digest()
	}
	return q
}

// load returns the plan that is kept, if there is one. That it is for this problem is checked; its errors were proved
// when it was kept.
func (p problem) load(ctx context.Context, q keptQuestion) (Plan, bool) {
	var k keptPlan
	if !kept.Load(ctx, q, &k) || k.Family == nil {
		return Plan{}, false
	}
	f, err := k.Family.Family()
	if err != nil || f.tier != nil || f.hypotheses != p.h || f.gamma != p.gamma ||
		!reflect.DeepEqual(k.Family.Sample, q.Sample) || (f.before == nil) != (p.before == nil) ||
		p.before != nil && f.before.Digest() != q.Before {
		return Plan{}, false
	}
	f.cache.know(k.Errors)
	return Plan{f, k.Errors, k.Expected, k.Bound, k.Gap, k.Inconclusive, k.Fixed}, k.Errors.Within(p.targets())
}

// save keeps a plan.
func (p Plan) save(ctx context.Context, q keptQuestion) {
	record := p.Family.Record()
	kept.Save(ctx, q, keptPlan{Family: &record, Errors: p.Errors, Expected: p.Expected, Bound: p.Bound, Gap: p.Gap,
		Inconclusive: p.Inconclusive, Fixed: p.FixedTrials})
}

// loadRounds is load of a test in rounds.
func loadRounds(ctx context.Context, q keptQuestion, k kind) (RoundsPlan, bool) {
	var plan keptPlan
	if !kept.Load(ctx, q, &plan) || plan.Test == nil {
		return RoundsPlan{}, false
	}
	test, err := plan.Test.Rounds()
	if err != nil || test.hypotheses != q.Hypotheses || test.matched != k.matched {
		return RoundsPlan{}, false
	}
	test.cache.know(plan.Errors)
	return RoundsPlan{test, plan.Errors, plan.Expected, plan.Bound, plan.Gap, plan.Inconclusive, plan.Fixed},
		plan.Errors.Within(q.Hypotheses)
}

// know takes in errors that were proved before.
func (c *familyCache) know(e Errors) { c.errors.Do(func() { c.proved = e }) }

// save keeps a plan.
func (p RoundsPlan) save(ctx context.Context, q keptQuestion) {
	record := p.Test.Record()
	kept.Save(ctx, q, keptPlan{Test: &record, Errors: p.Errors, Expected: p.Expected, Bound: p.Bound, Gap: p.Gap,
		Inconclusive: p.Inconclusive, Fixed: p.FixedRounds})
}
