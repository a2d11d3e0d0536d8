package mutation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/jsonspan"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// dropSites are the instructions.
func dropSites(v *view) (sites []site) {
	for _, u := range v.prompt.instructions() {
		sites = append(sites, site{
			Site: v.prompt.at(u.full, short(v.Prompt[u.start:u.end])), identity: v.Prompt[u.full.start:u.full.end],
			change: func(c Configuration, _ *rand.Rand) Configuration {
				return replaced(c, jsonspan.Put(u.cut.start, u.cut.end, nil))
			},
		})
	}
	return sites
}

// reorderSites are paragraphs of two sentences and more, and lists of two items and more.
func reorderSites(v *view) (sites []site) {
	for _, b := range v.prompt.spoken() {
		for _, group := range b.groups {
			units := slices.DeleteFunc(slices.Clone(group), func(u unit) bool { return u.lead && !u.item })
			if len(units) < 2 {
				continue
			}
			var texts []string
			for _, u := range units {
				texts = append(texts, v.Prompt[u.full.start:u.full.end])
			}
			noun := "sentences"
			if units[0].item {
				noun = "items"
			}
			all := span{units[0].full.start, units[len(units)-1].full.end}
			sites = append(sites, site{
				Site:     v.prompt.at(all, fmt.Sprintf("the order of %d %s", len(units), noun)),
				identity: strings.Join(texts, "\n"),
				change: func(c Configuration, r *rand.Rand) Configuration {
					var edits []jsonspan.Edit
					for i, j := range permutation(len(units), r) {
						edits = append(edits, jsonspan.Put(units[i].full.start, units[i].full.end, []byte(texts[j])))
					}
					return replaced(c, edits...)
				},
			})
		}
	}
	return sites
}

// permutation is a random order of n, two and more, which is not the one from 0 up.
func permutation(n int, r *rand.Rand) []int {
	p := r.Perm(n)
	if slices.IsSorted(p) {
		i := r.IntN(n - 1)
		p[i], p[i+1] = p[i+1], p[i]
	}
	return p
}

// noiseSites are the ends of paragraphs and lists.
func noiseSites(v *view) (sites []site) {
	for _, b := range v.prompt.spoken() {
		end := v.prompt.announced(b)
		sites = append(sites, site{
			Site:     v.prompt.at(span{end, end}, "behind: "+short(prose.LastLine(v.Prompt[b.start:end]))),
			identity: v.Prompt[b.start:b.end],
			change: func(c Configuration, r *rand.Rand) Configuration {
				text := "\n\n" + noises()[r.IntN(len(noises()))]
				return replaced(c, jsonspan.Put(end, end, []byte(text)))
			},
		})
	}
	return sites
}

// announced is the end of a block, and where it ends with a colon that of the block behind it.
func (p *parsedPrompt) announced(b block) int {
	if !strings.HasSuffix(strings.TrimRight(p.text[b.start:b.end], " *_"), ":") {
		return b.end
	}
	i := slices.IndexFunc(p.blocks, func(other block) bool { return other.start == b.start })
	if i+1 < len(p.blocks) && p.blocks[i+1].kind != headingBlock && !closesTag(p.text, p.blocks[i+1]) {
		return p.blocks[i+1].end
	}
	return b.end
}

// exampleSites are the examples.
func exampleSites(v *view) (sites []site) {
	add := func(s, cut span) {
		sites = append(sites, site{
			Site: v.prompt.at(s, short(v.Prompt[s.start:s.end])), identity: v.Prompt[s.start:s.end],
			change: func(c Configuration, _ *rand.Rand) Configuration {
				return replaced(c, jsonspan.Put(cut.start, cut.end, nil))
			},
		})
	}
	for _, e := range v.prompt.examples {
		cut := e
		if rest := v.Prompt[e.end:]; strings.HasPrefix(rest, "\r\n") {
			cut.end += 2
		} else if strings.HasPrefix(rest, "\n") {
			cut.end++
		}
		add(e, cut)
	}
	for _, u := range v.prompt.units() { // sentences among others
		if !u.item && !u.lead && exampleText().MatchString(v.Prompt[u.start:u.end]) {
			add(u.span, u.cut)
		}
	}
	return sites
}

// shares are what is left of a prompt, and of a context: γ of Definition 5.5. They are chosen.
var shares = []float64{0.75, 0.5, 0.25}

// truncateSites are shares of the instructions. Headings, code and tags stay, so that what is left is a prompt.
func truncateSites(v *view) (sites []site) {
	units := v.prompt.instructions()
	for _, share := range shares {
		left := int(share * float64(len(units)))
		if left == 0 || left == len(units) {
			continue
		}
		gone := units[left:]
		// An item that stays keeps the items below it.
		last := 0
		for _, u := range units[:left] {
			last = max(last, u.end)
		}
		sites = append(sites, site{
			Site: v.prompt.at(span{gone[0].start, gone[len(gone)-1].end},
				fmt.Sprintf("the last %d of %d instructions", len(gone), len(units))),
			identity: strconv.FormatFloat(share, 'g', -1, 64),
			change: func(c Configuration, _ *rand.Rand) Configuration {
				var edits []jsonspan.Edit
				at := last // what goes with one sentence may go with the next too
				for _, u := range gone {
					start := max(at, u.cut.start)
					at = max(start, u.cut.end)
					edits = append(edits, jsonspan.Put(start, at, nil))
				}
				return replaced(c, edits...)
			},
		})
	}
	return sites
}
