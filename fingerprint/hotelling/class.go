package hotelling

import "github.com/tribunal-dev/tribunal/internal/enum"

// Class is AgentAssay's class of an agent by the total variance of its vectors (Definition 7.4). The
// limits have the squared units of the columns, so that an agent's class changes with the units; what it takes to
// find a shift does not follow from it.
type Class uint8

// The classes.
const (
	stable Class = iota
	moderate
	Volatile
)

var classNames = enum.Of[Class]("class", "stable", "moderate", "volatile")

// String returns "stable", "moderate" or "volatile".
func (c Class) String() string { return classNames.String(c) }

// MarshalText writes the name; a value that is none of the constants is refused.
func (c Class) MarshalText() ([]byte, error) { return classNames.MarshalText(c) }

// UnmarshalText reads the name.
func (c *Class) UnmarshalText(text []byte) error { return classNames.UnmarshalText(text, c) }

// ClassOf is the class by the limits of the definition, 0.05 and 0.25.
func ClassOf(variance float64) Class { return classBetween(variance, 0.05, 0.25) }

// ImplementedClassOf is the class by the limits that the paper's footnote 1 says its implementation has,
// 1.5 and 5.0.
func ImplementedClassOf(variance float64) Class { return classBetween(variance, 1.5, 5) }

func classBetween(variance, low, high float64) Class {
	switch {
	case variance < low:
		return stable
	case variance < high:
		return moderate
	}
	return Volatile
}
