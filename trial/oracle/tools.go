package oracle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/likeness"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// ToolOptions say how names of tools are compared.
type ToolOptions struct {
	// ExactNames compares them byte by byte. Without it names are equal that read alike: case, width, space
	// around them and characters that are not seen make no other name. What must not be called is then also
	// found under a name with letters of another alphabet that look like its own.
	ExactNames bool
}

// MustCall passes if every one of the tools was called at least so many times; 0
// stands for once. The score is the share of the tools that were.
func MustCall(tools []string, least int, o ToolOptions) (Evaluator, error) {
	if err := o.check(tools); err != nil {
		return nil, err
	}
	if least < 0 {
		return nil, &OptionError{Option: "min", Value: fmt.Sprint(least), Problem: "must not be negative"}
	}
	tools, least = slices.Clone(tools), max(least, 1)
	return evaluator{"must-call", surePass, func(_ context.Context, e Evidence) Result {
		called, err := callsOf(e.Trial, o, e.negated)
		var missing []string
		for _, tool := range tools {
			if n := called.times(tool); n == 0 {
				missing = append(missing, prose.Excerpt(tool)+" was not called"+called.nearly(tool))
			} else if n < least {
				missing = append(missing, fmt.Sprintf("%s was called %d of %d times", prose.Excerpt(tool), n, least))
			}
		}
		// Calls that were seen are there, whatever the other steps are.
		if len(missing) == 0 {
			return decided(true, "called: "+list(tools))
		}
		if err != nil {
			return unjudged("%v", err)
		}
		return failed(1-float64(len(missing))/float64(len(tools)), strings.Join(missing, "; "))
	}}, nil
}

// MustNotCall passes if none of the tools was called. A trial in which no step is recorded, or one step does
// not say what it was, cannot be judged: nothing shows that there was no call.
func MustNotCall(tools []string, o ToolOptions) (Evaluator, error) {
	if err := o.check(tools); err != nil {
		return nil, err
	}
	tools = slices.Clone(tools)
	return evaluator{"must-not-call", sureFail, func(_ context.Context, e Evidence) Result {
		called, err := callsOf(e.Trial, o, !e.negated)
		near := ""
		for _, tool := range tools {
			if n := called.times(tool); n > 0 {
				return decided(false, fmt.Sprintf("%s was called (%d times)%s", prose.Excerpt(tool), n, called.as(tool)))
			}
			near += called.nearly(tool)
		}
		// A call that was seen is one, whatever the other steps are.
		if err != nil {
			return unjudged("%v", err)
		}
		return decided(true, "not called: "+list(tools)+near)
	}}, nil
}

// ToolOrder passes if the tools were called in this order, with any other calls
// between them; where exact, with none. The score is the share of the tools that
// were called in order from the first on.
func ToolOrder(tools []string, exact bool, o ToolOptions) (Evaluator, error) {
	for _, tool := range tools { // a tool may be called twice
		if err := o.check([]string{tool}); err != nil {
			return nil, err
		}
	}
	if len(tools) == 0 {
		return nil, &OptionError{Option: "tools", Problem: "names no tool"}
	}
	tools = slices.Clone(tools)
	sure := surePass
	if exact {
		sure = unsure
	}
	return evaluator{"tool-order", sure, func(_ context.Context, e Evidence) Result {
		// That no other call was between them can only be shown by steps that say what they are.
		called, err := callsOf(e.Trial, o, exact)
		if err != nil {
			return unjudged("%v", err)
		}
		inOrder := 0
		// Greedy: the first call that fits is taken, which never makes the order shorter. Exact needs
		// every call in its place.
		for i, tool := range called.names {
			if inOrder < len(tools) && o.same(tool, tools[inOrder]) && (!exact || i == inOrder) {
				inOrder++
			}
		}
		sentence := "called: " + list(called.names)
		if inOrder == len(tools) && (!exact || len(called.names) == len(tools)) {
			return decided(true, sentence)
		}
		share := len(tools)
		if exact {
			share = max(share, len(called.names)) // calls beside them count against it
		}
		score := float64(inOrder) / float64(share)
		return failed(score, sentence+"; wanted in order: "+list(tools))
	}}, nil
}

// check refuses an empty list, and a name that is empty.
//
// A tool that is named twice is refused too: it would count twice in the score.
func (o ToolOptions) check(tools []string) error {
	if len(tools) == 0 {
		return &OptionError{Option: "tools", Problem: "names no tool"}
	}
	for i, tool := range tools {
		if o.key(tool) == "" {
			return &OptionError{Option: "tools", Problem: "holds an empty name"}
		}
		if slices.ContainsFunc(tools[:i], func(other string) bool { return o.same(tool, other) }) {
			return &OptionError{Option: "tools", Value: quoted(tool), Problem: "is named twice"}
		}
	}
	return nil
}

// key is the form of a name in which equal names are equal.
func (o ToolOptions) key(name string) string {
	if o.ExactNames {
		return name
	}
	return likeness.Fold(name)
}

// same reports whether two names are of one tool.
func (o ToolOptions) same(a, b string) bool { return a == b || o.key(a) == o.key(b) }

// callSequence are the calls of a trial, in their order.
type callSequence struct {
	names   []string
	options ToolOptions
	// They are looked through for what must not be there: a name that looks like the tool's is it.
	forbidden bool
}

// callsOf returns the calls of tools. Where they are looked through for what must not be there, the error
// says that there may be calls that are not seen; without steps there always may.
func callsOf(t *trial.Trial, o ToolOptions, forbidden bool) (callSequence, error) {
	called := callSequence{options: o, forbidden: forbidden}
	var err error
	for i := range t.Steps {
		s := &t.Steps[i]
		switch {
		case callsTool(s):
			called.names = append(called.names, s.Tool)
		// An action may be any word: one that is the name of a tool is nothing else than its call.
		case forbidden && s.Action != trial.Reason && s.Action != trial.Respond:
			called.names = append(called.names, string(s.Action))
		}
		if forbidden && err == nil && unnamed(s) {
			err = fmt.Errorf("step %d does not say what was done", i)
		}
	}
	switch {
	case t.Steps == nil:
		err = errors.New("the steps are not recorded")
	case forbidden && len(t.Steps) == 0:
		err = errors.New("no step is recorded, not even that of the answer: a trial has one at least")
	}
	return called, err
}

// unnamed reports whether a step may be the call of any tool.
func unnamed(s *trial.Step) bool {
	return blank(s) || s.Action == trial.CallTool && strings.TrimSpace(s.Tool) == ""
}

// is reports whether a call is one of the tool.
func (c callSequence) is(called, tool string) bool {
	return c.options.same(called, tool) || c.forbidden && !c.options.ExactNames && likeness.Confusable(called, tool)
}

// times counts the calls of a tool.
func (c callSequence) times(tool string) (n int) {
	for _, called := range c.names {
		if c.is(called, tool) {
			n++
		}
	}
	return n
}

// as says under which other name a tool was called first, "" where it was its own.
func (c callSequence) as(tool string) string {
	i := slices.IndexFunc(c.names, func(called string) bool { return c.is(called, tool) })
	if i < 0 || c.names[i] == tool {
		return ""
	}
	return ", as " + spelt(c.names[i])
}

// nearly says which call reads like one of the tool and is none, "" where none does.
func (c callSequence) nearly(tool string) string {
	for _, called := range c.names {
		if c.is(called, tool) {
			continue
		}
		if likeness.Fold(called) == likeness.Fold(tool) || likeness.Confusable(called, tool) {
			return ", but " + spelt(called) + " was, which reads like it"
		}
	}
	return ""
}

// spelt shows a name so that what does not show it differs from another one is seen.
func spelt(name string) string { return prose.Excerpt(strconv.QuoteToASCII(name)) }

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
	return evaluator{"exit-code", sureOfAll, func(_ context.Context, e Evidence) Result {
		if !e.ExitCode.Known {
			return unjudged("the exit code is not recorded")
		}
		return decided(slices.Contains(codes, e.ExitCode.Value), fmt.Sprintf("exit code %d", e.ExitCode.Value))
	}}, nil
}
