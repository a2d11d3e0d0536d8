package suite

import (
	"fmt"
	"slices"
	"strings"
)

// Description says line by line what [Suite.Digest] is of, so that it can be told later what of it changed: the
// lines of [Suite.AgentSettings], those of a baseline's agent, and of every scenario the beginnings of digests of its
// parts.
//
//	name: shop
//	agent.command: ["./agent"]
//	scenarios: 3 in the order 5d41402a
//	scenarios.refund.parts: input=0b5e0a1c evaluate=9a3ad9b1 limits=1b2c3d4e tags=5f6a7b8c contracts=
func (s *Suite) Description() []string {
	lines := append([]string{setting("name", s.Name)}, s.AgentSettings()...)
	if s.BaselineAgent != nil {
		for _, line := range s.BaselineAgent.Settings() {
			lines = append(lines, "baseline_"+line)
		}
	}
	var names []string
	for _, c := range s.Scenarios {
		names = append(names, c.Name)
	}
	lines = append(lines, setting("scenarios", fmt.Sprintf("%d in the order %s", len(names), brief(beginning(names)))))
	if digest := s.scoreDigest(); digest != "" {
		lines = append(lines, setting("score", brief(digest)))
	}
	for _, c := range s.Scenarios {
		parts := s.task.Parts[c.Name]
		lines = append(lines, setting(scenarioSetting(c.Name)+partsSuffix, fmt.Sprintf(
			"input=%s evaluate=%s limits=%s tags=%s contracts=%s", brief(parts.Input), brief(parts.Evaluators),
			brief(parts.Limits), brief(beginning(c.Tags)), brief(parts.Contracts))))
	}
	return lines
}

// partsSuffix ends the name of a line of digests.
const partsSuffix = ".parts"

// scenarioSetting is how the names of a scenario's settings begin.
func scenarioSetting(name string) string { return "scenarios." + plainOrQuoted(name, isPlainName) }

// brief is so much of a digest that two that differ are seen to.
func brief(digest string) string { return digest[:min(8, len(digest))] }

// DescriptionChanges compares two descriptions: a line for each setting that differs, as of [Changed], and for each
// part of a scenario, such as "scenarios.refund.evaluate changed".
func DescriptionChanges(before, after []string) []string {
	var settings [2][]string
	var parts [2][]string
	for side, lines := range [][]string{before, after} {
		for _, line := range lines {
			if name, _ := splitSetting(line); strings.HasSuffix(name, partsSuffix) {
				parts[side] = append(parts[side], line)
			} else {
				settings[side] = append(settings[side], line)
			}
		}
	}
	var changed []string
	for _, line := range Changed(settings[0], settings[1]) {
		// Of a scenario that is new or gone the parts tell; what is left of this line is their order.
		if !strings.HasPrefix(line, "scenarios: ") {
			changed = append(changed, line)
		}
	}
	changed = append(changed, changedParts(valuesOf(parts[0]), valuesOf(parts[1]), parts)...)
	if len(changed) == 0 && !slices.Equal(before, after) {
		changed = append(changed, "the order of the scenarios changed")
	}
	return changed
}

// changedParts says which parts of scenarios differ, and which scenarios are on one side alone.
func changedParts(before, after map[string]string, lines [2][]string) (changed []string) {
	for _, line := range lines[0] {
		name, had := splitSetting(line)
		scenario := strings.TrimSuffix(name, partsSuffix)
		has, stays := after[name]
		if !stays {
			changed = append(changed, scenario+" is gone")
			continue
		}
		was, is := strings.Fields(had), strings.Fields(has)
		for i := range min(len(was), len(is)) {
			if part, _, _ := strings.Cut(was[i], "="); was[i] != is[i] {
				changed = append(changed, scenario+"."+part+" changed")
			}
		}
	}
	for _, line := range lines[1] {
		if name, _ := splitSetting(line); before[name] == "" {
			changed = append(changed, strings.TrimSuffix(name, partsSuffix)+" is new")
		}
	}
	return changed
}
