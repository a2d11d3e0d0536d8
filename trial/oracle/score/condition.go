package score

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"

	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// The bounds of a condition. Chosen: it compares a few axes.
const (
	maxConditionBytes = 1000
	maxNodes          = 100 // of its syntax tree
)

// Condition is an expression over the shares of axes, such as "tests >= 0.5". It may be used from several goroutines at
// once.
type Condition struct {
	text    string
	program *vm.Program
	reads   []string // the axes that it names
}

// ConditionError says what of a text is no condition.
type ConditionError struct {
	Problem string // such as: has no axis "test"
	Advice  string // may be ""
}

// Error is the problem with the advice.
func (e *ConditionError) Error() string {
	if e.Advice == "" {
		return e.Problem
	}
	return e.Problem + "; " + e.Advice
}

// Hint returns the advice.
func (e *ConditionError) Hint() string { return e.Advice }

// operators are those of a condition: none of them makes a list or a text, and so each is evaluated once.
var operators = []string{
	"==", "!=", "<", "<=", ">", ">=", "and", "&&", "or", "||", "not", "!", "+", "-", "*", "/",
}

// parts are what a condition is made of.
type parts struct {
	names []string // of axes
	other string   // the first that it must not have
}

// Visit looks at a part.
func (p *parts) Visit(node *ast.Node) {
	other := ""
	switch n := (*node).(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
	case *ast.IdentifierNode:
		if p.names = append(p.names, n.Value); strings.HasPrefix(n.Value, "$") {
			other = "the variable " + n.Value
		}
	case *ast.UnaryNode:
		if !slices.Contains(operators, n.Operator) {
			other = "the operator " + n.Operator
		}
	case *ast.BinaryNode:
		if !slices.Contains(operators, n.Operator) {
			other = "the operator " + n.Operator
		}
	default:
		other = "more than numbers, axes and operators"
	}
	p.other = cmp.Or(p.other, other)
}

var unknownName = lazy.Regexp(`^unknown name (\w+)`)

// NewCondition reads a condition over the shares of axes, each from 0 to 1. It has no functions, and no more than 100
// parts. The error is a [ConditionError].
func NewCondition(text string, axes []string) (c *Condition, err error) {
	defer func() {
		// Conditions come from files: a panic of the compiler is a problem of the text.
		if r := recover(); r != nil {
			c, err = nil, &ConditionError{Problem: "cannot be compiled: " + prose.Reason(fmt.Sprint(r))}
		}
	}()
	if len(text) > maxConditionBytes {
		return nil, &ConditionError{Problem: fmt.Sprintf("is longer than %d bytes", maxConditionBytes)}
	}
	shares := map[string]float64{}
	for _, name := range axes {
		shares[name] = 0
	}
	seen := &parts{}
	program, err := expr.Compile(text, expr.Env(shares), expr.AsBool(), expr.MaxNodes(maxNodes),
		expr.DisableAllBuiltins(), expr.Optimize(false), expr.Patch(seen))
	switch {
	case err != nil:
		return nil, explained(err, axes)
	case seen.other != "":
		return nil, &ConditionError{"has " + seen.other, "it compares shares of axes, such as tests >= 0.5 and scars > 0"}
	}
	return &Condition{text, program, seen.names}, nil
}

// explained says what the compiler found in words of this package.
func explained(err error, axes []string) error {
	problem, _, _ := strings.Cut(err.Error(), "\n")
	name := unknownName().FindStringSubmatch(problem)
	switch {
	case name != nil && len(axes) == 0:
		return &ConditionError{fmt.Sprintf("has no axis %q", name[1]), "no axis is scored before this one"}
	case name != nil:
		return &ConditionError{fmt.Sprintf("has no axis %q that is scored before", name[1]), prose.DidYouMean(name[1], axes)}
	}
	return &ConditionError{"is no condition: " + prose.Reason(problem), "such as tests >= 0.5"}
}

// String is the text of the condition.
func (c *Condition) String() string { return c.text }

// holds reports whether the condition holds of the shares. The problem says why that is not known.
func (c *Condition) holds(shares map[string]float64) (holds bool, problem string) {
	for _, name := range c.reads {
		if _, known := shares[name]; !known {
			return false, fmt.Sprintf("%s is not known, and it is scored only if %s", name, c.text)
		}
	}
	value, err := expr.Run(c.program, shares)
	if err != nil {
		return false, "its condition cannot be evaluated: " + prose.Reason(err.Error())
	}
	holds, _ = value.(bool)
	return holds, ""
}

// namePattern is what an axis may be called.
var namePattern = lazy.Regexp(`^[a-z][a-z0-9_]{0,59}$`)

// IsName reports whether an axis may be called so: conditions must be able to name it.
func IsName(name string) bool {
	if !namePattern().MatchString(name) {
		return false
	}
	// Words of the language, such as not.
	_, err := NewCondition(name+" >= 0", []string{name})
	return err == nil
}
