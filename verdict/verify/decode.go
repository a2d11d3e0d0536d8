package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/compliance"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/history"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
	"github.com/tribunal-dev/tribunal/verdict/mutants"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/proxy"
	"github.com/tribunal-dev/tribunal/verdict/race"
	"github.com/tribunal-dev/tribunal/verdict/rank"
	"github.com/tribunal-dev/tribunal/verdict/relations"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// kinds are the results that there are, by the schemas of their JSON. A new kind of result
// gets a row here, and a case in shapeProblem where it could be put together wrongly.
var kinds = []struct {
	schema string
	empty  func() verdict.Result
}{
	{runs.Schema, func() verdict.Result { return &runs.Result{} }},
	{gate.Schema, func() verdict.Result { return &gate.Result{} }},
	{verdict.ThresholdSchema, func() verdict.Result { return &verdict.ThresholdResult{} }},
	{compare.Schema, func() verdict.Result { return &compare.Result{} }},
	{compare.EndsSchema, func() verdict.Result { return &compare.Ends{} }},
	{compare.AnytimeSchema, func() verdict.Result { return &compare.Anytime{} }},
	{proxy.Schema, func() verdict.Result { return &proxy.Comparison{} }},
	{sequential.Schema, func() verdict.Result { return &sequential.Result{} }},
	{behaviour.Schema, func() verdict.Result { return &behaviour.Result{} }},
	{plan.Schema, func() verdict.Result { return &plan.Plan{} }},
	{plan.AgainstSchema, func() verdict.Result { return &plan.Against{} }},
	{plan.SizesSchema, func() verdict.Result { return &plan.Sizes{} }},
	{plan.BehaviourSchema, func() verdict.Result { return &plan.Behaviour{} }},
	{plan.SuiteSchema, func() verdict.Result { return &plan.Suite{} }},
	{plan.ForecastSchema, func() verdict.Result { return &plan.Forecast{} }},
	{history.Schema, func() verdict.Result { return &history.Result{} }},
	{mutants.Schema, func() verdict.Result { return &mutants.Result{} }},
	{mutants.ChecksSchema, func() verdict.Result { return &mutants.Checks{} }},
	{race.Schema, func() verdict.Result { return &race.Result{} }},
	{rank.Schema, func() verdict.Result { return &rank.Result{} }},
	{relations.Schema, func() verdict.Result { return &relations.Result{} }},
	{improvement.Schema, func() verdict.Result { return &improvement.Result{} }},
	{compliance.Schema, func() verdict.Result { return &compliance.Result{} }},
	{coverage.Schema, func() verdict.Result { return &verdict.Coverage{} }},
}

// Schemas are the schemas that [Decode] reads.
func Schemas() []string {
	list := make([]string, len(kinds))
	for i, k := range kinds {
		list[i] = k.schema
	}
	return list
}

// empty returns an empty result of a schema; nil where it is not known.
func empty(schema string) verdict.Result {
	for _, k := range kinds {
		if k.schema == schema {
			return k.empty()
		}
	}
	return nil
}

// DecodeError says why a document is no saved result.
type DecodeError struct {
	Problem string // such as "is no saved result: it has no schema"
	Advice  string // what a person might do about it; may be ""
	Err     error  // the cause; may be nil
}

// adviceOneDocument is for a person who gave another kind of file.
const adviceOneDocument = "a result is one JSON document, as a command saves it, or prints it as JSON"

func (e *DecodeError) Error() string { return e.Problem }

// Message returns the problem.
func (e *DecodeError) Message() string { return e.Problem }

// Hint returns the advice.
func (e *DecodeError) Hint() string { return e.Advice }

// ExitCode is that of input that cannot be used.
func (e *DecodeError) ExitCode() int { return exit.Input }

// Unwrap returns the cause.
func (e *DecodeError) Unwrap() error { return e.Err }

// Decode reads a saved result, and returns a pointer to its type; see [verdict.Result]. It
// is strict: a field that is not known, and anything after the document, is a
// [DecodeError]. A result that is written again is the same, byte for byte.
func Decode(text []byte) (verdict.Result, error) {
	var head struct {
		Schema *string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, &DecodeError{
			Problem: "is no saved result: " + inWords(text, err),
			Advice:  adviceOneDocument, Err: err,
		}
	}
	if head.Schema == nil {
		return nil, &DecodeError{
			Problem: "is no saved result: it has no schema",
			Advice:  adviceOneDocument,
		}
	}
	// The schema alone says which type to read into.
	into := empty(*head.Schema)
	if into == nil {
		if of, reads, is := besides(*head.Schema); is {
			return nil, &DecodeError{
				Problem: fmt.Sprintf("is a %s, %s: it is no result, and nothing is judged in it", *head.Schema, of),
				Advice:  reads + "; results are what run, verdict, compare, plan and others save",
			}
		}
		return nil, &DecodeError{
			Problem: fmt.Sprintf("the schema %q is not known", *head.Schema),
			Advice:  fmt.Sprintf("known are %s", strings.Join(Schemas(), ", ")),
		}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return nil, &DecodeError{
			Problem: fmt.Sprintf("is no %s: %s", *head.Schema, inWords(text, err)),
			Advice:  "was it written by another version, or changed?", Err: err,
		}
	}
	// A decoder stops after the first value, so whatever follows must be looked for.
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, &DecodeError{
			Problem: "something follows after the result",
			Advice:  "a result is one JSON document",
		}
	}
	// From here on a report can show the result without looking at lengths again.
	if problem := shapeProblem(into); problem != "" {
		return nil, &DecodeError{
			Problem: fmt.Sprintf("is no %s: %s", *head.Schema, problem),
			Advice:  "was it written by another version, or changed?",
		}
	}
	return into, nil
}

// inWords says what is wrong with a document as somebody would who knows JSON and not Go.
func inWords(text []byte, err error) string {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		field := e.Field
		if field == "" {
			field = "the document"
		}
		return fmt.Sprintf("%s cannot be a JSON %s", field, e.Value)
	}
	switch e, ok := errors.AsType[*json.SyntaxError](err); {
	case len(bytes.TrimSpace(text)) == 0:
		return "it is empty"
	case errors.Is(err, io.ErrUnexpectedEOF), ok && strings.HasPrefix(e.Error(), "unexpected end"):
		return "it ends inside a value"
	case ok:
		return "it is not JSON: " + e.Error()
	}
	// Such as of an unknown field, or in the words of a type that reads itself.
	return strings.TrimPrefix(err.Error(), "json: ")
}

// shapeProblem says what of a result does not fit together, so that it could not even
// be shown; "" if nothing does not.
func shapeProblem(result any) string {
	switch r := result.(type) {
	case *gate.Result:
		over, name := r.Over()
		if over == nil {
			return "" // it may be shown, and has nothing to verify
		}
		if problem := shapeProblem(over); problem != "" {
			return name + "." + problem
		}
		if r.Asked != nil && r.Asked.Baseline != nil && r.Asked.Baseline.Run != nil {
			for i, d := range r.Asked.Baseline.Run.Designs {
				if problem := d.Problem(); problem != "" {
					return fmt.Sprintf("asked.baseline.run.designs[%d]: %s", i, problem)
				}
			}
		}
	// Judged trials are a prefix of the outcomes, and a design has a boundary for each trial.
	case *runs.Result:
		for i := range r.Tests {
			if t := &r.Tests[i]; t.Trials < 0 || t.Trials > len(t.Outcomes) {
				return fmt.Sprintf("scenarios[%d].trials is %d, and there are %d outcomes", i, t.Trials,
					len(t.Outcomes))
			}
			if problem := testProblem(&r.Tests[i]); problem != "" {
				return fmt.Sprintf("scenarios[%d].%s", i, problem)
			}
		}
		return amountsProblem(r)
	case *verdict.ThresholdResult, *compare.Result, *compliance.Result:
		return countsProblem("", reflect.ValueOf(r))
	case *plan.Plan:
		saved := design.Design{MaxTrials: r.Design.MaxTrials, Boundaries: r.Design.Boundaries}
		if problem := saved.Problem(); problem != "" {
			return "design: " + problem
		}
		return r.Variation.Problem()
	case *plan.Against:
		return againstProblem(r)
	case *history.Result:
		return r.Problem()
	// The path is read beside the boundaries.
	case *sequential.Result:
		if len(r.Path) > r.Design.MaxTrials {
			return fmt.Sprintf("path has %d trials, and the design %d", len(r.Path), r.Design.MaxTrials)
		}
		if problem := r.Design.Problem(); problem != "" {
			return "design: " + problem
		}
		if r.Against == nil {
			return ""
		}
		if problem := r.Against.Baseline.Problem(); problem != "" {
			return "against.baseline: " + problem
		}
	case *mutants.Result:
		for _, part := range []struct {
			name string
			run  *runs.Result
		}{{"original", r.Original}, {"run", r.Run}} {
			if part.run == nil {
				return part.name + " is missing"
			}
			if problem := shapeProblem(part.run); problem != "" {
				return part.name + "." + problem
			}
		}
	case *race.Result:
		if r.Run == nil {
			return "run is missing"
		}
		if problem := shapeProblem(r.Run); problem != "" {
			return "run." + problem
		}
		if len(r.Arms) < 2 || len(r.Reasons) == 0 {
			return "arms or reasons are missing"
		}
		if r.Confirmation != nil {
			if problem := shapeProblem(r.Confirmation); problem != "" {
				return "confirmation." + problem
			}
		}
	case *relations.Result:
		switch {
		case r.Run != nil && len(r.Recorded) > 0:
			return "run and recorded are both there"
		case r.Run == nil:
			return "" // marks are read where they are judged
		}
		if problem := shapeProblem(r.Run); problem != "" {
			return "run." + problem
		}
	case *improvement.Result:
		return r.ShapeProblem()
	case *behaviour.Result:
		if r.Behaviour == nil {
			return "behaviour is missing"
		}
	}
	return ""
}

// againstProblem is shapeProblem for the plan of a test against a baseline.
func againstProblem(p *plan.Against) string {
	if p.Baseline == nil && p.Design.MaxTrials > 0 && len(p.Points) > 0 {
		return ""
	}
	if p.Baseline == nil {
		return "design: nothing is planned"
	}
	if problem := p.Baseline.Problem(); problem != "" {
		return "baseline: " + problem
	}
	if p.Design.MaxTrials < 1 || len(p.Points) == 0 {
		return "design: nothing is planned"
	}
	// Those for other ways to count its errors may be longer.
	saved := design.Design{MaxTrials: len(p.Design.Boundaries.PassAtOrBelow), Boundaries: p.Design.Boundaries}
	if problem := saved.Problem(); problem != "" {
		return "design: " + problem
	}
	if saved.MaxTrials > p.Design.MaxTrials {
		return fmt.Sprintf("design: max_trials is %d, and there are %d boundaries", p.Design.MaxTrials, saved.MaxTrials)
	}
	return p.Variation.Problem()
}

// testProblem is shapeProblem for the design of a test and for what it has of a baseline.
func testProblem(t *runs.Test) string {
	x := t.Regression
	// A baseline alone may decide.
	if x == nil || t.Design.MaxTrials != 0 {
		if problem := t.Design.Problem(); problem != "" {
			return "design: " + problem
		}
	}
	if x == nil {
		return ""
	}
	if b := x.Boundaries; b != nil {
		saved := design.Design{MaxTrials: len(b.PassAtOrBelow), Boundaries: *b}
		if problem := saved.Problem(); problem != "" {
			return "regression.boundaries: " + problem
		}
	}
	if x.Outcomes != "" && len(x.Outcomes) != len(t.Outcomes) {
		return fmt.Sprintf("regression.baseline_outcomes has %d trials, and outcomes %d", len(x.Outcomes), len(t.Outcomes))
	}
	return ""
}
