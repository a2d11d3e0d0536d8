// Package arbitrary makes values that a JSON Schema allows, and finds smaller ones of which the same is true: what
// property-based testing needs of inputs.
//
//	source, err := arbitrary.New(schema)
//	value, err := source.Value(seeded.Stream(seed, 0)) // a JSON text
//	smallest, tried, err := source.Minimise(value, 100, fails)
//
// Every value is checked by the schema itself, whatever made it. What a schema forbids by not, if and the like is found
// by drawing again.
//
// The packages that are there for this shrink within a time, for a *testing.T; here each value costs a trial of an
// agent, so that what is bounded is how many are tried.
//
//   - schema.go: what schemas are taken, and references within them
//   - value.go draws values, number.go and text.go those of numbers and texts, pattern.go texts of a regular expression
//   - smaller.go has what is smaller than a value, minimise.go the search
package arbitrary
