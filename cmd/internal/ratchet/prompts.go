package ratchet

import "fmt"

// Prompt is what a program was told.
type Prompt struct{ Stage, Text string }

// Prompts are what the programs of an attempt were told, in their order; none where it was not begun. The error is
// [ErrNoLoop], or that of a journal that cannot be read.
func (c *Config) Prompts(attempt int) (list []Prompt, err error) {
	j, err := c.begun()
	if err != nil {
		return nil, err
	}
	for _, stage := range []string{generateStage, reviewStage, rewriteStage, fixStage} {
		var found promptRecord
		there, err := j.get(fmt.Sprintf("%d/%s/asked", attempt, stage), &found)
		if err != nil {
			return nil, err
		}
		if there {
			list = append(list, Prompt{stage, found.Prompt})
		}
	}
	return list, nil
}
