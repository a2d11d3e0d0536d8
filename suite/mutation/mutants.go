package mutation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/seeded"
)

// Options say which mutants are wanted. The zero value is all of them.
type Options struct {
	Seed uint64 // of what operators draw, and of samples; 0 is 1
	// Operators are names, classes, or patterns with * and ? such as prompt.*; none: all.
	Operators   []string
	PerOperator int // at most so many of each operator, a seeded sample; 0: all
	Sample      int // at most so many altogether, a seeded sample; 0: all
	// Since is an earlier configuration: mutants are of what has changed since then. nil: of all.
	Since *Configuration
	// Compose asks for mutants of so many changes each, which are as many as there are single ones, or as Sample says; 0
	// and 1: single ones.
	Compose  int
	Commands []Command // operators of the user's own
}

// MaxMutants bounds the mutants of a configuration, and of each operator the sites. It is chosen: far more than anybody
// runs.
const (
	MaxMutants = 100_000
	maxSites   = 20_000
	maxCompose = 10
)

// Mutants finds the mutants of a configuration: every operator at every of its sites, in the order of operators and of
// sites. One that changes nothing, or leaves a prompt of nothing, is none, and of several that come to the same the
// first stands for all. The same arguments make the same mutants, with commands as far as these do the same.
//
// IDs are given before any choice is made: M17 is the same mutant whatever is asked for beside the seed. The samples
// are of those whose keys come first in an order that the seed makes, so that few are exchanged where the configuration
// changes.
//
// The error is what [Configuration.Check] says, or of an operator that is not known or did not come to configurations.
func Mutants(ctx context.Context, c Configuration, o Options) ([]Mutant, error) {
	o.Seed = cmp.Or(o.Seed, 1)
	if o.Compose > maxCompose {
		return nil, fmt.Errorf("a mutant is composed of at most %d", maxCompose)
	}
	if err := c.Check(); err != nil {
		return nil, err
	}
	var names []string
	for _, own := range o.Commands {
		names = append(names, own.operator().Name)
	}
	asked, err := selected(o.Operators, names)
	if err != nil {
		return nil, err
	}
	e := &enumeration{Configuration: c, seed: o.Seed, seen: map[[sha256.Size]byte]bool{}}
	if err := e.all(ctx, asked, o.Commands); err != nil {
		return nil, err
	}
	chosen := slices.DeleteFunc(e.mutants, func(m Mutant) bool { return !asked(Operator{Name: m.Operator}) })
	if o.Since != nil {
		since, err := sinceOf(*o.Since, c)
		if err != nil {
			return nil, err
		}
		chosen = slices.DeleteFunc(chosen, func(m Mutant) bool { return !since.touched(m) })
	}
	if o.PerOperator > 0 {
		chosen = perOperator(chosen, o.PerOperator, o.Seed)
	}
	if o.Compose > 1 {
		return composed(c, chosen, o)
	}
	return sampled(chosen, o.Sample, o.Seed), nil
}

// enumeration finds mutants.
type enumeration struct {
	Configuration
	seed    uint64
	seen    map[[sha256.Size]byte]bool // what mutants came to
	mutants []Mutant
}

// all finds all mutants, and numbers them.
func (e *enumeration) all(ctx context.Context, asked func(Operator) bool, commands []Command) error {
	v, err := viewOf(e.Configuration)
	if err != nil {
		return err
	}
	for _, o := range table() {
		sites := o.sites(v)
		if len(sites) > maxSites {
			sites = sites[:maxSites]
		}
		counts := map[string]int{}
		for _, s := range sites {
			nth := counts[s.identity]
			counts[s.identity]++
			m := Mutant{
				Key: keyOf(o.Name, s.identity, nth), Operator: o.Name, Class: o.Class, Severity: o.Severity,
				Category: o.Category, Site: s.Site, Seed: e.seed,
				identity: s.identity, nth: nth, component: o.Class.component(),
			}
			changed := s.change(e.Configuration, seeded.Stream(m.Seed, number(m.Key)))
			if !changed.same(e.Configuration, m.component) && changed.has(m.component) {
				e.add(m, changed)
			}
		}
	}
	for _, own := range commands {
		if !asked(own.operator()) {
			continue
		}
		if err := e.own(ctx, own); err != nil {
			return err
		}
	}
	return nil
}

// add takes a mutant in, unless another one came to the same.
func (e *enumeration) add(m Mutant, changed Configuration) {
	sum := sha256.Sum256([]byte(string(m.component) + "\n" + changed.text(m.component)))
	if e.seen[sum] || len(e.mutants) >= MaxMutants {
		return
	}
	e.seen[sum] = true
	m.ID = fmt.Sprintf("M%d", len(e.mutants)+1)
	e.mutants = append(e.mutants, m)
}

// sampled are at most so many of some mutants, in their order.
func sampled(all []Mutant, most int, seed uint64) []Mutant {
	if most <= 0 || len(all) <= most {
		return all
	}
	rank := func(m Mutant) uint64 { return seeded.Scramble(seeded.Scramble(seed) ^ number(m.Key)) }
	ordered := slices.Clone(all)
	slices.SortStableFunc(ordered, func(a, b Mutant) int { return cmp.Compare(rank(a), rank(b)) })
	kept := map[string]bool{}
	for _, m := range ordered[:most] {
		kept[m.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(m Mutant) bool { return !kept[m.ID] })
}

// perOperator are at most so many of each operator.
func perOperator(all []Mutant, most int, seed uint64) (kept []Mutant) {
	for len(all) > 0 {
		end := slices.IndexFunc(all, func(m Mutant) bool { return m.Operator != all[0].Operator })
		if end < 0 {
			end = len(all)
		}
		kept = append(kept, sampled(all[:end], most, seed)...)
		all = all[end:]
	}
	return kept
}

// Find returns the mutant of an ID or a key.
func Find(all []Mutant, name string) (Mutant, bool) {
	i := slices.IndexFunc(all, func(m Mutant) bool { return strings.EqualFold(m.ID, name) || m.Key == name })
	if i < 0 {
		return Mutant{}, false
	}
	return all[i], true
}
