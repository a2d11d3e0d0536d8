package contract

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"

	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// The bounds of a condition.
// Chosen, with expr's own default of nodes lowered to what a clause needs.
const (
	maxConditionBytes = 10_000
	maxNodes          = 1_000           // of its syntax tree
	maxElements       = 1_000_000       // of lists that it makes
	maxTextBytes      = 64 << 20        // of texts that it makes
	maxIterations     = 1_000_000       // of its predicates, together
	maxTime           = 2 * time.Second // of a clause on one trial
	maxTogether       = 5 * time.Second // of all clauses on one trial
)

// condition is an expression that is true or false of a trial or a step. It may be
// used from several goroutines at once.
//
// The program is compiled once, when the contract is read.
type condition struct {
	text string
	// with the guards of condition_guards.go in it
	program *vm.Program
}

// functions are the functions of expr that a condition may call. Those are left out
// that tell the time, and those that make long texts of short ones.
var functions = []string{
	"all", "any", "none", "one", "filter", "map", "count", "find", "findIndex", "findLast", "findLastIndex", "sum",
	"len", "type", "abs", "ceil", "floor", "round", "int", "float", "max", "min", "mean", "median", "first", "last",
	"get",
	"trim", "trimPrefix", "trimSuffix", "lower", "upper", "indexOf", "lastIndexOf", "hasPrefix", "hasSuffix",
}

// conditionError says what is wrong with the text of a condition, and where in it.
type conditionError struct {
	line, column  int // from 1 and from 0; line 0 is unknown
	problem, hint string
}

// Error is the problem without the hint.
func (e *conditionError) Error() string { return e.problem }

// compile reads a condition over the variables of a kind of clause. It never panics.
func compile(text string, k Kind) (c *condition, err error) {
	defer func() {
		// Conditions come from files: a panic of the compiler is a problem of the text.
		if r := recover(); r != nil {
			c, err = nil, &conditionError{problem: "cannot be compiled: " + prose.Reason(fmt.Sprint(r))}
		}
	}()
	if len(text) > maxConditionBytes {
		problem := fmt.Sprintf("is longer than %d bytes", maxConditionBytes)
		return nil, &conditionError{problem: problem, hint: "split it into several clauses"}
	}
	// Types are checked as they are written, before the checks of unknown values
	// make them less known.
	if _, err := expr.Compile(text, append(options(environment(k)), expr.AsBool())...); err != nil {
		return nil, explained(err, k)
	}
	// Not as a bool, which would take an unknown value for false.
	program, err := expr.Compile(text, append(options(environment(k)), expr.Patch(guardVisitor{}))...)
	if err != nil {
		return nil, explained(err, k)
	}
	return &condition{text, program}, nil
}

// options are what a condition may use: the variables, a list of functions, and the
// guards against what it may cost.
func options(env types.Map) []expr.Option {
	env[stateName] = types.Any
	o := []expr.Option{
		expr.Env(env), expr.MaxNodes(maxNodes), expr.DisableAllBuiltins(),
		expr.Optimize(false), // it folds ranges into memory, and unrolls nothing that counts iterations
	}
	for _, name := range functions {
		o = append(o, expr.EnableBuiltin(name))
	}
	return append(o, guards()...)
}

var (
	unknownName   = lazy.Regexp(`^unknown name (\w+)`)
	unknownMember = lazy.Regexp(`(?:has no|unknown) field (\w+)`)
)

// explained says what the compiler found in words of this package.
func explained(err error, k Kind) error {
	e := &conditionError{problem: "is no condition: " + prose.Reason(firstLine(err.Error()))}
	if at, ok := errors.AsType[*file.Error](err); ok {
		e.line, e.column = at.Line, at.Column
		e.problem = "is no condition: " + prose.Reason(at.Message)
		if name := unknownName().FindStringSubmatch(at.Message); name != nil {
			known := append(slices.Collect(keys(environment(k))), functions...)
			e.problem, e.hint = e.unknown(name[1], "variable or function", known)
		} else if name := unknownMember().FindStringSubmatch(at.Message); name != nil {
			e.problem, e.hint = e.unknown(name[1], "field", fieldNames())
			// The field exists, but is not known before the trial begins.
			if _, later := whole()[name[1]]; later && k == Precondition {
				e.problem = "has field " + shown(name[1]) + " in a precondition"
				e.hint = "a precondition is about what a trial begins with; write a postcondition"
			}
		}
	}
	if strings.Contains(err.Error(), "exceeds maximum allowed nodes") {
		e.problem, e.hint = fmt.Sprintf("has more than %d parts", maxNodes), "split it into several clauses"
	}
	return e
}

// unknown says that a name is none of the list, and which may have been meant.
func (e *conditionError) unknown(name, what string, list []string) (problem, hint string) {
	problem = "has no " + what + " " + shown(name)
	if word, ok := prose.Nearest(name, list); ok {
		return problem, "did you mean " + word + "?"
	}
	if what == "field" {
		return problem, ""
	}
	return problem, "variables are trial, and in clauses about steps step and previous"
}

// keys are the variables of an environment, in the order in which a person would list
// them.
func keys(m types.Map) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, name := range []string{"trial", "step", "previous"} {
			if _, ok := m[name]; ok && !yield(name) {
				return
			}
		}
	}
}

// firstLine is the part of a message of expr before the drawing of the place.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// holds evaluates the condition. The error says why it cannot be judged: a value is
// unknown, it is applied to a value of another type, or it goes beyond its bounds.
//
// Every evaluation has a machine, a state and a copy of the variables of its own, so that nothing
// is shared between goroutines.
func (c *condition) holds(ctx context.Context, variables map[string]any) (bool, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, maxTime, fmt.Errorf("takes longer than %v", maxTime))
	defer cancel()
	env := make(map[string]any, len(variables)+1)
	for name, value := range variables {
		env[name] = value
	}
	env[stateName] = &state{ctx: ctx}
	type result struct {
		value any
		err   error
	}
	// Buffered: one that comes too late is dropped, and its goroutine ends.
	done := make(chan result, 1)
	// What is between two iterations cannot be interrupted: it ends by itself, after
	// this has returned.
	go func() {
		machine := vm.VM{MemoryBudget: maxElements}
		value, err := machine.Run(c.program, env)
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return false, judged(r.err)
		}
		switch value := r.value.(type) {
		case bool:
			return value, nil
		case nil:
			return false, errors.New("its value is unknown")
		}
		return false, fmt.Errorf("its value is %s, not true or false", excerpt(r.value))
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

var conversion = lazy.Regexp(`interface conversion: interface \{\} is (\S+), not (\S+)`)

// judged says why an evaluation failed.
func judged(err error) error {
	message := firstLine(err.Error())
	if at, ok := errors.AsType[*file.Error](err); ok {
		message = at.Message
	}
	// Messages of expr and of Go, put in words of this package. They are recognised by their text,
	// since expr has no types for them; what is not recognised is shown as it is.
	switch m := conversion().FindStringSubmatch(message); {
	case strings.Contains(message, "memory budget exceeded"):
		message = "makes lists that are too long"
	case m != nil && m[1] == "nil", strings.Contains(message, "from <nil>"), strings.Contains(message, "on zero Value"):
		message = "a value is unknown (" + message + ")"
	case m != nil:
		message = "a value is " + m[1] + ", not " + m[2]
	}
	return errors.New(prose.Reason(message))
}

// isNumeric reports whether a value is a number.
func isNumeric(value any) bool {
	switch reflect.ValueOf(value).Kind() {
	case reflect.Int, reflect.Int64, reflect.Float64:
		return true
	}
	return false
}
