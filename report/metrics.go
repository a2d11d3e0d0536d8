package report

import (
	"io"

	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/trial/usage"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// metricsFile is what trials took, in the shape in which agents write it into their own files of metrics, which the
// runner reads. A figure that one of the trials does not tell is null.
type metricsFile struct {
	Turns      *int64        `json:"num_turns"`
	CostUSD    *float64      `json:"total_cost_usd"`
	Tokens     metricsTokens `json:"token_usage"`
	Iterations *int          `json:"iterations"` // trials
	ToolCalls  *int64        `json:"tool_calls"`
	// By the name of the model; absent where no trial names one.
	Models map[string]metricsModel `json:"modelUsage,omitempty"`
	// The same of the baseline, where one was compared with or ran beside.
	Baseline *metricsFile  `json:"baseline,omitempty"`
	Cases    []metricsCase `json:"cases,omitempty"` // the same of each test
}

type metricsTokens struct {
	Input  *int64 `json:"input"` // with cached ones
	Output *int64 `json:"output"`
}

// metricsModel has the tokens of a cache beside Input.
type metricsModel struct {
	Input      *int64   `json:"inputTokens"`
	Output     *int64   `json:"outputTokens"`
	Cached     *int64   `json:"cacheReadInputTokens,omitempty"`
	CacheWrite *int64   `json:"cacheCreationInputTokens,omitempty"`
	CostUSD    *float64 `json:"costUSD"`
}

type metricsCase struct {
	Name string `json:"name"` // of the test
	metricsFile
}

// notTold is the name of the row of what nothing tells the model of.
const notTold = "model unknown"

// writeMetrics writes what the trials of a result took. Results of other kinds tell nothing.
func writeMetrics(w io.Writer, d *document.Document, _ Options) error {
	if d.Metrics == nil {
		return JSON(w, metricsFile{})
	}
	return JSON(w, d.Metrics)
}

// metricsOfGate are those of what it is over.
func metricsOfGate(g *gate.Result) metricsFile {
	switch {
	case g.Run != nil:
		return metricsOfRun(g.Run)
	case g.Rates != nil:
		return metricsOf(g.Rates.Usage)
	case g.Comparison != nil:
		return metricsOfBoth(g.Comparison.Baseline.Usage, g.Comparison.Candidate.Usage)
	case g.Ended != nil:
		return metricsOfBoth(g.Ended.BaselineUsage, g.Ended.CandidateUsage)
	}
	return metricsFile{}
}

// metricsOfBoth are the figures of the candidate, beside which are those of the baseline.
func metricsOfBoth(baseline, candidate *usage.Usage) metricsFile {
	f := metricsOf(candidate)
	f.Baseline = beside(baseline)
	return f
}

// metricsOfRun has a case for each test.
func metricsOfRun(r *runs.Result) metricsFile {
	f := metricsOf(r.Usage)
	f.Iterations = new(r.Spent.Trials)
	f.Baseline = beside(r.BaselineUsage)
	if f.Baseline != nil {
		*f.Iterations -= *f.Baseline.Iterations
	}
	for i := range r.Tests {
		t := &r.Tests[i]
		one := metricsCase{t.Name, metricsOf(t.Usage)}
		if t.Usage == nil {
			one.Iterations = new(t.Trials + t.Overrun)
		}
		f.Cases = append(f.Cases, one)
	}
	return f
}

// beside is nil where there is nothing beside.
func beside(u *usage.Usage) *metricsFile {
	if u == nil {
		return nil
	}
	return new(metricsOf(u))
}

// metricsOf are the figures that every trial tells: a sum over some of them would look like the whole.
func metricsOf(u *usage.Usage) (f metricsFile) {
	if u == nil {
		return f
	}
	f = metricsFile{
		Turns: ofAll(u, u.Known.Turns, u.Turns), CostUSD: ofAll(u, u.Known.CostUSD, u.CostUSD),
		Tokens: metricsTokens{
			ofAll(u, u.Known.InputTokens, u.InputTokens), ofAll(u, u.Known.OutputTokens, u.OutputTokens),
		},
		Iterations: new(u.Trials), ToolCalls: ofAll(u, u.Known.ToolCalls, u.ToolCalls),
	}
	if u.Names() == nil {
		return f
	}
	f.Models = map[string]metricsModel{}
	for _, m := range u.Models {
		name := m.Model
		if name == "" {
			name = notTold
		}
		f.Models[name] = metricsOfModel(u, m)
	}
	return f
}

// metricsOfModel takes the tokens of a cache out of the input, as far as they are told.
func metricsOfModel(u *usage.Usage, m usage.Model) metricsModel {
	x := metricsModel{
		Input: ofAll(u, u.Known.InputTokens, m.InputTokens), Output: ofAll(u, u.Known.OutputTokens, m.OutputTokens),
		Cached:     ofAll(u, u.Known.CachedTokens, m.CachedTokens),
		CacheWrite: ofAll(u, u.Known.CacheWrites, m.CacheWrites), CostUSD: ofAll(u, u.Known.CostUSD, m.CostUSD),
	}
	if x.Input == nil {
		x.Cached, x.CacheWrite = nil, nil
		return x
	}
	rest := *x.Input
	for _, part := range []*int64{x.Cached, x.CacheWrite} {
		if part != nil {
			rest -= *part
		}
	}
	if rest < 0 { // more than there was has to do with a cache
		x.Cached, x.CacheWrite = nil, nil
		return x
	}
	x.Input = &rest
	return x
}

// ofAll is nil where a trial does not tell the figure.
func ofAll[T any](u *usage.Usage, known int, x *T) *T {
	if known < u.Trials {
		return nil
	}
	return x
}
