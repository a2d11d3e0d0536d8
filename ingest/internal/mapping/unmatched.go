package mapping

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// mostKeys is how many keys a message names; chosen.
const mostKeys = 20

// end refuses a path that led nowhere in all records, and notes what some of them did not say.
func (r *mappedFile) end() error {
	for _, s := range r.mapping.sources {
		if use := r.uses[s.use]; use.looked && !use.matched && !s.optional && !s.fallback.Exists() {
			return r.unmatched(s.field, s.shown(), s.at, s.parts)
		}
	}
	if s := r.mapping.steps; s != nil && r.trials > 0 && !r.hasSteps {
		return r.unmatched("steps", prose.Excerpt(s.records.text), s.at, nil)
	}
	for _, s := range r.mapping.sources {
		if use := r.uses[s.use]; use.missing > 0 {
			r.in.Notes.Omissions = record.Counted(r.in.Notes.Omissions,
				record.Omission{Reason: "records without " + s.field, Count: use.missing, Known: true})
		}
	}
	return nil
}

// unmatched says that a path led nowhere in any record, and what there is.
func (r *mappedFile) unmatched(field, shown string, at trial.Place, parts []place) error {
	where := "in its only record"
	if r.records > 1 {
		where = "in any of " + prose.Count(r.records, "record")
	}
	e := &trial.FileError{
		File:    r.in.File,
		Problem: fmt.Sprintf("has nothing at %s %s, where %s takes %s from", shown, where, at, field),
		Advice:  "optional: true lets it be missing",
	}
	if keys := r.keysNear(parts, strings.HasPrefix(field, "step.")); keys != "" {
		e.Advice = "there are the keys " + keys + "; " + e.Advice
	}
	return e
}

// keysNear returns the keys that there are where the first of the paths that leads nowhere ends, "" for none.
func (r *mappedFile) keysNear(parts []place, ofStep bool) string {
	samples := r.samples
	if ofStep {
		samples = r.steps
	}
	wanted, depth := "", -1
	var keys []string
	if len(parts) == 0 {
		parts = []place{{}} // the record itself
	}
	for _, p := range parts {
		for _, s := range samples {
			n, level, missing := p.deepest(s)
			if missing == "" && p.text != "" {
				continue
			}
			if level > depth {
				depth, keys, wanted = level, nil, missing
			}
			for name := range n.Members() {
				if level == depth && len(keys) < 10*mostKeys && !slices.Contains(keys, name) {
					keys = append(keys, name)
				}
			}
		}
	}
	slices.Sort(keys)
	text := listed(keys)
	if near, ok := prose.Nearest(wanted, keys); ok && wanted != "" && text != "" {
		text += "; did you mean " + prose.Quote(near) + "?"
	}
	return text
}

// deepest follows a path as far as it leads, and returns the value there, how far that is, and the name
// that is missing.
func (p place) deepest(s *scope) (n record.Node, level int, missing string) {
	for range p.parents {
		if s.parent == nil {
			return n, 0, ""
		}
		s = s.parent
	}
	value, level, missing := p.path.Reach(s.value.Value)
	return record.Node{Value: value}, level, missing
}

// keysOf names the keys of an object, "" of anything else.
func keysOf(n record.Node) string {
	var keys []string
	for name := range n.Members() {
		keys = append(keys, name)
	}
	return listed(keys)
}

// listed names keys, not too many.
func listed(keys []string) string {
	shown := make([]string, 0, len(keys))
	for i, name := range keys {
		if i == mostKeys {
			shown = append(shown, "…")
			break
		}
		shown = append(shown, prose.Excerpt(name))
	}
	return strings.Join(shown, ", ")
}

// isIn reports whether the first step of a path leads anywhere.
func (p recordPath) isIn(n record.Node) bool {
	if len(p.parts) == 0 || p.parts[0].path.String() == "" {
		return true
	}
	_, found := p.parts[0].path.Find(n.Value)
	return found
}
