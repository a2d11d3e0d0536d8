package recording

import (
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/redact"
	"github.com/tribunal-dev/tribunal/trial"
)

// Steps are what is told of the steps of a trial: the first ones, with the beginnings of their texts.
type Steps struct {
	List    []Step `json:"list,omitempty"`    // the first ones
	Omitted int    `json:"omitted,omitempty"` // further ones, or all of them where there was no room
}

// Step is one step of a trial. Its texts are cut, and what looks like a key is taken out of them.
type Step struct {
	Action    string `json:"action"`              // what was done
	Tool      string `json:"tool,omitempty"`      // that was called
	Arguments string `json:"arguments,omitempty"` // the beginning of them
	Output    string `json:"output,omitempty"`    // the beginning of it
	Error     string `json:"error,omitempty"`     // the beginning of it; empty without one
}

// How much is kept of steps, for pairs that flip: of one side, of a trial and of a text. The numbers are chosen: a few
// megabytes hold the steps of some hundred trials of an agent, and a result shows no more.
const (
	mostStepsBytes = 16_000_000 // of one recording, with a frame for each step
	mostSteps      = 30         // of a trial
	mostStepText   = 200        // bytes of a text that is shown
	keptStepText   = 320        // bytes that are kept of it, so that a key that begins within the text is seen as one
	stepFrame      = 100        // bytes of a step without its texts
)

// keepSteps keeps the steps of the trial that is observed next, as far as there is room.
func (r *Recording) keepSteps(steps []trial.Step) {
	if len(steps) == 0 {
		return
	}
	kept := &Steps{}
	cut := func(text string) string { return strings.Clone(prose.CutBytes(text, keptStepText)) }
	for _, s := range steps[:min(len(steps), mostSteps)] {
		if r.stepBytes >= mostStepsBytes {
			kept.List = nil
			break
		}
		x := Step{Action: cut(string(s.Action)), Tool: cut(s.Tool), Arguments: cut(string(s.Arguments)),
			Output: cut(s.Output.Text()), Error: cut(s.Error)}
		r.stepBytes += stepFrame + len(x.Action) + len(x.Tool) + len(x.Arguments) + len(x.Output) + len(x.Error)
		kept.List = append(kept.List, x)
	}
	kept.Omitted = len(steps) - len(kept.List)
	// One entry for each observation up to this one.
	for len(r.steps) < r.table.rows {
		r.steps = append(r.steps, nil)
	}
	r.steps = append(r.steps, kept)
}

// Steps returns the steps of an observation, by its place among them; nil where none were recorded.
func (r *Recording) Steps(place int) *Steps {
	if place >= len(r.steps) || r.steps[place] == nil {
		return nil
	}
	kept := r.steps[place]
	shown := &Steps{Omitted: kept.Omitted}
	for _, s := range kept.List {
		shown.List = append(shown.List, Step{
			Action: Shown(s.Action), Tool: Shown(s.Tool), Arguments: Shown(s.Arguments),
			Output: Shown(s.Output), Error: Shown(s.Error),
		})
	}
	return shown
}

// Shown is the beginning of a text without what looks like a key.
func Shown(text string) string {
	const mark = "…"
	text = strings.ToValidUTF8((*redact.Secrets)(nil).Text(text), "\ufffd")
	if len(text) <= mostStepText {
		return text
	}
	return prose.CutBytes(text, mostStepText-len(mark)) + mark
}
