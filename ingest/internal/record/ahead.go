package record

import "io"

// How many values are read at a time, and how many times ahead: so many that handing them over costs nothing. Both
// numbers are chosen.
const (
	aheadValues = 256
	aheadTimes  = 3
)

// Ahead reads values in a goroutine while those before are used, in their order. It ends with the first error of either
// function; io.EOF of next is none. What waits in next when use fails ends when that returns.
func Ahead[T any](next, use func(*T) error) error {
	type batch struct {
		values []T
		err    error // that follows them
	}
	full, empty, stop := make(chan *batch, aheadTimes), make(chan *batch, aheadTimes), make(chan struct{})
	defer close(stop)
	for range aheadTimes {
		empty <- &batch{values: make([]T, 0, aheadValues)}
	}
	go func() {
		for {
			select {
			case <-stop:
				return
			case b := <-empty:
				for b.values = b.values[:0]; len(b.values) < aheadValues; {
					var value T
					if b.err = next(&value); b.err != nil {
						full <- b
						return
					}
					b.values = append(b.values, value)
				}
				full <- b
			}
		}
	}()
	for {
		b := <-full
		for i := range b.values {
			if err := use(&b.values[i]); err != nil {
				return err
			}
		}
		switch b.err {
		case nil:
			empty <- b
		case io.EOF:
			return nil
		default:
			return b.err
		}
	}
}
