package oracle

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// doubling is a schema whose definitions each ask twice for the next: 2^40 visits for any value.
func doubling() trial.Raw {
	const depth = 40
	var definitions []string
	for i := range depth {
		next := fmt.Sprintf(`{"$ref": "#/$defs/d%d"}`, i+1)
		definitions = append(definitions, fmt.Sprintf(`"d%d": {"allOf": [%s, %s]}`, i, next, next))
	}
	definitions = append(definitions, fmt.Sprintf(`"d%d": {}`, depth))
	return trial.Raw(`{"$ref": "#/$defs/d0", "$defs": {` + strings.Join(definitions, ", ") + `}}`)
}

// A small schema that asks for more than anybody waits for is an error of the judging, within its bound of work.
func TestSchemaHasABoundOfWork(t *testing.T) {
	judge, err := JSONSchema(Path{}, doubling())
	if err != nil {
		t.Fatal(err)
	}
	// Nothing that gave up can pass by being turned round.
	negation, err := Not(judge)
	if err != nil {
		t.Fatal(err)
	}
	r := negation.Evaluate(t.Context(), Evidence{Trial: &trial.Trial{Output: trial.Raw(`{"a": 1}`)}})
	if r.Outcome != trial.Error || !strings.Contains(r.Text, "more than 2000000 parts of the schema") {
		t.Errorf("%+v", r)
	}
}

// Whoever waits for an evaluator can stop it.
func TestEvaluatorsEndWithTheirContext(t *testing.T) {
	interrupted := errors.New("interrupted")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(interrupted)
	schema, err := NewSchema(trial.Raw(`{"type": "object"}`))
	if err != nil {
		t.Fatal(err)
	}
	if problem, err := schema.Violation(ctx, map[string]any{}); problem != "" || !errors.Is(err, interrupted) {
		t.Errorf("%q, %v", problem, err)
	}
	began, end := make(chan bool), make(chan bool)
	defer close(end)
	endless := func(context.Context, Evidence) Result {
		close(began)
		<-end
		return Result{Outcome: trial.Pass}
	}
	ctx, stop = context.WithCancelCause(t.Context())
	go func() {
		<-began
		stop(interrupted)
	}()
	r := withinTime(time.Hour, endless)(ctx, Evidence{})
	if r.Outcome != trial.Error || !strings.Contains(r.Text, "interrupted") {
		t.Errorf("%+v", r)
	}
	began = make(chan bool)
	r = withinTime(time.Millisecond, endless)(t.Context(), Evidence{})
	if r.Outcome != trial.Error || !strings.Contains(r.Text, "it takes longer than 1ms") {
		t.Errorf("%+v", r)
	}
}
