package mutation

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/seeded"
)

// Mutant is a change of a configuration. It is a function of its operator, site and seed: what it does is found again
// in a configuration that has changed elsewhere.
type Mutant struct {
	// ID is its number among all mutants of the configuration that it was made of, as M17; of a composed one those of its
	// parts, as M3+M17. It changes where sites are added before it.
	ID string
	// Key names it for as long as its operator and its site are the same: the operator, and a hash of the site, as
	// prompt.drop-1a2b3c4d5e6f.
	Key      string
	Operator string // by its name; of a composed one those of its parts, as prompt.drop+tool.remove
	Class    Class
	Severity Severity
	Category string
	Site     Site
	Seed     uint64   // of its random numbers
	Parts    []Mutant // of a composed one, in the order in which they are applied

	identity  string
	nth       int            // of the sites of the operator with that identity, from 0
	component Component      // that it changes; "" of a composed one
	own       *Configuration // of a [Command]: what it made
}

// errNoSite says that a mutant cannot be applied: what it changes is not there.
var errNoSite = errors.New("the configuration has nothing that the mutant changes")

// Components are those that it changes.
func (m Mutant) Components() (changed []Component) {
	if m.component != "" {
		return []Component{m.component}
	}
	for _, p := range m.Parts {
		if !slices.Contains(changed, p.component) {
			changed = append(changed, p.component)
		}
	}
	return changed
}

// Apply returns a configuration with the change of the mutant, and leaves its argument as it is. The error is
// [errNoSite] where the site is not there, or is changed by nothing, and else what [Configuration.Check] says.
func (m Mutant) Apply(c Configuration) (Configuration, error) {
	for _, part := range m.Parts {
		var err error
		if c, err = part.Apply(c); err != nil {
			return Configuration{}, fmt.Errorf("%s: %w", part.ID, err)
		}
	}
	if len(m.Parts) > 0 {
		return c, nil
	}
	if m.own != nil {
		return m.put(c)
	}
	if err := c.Check(); err != nil {
		return Configuration{}, err
	}
	i := slices.IndexFunc(table(), func(o operator) bool { return o.Name == m.Operator })
	if i < 0 {
		return Configuration{}, unknownOperator(m.Operator, nil)
	}
	v, err := viewOf(c)
	if err != nil {
		return Configuration{}, err
	}
	changed, ok := m.change(c, table()[i].sites(v))
	if !ok {
		return Configuration{}, errNoSite
	}
	return changed, nil
}

// change makes the change at one of the sites; !ok: it is at none, or changes nothing.
func (m Mutant) change(c Configuration, sites []site) (changed Configuration, ok bool) {
	nth := 0
	for _, s := range sites {
		if s.identity != m.identity {
			continue
		}
		if nth == m.nth {
			changed = s.change(c, seeded.Stream(m.Seed, number(m.Key)))
			return changed, !changed.same(c, m.component) && changed.has(m.component)
		}
		nth++
	}
	return Configuration{}, false
}

// has reports whether a component is there after a change: a prompt of nothing is none.
func (c Configuration) has(component Component) bool {
	return component != PromptComponent || strings.TrimSpace(Unmarked(c.Prompt)) != ""
}

// number makes a stream of random numbers of a key.
func number(key string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(key))
	return h.Sum64()
}

// keyOf is the key of a site of an operator.
func keyOf(operator, identity string, nth int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%s", operator, nth, identity))
	return operator + "-" + hex.EncodeToString(sum[:6])
}
