package mutation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// runs are words, as tokens are counted here: what stands between blanks.
var runs = lazy.Regexp(`\S+`)

// truncateContextSites are shares γ of the words x of the context, of which the first ⌊γ·|x|⌋ are left.
func truncateContextSites(v *view) (sites []site) {
	total := 0
	for _, s := range v.Context {
		total += len(strings.Fields(s.Text()))
	}
	for _, share := range shares {
		left := int(share * float64(total))
		if left == 0 || left == total {
			continue
		}
		sites = append(sites, site{
			Site:     Site{Text: fmt.Sprintf("the first %d of %d words", left, total)},
			identity: strconv.FormatFloat(share, 'g', -1, 64),
			change: func(c Configuration, _ *rand.Rand) Configuration {
				c.Context = firstWords(c.Context, left)
				return c
			},
		})
	}
	return sites
}

// firstWords are segments up to a number of words.
func firstWords(all []Segment, left int) (kept []Segment) {
	for _, s := range all {
		if left == 0 {
			break
		}
		text := s.Text()
		found := runs().FindAllStringIndex(text, left)
		if len(found) == left {
			if cut := s.with(text[:found[left-1][1]]); len(found) < len(strings.Fields(text)) {
				s = cut
			}
		}
		left -= len(found)
		kept = append(kept, s)
	}
	return kept
}

// noiseContextSites are the places before the first segment, in the middle, and behind the last.
func noiseContextSites(v *view) (sites []site) {
	n := len(v.Context)
	if n == 0 {
		return nil
	}
	for _, at := range slices.Compact([]int{0, n / 2, n}) {
		text := "behind the last"
		anchor := "end"
		if at < n {
			text = "before: " + short(v.Context[at].Text())
			anchor = v.Context[at].Raw
		}
		sites = append(sites, site{
			Site: Site{Segment: at + 1, Text: text}, identity: anchor,
			change: func(c Configuration, r *rand.Rand) Configuration {
				document := like(c.Context[0], documents()[r.IntN(len(documents()))])
				c.Context = slices.Insert(slices.Clone(c.Context), at, document)
				return c
			},
		})
	}
	return sites
}

// permuteSites is the context, of two segments and more.
func permuteSites(v *view) []site {
	n := len(v.Context)
	if n < 2 {
		return nil
	}
	return []site{{
		Site: Site{Text: fmt.Sprintf("the order of %d documents", n)}, identity: "context",
		change: func(c Configuration, r *rand.Rand) Configuration {
			all := make([]Segment, n)
			for i, j := range permutation(n, r) {
				all[i] = c.Context[j]
			}
			c.Context = all
			return c
		},
	}}
}

// segmentSites are the segments.
func segmentSites(v *view, change func(all []Segment, i int) []Segment) (sites []site) {
	for i, s := range v.Context {
		sites = append(sites, site{
			Site: Site{Segment: i + 1, Text: short(s.Text())}, identity: s.Raw,
			change: func(c Configuration, _ *rand.Rand) Configuration {
				c.Context = change(slices.Clone(c.Context), i)
				return c
			},
		})
	}
	return sites
}

// dropSegmentSites are the segments, of two and more: a context without any is none.
func dropSegmentSites(v *view) []site {
	if len(v.Context) < 2 {
		return nil
	}
	return segmentSites(v, func(all []Segment, i int) []Segment { return slices.Delete(all, i, i+1) })
}

// duplicateSites are the segments.
func duplicateSites(v *view) []site {
	return segmentSites(v, func(all []Segment, i int) []Segment { return slices.Insert(all, i, all[i]) })
}
