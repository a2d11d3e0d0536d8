// Package suggest proposes scenarios that would raise the coverage of a suite where it is furthest from its target
// (AgentAssay, Algorithm 1).
//
//	var seen suggest.Samples
//	for each trial { collector.Add(t); seen.Add(t) }
//	furthest, ok := result.Furthest(targets)
//	found := suggest.For(furthest.Dimension, suggest.Material{Coverage: result, Samples: &seen, ...})
//	text := suggest.YAML(header, found.List, nil)
//
// What is proposed is begun with what was recorded: the input of the trial that is nearest to what is missing, moved
// towards it. Whether an agent goes where it is sent is not known before it was tried.
//
//   - samples.go: the recorded trials that inputs are taken of
//   - input.go: how an input is moved
//   - tool.go, path.go, state.go, boundary.go and model.go: one dimension each
//   - yaml.go: suggestions as a part of a suite; gap.go: what a program is told that makes them itself, and its answer
package suggest
