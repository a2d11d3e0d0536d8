package relation

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// Facts say what of an output is a fact. One of paths and patterns must be there.
type Facts struct {
	// Paths into an output that is JSON; what stands there is a fact, and of a list every item.
	Paths []oracle.Path
	// Patterns are expressions whose matches are facts: what the first group matched, or all of it where there is none.
	Patterns []*regexp.Regexp
	// IgnoreCase takes facts for equal that differ in the case of letters alone.
	IgnoreCase bool
}

// SameFacts holds where both outputs have the same set of facts, in whatever order and however often each is said:
// facts(A(x)) = facts(A(x')). Where neither has any it holds, and the finding is vacuous.
func SameFacts(f Facts) Criterion {
	return check(func(_ context.Context, source, followUp Execution) (Finding, error) {
		a, b := f.of(source), f.of(followUp)
		missing, added := beyond(a, b), beyond(b, a)
		switch {
		case len(a)+len(b) == 0:
			return Finding{Held: true, Vacuous: true, Why: "neither output has a fact"}, nil
		case len(missing)+len(added) == 0:
			return held("both say %s", listed(a)), nil
		case len(added) == 0:
			return violated("the follow-up does not say %s", listed(missing)), nil
		case len(missing) == 0:
			return violated("only the follow-up says %s", listed(added)), nil
		}
		return violated("the source says %s, and the follow-up %s", listed(missing), listed(added)), nil
	})
}

// of are the facts of an output, sorted, each once.
func (f Facts) of(e Execution) (facts []string) {
	add := func(fact string) {
		if fact = strings.TrimSpace(fact); f.IgnoreCase {
			fact = strings.ToLower(fact)
		}
		facts = append(facts, fact)
	}
	for _, path := range f.Paths {
		value, problem := valueAt(e, path)
		list, many := value.([]any)
		switch {
		case problem != "":
		case many:
			for _, item := range list {
				add(textOf(item))
			}
		default:
			add(textOf(value))
		}
	}
	for _, pattern := range f.Patterns {
		for _, match := range pattern.FindAllStringSubmatch(e.text(), -1) {
			add(match[min(1, len(match)-1)])
		}
	}
	slices.Sort(facts)
	return slices.Compact(facts)
}

// beyond are the facts of one that the other does not have.
func beyond(facts, others []string) (list []string) {
	for _, fact := range facts {
		if _, found := slices.BinarySearch(others, fact); !found {
			list = append(list, fact)
		}
	}
	return list
}

// listed names some facts.
func listed(facts []string) string {
	const most = 4 // chosen: a person begins with the first
	names := make([]string, len(facts))
	for i, fact := range facts {
		names[i] = shown(fact)
	}
	if len(names) > most {
		return prose.Some(names, most)
	}
	return prose.And(names)
}
