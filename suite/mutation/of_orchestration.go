package mutation

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/jsonspan"
)

// partChange is a change of a value of an orchestration.
type partChange struct {
	text string // what becomes of it, in words
	edit []jsonspan.Edit
}

// partSites are the values of an orchestration that a change applies to. One that is no JSON has none.
func partSites(changes func(n *jsonspan.Node, text []byte) []partChange) func(*view) []site {
	return func(v *view) (sites []site) {
		eachPart(v.Orchestration, func(path string, n *jsonspan.Node, text []byte) {
			for i, x := range changes(n, text) {
				sites = append(sites, site{
					Site: Site{Text: short(path + " " + x.text)}, identity: path + " " + strconv.Itoa(i),
					change: func(c Configuration, _ *rand.Rand) Configuration {
						eachPart(c.Orchestration, func(other string, n *jsonspan.Node, text []byte) {
							if all := changes(n, text); other == path && i < len(all) {
								c.Orchestration = string(jsonspan.Edited(text, all[i].edit))
							}
						})
						return c
					},
				})
			}
		})
		return sites
	}
}

// eachPart calls back for each value of an orchestration, with the path to it, such as limits.steps or agents[0].
func eachPart(orchestration string, part func(path string, n *jsonspan.Node, text []byte)) {
	text := []byte(orchestration)
	root, err := jsonspan.Parse(text)
	if err != nil {
		return
	}
	var walk func(path string, n *jsonspan.Node)
	walk = func(path string, n *jsonspan.Node) {
		part(path, n, text)
		for _, m := range n.Members {
			walk(strings.TrimPrefix(path+"."+m.Name, "."), m.Value)
		}
		for i, item := range n.List() {
			walk(path+"["+strconv.Itoa(i)+"]", item)
		}
	}
	walk("", root)
}

// numberParts are a number halved, whole ones rounded down, and doubled.
func numberParts(n *jsonspan.Node, text []byte) (changes []partChange) {
	raw := string(n.Raw(text))
	if raw == "" || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return nil
	}
	add := func(now string) {
		if now != raw {
			edit := []jsonspan.Edit{jsonspan.Put(n.Start, n.End, []byte(now))}
			changes = append(changes, partChange{raw + " becomes " + now, edit})
		}
	}
	if x, err := strconv.ParseInt(raw, 10, 32); err == nil {
		add(strconv.FormatInt(x/2, 10))
		add(strconv.FormatInt(2*x, 10))
	} else if x, err := strconv.ParseFloat(raw, 64); err == nil && x != 0 {
		for _, now := range []float64{x / 2, 2 * x} {
			add(strconv.FormatFloat(now, 'g', -1, 64))
		}
	}
	return changes
}

// switchParts are true and false, the other way round.
func switchParts(n *jsonspan.Node, text []byte) []partChange {
	raw := string(n.Raw(text))
	other := map[string]string{"true": "false", "false": "true"}[raw]
	if other == "" {
		return nil
	}
	return []partChange{{raw + " becomes " + other, []jsonspan.Edit{jsonspan.Put(n.Start, n.End, []byte(other))}}}
}

// itemParts are a list without one of its items.
func itemParts(n *jsonspan.Node, text []byte) (changes []partChange) {
	for i, item := range n.List() {
		changes = append(changes, partChange{
			text: "without item " + strconv.Itoa(i+1) + ": " + string(item.Raw(text)),
			edit: n.Without(func(x *jsonspan.Node) bool { return x == item }),
		})
	}
	return changes
}
