package mutation

import (
	"slices"
	"strings"
)

// changeSet tells what has changed since an earlier configuration.
type changeSet struct {
	lines    []bool // of the prompt, from 1
	tools    map[string]bool
	segments map[int]bool // from 1
	model    bool
}

// sinceOf compares an earlier configuration with a later one.
func sinceOf(earlier, later Configuration) (*changeSet, error) {
	if err := earlier.Check(); err != nil {
		return nil, err
	}
	s := &changeSet{tools: map[string]bool{}, segments: map[int]bool{}, model: !earlier.same(later, ModelComponent)}
	s.lines = newLines(earlier.Prompt, later.Prompt)
	for _, t := range later.Tools {
		same := func(o Tool) bool { return string(o.Raw) == string(t.Raw) }
		s.tools[t.Name()] = s.tools[t.Name()] || !slices.ContainsFunc(earlier.Tools, same)
	}
	for i, d := range later.Context {
		s.segments[i+1] = !slices.Contains(earlier.Context, d)
	}
	return s, nil
}

// newLines tells of each line of a text, from 1, whether it is none of an earlier one.
func newLines(earlier, later string) []bool {
	lines := make([]bool, strings.Count(later, "\n")+2)
	for _, h := range hunks(earlier, later) {
		for i := h.after; i < h.after+h.added && i < len(lines); i++ {
			lines[i] = true
		}
	}
	return lines
}

// touched reports whether a mutant changes something that has changed.
func (s *changeSet) touched(m Mutant) bool {
	switch m.component {
	case PromptComponent:
		if m.Site.Line == 0 {
			return slices.Contains(s.lines, true)
		}
		return slices.Contains(s.lines[min(m.Site.Line, len(s.lines)):min(m.Site.EndOfLine+1, len(s.lines))], true)
	case ModelComponent:
		return s.model
	case ContextComponent:
		if m.Site.Segment == 0 {
			return anyOf(s.segments)
		}
		return s.segments[m.Site.Segment]
	}
	if m.Site.Tool == "" {
		return anyOf(s.tools)
	}
	return s.tools[m.Site.Tool]
}

// anyOf reports whether anything of a map is true.
func anyOf[K comparable](all map[K]bool) bool {
	for _, is := range all {
		if is {
			return true
		}
	}
	return false
}
