package fingerprint

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/enum"
)

// Column is one number of a [Vector]: what it is and on which scale it is tested.
type Column struct {
	// Name is unique, such as "steps", "tool.search" of a tool or "action.respond" of an
	// action.
	Name      string    `json:"name"`
	Kind      Kind      `json:"kind"`      // what it measures, and in which unit
	Transform Transform `json:"transform"` // before the test
}

// Kind says what a column measures. The zero value is a measure of the caller's
// own.
type Kind uint8

// The kinds of columns: the feature families of AgentAssay's Definition 7.1, with
// the wall time and the order of tools beside them. Tools and actions are counted, where
// the paper takes their shares of the steps: shares add up to one, so that all of them
// change where one tool is called more often. The kinds of shares are those of results
// that older versions saved.
const (
	ownMeasure       Kind = iota // whatever the caller measures
	toolShare                    // share of the steps that call a tool
	otherToolShare               // share of the steps that call tools without a column
	actionShare                  // share of the steps with an action
	otherActionShare             // share of the steps with actions without a column
	StepCount                    // number of steps
	maxDepth                     // largest depth of a step
	branches                     // distinct pairs of tools called one after the other
	outputTokens                 // output tokens
	OutputComplexity             // Lempel-Ziv phrases per byte of the output
	anyError                     // 1 if a step failed, else 0
	recoveredShare               // share of the failed steps that a success of the same tool follows
	Cost                         // cost in dollars
	costPerStep                  // cost in dollars over the number of steps
	duration                     // wall time in seconds
	ToolCalls                    // number of steps that call a tool
	otherToolCalls               // number of steps that call tools without a column
	actionSteps                  // number of steps with an action
	otherActionSteps             // number of steps with actions without a column
	toolPair                     // how often one tool was called right after another
)

var kindNames = enum.Of[Kind]("kind",
	"measure", "tool_share", "other_tool_share", "action_share", "other_action_share", "steps", "depth", "branches",
	"output_tokens", "output_complexity", "any_error", "recovered_share", "cost_usd", "cost_per_step_usd", "duration_s",
	"tool_calls", "other_tool_calls", "action_steps", "other_action_steps", "tool_pair")

// String returns the name of the kind.
func (k Kind) String() string { return kindNames.String(k) }

// MarshalText returns the name; a value that is none of the constants is refused.
func (k Kind) MarshalText() ([]byte, error) { return kindNames.MarshalText(k) }

// UnmarshalText reads the name of a kind.
func (k *Kind) UnmarshalText(text []byte) error { return kindNames.UnmarshalText(text, k) }

// Transform is the scale on which a column is tested. The zero value leaves it as
// it is.
type Transform uint8

// The transforms. A logarithm keeps a few long or costly trials from hiding a
// change of all the others.
const (
	identity         Transform = iota // x itself
	Log1p                             // log(1 + x)
	Log1pThousandths                  // log(1 + 1000 x): a trial costs cents, and log(1 + x) is a line there
)

var transformNames = enum.Of[Transform]("transform", "identity", "log1p", "log1p_thousandths")

// String returns the name of the transform.
func (t Transform) String() string { return transformNames.String(t) }

// MarshalText returns the name; a value that is none of the constants is refused.
func (t Transform) MarshalText() ([]byte, error) { return transformNames.MarshalText(t) }

// UnmarshalText reads the name of a transform.
func (t *Transform) UnmarshalText(text []byte) error { return transformNames.UnmarshalText(text, t) }

// apply returns the value on the scale of the transform; NaN and infinity where it
// has none.
func (t Transform) apply(x float64) float64 {
	switch t {
	case Log1p:
		return math.Log1p(x)
	case Log1pThousandths:
		return math.Log1p(1000 * x)
	}
	return x
}

// What the names of the columns of tools and of actions begin with.
const (
	toolPrefix   = "tool."
	actionPrefix = "action."
	pairPrefix   = "pair."
)

// measured are the columns of every vocabulary, in their order. Those of tools and
// actions stand before them, those of pairs of tools after them.
func measured() []Column {
	return []Column{
		{"steps", StepCount, Log1p},
		{"depth", maxDepth, Log1p},
		{"branches", branches, Log1p},
		{"output_tokens", outputTokens, Log1p},
		{"output_complexity", OutputComplexity, identity},
		{"any_error", anyError, identity},
		{"recovered_share", recoveredShare, identity},
		{"cost_usd", Cost, Log1pThousandths},
		{"cost_per_step_usd", costPerStep, Log1pThousandths},
		{"duration_s", duration, Log1p},
	}
}
