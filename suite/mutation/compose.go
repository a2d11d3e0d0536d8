package mutation

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/seeded"
)

// composed are mutants of several changes each, m2 ∘ m1, drawn among single ones: of several operators where there are
// so many, no two of the same changes, and each of what all of its parts change.
func composed(c Configuration, single []Mutant, o Options) ([]Mutant, error) {
	want := len(single)
	if o.Sample > 0 {
		want = o.Sample
	}
	if len(single) < o.Compose {
		return nil, nil
	}
	r := seeded.Stream(o.Seed, number("compose"))
	seen := map[string]bool{}
	drawn := []Mutant{}
	for range 20 * want { // after so many failures there are hardly more
		if len(drawn) == want {
			break
		}
		// In the order of the mutants: the same changes in two orders are one compound change.
		var parts []Mutant
		for _, i := range slices.Sorted(slices.Values(r.Perm(len(single))[:o.Compose])) {
			parts = append(parts, single[i])
		}
		m := Compose(parts...)
		if seen[m.ID] || !effective(c, m) {
			continue
		}
		seen[m.ID] = true
		drawn = append(drawn, m)
	}
	return drawn, nil
}

// Compose is a mutant that makes several changes, one after the other (Section 5.6, composability); of one part it is
// the part, and of none the zero value, which changes nothing.
func Compose(parts ...Mutant) Mutant {
	switch len(parts) {
	case 0:
		return Mutant{}
	case 1:
		return parts[0]
	}
	m := Mutant{Class: Composed, Category: string(Composed), Seed: parts[0].Seed, Parts: parts}
	var ids, keys, operators, texts []string
	for _, p := range parts {
		ids, keys, operators = append(ids, p.ID), append(keys, p.Key), append(operators, p.Operator)
		texts = append(texts, p.Site.String())
		if p.Severity.rank() > m.Severity.rank() {
			m.Severity = p.Severity
		}
	}
	sum := sha256.Sum256([]byte(strings.Join(keys, "\n")))
	m.ID, m.Operator = strings.Join(ids, "+"), strings.Join(operators, "+")
	m.Key = string(Composed) + "-" + hex.EncodeToString(sum[:6])
	m.Site = Site{Text: strings.Join(texts, "; ")}
	return m
}

// effective reports whether every part of a mutant changes something that the parts before it left.
func effective(c Configuration, m Mutant) bool {
	whole := c
	for _, part := range m.Parts {
		changed, err := part.Apply(whole)
		if err != nil || slices.Equal(whole.Changed(changed), nil) {
			return false
		}
		whole = changed
	}
	return len(c.Changed(whole)) > 0
}
