package oracle

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/trial"
)

// Metric is what a [Budget] bounds.
type Metric uint8

// The metrics. What is not recorded is unknown, never 0.
const (
	TokenBudget   Metric = iota // tokens in and out
	ToolCallCount               // calls of tools
	TurnCount                   // steps in which the model reasons or responds
	ErrorCount                  // steps with an error
	WallTime                    // seconds
	StepCount                   // steps of any kind
)

var metrics = enum.Of[Metric]("metric",
	"token-budget", "tool-call-count", "turn-count", "error-count", "wall-time", "max_steps")

// metricUnits are the units in sentences, by metric; a wall time writes its own.
var metricUnits = [...]string{"tokens", "tool calls", "turns", "errors", "", "steps"}

// String returns the name by which a suite file asks for the metric's budget.
func (m Metric) String() string { return metrics.String(m) }

// Budget passes if the metric is at most max; wall time is in seconds. The score
// is 1 within the budget, and max(0, 1-(value-max)/max(max,1)) beyond it: half as
// much again scores one half, twice as much 0. A value that is not recorded is an
// error of the judging. It returns an [OptionError] unless max is finite and not
// negative.
func Budget(m Metric, limit float64) (Evaluator, error) {
	if !metrics.Has(m) {
		return nil, &OptionError{Option: "metric", Value: fmt.Sprint(uint8(m)), Problem: "is not known"}
	}
	if !finite(limit) || limit < 0 {
		return nil, &OptionError{
			Option: "max", Value: number(limit), Problem: "must be a finite number that is not negative",
		}
	}
	sure := sureFail // what is missing may only add to what was counted
	if m == WallTime {
		sure = sureOfAll
	}
	return evaluator{m.String(), sure, func(_ context.Context, e Evidence) Result {
		// A recorded value may still be no number, or negative: that is unknown too.
		value := usable(m.of(e.Trial))
		if !value.Known {
			return unjudged("%s", m.unknown())
		}
		return m.judge(value.Value, limit)
	}}, nil
}

// judge compares a value with its limit. The score falls with the excess, so that a
// little too much and far too much can be told apart.
//
// The divisor is at least 1, so that a limit of 0, such as of errors, has a score as well.
func (m Metric) judge(value, limit float64) Result {
	r := decided(true, fmt.Sprintf("%s (within budget of %s)", m.amount(value), m.bare(limit)))
	if value > limit {
		score := math.Max(0, 1-(value-limit)/math.Max(limit, 1))
		r = failed(score, fmt.Sprintf("%s exceeds max of %s", m.amount(value), m.bare(limit)))
	}
	r.Measure = &Measure{Value: value, Max: limit}
	return r
}

// of returns the value of the metric.
func (m Metric) of(t *trial.Trial) trial.Optional[float64] {
	var n trial.Optional[int]
	switch m {
	case TokenBudget:
		return tokens(t)
	case WallTime:
		return t.DurationSeconds
	case ToolCallCount:
		n = toolCalls(t)
	case TurnCount:
		n = turns(t)
	case ErrorCount:
		n = failedSteps(t)
	case StepCount:
		n = allSteps(t)
	}
	return trial.Optional[float64]{Value: float64(n.Value), Known: n.Known}
}

// unknown says what is not recorded.
func (m Metric) unknown() string {
	switch m {
	case TokenBudget:
		return "the number of tokens is unknown: the trial has no token counts"
	case WallTime:
		return "the wall time is unknown: the trial has no duration"
	}
	return "the number of " + metricUnits[m] + " is unknown: no step shows them"
}

// amount writes a value with its unit.
func (m Metric) amount(value float64) string {
	if m == WallTime {
		return m.bare(value)
	}
	if value == 1 {
		return "1 " + strings.TrimSuffix(metricUnits[m], "s")
	}
	return m.bare(value) + " " + metricUnits[m]
}

// bare writes a value without its unit; a wall time has its own.
func (m Metric) bare(value float64) string {
	if m != WallTime {
		return number(value)
	}
	// A time.Duration holds 292 years; half of that keeps clear of its end.
	if value < math.MaxInt64/float64(2*time.Second) {
		return time.Duration(math.Round(value * float64(time.Second))).String()
	}
	return number(value) + "s"
}
