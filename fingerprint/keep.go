package fingerprint

// Keep leaves out all trials but those of which keep says so, by their place in the order in which they were added, and
// sets the number of trials that were left out because they ended in an error. What it leaves out leaves no trace:
// names that no trial uses any longer are forgotten. When the first and the last trial began stays.
func (s *Sample) Keep(keep func(place int) bool, errors int) {
	kept := Sample{Stopped: s.Stopped, errors: errors, first: s.first, last: s.last, tally: s.tally}
	copied := func(to *[]count, words *names, from []count, source *names, at span) span {
		begin := len(*to)
		for _, c := range from[at.from:at.to] {
			*to = append(*to, count{int32(words.index(source.words[c.name])), c.steps})
		}
		return span{begin, len(*to)}
	}
	for i, r := range s.trials {
		if !keep(i) {
			continue
		}
		r.scenario = kept.scenarios.index(s.scenarios.words[r.scenario])
		if r.input > 0 {
			r.input = kept.inputs.index(s.inputs.words[r.input-1]) + 1
		}
		r.tools = copied(&kept.toolCounts, &kept.tools, s.toolCounts, &s.tools, r.tools)
		r.actions = copied(&kept.actionCounts, &kept.actions, s.actionCounts, &s.actions, r.actions)
		r.pairs = copied(&kept.pairCounts, &kept.pairs, s.pairCounts, &s.pairs, r.pairs)
		kept.trials = append(kept.trials, r)
	}
	*s = kept
}
