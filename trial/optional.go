package trial

// Optional is a value that may be unknown. Its zero value is unknown.
type Optional[T any] struct {
	Value T    // the zero value of T unless Known
	Known bool // false: nothing is said about the value, it is not zero
}

// Some returns a known value.
func Some[T any](value T) Optional[T] { return Optional[T]{Value: value, Known: true} }

// Or returns the value if it is known, and the fallback if not.
func (o Optional[T]) Or(fallback T) T {
	if o.Known {
		return o.Value
	}
	return fallback
}
