package coverage

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// Domain is what a parameter of a tool may be, in the words of JSON Schema. The
// parameter is named by its path within the arguments: "amount", "address.zip",
// "lines[].quantity" for the member of every item of a list.
type Domain struct {
	Minimum, Maximum                   trial.Optional[float64] // of a number, which may be equal to them
	ExclusiveMinimum, ExclusiveMaximum trial.Optional[float64] // of a number, which may not
	MinLength, MaxLength               trial.Optional[int]     // characters of a text
	MinItems, MaxItems                 trial.Optional[int]     // of a list
	Enum                               []trial.Raw             // each value is a boundary; also for true and false
	Integer                            bool                    // whole numbers: one off is near
	// Types are those of JSON Schema that a value without a limit has: what is extreme of them is a boundary where
	// [Declaration].DefaultExtremes asks for it. They say nothing beside limits.
	Types []string
}

// BoundaryKind says which limit of a domain a boundary is, as JSON Schema names it.
type BoundaryKind string

// The kinds of boundaries.
const (
	minimumBoundary          BoundaryKind = "minimum"
	maximumBoundary          BoundaryKind = "maximum"
	exclusiveMinimumBoundary BoundaryKind = "exclusiveMinimum"
	exclusiveMaximumBoundary BoundaryKind = "exclusiveMaximum"
	minLengthBoundary        BoundaryKind = "minLength"
	maxLengthBoundary        BoundaryKind = "maxLength"
	minItemsBoundary         BoundaryKind = "minItems"
	maxItemsBoundary         BoundaryKind = "maxItems"
	EnumBoundary             BoundaryKind = "enum"
)

// Boundary is one limit of one parameter of a tool.
type Boundary struct {
	Tool      string       `json:"tool"`      // by its name
	Parameter string       `json:"parameter"` // its path, see [Domain]
	Kind      BoundaryKind `json:"kind"`      // which limit it is
	// Value is a number, or the value of an enum; nil for an extreme that has none, such as "negative".
	Value json.RawMessage `json:"value,omitempty"`
}

// String returns a boundary such as "refund amount maximum 500".
func (b Boundary) String() string {
	return b.Tool + " " + b.Parameter + " " + b.Limit()
}

// Limit returns the limit alone, such as "maximum 500", or "negative".
func (b Boundary) Limit() string {
	if b.Value == nil {
		return string(b.Kind)
	}
	return string(b.Kind) + " " + string(b.Value)
}

// limit is a boundary with what touches it. A number touches it from either side: just
// inside and just outside are where mistakes are made.
type limit struct {
	Boundary
	at        float64                 // the limit itself; 0 for a value of an enum
	canonical string                  // of a value of an enum, as [canonical] writes it
	tolerance float64                 // how far a value may be off
	opposite  trial.Optional[float64] // the limit on the other side
	touched   bool
}

// tolerance is ε of AgentAssay, Definition 4.8: a number touches a limit within this
// part of the width of its domain, or, where one side is open, of the limit itself.
// A whole number, a length and a number of items touch it within one: on the limit,
// just inside, just outside. A value nearer to the opposite limit touches that alone.
const tolerance = 0.01

// touches reports whether a number, a length or a number of items is at the limit or
// near it.
func (l *limit) touches(x float64) bool {
	off := math.Abs(x - l.at)
	return off == 0 || off <= l.tolerance && (!l.opposite.Known || off < math.Abs(x-l.opposite.Value))
}

// Validate returns a [DeclarationError] for a limit that is no number or lies on the
// wrong side of another, and for an enum that holds no JSON.
func (d Domain) Validate() *DeclarationError {
	low, high := d.sides()
	for _, side := range []struct {
		kind BoundaryKind
		x    trial.Optional[float64]
	}{
		{minimumBoundary, d.Minimum}, {maximumBoundary, d.Maximum},
		{exclusiveMinimumBoundary, d.ExclusiveMinimum}, {exclusiveMaximumBoundary, d.ExclusiveMaximum},
	} {
		if side.x.Known && (math.IsNaN(side.x.Value) || math.IsInf(side.x.Value, 0)) {
			return &DeclarationError{string(side.kind), side.x.Value, "must be a finite number"}
		}
	}
	if low.Known && high.Known && low.Value > high.Value {
		return &DeclarationError{string(minimumBoundary), low.Value, "lies above the maximum"}
	}
	for _, pair := range []struct {
		least, most BoundaryKind
		low, high   trial.Optional[int]
	}{
		{minLengthBoundary, maxLengthBoundary, d.MinLength, d.MaxLength},
		{minItemsBoundary, maxItemsBoundary, d.MinItems, d.MaxItems},
	} {
		switch {
		case pair.low.Known && pair.low.Value < 0:
			return &DeclarationError{string(pair.least), pair.low.Value, "must not be negative"}
		case pair.high.Known && pair.high.Value < 0:
			return &DeclarationError{string(pair.most), pair.high.Value, "must not be negative"}
		case pair.low.Known && pair.high.Known && pair.low.Value > pair.high.Value:
			return &DeclarationError{string(pair.least), pair.low.Value, "lies above " + string(pair.most)}
		}
	}
	for _, value := range d.Enum {
		if !jsontext.Value(value).IsValid() {
			return &DeclarationError{string(EnumBoundary), prose.Excerpt(string(value)), "is no JSON value"}
		}
	}
	return nil
}

// Empty reports whether a domain has no limit, as one that is an integer and nothing more. It may have extremes.
func (d Domain) Empty() bool { return len(d.limits("", "")) == 0 }

// sides are the tightest limits of a number: where there is an exclusive one and another
// on the same side, that which leaves less.
func (d Domain) sides() (low, high trial.Optional[float64]) {
	low, high = d.Minimum, d.Maximum
	if x := d.ExclusiveMinimum; x.Known && (!low.Known || x.Value > low.Value) {
		low = x
	}
	if x := d.ExclusiveMaximum; x.Known && (!high.Known || x.Value < high.Value) {
		high = x
	}
	return low, high
}

// limits are the boundaries of a valid domain, in the order of its fields. Each knows the
// limit on the other side, so that in a narrow domain a value touches the nearer one alone.
// Values of an enum that are equal are one boundary.
func (d Domain) limits(tool, parameter string) (list []*limit) {
	add := func(kind BoundaryKind, at, opposite trial.Optional[float64], tolerance float64) {
		if at.Known {
			value := json.RawMessage(strconv.FormatFloat(at.Value, 'g', -1, 64))
			boundary := Boundary{tool, parameter, kind, value}
			list = append(list, &limit{Boundary: boundary, at: at.Value, tolerance: tolerance, opposite: opposite})
		}
	}
	low, high := d.sides()
	// near is how far off a number is at the limit still; see [tolerance].
	near := func(at trial.Optional[float64]) float64 {
		switch {
		case d.Integer:
			return 1
		case low.Known && high.Known:
			return tolerance * (high.Value - low.Value)
		}
		return tolerance * math.Abs(at.Value)
	}
	add(minimumBoundary, d.Minimum, high, near(d.Minimum))
	add(maximumBoundary, d.Maximum, low, near(d.Maximum))
	add(exclusiveMinimumBoundary, d.ExclusiveMinimum, high, near(d.ExclusiveMinimum))
	add(exclusiveMaximumBoundary, d.ExclusiveMaximum, low, near(d.ExclusiveMaximum))
	number := func(n trial.Optional[int]) trial.Optional[float64] {
		return trial.Optional[float64]{Value: float64(n.Value), Known: n.Known}
	}
	add(minLengthBoundary, number(d.MinLength), number(d.MaxLength), 1)
	add(maxLengthBoundary, number(d.MaxLength), number(d.MinLength), 1)
	add(minItemsBoundary, number(d.MinItems), number(d.MaxItems), 1)
	add(maxItemsBoundary, number(d.MaxItems), number(d.MinItems), 1)
	seen := make(map[string]bool)
	for _, value := range d.Enum {
		if text, ok := canonical(value); ok && !seen[text] {
			seen[text] = true
			boundary := Boundary{tool, parameter, EnumBoundary, slices.Clone(json.RawMessage(value))}
			list = append(list, &limit{Boundary: boundary, canonical: text})
		}
	}
	return list
}

// canonical writes equal JSON values alike (RFC 8785), so that 1.0 touches an enum's 1.
// It is false for what is no JSON.
func canonical(value []byte) (text string, ok bool) {
	v := jsontext.Value(slices.Clone(value))
	if v.Canonicalize(jsontext.AllowInvalidUTF8(true)) != nil {
		return "", false
	}
	return string(v), true
}

// sortedKeys returns the keys of a map in an order that does not change from run to run.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
