package oracle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// MustCall passes if every one of the tools was called at least so many times; 0
// stands for once. The score is the share of the tools that were.
func MustCall(tools []string, least int) (Evaluator, error) {
	if err := checkTools(tools); err != nil {
		return nil, err
	}
	if least < 0 {
		return nil, &OptionError{Option: "min", Value: fmt.Sprint(least), Problem: "must not be negative"}
	}
	tools, least = slices.Clone(tools), max(least, 1)
	return evaluator{"must-call", func(_ context.Context, e Evidence) Result {
		called, known := calls(e.Trial)
		if !known {
			return unjudged("the steps are not recorded")
		}
		var missing []string
		for _, tool := range tools {
			if n := times(called, tool); n == 0 {
				missing = append(missing, prose.Excerpt(tool)+" was not called")
			} else if n < least {
				missing = append(missing, fmt.Sprintf("%s was called %d of %d times", prose.Excerpt(tool), n, least))
			}
		}
		if len(missing) == 0 {
			return decided(true, "called: "+list(tools))
		}
		return failed(1-float64(len(missing))/float64(len(tools)), strings.Join(missing, "; "))
	}}, nil
}

// MustNotCall passes if none of the tools was called.
func MustNotCall(tools []string) (Evaluator, error) {
	if err := checkTools(tools); err != nil {
		return nil, err
	}
	tools = slices.Clone(tools)
	return evaluator{"must-not-call", func(_ context.Context, e Evidence) Result {
		called, known := calls(e.Trial)
		if !known {
			return unjudged("the steps are not recorded")
		}
		for _, tool := range tools {
			if n := times(called, tool); n > 0 {
				return decided(false, fmt.Sprintf("%s was called (%d times)", prose.Excerpt(tool), n))
			}
		}
		return decided(true, "not called: "+list(tools))
	}}, nil
}

// ToolOrder passes if the tools were called in this order, with any other calls
// between them; where exact, with none. The score is the share of the tools that
// were called in order from the first on.
func ToolOrder(tools []string, exact bool) (Evaluator, error) {
	for _, tool := range tools { // a tool may be called twice
		if err := checkTools([]string{tool}); err != nil {
			return nil, err
		}
	}
	if len(tools) == 0 {
		return nil, &OptionError{Option: "tools", Problem: "names no tool"}
	}
	tools = slices.Clone(tools)
	return evaluator{"tool-order", func(_ context.Context, e Evidence) Result {
		called, known := calls(e.Trial)
		if !known {
			return unjudged("the steps are not recorded")
		}
		inOrder := 0
		// Greedy: the first call that fits is taken, which never makes the order shorter. Exact needs
		// every call in its place.
		for i, tool := range called {
			if inOrder < len(tools) && tool == tools[inOrder] && (!exact || i == inOrder) {
				inOrder++
			}
		}
		sentence := "called: " + list(called)
		if inOrder == len(tools) && (!exact || len(called) == len(tools)) {
			return decided(true, sentence)
		}
		share := len(tools)
		if exact {
			share = max(share, len(called)) // calls beside them count against it
		}
		score := float64(inOrder) / float64(share)
		return failed(score, sentence+"; wanted in order: "+list(tools))
	}}, nil
}

// checkTools refuses an empty list, and a name that is empty.
//
// A tool that is named twice is refused too: it would count twice in the score.
func checkTools(tools []string) error {
	if len(tools) == 0 {
		return &OptionError{Option: "tools", Problem: "names no tool"}
	}
	for i, tool := range tools {
		if tool == "" {
			return &OptionError{Option: "tools", Problem: "holds an empty name"}
		}
		if slices.Contains(tools[:i], tool) {
			return &OptionError{Option: "tools", Value: quoted(tool), Problem: "is named twice"}
		}
	}
	return nil
}

// calls returns the names of the tools in the order of their calls.
//
// known is false where the steps are not recorded; an empty list of steps is known, and calls none.
func calls(t *trial.Trial) (names []string, known bool) {
	for i := range t.Steps {
		if t.Steps[i].Action == trial.CallTool {
			names = append(names, t.Steps[i].Tool)
		}
	}
	return names, t.Steps != nil
}

// times counts the calls of a tool.
func times(called []string, tool string) (n int) {
	for _, c := range called {
		if c == tool {
			n++
		}
	}
	return n
}

// list names tools in a sentence.
func list(tools []string) string {
	if len(tools) == 0 {
		return "no tool"
	}
	return prose.Excerpt(strings.Join(tools, ", "))
}

// ExitCode passes if the agent's process ended with one of the codes.
func ExitCode(codes ...int) (Evaluator, error) {
	if len(codes) == 0 {
		return nil, &OptionError{Option: "exit-code", Problem: "names no code"}
	}
	for _, code := range codes {
		if code < 0 || code > 255 {
			return nil, &OptionError{Option: "exit-code", Value: fmt.Sprint(code), Problem: "must be from 0 to 255"}
		}
	}
	codes = slices.Clone(codes)
	return evaluator{"exit-code", func(_ context.Context, e Evidence) Result {
		if !e.ExitCode.Known {
			return unjudged("the exit code is not recorded")
		}
		return decided(slices.Contains(codes, e.ExitCode.Value), fmt.Sprintf("exit code %d", e.ExitCode.Value))
	}}, nil
}
