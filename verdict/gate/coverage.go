package gate

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/internal/phrase"
)

// coverage is open where it is below its minimum, or not measured: too little of it says
// nothing bad of the agent, but that the run shows less than was asked for. Without a
// minimum it is noted.
func (g *Result) coverage(o Options) {
	const name = ruleCoverage
	c := o.Coverage
	switch {
	case o.Minimum == nil && c != nil && c.Overall != nil:
		share := ""
		if missing := len(unmeasured(c)); o.Edition > firstEdition && missing > 0 {
			share = fmt.Sprintf(" of %d of %d dimensions", asked(c)-missing, asked(c))
		}
		g.rule(name, "", RuleNoted, "overall coverage %s%s; no minimum is set", phrase.Rate(*c.Overall), share)
	case o.Minimum == nil:
	case o.Edition >= thirdEdition && c != nil && c.Low == nil && len(c.Dimensions) > 0 && c.Trials > 0:
		missing := unmeasured(c)
		g.rule(name, "", RuleOpen, "nothing is declared to be covered, and at least %s is needed; not measured: %s; "+
			"declare what they are measured against", phrase.Rate(*o.Minimum), strings.Join(missing, ", "))
	case c == nil || reached(c, o) == nil:
		g.rule(name, "", RuleOpen, "coverage is not measured, and at least %s is needed", phrase.Rate(*o.Minimum))
	case *reached(c, o) < *o.Minimum:
		advice := ""
		if c.Advice != "" {
			advice = "; " + c.Advice
		}
		switch {
		case o.Edition < thirdEdition:
			g.rule(name, "", RuleOpen, "overall coverage %s is below the minimum of %s; the weakest dimension is %s%s",
				apart(*c.Overall, *o.Minimum), phrase.Rate(*o.Minimum), c.Weakest, advice)
		case c.Overall != nil && *c.Overall < *o.Minimum:
			g.rule(name, "", RuleOpen, "overall coverage is below the minimum of %s: %s; the weakest dimension is %s%s",
				phrase.Rate(*o.Minimum), overall(c, *o.Minimum), c.Weakest, advice)
		default:
			g.rule(name, "", RuleOpen,
				"overall coverage does not show the minimum of %s: %s; more trials may, since the limit of paths "+
					"rises with them%s",
				phrase.Rate(*o.Minimum), overall(c, *o.Minimum), advice)
		}
	case o.Edition > firstEdition && len(unmeasured(c)) > 0:
		missing := unmeasured(c)
		g.rule(name, "", RuleOpen,
			"overall coverage %s is of %d of %d dimensions, and does not show the minimum of %s; not measured: %s; "+
				"declare what they are measured against, or give them a weight of 0",
			overall(c, *o.Minimum), asked(c)-len(missing), asked(c), phrase.Rate(*o.Minimum),
			strings.Join(missing, ", "))
	case o.Edition >= thirdEdition:
		g.rule(name, "", RuleHolds, "overall coverage %s; at least %s is needed", overall(c, *o.Minimum),
			phrase.Rate(*o.Minimum))
	default:
		g.rule(name, "", RuleHolds, "overall coverage %s, at least %s is needed", apart(*c.Overall, *o.Minimum),
			phrase.Rate(*o.Minimum))
	}
}

// reached is the coverage that is compared with the minimum: the lower limit, of which a gate of an earlier
// edition knew nothing; nil where nothing was measured.
func reached(c *coverage.Result, o Options) *float64 {
	if o.Edition < thirdEdition {
		return c.Overall
	}
	return c.Low
}

// apart writes a share with as many digits as it takes to tell it from the minimum.
func apart(share, minimum float64) string {
	text, _ := phrase.Rates(share, minimum)
	return text
}

// overall says the overall coverage with its limit, such as "84.3%, at least 76.1% at 95% confidence".
func overall(c *coverage.Result, minimum float64) string {
	least := ""
	if c.Low != nil {
		least = fmt.Sprintf("at least %s at %s confidence", apart(*c.Low, minimum), phrase.Percent(c.Level))
	}
	switch {
	case c.Overall == nil:
		return least
	case c.Low == nil || *c.Low == *c.Overall:
		return apart(*c.Overall, minimum)
	}
	return apart(*c.Overall, minimum) + ", " + least
}

// unmeasured are the dimensions that weigh and were not measured, with the reasons. The
// overall coverage is that of the others.
func unmeasured(c *coverage.Result) (list []string) {
	for _, m := range c.Dimensions {
		if m.Weight > 0 && m.Value == nil {
			list = append(list, fmt.Sprintf("%s (%s)", m.Dimension, m.Reason))
		}
	}
	return list
}

// asked is how many dimensions weigh.
func asked(c *coverage.Result) (n int) {
	for _, m := range c.Dimensions {
		if m.Weight > 0 {
			n++
		}
	}
	return n
}
