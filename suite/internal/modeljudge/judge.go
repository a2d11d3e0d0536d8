package modeljudge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/wire/endpoint"
	"github.com/tribunal-dev/tribunal/wire/model"
)

// Name is the word by which a suite asks for the evaluator.
const Name = "model"

// Options say which model judges, and by what.
type Options struct {
	Model  model.Settings // which model; without a key and an address where Late tells them
	Prompt string         // the criteria
	Levels []Level        // from 2 to 20; nil: [DefaultLevels]
	Show   []Part         // nil: input and output
	// Threshold is the least score that passes; 0 is 0.5.
	Threshold float64
	Seed      trial.Optional[int64] // of the first answer, and one more for each further; not sent to Anthropic
	Price     *model.Price          // nil: what it costs is not known
	CacheDir  string                // where answers are kept; "" is nowhere

	// Late returns the settings with what is known only when the judge is asked, such as the key; nil: they are whole.
	Late func(model.Settings) (model.Settings, error)
	// Redact removes secrets from what is kept in CacheDir; nil leaves it as it is.
	Redact func(string) string
}

// judge is an evaluator.
type judge struct {
	options Options
	schema  trial.Raw
	check   *oracle.Schema
	digest  string
	client  func() (*model.Client, error)
}

// New returns an evaluator that asks a model. The error is an [oracle.OptionError].
//
// Its digest is of the provider, the name and the address of the model as the options have them, of its temperature,
// tokens and seed, and of all that the prompt is made of but the trial.
func New(o Options) (oracle.Evaluator, error) {
	if o.Levels == nil {
		o.Levels = DefaultLevels()
	}
	if o.Show == nil {
		o.Show = []Part{Input, Output}
	}
	o.Threshold = cmp.Or(o.Threshold, 0.5)
	switch {
	case o.Model.Name == "":
		return nil, &oracle.OptionError{Option: "name", Problem: "names no model"}
	case strings.TrimSpace(o.Prompt) == "":
		return nil, &oracle.OptionError{Option: "prompt", Problem: "is empty"}
	case !(o.Threshold > 0 && o.Threshold <= 1):
		return nil, &oracle.OptionError{
			Option: "threshold", Value: fmt.Sprint(o.Threshold), Problem: "must lie above 0 and be at most 1",
		}
	}
	if err := checkLevels(o.Levels); err != nil {
		return nil, err
	}
	o.Levels, o.Show = slices.Clone(o.Levels), slices.Clone(o.Show)
	j := &judge{options: o, schema: answerSchema(o.Levels)}
	var err error
	if j.check, err = oracle.NewSchema(j.schema); err != nil {
		return nil, err
	}
	j.digest = o.digest()
	j.client = sync.OnceValues(func() (*model.Client, error) {
		settings := o.Model
		if o.Late != nil {
			var err error
			if settings, err = o.Late(settings); err != nil {
				return nil, err
			}
		}
		return model.New(settings), nil
	})
	return j, nil
}

// digest identifies the judge.
func (o Options) digest() string {
	form := struct {
		Kind           string
		Provider       model.Provider
		Name, URL      string
		System, Prompt string
		Levels         []Level
		Show           []Part
		Threshold      float64
		Temperature    trial.Optional[float64]
		MaxTokens      int
		Seed           trial.Optional[int64]
	}{
		Name, o.Model.Provider, o.Model.Name, o.Model.URL, system, o.Prompt, o.Levels, o.Show, o.Threshold,
		o.Model.Temperature, o.Model.MaxTokens, o.Seed,
	}
	return oracle.JudgeDigest(form)
}

// Name is the word by which a suite asks for it.
func (j *judge) Name() string { return Name }

// Digest identifies the judge.
func (j *judge) Digest() string { return j.digest }

// Evaluate asks the model about a trial.
func (j *judge) Evaluate(ctx context.Context, e oracle.Evidence) oracle.Result {
	r := j.evaluate(ctx, e)
	r.Evaluator = Name
	return r
}

// unjudged is an error of the judging.
func unjudged(format string, values ...any) oracle.Result {
	return oracle.Result{Outcome: trial.Error, Text: fmt.Sprintf(format, values...)}
}

func (j *judge) evaluate(ctx context.Context, e oracle.Evidence) oracle.Result {
	switch {
	case e.Trial == nil:
		return unjudged("there is no trial")
	case e.Truncated:
		return unjudged("the end of the output is missing: it was longer than max_output_bytes")
	case e.Trial.Output == nil && slices.Contains(j.options.Show, Output):
		return unjudged("the output is not recorded")
	}
	text, err := prompt(j.options.Prompt, j.options.Levels, j.options.Show, e.Trial)
	if err != nil {
		return unjudged("the trial cannot be given to the judge: %v", err)
	}
	client, err := j.client()
	if err != nil {
		return unjudged("the judge cannot be asked: %v", err)
	}
	request := model.Request{System: system, Messages: []model.Message{{Role: model.User, Text: text}}, Schema: j.schema}
	if seed := j.options.Seed; seed.Known {
		request.Seed = trial.Some(seed.Value + int64(e.Repeat))
	}
	body, err := client.Body(request)
	if err != nil {
		return unjudged("the trial cannot be given to the judge: %v", err)
	}
	digest := requestDigest(client.Address(), body, e)
	if c, ok := j.remembered(digest); ok {
		if r := j.read(c.Text); r.Outcome != trial.Error {
			r.Usage = &oracle.JudgeUsage{Model: c.Model, FromCache: true}
			return r
		}
	}
	return j.ask(ctx, client, request, digest)
}

// ask asks, and keeps an answer that can be used.
func (j *judge) ask(ctx context.Context, client *model.Client, request model.Request, digest string) oracle.Result {
	reply, err := client.Ask(ctx, request)
	var why *endpoint.Error
	switch {
	case errors.As(err, &why) && why.Kind == endpoint.Cancelled:
		return unjudged("the judge was stopped: %v", context.Cause(ctx))
	case err != nil:
		return unjudged("the judge gave no answer: %s", prose.Excerpt(err.Error()))
	}
	r := j.read(reply.Text)
	if reply.Refused {
		r = unjudged("the judge refused: %s", prose.Excerpt(reply.Text))
	}
	r.Usage = j.usage(reply)
	if r.Outcome != trial.Error {
		kept := reply.Text
		if j.options.Redact != nil {
			kept = j.options.Redact(kept)
		}
		j.remember(digest, cachedAnswer{reply.Model, kept})
	}
	return r
}

// usage is what an answer took.
func (j *judge) usage(reply *model.Reply) *oracle.JudgeUsage {
	return &oracle.JudgeUsage{
		Model: reply.Model, InputTokens: reply.Usage.Input, OutputTokens: reply.Usage.Output,
		CachedTokens: reply.Usage.Cached, ReasoningTokens: reply.Usage.Reasoning,
		CostUSD: j.options.Price.Of(reply.Usage),
	}
}

// read is what an answer says. One that does not fit the schema says nothing.
func (j *judge) read(text string) oracle.Result {
	document, err := endpoint.Decode([]byte(text))
	if err != nil {
		return unjudged("the judge's answer is not JSON: %q", prose.Excerpt(text))
	}
	if problem, err := j.check.Violation(context.Background(), document); err != nil {
		return unjudged("the judge's answer was not checked: %v", err)
	} else if problem != "" {
		return unjudged("the judge's answer cannot be used: %s", problem)
	}
	var answer struct{ Reason, Level string }
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return unjudged("the judge's answer cannot be used: %v", err)
	}
	at := slices.IndexFunc(j.options.Levels, func(l Level) bool { return l.Name == answer.Level })
	if at < 0 { // not reached: the schema has it
		return unjudged("the judge's answer is no level: %q", prose.Excerpt(answer.Level))
	}
	r := oracle.Result{
		Outcome: trial.Fail, Score: trial.Some(j.options.Levels[at].Score),
		Text: prose.Excerpt(answer.Level + ": " + answer.Reason),
	}
	if r.Score.Value >= j.options.Threshold {
		r.Outcome = trial.Pass
	}
	return r
}
