package usage

import (
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
)

// Trial is what one trial took of each model. The zero value tells nothing, not even a model.
type Trial struct {
	model string  // that took all of it, "" of none that is told, where there are no parts
	parts []part  // of several models
	total amounts // but the cost, which is known when the trial is added up
}

// Nothing reports whether the trial tells nothing, not even a model.
func (u *Trial) Nothing() bool { return u.model == "" && len(u.parts) == 0 && u.total == amounts{} }

// part is what is told of a model, "" of none: in a trial of several models by its steps.
type part struct {
	model string
	amounts
}

// Of reads what a trial took of each model. A trial of one model took all of it there. In one of several, what its
// steps tell is that of their models, and what the trial tells beyond them is of no model that is told; where steps
// tell more than their trial does, neither can be relied on, and all of it is. An amount that the trial itself tells by
// model is taken from there, by the same rules, and not from the steps.
//
// Turns are steps that reason or respond. A call of a tool belongs to the model that it names, or else to that of the
// last turn before it at its depth, of the agent itself or of a sub-agent.
func Of(t *trial.Trial) Trial {
	u := Trial{model: t.Model, total: totals(t)}
	if len(t.Steps) == 0 && len(t.ModelUsage) == 0 {
		return u
	}
	var told amounts // by model: what the steps tell of that is passed over
	for i := range t.ModelUsage {
		a := ofModel(&t.ModelUsage[i])
		u.of(t.ModelUsage[i].Model).add(&a)
		told.add(&a)
	}
	for i, model := range models(t) {
		a := ofStep(&t.Steps[i])
		if a.without(&told); !a.none() || model != "" && isTurn(&t.Steps[i]) {
			u.of(model).add(&a)
		}
	}
	switch {
	case len(u.parts) == 0: // nothing but the trial names a model
	case len(u.parts) == 1 && len(t.ModelUsage) == 0:
		u.model, u.parts = u.parts[0].model, nil
	default:
		u.reconcile()
	}
	return u
}

// models is the model of each step, "" where it is not told.
func models(t *trial.Trial) []string {
	list := make([]string, len(t.Steps))
	last := map[int]string{} // model of the last turn, by depth
	for i := range t.Steps {
		s := &t.Steps[i]
		list[i] = s.Model
		if list[i] == "" && s.Action == trial.CallTool {
			list[i] = last[s.Depth.Value]
		}
		if list[i] == "" {
			list[i] = t.Model
		}
		if isTurn(s) {
			last[s.Depth.Value] = list[i]
		}
	}
	return list
}

// isTurn reports whether a step is an answer of a model.
func isTurn(s *trial.Step) bool { return s.Action == trial.Reason || s.Action == trial.Respond }

// of is the part of a model, a new one where there is none. A trial has few: a search does without a map.
func (u *Trial) of(model string) *part {
	for i := range u.parts {
		if u.parts[i].model == model {
			return &u.parts[i]
		}
	}
	u.parts = append(u.parts, part{model: model})
	return &u.parts[len(u.parts)-1]
}

// ofModel is what the trial itself tells of a model.
func ofModel(u *trial.ModelUse) amounts {
	a := amounts{cost: u.CostUSD}
	a.counts[input], a.counts[output] = u.InputTokens, u.OutputTokens
	a.counts[cached], a.counts[cacheWrites] = u.CachedTokens, u.CacheWrites
	return a
}

// ofStep is what a step took.
func ofStep(s *trial.Step) amounts {
	a := amounts{cost: s.CostUSD}
	a.counts[input], a.counts[output] = s.InputTokens, s.OutputTokens
	a.counts[cached], a.counts[cacheWrites] = s.CachedTokens, s.CacheWrites
	switch {
	case isTurn(s):
		a.counts[turns] = trial.Some(int64(1))
	case s.Action == trial.CallTool:
		a.counts[toolCalls] = trial.Some(int64(1))
	}
	return a
}

// totals are the amounts of a trial but its cost: those that it states, or else those of its steps. Steps go before
// what it states of turns and calls.
func totals(t *trial.Trial) (a amounts) {
	a.counts[turns], a.counts[toolCalls] = whole(t.Turns), whole(t.ToolCalls)
	if len(t.Steps) == 0 {
		a.counts[input], a.counts[output] = t.InputTokens, t.OutputTokens
		a.counts[cached], a.counts[cacheWrites] = t.CachedTokens, t.CacheWrites
		return a
	}
	a.counts[input], a.counts[output] = t.TotalInputTokens(), t.TotalOutputTokens()
	a.counts[cached] = stated(t, t.CachedTokens, func(s *trial.Step) trial.Optional[int64] { return s.CachedTokens })
	a.counts[cacheWrites] = stated(t, t.CacheWrites, func(s *trial.Step) trial.Optional[int64] { return s.CacheWrites })
	var turned, called int64
	for i := range t.Steps {
		switch s := &t.Steps[i]; {
		case isTurn(s):
			turned++
		case s.Action == trial.CallTool:
			called++
		}
	}
	// Steps that are calls of tools alone tell no turns, but the trial may.
	if turned > 0 {
		a.counts[turns] = trial.Some(turned)
	}
	a.counts[toolCalls] = trial.Some(called)
	return a
}

// stated is a number of tokens that the trial states, or else that of its steps.
func stated(
	t *trial.Trial, n trial.Optional[int64], amount func(*trial.Step) trial.Optional[int64],
) trial.Optional[int64] {
	if n.Known {
		return n
	}
	return trial.OverSteps(t, amount)
}

// whole is a count of the trial; one that is negative is none.
func whole(n trial.Optional[int]) trial.Optional[int64] {
	if !n.Known || n.Value < 0 {
		return trial.Optional[int64]{}
	}
	return trial.Some(int64(n.Value))
}

// reconcile makes the parts of several models add up to the totals.
func (u *Trial) reconcile() {
	u.of("")
	for kind := range countedKinds {
		total, sum := u.total.counts[kind], int64(0)
		for _, p := range u.parts {
			sum = trial.Plus(sum, p.counts[kind].Value)
		}
		rest := total.Value - sum
		exact := total.Known && rest == 0
		contradicts := !total.Known || rest < 0
		for i := range u.parts {
			settle(&u.parts[i].counts[kind], u.parts[i].model, total, exact, contradicts)
		}
		if contradicts {
			rest = total.Value
		}
		if rest > 0 {
			untold := &u.of("").counts[kind]
			*untold = plus(*untold, trial.Some(rest))
		}
	}
}

// settle ends what steps tell of a model: where they tell all that the trial took, what they do not tell of it is 0,
// and where they contradict the trial they tell nothing.
func settle[T int64 | float64](x *trial.Optional[T], model string, total trial.Optional[T], exact, contradicts bool) {
	switch {
	case total.Known && total.Value == 0 && model != "":
		*x = trial.Some(T(0)) // whatever the steps tell
	case contradicts:
		*x = trial.Optional[T]{}
	case exact && model != "":
		x.Known = true
	}
}

// withCost gives the parts of several models a cost of the trial, which may be that of several attempts.
func (u Trial) withCost(cost trial.Optional[float64]) []part {
	parts := slices.Clone(u.parts)
	sum := 0.0
	dearest := &parts[0].amounts
	for i := range parts {
		sum += parts[i].cost.Value
		if parts[i].cost.Value > dearest.cost.Value {
			dearest = &parts[i].amounts
		}
	}
	rest := cost.Value - sum
	// Sums of fractions are rounded: what that leaves is no cost of another model.
	exact := cost.Known && math.Abs(rest) <= Rounding*cost.Value
	contradicts := !cost.Known || rest < 0 && !exact
	for i := range parts {
		settle(&parts[i].cost, parts[i].model, cost, exact, contradicts)
	}
	switch {
	case exact:
		dearest.cost.Value += rest
	case contradicts:
		rest = cost.Value
		fallthrough
	default:
		for i := range parts {
			if parts[i].model == "" && cost.Known {
				parts[i].cost = plus(parts[i].cost, trial.Some(rest))
			}
		}
	}
	return parts
}
