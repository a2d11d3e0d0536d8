package suite

import (
	"context"
	"slices"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
)

// profilesKey names tiers of a suite: what differs in its tests and budgets.
const profilesKey = "profiles"

// profileOf is where a context has the name of the profile.
type profileOf struct{}

// WithProfile returns a context in which [LoadContext] reads suites as their profile of this name says; "" is none. A
// suite that has no such profile is an error.
func WithProfile(ctx context.Context, name string) context.Context {
	if name == "" {
		return ctx
	}
	return context.WithValue(ctx, profileOf{}, name)
}

// profiled puts the profile that was asked for over the suite. What is put together is read as if it had been written
// so, and each value keeps its place. The others are read as well, so that what is wrong with them is told before a
// night.
func (d *decoder) profiled(root *yaml.Node, s *Suite) *yaml.Node {
	s.Profile, _ = d.ctx.Value(profileOf{}).(string)
	var chosen *yaml.Node
	var names []string
	if at := memberOf(root, profilesKey); at != nil {
		d.At(profilesKey, func() { chosen, names = d.profiles(at, root, s) })
	}
	if s.Profile == "" {
		return root
	}
	if chosen == nil {
		slices.Sort(names)
		advice := "the suite has no profiles"
		if len(names) > 0 {
			advice = prose.DidYouMean(s.Profile, names)
		}
		d.Fail(root, "has no profile "+yamlnode.Shown(s.Profile), advice)
		return root
	}
	return merged(root, chosen, false)
}

// profiles reads all of them, and returns the one that was asked for and the names.
func (d *decoder) profiles(n, root *yaml.Node, s *Suite) (chosen *yaml.Node, names []string) {
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		d.Fail(n, "must not be empty", "such as profiles: {nightly: {budget: {max_cost_usd: 20}}}")
	}
	d.Members(n, func(name string, key, value *yaml.Node) {
		const advice = "use letters, digits, dots, dashes and underscores"
		if d.Matches(key, name, namePattern(), advice) {
			names = append(names, name)
		}
		d.At(name, func() { d.profile(value, root) })
		if name == s.Profile {
			chosen = value
		}
	})
	d.Also("minProperties", 1, "propertyNames", object{"pattern", namePattern().String()})
	return chosen, names
}

// profile reads what a profile says, over what the suite does.
func (d *decoder) profile(n, root *yaml.Node) {
	under := func(name string, n *yaml.Node) *yaml.Node { return merged(memberOf(root, name), n, false) }
	test, budget, floor := defaultTest(), Budget{}, 0.0
	d.Object(n,
		key{Name: "test", Read: d.Named("test", func(n *yaml.Node) { d.suiteTest(under("test", n), &test, &floor) })},
		key{Name: "budget", Read: d.Named("budget", func(n *yaml.Node) { d.budget(under("budget", n), &budget) })},
		key{Name: "concurrency", Read: d.Whole(1, maxConcurrency, func(int64) {})},
		key{Name: "launch_jitter", Read: d.Duration(new(time.Duration), true)},
	)
}
