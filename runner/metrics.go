package runner

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// Metrics is what an agent writes of an attempt into its metrics file, as JSON. All of it may be left out, and what
// else is there is passed over.
type Metrics struct {
	Turns      *int          `json:"num_turns"`      // answers of the model
	CostUSD    *float64      `json:"total_cost_usd"` // in US dollars
	Tokens     *metricTokens `json:"token_usage"`    // of the whole attempt
	Iterations *int          `json:"iterations"`     // how often the agent began again; it is passed over
	ToolCalls  *int          `json:"tool_calls"`     // calls of tools
	// Models says the same by the name of the model, and goes before Tokens: it tells what came from a cache.
	Models map[string]modelMetrics `json:"modelUsage"`
}

// metricTokens are tokens of an attempt.
type metricTokens struct {
	Input  *int64 `json:"input"`  // with cached ones
	Output *int64 `json:"output"` // that the model wrote
}

// modelMetrics are what one model used.
type modelMetrics struct {
	Input      *int64   `json:"inputTokens"`              // without those of a cache
	Output     *int64   `json:"outputTokens"`             // that the model wrote
	Cached     *int64   `json:"cacheReadInputTokens"`     // read from a cache, beside Input
	CacheWrite *int64   `json:"cacheCreationInputTokens"` // written to one, beside Input
	CostUSD    *float64 `json:"costUSD"`                  // in US dollars
}

// readMetrics fills what a trial does not tell from the file that the program left. One that is not there says nothing.
func readMetrics(c process.Command, file string, t *trial.Trial) error {
	text, truncated, err := c.ReadOutput(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case truncated:
		return errors.New("it is longer than max_output_bytes")
	}
	var m Metrics
	if err := json.Unmarshal(text, &m); err != nil {
		return fmt.Errorf("it is no JSON object of metrics: %w", err)
	}
	filled := *t
	m.fill(&filled)
	// The trial may be unjudged yet.
	if err := filled.ValidateRecord(); err != nil {
		return err
	}
	*t = filled
	return nil
}

// fill gives the trial what it does not tell itself.
func (m Metrics) fill(t *trial.Trial) {
	usage := oracle.MeasuresOf(t)
	if m.Turns != nil && !usage.Turns.Known {
		t.Turns = trial.Some(*m.Turns)
	}
	if m.ToolCalls != nil && !usage.ToolCalls.Known {
		t.ToolCalls = trial.Some(*m.ToolCalls)
	}
	if m.CostUSD != nil && !usage.CostUSD.Known {
		t.CostUSD, t.CostBasis = trial.Some(*m.CostUSD), trial.RecordedCost
	}
	if !t.TotalInputTokens().Known && !t.TotalOutputTokens().Known {
		m.fillTokens(t)
	}
}

// fillTokens takes the tokens of the models, where each tells both sides, and else those of the attempt.
func (m Metrics) fillTokens(t *trial.Trial) {
	var input, output, cached, writes int64
	whole := len(m.Models) > 0
	t.ModelUsage = nil
	for name, x := range m.Models {
		whole = whole && x.Input != nil && x.Output != nil
		in := trial.Plus(value(x.Input), trial.Plus(value(x.Cached), value(x.CacheWrite)))
		input, output = trial.Plus(input, in), trial.Plus(output, value(x.Output))
		cached, writes = trial.Plus(cached, value(x.Cached)), trial.Plus(writes, value(x.CacheWrite))
		switch {
		case len(m.Models) > 1: // nobody knows which answered
			t.ModelUsage = append(t.ModelUsage, x.use(name, in))
		case t.Model == "":
			t.Model = name
		}
	}
	slices.SortFunc(t.ModelUsage, func(a, b trial.ModelUse) int { return cmp.Compare(a.Model, b.Model) })
	switch {
	case whole:
		t.InputTokens, t.OutputTokens = trial.Some(input), trial.Some(output)
		if m.tells(func(x modelMetrics) *int64 { return x.Cached }) {
			t.CachedTokens = trial.Some(cached)
		}
		if m.tells(func(x modelMetrics) *int64 { return x.CacheWrite }) {
			t.CacheWrites = trial.Some(writes)
		}
	case m.Tokens != nil:
		if m.Tokens.Input != nil {
			t.InputTokens = trial.Some(*m.Tokens.Input)
		}
		if m.Tokens.Output != nil {
			t.OutputTokens = trial.Some(*m.Tokens.Output)
		}
	}
}

// use is what the model used, of whose input tokens all are counted.
func (x modelMetrics) use(name string, input int64) trial.ModelUse {
	u := trial.ModelUse{
		Model: name, CostUSD: optional(x.CostUSD), OutputTokens: optional(x.Output), CachedTokens: optional(x.Cached),
		CacheWrites: optional(x.CacheWrite),
	}
	if x.Input != nil {
		u.InputTokens = trial.Some(input)
	}
	return u
}

// optional is a number that may not be told.
func optional[T any](n *T) trial.Optional[T] {
	if n == nil {
		return trial.Optional[T]{}
	}
	return trial.Some(*n)
}

// tells reports whether every model tells a number.
func (m Metrics) tells(figure func(modelMetrics) *int64) bool {
	for _, x := range m.Models {
		if figure(x) == nil {
			return false
		}
	}
	return true
}

// value is a number, 0 where it is not told.
func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
