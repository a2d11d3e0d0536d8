package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/relation"
	"github.com/tribunal-dev/tribunal/verdict/relations"
)

// ClaimsOf are the relations of pairs, each once, in their order.
func ClaimsOf(pairs []suite.Pair) (claims []relations.Claim) {
	for _, p := range pairs {
		r := p.Relation
		if slices.ContainsFunc(claims, func(c relations.Claim) bool { return c.Name == r.Name }) {
			continue
		}
		about := r.Kind.About()
		c := relations.Claim{Name: r.Name, Kind: r.Kind, Family: about.Family, Paper: about.Paper, Text: about.Claim,
			Alone: r.Alone(), Delta: r.Delta}
		if r.MaxViolationRate.Known {
			c.MaxViolationRate = new(r.MaxViolationRate.Value)
		}
		claims = append(claims, c)
	}
	return claims
}

// Examples are the first judged violations of each test of a run of pairs, by its name, and how many of its judged
// follow-ups had nothing to compare.
func (r *Result) Examples() (examples map[string][]relations.Example, vacuous map[string]int) {
	examples, vacuous = map[string][]relations.Example{}, map[string]int{}
	for _, record := range r.Trials {
		t := record.Trial
		if record.Baseline || record.Standing != Judged || t == nil {
			continue
		}
		if _, is := t.Tag(vacuousTag); is {
			vacuous[record.Test]++
		}
		var p relation.Pair
		if t.Outcome != trial.Fail || len(examples[record.Test]) >= relations.MostExamples ||
			json.Unmarshal(t.Output, &p) != nil {
			continue
		}
		examples[record.Test] = append(examples[record.Test], relations.ExampleOf(record.Number, p, whyFailed(t)))
	}
	return examples, vacuous
}

// whyFailed is what the trial of a pair says of the violation.
func whyFailed(t *trial.Trial) string {
	if t.Error == nil {
		return ""
	}
	return t.Error.Message
}

// Tags of recorded trials that are part of a pair.
const (
	relationTag     = "relation" // the relation that a follow-up is of, by its name
	sourceTag       = "source"   // its source: SCENARIO#TRIAL, or the number alone
	controlRelation = "control"  // the relation of a pair of equal inputs
)

// RecordedPairs says of recorded trials whether relations hold. A trial with the tag relation is the follow-up of the
// one that its tag source names, of the same scenario; one whose relation is control is of equal inputs, and counts
// beside all relations of its scenario. The rest are sources, by scenario and number.
//
// A follow-up whose source is not there is an error.
func RecordedPairs(ctx context.Context, pairs []suite.Pair, trials []*trial.Trial) ([]relations.RecordedPairs, error) {
	sources := map[string]*trial.Trial{}
	for _, t := range trials {
		if _, is := t.Tag(relationTag); !is && t.Index.Known {
			sources[sourceKey(t.Scenario, t.Index.Value)] = t
		}
	}
	used := map[string]map[string]bool{} // sources by the names of pairs
	found := make([]relations.RecordedPairs, len(pairs))
	for i, p := range pairs {
		found[i] = relations.RecordedPairs{Relation: p.Relation.Name, Scenario: p.Scenario.Name}
	}
	for _, t := range trials {
		name, is := t.Tag(relationTag)
		if !is {
			continue
		}
		source, key, err := sourceOf(t, sources)
		if err != nil {
			return nil, err
		}
		known := false
		for i, p := range pairs {
			if p.Scenario.Name != t.Scenario || name != controlRelation && name != p.Relation.Name {
				continue
			}
			known = true
			if name == controlRelation && p.Relation.Alone() {
				continue
			}
			if used[p.Name] == nil {
				used[p.Name] = map[string]bool{}
			}
			if used[p.Name][key] {
				found[i].Shared++
			}
			used[p.Name][key] = true
			recordPair(ctx, &found[i], p, source, t, name == controlRelation)
		}
		if !known && name != controlRelation {
			return nil, unpaired(t, fmt.Sprintf("is of the relation %s in the scenario %s, which the suite does not claim",
				prose.Quote(name), prose.Quote(t.Scenario)), "leave such trials out, or the choice of relations")
		}
	}
	return slices.DeleteFunc(found, func(x relations.RecordedPairs) bool { return x.FollowUps == "" }), nil
}

// unpaired says what is wrong with a recorded trial of a pair.
func unpaired(t *trial.Trial, problem, advice string) error {
	return &fault.Error{Problem: t.Place.String() + ": the trial " + problem, Advice: advice}
}

// sourceKey names a source.
func sourceKey(scenario string, number int) string { return fmt.Sprintf("%s#%d", scenario, number) }

// sourceOf finds the source of a follow-up.
func sourceOf(t *trial.Trial, sources map[string]*trial.Trial) (*trial.Trial, string, error) {
	const advice = "tags: {relation: NAME, source: SCENARIO#TRIAL}; a trial without the tag relation is a source"
	named, is := t.Tag(sourceTag)
	if !is {
		return nil, "", unpaired(t, "has a relation and no source", advice)
	}
	key := named
	if !strings.Contains(named, "#") {
		key = t.Scenario + "#" + named
	}
	source := sources[key]
	switch {
	case source == nil:
		return nil, "", unpaired(t, "has the source "+prose.Quote(named)+", which is not there", advice)
	case source.Scenario != t.Scenario:
		return nil, "", unpaired(t, "has a source of another scenario, "+prose.Quote(named), advice)
	}
	return source, key, nil
}

// recordPair notes whether the relation holds between two recorded trials.
func recordPair(
	ctx context.Context, x *relations.RecordedPairs, p suite.Pair, source, followUp *trial.Trial, control bool,
) {
	mark, marks := "P", &x.FollowUps
	if control {
		marks = &x.Controls
	}
	defer func() { *marks += mark }()
	if source.Outcome == trial.Error || followUp.Outcome == trial.Error {
		mark = "E"
		return
	}
	first := relation.Execution{Input: inputOf(source, p.Scenario), Trial: source}
	second := relation.Execution{Input: inputOf(followUp, p.Scenario), Trial: followUp}
	f, err := p.Relation.Holds.Check(ctx, first, second)
	switch {
	case err != nil:
		mark = "E"
		return
	case !f.Held:
		mark = "F"
	}
	if control {
		return
	}
	if f.Vacuous {
		x.Vacuous++
	}
	if !f.Held && len(x.Examples) < relations.MostExamples {
		x.Examples = append(x.Examples, relations.ExampleOf(followUp.Index.Value, relation.PairOf(first, second), f.Why))
	}
}

// inputOf is the input of a recorded trial, or, where it does not tell, that of its scenario.
func inputOf(t *trial.Trial, c suite.Scenario) trial.Raw {
	if t.Input == nil {
		return c.Input
	}
	return t.Input
}
