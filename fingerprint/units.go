package fingerprint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// unit is what changes sides as a whole: a trial, or trials of one input that one side alone tried.
type unit struct {
	scenario  string
	candidate bool
	key       string // units change sides within a scenario and a key
	trials    []Vector
}

// units makes units of the trials of the scenarios that both sides tried. Scenarios that one side alone tried
// say nothing about the other. Trials that are pooled are all of one scenario without a name.
func (p *pool) units(baseline, candidate []Vector, o Options) ([]unit, error) {
	groups := make(map[string]*[2][]Vector)
	var scenarios []string
	for side, vectors := range [][]Vector{baseline, candidate} {
		for _, v := range vectors {
			if o.Pooled {
				v.Scenario = ""
			}
			g := groups[v.Scenario]
			if g == nil {
				g = new([2][]Vector)
				groups[v.Scenario] = g
				scenarios = append(scenarios, v.Scenario)
			}
			g[side] = append(g[side], v)
		}
	}
	// The order must not depend on which side's trials came first, for sums are rounded in it.
	slices.SortFunc(scenarios, strings.Compare)
	var units []unit
	lost, lostTrials, clusters := 0, 0, 0
	for _, name := range scenarios {
		g := groups[name]
		if len(g[0]) == 0 || len(g[1]) == 0 {
			lost++
			lostTrials += len(g[0]) + len(g[1])
			continue
		}
		found, clustered := unitsOf(name, g)
		units = append(units, found...)
		clusters += clustered
	}
	if len(units) == 0 {
		return nil, fmt.Errorf("%w: %s of %s; "+
			"if each trial drew its scenario at random, compare them pooled", ErrNoSharedScenario,
			prose.Count(lostTrials, "trial"), prose.Count(lost, "scenario"))
	}
	if lost > 0 {
		p.warnings = append(p.warnings, warning(unsharedScenario,
			"%s with %s %s tried on one side alone and %s left out", prose.Count(lost, "scenario"),
			prose.Count(lostTrials, "trial"), prose.Form(lost, "was", "were"), prose.Form(lost, "is", "are")))
	}
	if clusters > 0 {
		p.warnings = append(p.warnings, warning(inputClusters,
			"the sides tried other inputs, several times each: %d inputs change sides as a whole, and count as one "+
				"trial each", clusters))
	}
	if o.Stopped {
		for i := range units {
			units[i].key += "|" + outcomesOf(units[i].trials)
		}
		p.warnings = append(p.warnings, warning(stoppedSide,
			"a test stopped a side by its outcomes: trials are compared with those of the same outcome, so that when "+
				"it stopped makes no difference"))
	}
	return units, nil
}

// unitsOf makes units of the trials of one scenario. Trials of an input that both sides tried change
// sides with each other; of an input that one side alone tried, all do together, since trials of one input are
// alike. Inputs of several trials are cut to one number of them, or they would not be exchangeable.
func unitsOf(scenario string, sides *[2][]Vector) (units []unit, clusters int) {
	var byInput [2]map[string][]Vector
	for side, vectors := range sides {
		byInput[side] = make(map[string][]Vector)
		for _, v := range vectors {
			byInput[side][v.Input] = append(byInput[side][v.Input], v)
		}
	}
	shared := func(input string) bool {
		return input == "" || len(byInput[0][input]) > 0 && len(byInput[1][input]) > 0
	}
	var sizes []int
	for side := range byInput {
		for input, vectors := range byInput[side] {
			if !shared(input) {
				sizes = append(sizes, len(vectors))
			}
		}
	}
	size := clusterSize(sizes)
	for side, vectors := range sides {
		for _, v := range vectors {
			group := byInput[side][v.Input]
			switch {
			case shared(v.Input):
				units = append(units, unit{scenario, side == 1, v.Input, []Vector{v}})
			case len(group) >= size:
				units = append(units, unit{scenario, side == 1, "*", group[:size]})
				delete(byInput[side], v.Input) // once for all of its trials
				if size > 1 {
					clusters++
				}
			}
		}
	}
	return units, clusters
}

// clusterSize is how many trials of each input are kept. With a correlation of a half
// within inputs, n of them count as 2n/(n+1); inputs with fewer are left out. The
// choice looks at sizes alone, not at whose they are.
func clusterSize(sizes []int) int {
	best, most := 1, 0.0
	slices.Sort(sizes)
	for i, size := range sizes {
		// Inputs from the i-th on have as many.
		if count := float64(len(sizes)-i) * 2 * float64(size) / float64(size+1); count > most {
			best, most = size, count
		}
	}
	return best
}

// outcomesOf writes how often each outcome came.
func outcomesOf(trials []Vector) string {
	var counts [4]int
	for _, v := range trials {
		counts[v.Outcome]++
	}
	return fmt.Sprint(counts)
}

// choose sets the status of columns that are left out, or unknown in too many trials of
// both sides together. Of the others, those that are unknown in some trials part these: trials that know
// less are exchanged with each other alone. Where that would leave too little to compare, the
// column that costs most is given up.
func (p *pool) choose(columns []Column, units []unit, o Options) {
	var partly [][]int // columns that the same trials know
	place := make(map[string]int)
	for j, c := range columns {
		if c.Kind == duration && !o.IncludeDuration {
			p.status[j] = LeftOut
			continue
		}
		unknown, all := 0, 0
		var which strings.Builder
		for _, u := range units {
			which.WriteString(knownOf(u, []int{j}))
			for _, v := range u.trials {
				all++
				if !v.Values[j].Known {
					unknown++
				}
			}
		}
		switch {
		case unknown == all:
			p.status[j] = Unknown
		case float64(unknown) > o.MaxUnknown*float64(all):
			p.status[j] = Unknown
			p.warnings = append(p.warnings, warning(unknownColumn,
				"%s is unknown in %d of %s and is not tested", c.Name, unknown, prose.Count(all, "trial")))
		case unknown > 0 && !o.oneSample:
			if i, ok := place[which.String()]; ok {
				partly[i] = append(partly[i], j)
				break
			}
			place[which.String()] = len(partly)
			partly = append(partly, []int{j})
		}
	}
	p.partBy(columns, units, partly)
}

// leastWeight is the share of the weight that parting the trials by what they know must leave. It is chosen.
const leastWeight = 0.7

// partBy decides which of the columns that are partly unknown are tested: all of them, if parting the trials by
// them leaves enough weight. It depends on the sides only by what is known on which, and
// relabelings leave that as it is.
func (p *pool) partBy(columns []Column, units []unit, partly [][]int) {
	enough := leastWeight * weightOf(units, nil)
	for len(partly) > 0 && weightOf(units, slices.Concat(partly...)) < enough {
		worst, most := 0, -1.0
		for i := range partly {
			rest := slices.Concat(slices.Delete(slices.Clone(partly), i, i+1)...)
			if w := weightOf(units, rest); w > most {
				worst, most = i, w
			}
		}
		for _, j := range partly[worst] {
			p.status[j] = Unknown
			p.warnings = append(p.warnings, warning(unknownColumn,
				"%s is not tested: it is known in too few trials of both sides that are alike in what is known", columns[j].Name))
		}
		partly = slices.Delete(partly, worst, worst+1)
	}
	for _, j := range slices.Concat(partly...) {
		p.parting = append(p.parting, j)
		// Pairs of tools are known where tools are.
		if columns[j].Kind != toolPair {
			p.warnings = append(p.warnings, warning(partlyUnknown,
				"%s is unknown in some trials: trials are compared with those in which the same is known", columns[j].Name))
		}
	}
	slices.Sort(p.parting)
}

// knownOf says which of the columns each trial of a unit knows, in no order of the trials.
func knownOf(u unit, columns []int) string {
	if len(u.trials) == 1 {
		return patternOf(u.trials[0], columns)
	}
	patterns := make([]string, len(u.trials))
	for i, v := range u.trials {
		patterns[i] = patternOf(v, columns)
	}
	slices.Sort(patterns)
	return strings.Join(patterns, ",")
}

// patternOf is a letter for each column: + where it is known.
func patternOf(v Vector, columns []int) string {
	pattern := make([]byte, len(columns))
	for i, j := range columns {
		pattern[i] = '-'
		if v.Values[j].Known {
			pattern[i] = '+'
		}
	}
	return string(pattern)
}

// weightOf is the sum of baseline·candidate/units over the groups in which units change sides.
func weightOf(units []unit, columns []int) (weight float64) {
	counts := make(map[string][2]float64)
	for _, u := range units {
		name := u.group(columns)
		n := counts[name]
		if u.candidate {
			n[1]++
		} else {
			n[0]++
		}
		counts[name] = n
	}
	for _, n := range counts {
		weight += n[0] * n[1] / (n[0] + n[1])
	}
	return weight
}

// group names the units that a unit changes sides with.
func (u unit) group(columns []int) string {
	return strconv.Quote(u.scenario) + u.key + "|" + knownOf(u, columns)
}

// stratify orders the units by scenario and by what they change sides with. Those that have nobody on the other
// side to do so are left out.
func (p *pool) stratify(columns []Column, units []unit, o Options) error {
	groups := make(map[string]*[2][]unit)
	var names []string
	all := 0
	for _, u := range units {
		name := u.group(p.parting)
		if groups[name] == nil {
			groups[name] = new([2][]unit)
			names = append(names, name)
		}
		side := 0
		if u.candidate {
			side = 1
		}
		groups[name][side] = append(groups[name][side], u)
		all += len(u.trials)
	}
	slices.Sort(names)
	for _, name := range names {
		g := groups[name]
		s := stratum{"", len(p.vectors), 0, len(g[0]), len(g[1])}
		if s.baseline == 0 || s.candidate == 0 {
			continue
		}
		for side, units := range g {
			for _, u := range units {
				s.scenario = u.scenario
				p.vectors = append(p.vectors, u.vector(len(columns)))
				p.side = append(p.side, side == 1)
				p.trials[side] += len(u.trials)
			}
		}
		s.to = len(p.vectors)
		p.strata = append(p.strata, s)
		p.weight += float64(s.baseline) * float64(s.candidate) / float64(s.to-s.from)
	}
	if len(p.strata) == 0 {
		return fmt.Errorf("%w: no trial of one side has one of the other side to change places with", ErrTooFewTrials)
	}
	if left := all - p.trials[0] - p.trials[1]; left > 0 {
		what := "in which the same is known"
		if o.Stopped {
			what = "of the same outcome in which the same is known"
		}
		p.warnings = append(p.warnings, warning(unmatchedTrials,
			"%d of %s %s none of the other side %s, and %s left out", left, prose.Count(all, "trial"),
			prose.Form(left, "has", "have"), what, prose.Form(left, "is", "are")))
	}
	return nil
}

// vector is that of the trial, or the means of what its trials know.
func (u unit) vector(columns int) Vector {
	if len(u.trials) == 1 {
		return u.trials[0]
	}
	mean := Vector{Scenario: u.scenario, Input: u.trials[0].Input, Values: make([]trial.Optional[float64], columns)}
	for j := range mean.Values {
		known := 0.0
		for _, v := range u.trials {
			if x := v.Values[j]; x.Known {
				known++
				mean.Values[j].Known = true
				mean.Values[j].Value += (x.Value - mean.Values[j].Value) / known
			}
		}
	}
	return mean
}
