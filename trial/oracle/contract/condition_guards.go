package contract

import (
	"context"
	"errors"
	"fmt"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm/runtime"
)

// Names that no condition can write: they hold a blank.
const (
	stateName = "evaluation state"
	tickName  = "count iteration"
	knownName = "be known"
	spendName = "count bytes"
	addName   = "add values"
)

// state is what one evaluation has used up. It belongs to one goroutine.
//
// It is passed to the guards as a variable whose name no condition can write.
type state struct {
	ctx context.Context
	// of all predicates together, so that nested loops are bounded by their product
	iterations int
	// of texts that were made, also of those that are garbage by now
	bytes int
}

// guards are the functions that [guardVisitor] puts into a condition.
func guards() []expr.Option {
	return []expr.Option{
		expr.Function(tickName, func(arguments ...any) (any, error) {
			s := arguments[0].(*state)
			if s.iterations++; s.iterations > maxIterations {
				return nil, fmt.Errorf("takes more than %d iterations", maxIterations)
			}
			// Not at every iteration, for speed.
			if s.iterations%1024 == 0 && s.ctx.Err() != nil {
				return nil, context.Cause(s.ctx)
			}
			return nil, nil
		}),
		expr.Function(knownName, func(arguments ...any) (any, error) {
			if runtime.IsNil(arguments[0]) {
				return nil, fmt.Errorf("%s is unknown", arguments[1])
			}
			return arguments[0], nil
		}),
		expr.Function(spendName, func(arguments ...any) (any, error) {
			return arguments[1], arguments[0].(*state).spend(arguments[1])
		}),
		expr.Function(addName, func(arguments ...any) (any, error) {
			a, b := arguments[1], arguments[2]
			for _, part := range arguments[1:] {
				if err := arguments[0].(*state).spend(part); err != nil {
					return nil, err
				}
			}
			_, textA := a.(string)
			_, textB := b.(string)
			// Other sums, such as those of times, have no use here, and would panic.
			if textA != textB || !textA && (!isNumeric(a) || !isNumeric(b)) {
				return nil, fmt.Errorf("cannot add %T and %T", a, b)
			}
			return runtime.Add(a, b), nil
		}),
	}
}

// spend counts the bytes of a text.
func (s *state) spend(value any) error {
	if text, ok := value.(string); ok {
		if s.bytes += len(text); s.bytes > maxTextBytes {
			return errors.New("makes texts that are too long")
		}
	}
	return nil
}

// guardVisitor changes the syntax tree of a condition so that it stays within bounds, and
// so that an unknown value is an error wherever something is asked of it: expr itself
// takes nil == "x" and nil contains "x" for false, and not (nil contains "x") for
// true. Whoever means it writes x == nil or x ?? default.
type guardVisitor struct{}

// Visit sees the parts of a node before the node.
//
// Its parts were changed before: a guard that is put around a node holds them as they now are.
func (guardVisitor) Visit(at *ast.Node) {
	switch n := (*at).(type) {
	// The body of a loop counts first, then gives its value.
	case *ast.PredicateNode:
		n.Node = &ast.SequenceNode{Nodes: []ast.Node{call(tickName, stateNode()), n.Node}}
	case *ast.UnaryNode:
		demand(&n.Node)
	// The condition alone: a branch may be unknown, if nothing is asked of it.
	case *ast.ConditionalNode:
		demand(&n.Cond)
	case *ast.BinaryNode:
		guardBinary(at, n)
	case *ast.ArrayNode: // [x] == [x] compares what is in it
		for i := range n.Nodes {
			demand(&n.Nodes[i])
		}
	case *ast.PairNode:
		demand(&n.Value)
	case *ast.BuiltinNode:
		for i := range n.Arguments {
			if _, predicate := n.Arguments[i].(*ast.PredicateNode); !predicate {
				demand(&n.Arguments[i])
			}
		}
		// The functions that make a text as long as the one that they are given; trims share its memory.
		if n.Name == "lower" || n.Name == "upper" {
			replace(at, call(spendName, stateNode(), n))
		}
	}
}

// guardBinary demands that both sides are known, except where the question is whether
// they are: x ?? y, x == nil. What + makes is counted.
func guardBinary(at *ast.Node, n *ast.BinaryNode) {
	_, left := n.Left.(*ast.NilNode)
	_, right := n.Right.(*ast.NilNode)
	switch {
	case n.Operator == "??", (left || right) && (n.Operator == "==" || n.Operator == "!="):
		return
	}
	demand(&n.Left)
	demand(&n.Right)
	if n.Operator == "+" {
		replace(at, call(addName, stateNode(), n.Left, n.Right))
	}
}

// demand lets a part fail where its value is unknown.
//
// Nodes that always have a value, such as numbers and comparisons, are left as they are. The error
// names the part as it was written.
func demand(part *ast.Node) {
	what := ""
	switch n := (*part).(type) {
	case *ast.MemberNode, *ast.IdentifierNode, *ast.PointerNode, *ast.ChainNode:
		what = plainText(n)
	case *ast.BuiltinNode:
		what = n.Name + "(…)"
	case *ast.ConditionalNode, *ast.VariableDeclaratorNode, *ast.SequenceNode, *ast.NilNode:
		what = "a value"
	case *ast.BinaryNode:
		if n.Operator != "??" {
			return // all others give a value or fail
		}
		what = "a value"
	default:
		return
	}
	replace(part, call(knownName, *part, &ast.StringNode{Value: what}))
}

// plainText writes a chain of names as it was written.
// plainText names what is unknown in a message: trial.cost_usd is unknown.
func plainText(n ast.Node) string {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return n.Value
	case *ast.PointerNode:
		return "#" + n.Name
	case *ast.ChainNode:
		return plainText(n.Node)
	case *ast.MemberNode:
		switch property := n.Property.(type) {
		case *ast.StringNode:
			return plainText(n.Node) + "." + property.Value
		case *ast.IntegerNode:
			return fmt.Sprintf("%s[%d]", plainText(n.Node), property.Value)
		}
		return plainText(n.Node) + "[…]"
	case *ast.BuiltinNode:
		return n.Name + "(…)"
	}
	return "a value"
}

// stateNode is the variable with what the evaluation has used up.
func stateNode() ast.Node { return &ast.IdentifierNode{Value: stateName} }

// call is the call of a guard.
func call(name string, arguments ...ast.Node) ast.Node {
	return &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: arguments}
}

// replace puts a node in the place of another, with its position.
func replace(at *ast.Node, by ast.Node) {
	by.SetLocation((*at).Location())
	*at = by
}
