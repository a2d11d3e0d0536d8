package jsonschema

import (
	"context"
	"fmt"
)

// spent ends a validation from within.
type spent struct{ why error }

// ValidateWithin validates as [Schema.Validate] does, and gives up when the context ends, or when more nodes of the
// schema were visited than most: a schema of some lines, whose parts refer to each other, can ask for more of them than
// anybody waits for. stopped says why it gave up; nothing is known of the value then.
func (sch *Schema) ValidateWithin(ctx context.Context, v any, most int) (invalid, stopped error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case spent:
			invalid, stopped = nil, r.why
		default:
			panic(r)
		}
	}()
	const between = 1 << 10 // looks at the context
	visited := 0
	return sch.validate(v, nil, nil, nil, false, nil, func() {
		visited++
		if visited > most {
			panic(spent{fmt.Errorf("more than %d parts of the schema were to be looked at", most)})
		}
		if visited%between == 1 && ctx.Err() != nil {
			panic(spent{context.Cause(ctx)})
		}
	}), nil
}
