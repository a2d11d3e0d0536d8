package app

import "github.com/tribunal-dev/tribunal/internal/exit"

// Problem is input that cannot be used, for a reason that its reader cannot know. The
// commands print Text and Advice on lines of their own; see package cli.
type Problem struct {
	Text   string // what is wrong, such as "x.json is not the result of a run"
	Advice string // what a person might do about it; may be ""
	Err    error  // the cause; may be nil
}

// Error is the message and the hint.
func (p *Problem) Error() string {
	if p.Advice == "" {
		return p.Text
	}
	return p.Text + "; " + p.Advice
}

// Message says what is wrong.
func (p *Problem) Message() string { return p.Text }

// Hint returns the advice.
func (p *Problem) Hint() string { return p.Advice }

// ExitCode is that of input that cannot be used.
func (p *Problem) ExitCode() int { return exit.Input }

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Err }
