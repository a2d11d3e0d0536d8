package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/internal/enum"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// savedForm returns an empty result of a schema; nil where it is not known.
func savedForm(schema string) any {
	switch schema {
	case runs.Schema:
		return &runs.Result{}
	case gate.Schema:
		return &gate.Result{}
	case verdict.ThresholdSchema:
		return &verdict.ThresholdResult{}
	case compare.Schema:
		return &compare.Result{}
	case sequential.Schema:
		return &sequential.Result{}
	case behaviour.Schema:
		return &behaviour.Result{}
	}
	return nil
}

// Schemas are the schemas that [Decode] reads.
func Schemas() []string {
	return []string{runs.Schema, gate.Schema, verdict.ThresholdSchema, compare.Schema, sequential.Schema, behaviour.Schema}
}

// DecodeError says why a document is no saved result.
type DecodeError struct {
	Problem string // such as "is no saved result: it has no schema"
	Advice  string // what a person might do about it; may be ""
	About   string // what of this module the advice names, such as "report.JSON"; may be ""
	Err     error  // the cause; may be nil
}

const adviceOneDocument = "a result is one JSON document, as report.JSON writes it"

func (e *DecodeError) Error() string { return e.Problem }

// Message returns the problem.
func (e *DecodeError) Message() string { return e.Problem }

// Hint returns the advice.
func (e *DecodeError) Hint() string { return e.Advice }

// Option returns what the hint names, or "".
func (e *DecodeError) Option() string { return e.About }

// ExitCode is that of input that cannot be used.
func (e *DecodeError) ExitCode() int { return exit.Input }

// Unwrap returns the cause.
func (e *DecodeError) Unwrap() error { return e.Err }

// Decode reads a saved result, and returns a pointer to its type: [runs.Result],
// [gate.Result],
// [verdict.ThresholdResult], [compare.Result], [sequential.Result] or [behaviour.Result]. It is strict: a field that
// is not known, and anything after the document, is a [DecodeError]. A result that is
// written again is the same, byte for byte.
func Decode(text []byte) (any, error) {
	var head struct {
		Schema *string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, &DecodeError{
			Problem: "is no saved result: " + err.Error(),
			Advice:  adviceOneDocument, About: "report.JSON", Err: err,
		}
	}
	if head.Schema == nil {
		return nil, &DecodeError{
			Problem: "is no saved result: it has no schema",
			Advice:  adviceOneDocument, About: "report.JSON",
		}
	}
	into := savedForm(*head.Schema)
	if into == nil {
		return nil, &DecodeError{Problem: fmt.Sprintf("the schema %q is not known", *head.Schema), Advice: fmt.Sprintf("known are %s", enum.WordList(Schemas()))}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return nil, &DecodeError{
			Problem: fmt.Sprintf("is no %s: %v", *head.Schema, err),
			Advice:  "was it written by another version, or changed?", Err: err,
		}
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, &DecodeError{Problem: "something follows after the result", Advice: "a result is one JSON document"}
	}
	if problem := shapeProblem(into); problem != "" {
		return nil, &DecodeError{Problem: fmt.Sprintf("is no %s: %s", *head.Schema, problem), Advice: "was it written by another version, or changed?"}
	}
	return into, nil
}

// shapeProblem says what of a result does not fit together, so that it could not even
// be shown; "" if nothing does not.
func shapeProblem(result any) string {
	switch r := result.(type) {
	case *gate.Result:
		if r.Run == nil {
			return "" // it may be shown, and has nothing to verify
		}
		if problem := shapeProblem(r.Run); problem != "" {
			return "run." + problem
		}
		if r.Asked != nil && r.Asked.Baseline != nil && r.Asked.Baseline.Run != nil {
			for i, d := range r.Asked.Baseline.Run.Designs {
				if problem := d.Problem(); problem != "" {
					return fmt.Sprintf("asked.baseline.run.designs[%d]: %s", i, problem)
				}
			}
		}
	case *runs.Result:
		for i := range r.Tests {
			if t := &r.Tests[i]; t.Trials < 0 || t.Trials > len(t.Outcomes) {
				return fmt.Sprintf("scenarios[%d].trials is %d, and there are %d outcomes", i, t.Trials, len(t.Outcomes))
			}
			if problem := r.Tests[i].Design.Problem(); problem != "" {
				return fmt.Sprintf("scenarios[%d].design: %s", i, problem)
			}
		}
	case *sequential.Result:
		if len(r.Path) > r.Design.MaxTrials {
			return fmt.Sprintf("path has %d trials, and the design %d", len(r.Path), r.Design.MaxTrials)
		}
		if problem := r.Design.Problem(); problem != "" {
			return "design: " + problem
		}
	case *behaviour.Result:
		if r.Behaviour == nil {
			return "behaviour is missing"
		}
	}
	return ""
}
