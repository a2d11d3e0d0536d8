package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// Evaluator judges one aspect of a trial. An evaluator may be used from several
// goroutines at once, and never changes the evidence.
type Evaluator interface {
	// Name is the word by which a suite file asks for it, such as "contains".
	Name() string
	// Evaluate returns a result with outcome Pass, Fail or Error.
	Evaluate(ctx context.Context, e Evidence) Result
}

// Result is what an evaluator found.
type Result struct {
	Evaluator string                  // its name
	Outcome   trial.Outcome           // Error: it could not be judged
	Score     trial.Optional[float64] // in [0,1]; unknown iff the outcome is Error
	Text      string                  // the evidence in a sentence
	Measure   *Measure                // of a metric budget; nil for others
	Parts     []Result                // of a combination, in their order; nil for others
	Judge     string                  // digest of the judge that was asked, see [DigestOf]; "" where none was
	Usage     *JudgeUsage             // of a model that was asked; nil for others
}

// JudgeUsage is what an answer of a model that judges took. It is no part of what the trial took.
type JudgeUsage struct {
	Model           string // that answered; "" is not told
	FromCache       bool   // it had answered before, and nothing was asked
	InputTokens     trial.Optional[int64]
	OutputTokens    trial.Optional[int64]
	CachedTokens    trial.Optional[int64] // of the input, read from a provider's cache
	ReasoningTokens trial.Optional[int64] // of the output
	CostUSD         trial.Optional[float64]
}

// usageJSON is the JSON form of what an answer took.
type usageJSON struct {
	Model     string   `json:"model,omitempty"`
	FromCache bool     `json:"from_cache,omitempty"`
	Input     *int64   `json:"input_tokens,omitempty"`
	Output    *int64   `json:"output_tokens,omitempty"`
	Cached    *int64   `json:"cached_tokens,omitempty"`
	Reasoning *int64   `json:"reasoning_tokens,omitempty"`
	CostUSD   *float64 `json:"cost_usd,omitempty"`
}

// MarshalJSON leaves out what is unknown.
func (u JudgeUsage) MarshalJSON() ([]byte, error) {
	return json.Marshal(usageJSON{
		u.Model, u.FromCache, pointer(u.InputTokens), pointer(u.OutputTokens), pointer(u.CachedTokens),
		pointer(u.ReasoningTokens), pointer(u.CostUSD),
	})
}

// UnmarshalJSON reads what [JudgeUsage.MarshalJSON] writes.
func (u *JudgeUsage) UnmarshalJSON(text []byte) error {
	var form usageJSON
	if err := json.Unmarshal(text, &form); err != nil {
		return err
	}
	*u = JudgeUsage{
		form.Model, form.FromCache, optional(form.Input), optional(form.Output), optional(form.Cached),
		optional(form.Reasoning), optional(form.CostUSD),
	}
	return nil
}

// pointer is nil for what is unknown.
func pointer[T any](o trial.Optional[T]) *T {
	if !o.Known {
		return nil
	}
	return new(o.Value)
}

// optional is unknown for nil.
func optional[T any](p *T) trial.Optional[T] {
	if p == nil {
		return trial.Optional[T]{}
	}
	return trial.Some(*p)
}

// Measure is a metric and the most that it may be.
type Measure struct {
	Value float64 `json:"value"` // in the unit of the metric; wall time in seconds
	Max   float64 `json:"max"`   // in the same unit
}

// resultJSON is the JSON form of a result.
type resultJSON struct {
	Evaluator string   `json:"evaluator"`
	Outcome   string   `json:"outcome"`
	Score     *float64 `json:"score,omitempty"`
	Text      string   `json:"text"`
	*Measure           // value and max stand beside the score
	Parts     []Result `json:"parts,omitempty"`
	Judge     string   `json:"judge,omitempty"`

	Usage *JudgeUsage `json:"usage,omitempty"`
}

// MarshalJSON writes the outcome as a word and leaves out what is unknown.
func (r Result) MarshalJSON() ([]byte, error) {
	form := resultJSON{
		Evaluator: r.Evaluator, Outcome: r.Outcome.String(), Text: r.Text, Measure: r.Measure, Parts: r.Parts,
		Judge: r.Judge, Usage: r.Usage,
	}
	if r.Score.Known {
		form.Score = &r.Score.Value
	}
	return json.Marshal(form)
}

// UnmarshalJSON reads what [Result.MarshalJSON] writes.
func (r *Result) UnmarshalJSON(text []byte) error {
	var form resultJSON
	if err := json.Unmarshal(text, &form); err != nil {
		return err
	}
	outcome, ok := trial.ParseOutcome(form.Outcome)
	if !ok {
		return fmt.Errorf("outcome %q of a result must be pass, fail or error", form.Outcome)
	}
	*r = Result{
		Evaluator: form.Evaluator, Outcome: outcome, Text: form.Text, Measure: form.Measure, Parts: form.Parts,
		Judge: form.Judge, Usage: form.Usage,
	}
	if form.Score != nil {
		r.Score = trial.Some(*form.Score)
	}
	return nil
}

// decided is a pass with score 1 or a fail with score 0.
func decided(pass bool, text string) Result {
	if pass {
		return Result{Outcome: trial.Pass, Score: trial.Some(1.0), Text: text}
	}
	return failed(0, text)
}

// failed is a fail with a score.
func failed(score float64, text string) Result {
	return Result{Outcome: trial.Fail, Score: trial.Some(score), Text: text}
}

// unjudged is an error of the judging.
func unjudged(format string, values ...any) Result {
	return Result{Outcome: trial.Error, Text: fmt.Sprintf(format, values...)}
}

// evaluator makes an [Evaluator] of a function.
type evaluator struct {
	name  string
	sure  sureness
	judge func(context.Context, Evidence) Result
}

// sureness says which outcomes of an evaluator do not depend on what is missing at the end of an output.
type sureness uint8

const (
	unsure    sureness = iota // none: what is missing might change either
	surePass                  // a pass: what was found stays found
	sureFail                  // a fail: what must not be was there
	sureOfAll                 // both: it does not look at the output, or asks others who see to it
)

// holds reports whether an outcome stands although the end of the output is missing.
func (s sureness) holds(o trial.Outcome) bool {
	return s == sureOfAll || o == trial.Pass && s == surePass || o == trial.Fail && s == sureFail
}

// errTruncated is why something cannot be judged.
const errTruncated = "the end of the output is missing: it was longer than max_output_bytes"

// Name is the word by which a suite asks for the evaluator.
func (v evaluator) Name() string { return v.name }

// Evaluate asks the function, and puts the name on what it found.
func (v evaluator) Evaluate(ctx context.Context, e Evidence) Result {
	var r Result
	if e.Trial == nil {
		r = unjudged("there is no trial")
	} else {
		r = v.judge(ctx, e)
	}
	if e.Truncated && r.Outcome != trial.Error && !v.sure.holds(r.Outcome) {
		r = unjudged("%s; as far as it goes: %s", errTruncated, r.Text)
	}
	r.Evaluator = v.name
	return r
}

// OptionError says which option of an evaluator cannot be used, and why.
type OptionError struct {
	Option  string // such as "max"
	Value   string // as it was given; may be ""
	Problem string // such as "must be a positive number"
	Advice  string // what to do about it; may be ""
}

// Error is the message and the hint.
func (e *OptionError) Error() string {
	if e.Advice == "" {
		return e.Message()
	}
	return e.Message() + "; " + e.Advice
}

// Hint returns the advice.
func (e *OptionError) Hint() string { return e.Advice }

// Message says which option it is, and what is wrong with it.
func (e *OptionError) Message() string {
	text := e.Option
	if e.Value != "" {
		text += " " + prose.Excerpt(e.Value)
	}
	return text + " " + e.Problem
}

// finite reports whether x is a number.
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
